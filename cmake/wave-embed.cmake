# Writes a C source that contains a WBIN file: cmake -DBINARY=k.wbin -DNAME=SYMBOL -DOUTPUT=k.c -P this
file(READ "${BINARY}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n    " bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include <stddef.h>

extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;

const unsigned char ${NAME}[] = {
    ${bytes}};
const size_t ${NAME}_size = ${size};
")
