/* The tables of alias.def and the lookup in them. */
#include "isa/alias.h"

#include <stdlib.h>
#include <string.h>

typedef struct alias {
    const char *name;
    uint16_t id;
} alias;

#define INSN_ALIAS(name, id)
#define SPECIAL_ALIAS(name, id)
#define SCOPE_ALIAS(name, id)

static const alias instructions[] = {
#undef INSN_ALIAS
#define INSN_ALIAS(name, id) {name, ISA_##id},
#include "isa/alias.def"
#undef INSN_ALIAS
#define INSN_ALIAS(name, id)
};

static const alias specials[] = {
#undef SPECIAL_ALIAS
#define SPECIAL_ALIAS(name, id) {name, ISA_SR_##id},
#include "isa/alias.def"
#undef SPECIAL_ALIAS
#define SPECIAL_ALIAS(name, id)
};

static const alias scopes[] = {
#undef SCOPE_ALIAS
#define SCOPE_ALIAS(name, id) {name, ISA_SCOPE_##id},
#include "isa/alias.def"
};

static int compare(const void *word, const void *entry) {
    return strcmp(word, ((const alias *)entry)->name);
}

#define SEARCH(word, list)                                                                         \
    ((const alias *)bsearch(word, list, sizeof(list) / sizeof *(list), sizeof *(list), compare))

bool isa_alias_fold(const char *name, size_t length, char word[ISA_ALIAS_LENGTH + 1]) {
    bool upper = false, lower = false;
    if (length > ISA_ALIAS_LENGTH)
        return false;
    for (size_t i = 0; i < length; i++) {
        bool capital = name[i] >= 'A' && name[i] <= 'Z';
        upper |= capital;
        lower |= name[i] >= 'a' && name[i] <= 'z';
        word[i] = (char)(capital ? name[i] | 0x20 : name[i]);
    }
    word[length] = '\0';
    return !(upper && lower);
}

isa_op isa_alias_find(const char *name, size_t length) {
    char word[ISA_ALIAS_LENGTH + 1];
    if (!isa_alias_fold(name, length, word))
        return ISA_NONE;
    const alias *found = SEARCH(word, instructions);
    if (found)
        return (isa_op)found->id;
    return isa_find_name(word, length);
}

int isa_alias_special(const char *name, size_t length) {
    char word[ISA_ALIAS_LENGTH + 1];
    if (!isa_alias_fold(name, length, word))
        return -1;
    const alias *found = SEARCH(word, specials);
    return found ? found->id : isa_find_special(word, length);
}

int isa_alias_scope(const char *name, size_t length) {
    char word[ISA_ALIAS_LENGTH + 1];
    const alias *found = isa_alias_fold(name, length, word) ? SEARCH(word, scopes) : NULL;
    return found ? found->id : -1;
}
