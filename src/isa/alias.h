/* Alternative names from the seed documents for entries of isa.def, special.def and the scopes: see
 * alias.def. Our own mnemonics and special registers are also found in upper case. */
#ifndef ISA_ALIAS_H
#define ISA_ALIAS_H

#include "isa/isa.h"

enum { ISA_ALIAS_LENGTH = 32 };

/* The word in lower case; false when it is too long, or neither all upper nor all lower case. */
bool isa_alias_fold(const char *name, size_t length, char word[ISA_ALIAS_LENGTH + 1]);

/* ISA_NONE when there is no such name. Our own mnemonics are found too. */
isa_op isa_alias_find(const char *name, size_t length);
/* -1 when there is no such name. */
int isa_alias_special(const char *name, size_t length);
int isa_alias_scope(const char *name, size_t length);

#endif
