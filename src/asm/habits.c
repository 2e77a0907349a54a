/* Hints for foreign mnemonics without an alias: those of other assemblers, and families that a seed
 * document writes as one instruction with a modifier. */
#include "asm/asm.h"
#include "isa/alias.h"

#include <string.h>

static const char loads[] = "use device_load_u32, local_load_u32, …: device_load_u32 r1, [r2 + 4]";
static const char stores[] =
    "use device_store_u32, local_store_u32, …: device_store_u32 [r2 + 4], r1";
static const char branches[] =
    "there are no branches: use if, else, endif, loop, break, continue and endloop";
static const char compares[] =
    "a compare names its relation and writes a predicate: icmp_eq, icmp_lt, ucmp_lt, fcmp_eq, …";
static const char barriers[] = "use barrier to synchronise the threads of a workgroup";
static const char ends[] = "use return to end a function, halt to end a kernel";
static const char atomics[] = "an atomic names its operation: atomic_add, atomic_sub, atomic_min, "
                              "…, atomic_cas r1, r2, r3, r4, .device";
static const char exchanges[] = "atomic_exchange r1, r2, r3, .device, or local_atomic_exchange";

static const struct {
    const char *word, *hint;
} habits[] = {
    {"ld", loads},
    {"ldg", loads},
    {"lds", loads},
    {"device_load", "a load names its width: device_load_u8, _u16, _u32, _u64, _u128"},
    {"st", stores},
    {"stg", stores},
    {"sts", stores},
    {"device_store", "a store names its width: device_store_u8, _u16, _u32, _u64, _u128"},
    {"b", branches},
    {"br", branches},
    {"bra", branches},
    {"branch", branches},
    {"branch_if", branches},
    {"branch_ifnot", branches},
    {"goto", branches},
    {"j", branches},
    {"jmp", branches},
    {"end", ends},
    {"s_endpgm", ends},
    {"cmp", compares},
    {"setp", compares},
    {"icmp", "icmp_eq, icmp_ne, icmp_lt, icmp_le, icmp_gt or icmp_ge"},
    {"ucmp", "ucmp_eq, ucmp_ne, ucmp_lt, ucmp_le, ucmp_gt or ucmp_ge"},
    {"fcmp", "fcmp_eq, fcmp_ne, fcmp_lt, fcmp_le, fcmp_gt, fcmp_ge, fcmp_ord or fcmp_unord"},
    {"atomic", atomics},
    {"atom", atomics},
    {"red", atomics},
    {"xchg", exchanges},
    {"swap", exchanges},
    {"bar", barriers},
    {"sync", barriers},
    {"syncthreads", barriers},
    {"fence", "a fence names its order: fence_acquire, fence_release, fence_acq_rel or fence_sc"},
    {"membar", "a fence names its order: fence_acquire, fence_release, fence_acq_rel or fence_sc"},
    {"shift", "shl, shr (logical) or sar (arithmetic)"},
    {"bitop", "bitcount, bitfind or bitrev"},
    {"ftransc", "fsin, fcos, fexp2 or flog2"},
    {"wave_op", "each wave operation has its own mnemonic: wave_shuffle, wave_broadcast, "
                "wave_reduce_add, …"},
    {"wave_reduce", "wave_reduce_add, _min, _max, _and, _or or _xor"},
    {"shfl", "wave_shuffle, wave_shuffle_up, wave_shuffle_down or wave_shuffle_xor"},
    {"cvt", "a conversion names both types, the result's first: cvt_f32_i32"},
};

const char *asm_habit_hint(const asm_token *name) {
    char word[ISA_ALIAS_LENGTH + 1];
    if (!isa_alias_fold(name->place.at, name->place.length, word))
        return NULL;
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (strcmp(word, habits[i].word) == 0)
            return habits[i].hint;
    return NULL;
}
