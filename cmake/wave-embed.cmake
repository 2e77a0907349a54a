# Writes a C source that contains a WBIN file:
# cmake -DSOURCE=k.wave|k.wbin|k.cl|k.spv -DSTEM=PATH -DNAME=SYMBOL -DOUTPUT=k.c -DASSEMBLER=wave-asm -DOPENCL=wave-cc -P this
get_filename_component(ending "${SOURCE}" LAST_EXT)
set(binary "${SOURCE}")
if(NOT ending STREQUAL ".wbin")
    set(binary "${STEM}.wbin")
    set(tool "${ASSEMBLER}")
    if(ending MATCHES "^\\.(cl|spv|spvasm)$")
        set(tool "${OPENCL}")
    endif()
    execute_process(COMMAND "${tool}" "${SOURCE}" -o "${binary}" RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "${tool} ${SOURCE} failed")
    endif()
endif()
file(READ "${binary}" bytes HEX)
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
