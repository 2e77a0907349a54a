/* The conveniences of the assembler: each form is compared with the plain instructions that the
 * reference defines for it, and each wrong form has its diagnostic. */
#include "asm_helpers.h"

typedef struct pair {
    const char *convenient, *plain;
} pair;

static assembled in_kernel(const char *body) {
    static char source[8192];
    int used = snprintf(source, sizeof source, ".kernel k\n%s\n.end\n", body);
    cr_assert(used > 0 && (size_t)used < sizeof source);
    return assemble(source);
}

/* Both forms must have the same code section. */
static void expect_same(const pair *p) {
    assembled x = in_kernel(p->convenient), y = in_kernel(p->plain);
    char found[200] = "";
    const wave_diag *d = wave_diags_at(x.diags, 0);
    if (d)
        snprintf(found, sizeof found, "%s: %s", d->code, d->message);
    cr_assert_eq(x.status, WAVE_OK, "%s\n%s", p->convenient, found);
    cr_assert_eq(y.status, WAVE_OK, "%s", p->plain);
    cr_assert_eq(wave_diags_count(x.diags), 0, "%s\n%s", p->convenient, found);
    cr_expect_eq(code_size(&x.file), code_size(&y.file), "%s", p->convenient);
    for (size_t i = 0; i < code_size(&x.file) / 4 && i < code_size(&y.file) / 4; i++)
        cr_expect_eq(word_at(&x.file, i), word_at(&y.file, i), "%s: word %zu is %08x, not %08x",
                     p->convenient, i, word_at(&x.file, i), word_at(&y.file, i));
    discard(&x);
    discard(&y);
}

#define PAIRS(pairs)                                                                               \
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)                                      \
    expect_same(&pairs[i])

Test(asm_comfort, names_stand_for_registers_and_predicates) {
    static const pair pairs[] = {
        {".arg x buffer f32\n.arg n u32\niadd r5, x, n", "iadd r5, r0, r1"},
        {".arg a u64\n.arg b f32\nmov r9, b", "mov r9, r2"},
        {".arg s bytes 9\n.arg b u8\nmov r9, b", "mov r9, r3"},
        {".arg t local f32\n.arg b u8\nmov r9, b", "mov r9, r0"},
        {".arg a u64\ndmul r4, a, a", "dmul r4, r0, r0"},
        /* The lowest registers that nothing else in the kernel uses, before or after. */
        {".reg i, j\nmov i, j\nmov r1, r3", "mov r0, r2\nmov r1, r3"},
        {".arg x u32\n.reg i\nmov i, x\nmov r1, r1", "mov r2, r0\nmov r1, r1"},
        {".reg d:2\n.reg e\ndadd d, r1, r1\nmov e, r0", "dadd r3, r1, r1\nmov r5, r0"},
        {".reg q:4, e\ndevice_load_u128 q, e", "device_load_u128 r0, r4"},
        {".reg e\nmov e, r0\ndevice_load_u128 r1, r0", "mov r5, r0\ndevice_load_u128 r1, r0"},
        {".reg i = r7, j\nmov i, j", "mov r7, r0"},
        {".reg d:2 = r4\ndadd d, d, d", "dadd r4, r4, r4"},
        /* Predicates: p0 last, because it cannot guard. */
        {".pred a, b, c, d\nicmp_eq a, r1, r2\nicmp_eq b, r1, r2\nicmp_eq c, r1, r2\n"
         "icmp_eq d, r1, r2",
         "icmp_eq p1, r1, r2\nicmp_eq p2, r1, r2\nicmp_eq p3, r1, r2\nicmp_eq p0, r1, r2"},
        {".pred a\nicmp_eq p1, r1, r2\nicmp_eq a, r1, r2",
         "icmp_eq p1, r1, r2\nicmp_eq p2, r1, r2"},
        {".pred a = p3\n@a nop\n@!a nop\nif a\nendif\nif !a\nendif",
         "@p3 nop\n@!p3 nop\nif p3\nendif\nif !p3\nendif"},
        {".pred a\n@a mov r1, r2\nselect r1, a, r2, r3\nwave_ballot r1, a",
         "@p1 mov r1, r2\nselect r1, p1, r2, r3\nwave_ballot r1, p1"},
        /* An atomic whose result is r0 would have none. */
        {".reg old, x\nlocal_atomic_add old, x, x", "local_atomic_add r1, r0, r0"},
        {".reg srx\nmov srx, r1", "mov r0, r1"},
    };
    PAIRS(pairs);
}

Test(asm_comfort, numbers_and_expressions_are_operands) {
    static const pair pairs[] = {
        {"iadd r1, r2, 5", "mov_imm r3, 5\niadd r1, r2, r3"},
        {"iadd r1, 5, -6", "mov_imm r2, 5\nmov_imm r3, -6\niadd r1, r2, r3"},
        {"fadd r1, r2, 0.5", "mov_imm r3, 0.5\nfadd r1, r2, r3"},
        {"hadd r1, r2, 0.5", "mov_imm r3, 0x3800\nhadd r1, r2, r3"},
        {"hadd2 r1, r2, -1.5", "mov_imm r3, 0xBE00BE00\nhadd2 r1, r2, r3"},
        {"badd r1, r2, 1.0", "mov_imm r3, 0x3F80\nbadd r1, r2, r3"},
        {"bmul2 r1, r2, 2.0", "mov_imm r3, 0x40004000\nbmul2 r1, r2, r3"},
        {"dadd r1, r2, 1.5", "mov_imm r4, 0\nmov_imm r5, 0x3FF80000\ndadd r1, r2, r4"},
        {"hadd r1, r2, 65520.0", "mov_imm r3, 0x7C00\nhadd r1, r2, r3"},
        {"hadd r1, r2, 65519.999", "mov_imm r3, 0x7BFF\nhadd r1, r2, r3"},
        {"hadd r1, r2, 5.9604644775390625e-8", "mov_imm r3, 1\nhadd r1, r2, r3"},
        {"hadd r1, r2, 2.98e-8", "mov_imm r3, 0\nhadd r1, r2, r3"},
        {"mov r1, 5", "mov_imm r1, 5"},
        {"mov r1, 0.25", "mov_imm r1, 0.25"},
        {"mov r1, 3 + 4 * 2", "mov_imm r1, 11"},
        {"mov_imm r1, (3 + 4) * 2 - 1", "mov_imm r1, 13"},
        {"mov r1, 10 -3", "mov_imm r1, 7"},
        {"mov r1, -(2 + 1)", "mov_imm r1, -3"},
        {"mov r1, ~0 & 0xFF", "mov_imm r1, 255"},
        {"mov r1, 1 << 4 | 1", "mov_imm r1, 17"},
        {"mov r1, 7 / 2 + 7 % 2", "mov_imm r1, 4"},
        {"mov r1, -8 >> 1", "mov_imm r1, -4"},
        {"mov r1, 1 < 2 && 2 <= 2 && !(3 > 4) && 1 != 2", "mov_imm r1, 1"},
        {"mov r1, 0 || 3 == 4", "mov_imm r1, 0"},
        {"mov r1, 6 ^ 3", "mov_imm r1, 5"},
        {"mov r1, 1.0 / 4", "mov_imm r1, 0.25"},
        {"mov r1, sizeof(f64) * 2 + sizeof(bf16)", "mov_imm r1, 18"},
        {".const N = 4\n.const M = N * N\nmov r1, M + defined(N) + defined(Q)", "mov_imm r1, 17"},
        {".const PI = 3.0\nfmul r1, r2, PI", "mov_imm r3, 3.0\nfmul r1, r2, r3"},
        {".const N = 4\niadd r1, r2, N", "mov_imm r3, 4\niadd r1, r2, r3"},
        {"iadd r1, sr_lane_id, r2", "mov_sr r3, sr_lane_id\niadd r1, r3, r2"},
        {"device_store_u32 r1, 1.0", "mov_imm r2, 1.0\ndevice_store_u32 r1, r2"},
        {"device_store_u64 r1, -1", "mov_imm r2, -1\nmov_imm r3, -1\ndevice_store_u64 r1, r2"},
        {"assert p1, 2 + 3", "assert p1, 5"},
        /* The next instruction reuses temporaries, and they are computed without the guard. */
        {"@p1 iadd r1, r2, 5\n@p1 iadd r1, r2, 6",
         "mov_imm r3, 5\n@p1 iadd r1, r2, r3\nmov_imm r3, 6\n@p1 iadd r1, r2, r3"},
    };
    PAIRS(pairs);
}

Test(asm_comfort, addresses_in_brackets_are_computed) {
    static const pair pairs[] = {
        {"device_load_u32 r1, [r2]", "device_load_u32 r1, r2"},
        {"device_load_u32 r1, [r2 + 8]", "mov_imm r3, 8\niadd r3, r2, r3\ndevice_load_u32 r1, r3"},
        {"device_load_u32 r1, [r2 - 4]", "mov_imm r3, -4\niadd r3, r2, r3\ndevice_load_u32 r1, r3"},
        {"device_load_u32 r1, [r2 + 0x7fffffffffffffff - 0x7ffffffffffffffb]",
         "mov_imm r3, 4\niadd r3, r2, r3\ndevice_load_u32 r1, r3"},
        {"device_load_u32 r1, [r2 -4]", "mov_imm r3, -4\niadd r3, r2, r3\ndevice_load_u32 r1, r3"},
        {"device_load_u32 r1, [r2 + r3]", "iadd r4, r2, r3\ndevice_load_u32 r1, r4"},
        {"device_load_u32 r1, [r2 + r3*4]",
         "mov_imm r4, 2\nshl r4, r3, r4\niadd r4, r2, r4\ndevice_load_u32 r1, r4"},
        {"device_load_u32 r1, [r2 + r3*12]",
         "mov_imm r4, 12\nimad r4, r3, r4, r2\ndevice_load_u32 r1, r4"},
        {"device_load_u32 r1, [r2 + r3*4 + 2*8]",
         "mov_imm r4, 2\nshl r4, r3, r4\niadd r4, r2, r4\nmov_imm r5, 16\niadd r5, r4, r5\n"
         "device_load_u32 r1, r5"},
        {"device_load_u32 r1, [16]", "mov_imm r2, 16\ndevice_load_u32 r1, r2"},
        {"device_load_u32 r1, [r2*4 + 8]",
         "mov_imm r3, 2\nshl r3, r2, r3\nmov_imm r4, 8\niadd r4, r3, r4\ndevice_load_u32 r1, r4"},
        {"device_load_u32 r1, [r2*3]", "mov_imm r3, 3\nimul r3, r2, r3\ndevice_load_u32 r1, r3"},
        {"device_load_u32 r1, [r2 + sr_lane_id*4]",
         "mov_sr r3, sr_lane_id\nmov_imm r4, 2\nshl r4, r3, r4\niadd r4, r2, r4\n"
         "device_load_u32 r1, r4"},
        {"local_store_u32 [r2 + 4], 7",
         "mov_imm r3, 4\niadd r3, r2, r3\nmov_imm r4, 7\nlocal_store_u32 r3, r4"},
        {"atomic_add [r2 + 4], r3, .device",
         "mov_imm r4, 4\niadd r4, r2, r4\natomic_add r4, r3, .device"},
        {"mma_store_c [r2 + 4], r3, r0", "mov_imm r4, 4\niadd r4, r2, r4\nmma_store_c r4, r3, r0"},
        {".arg x buffer f32 contained\n.reg i\ndevice_load_u32 r1, [x + i*sizeof(f32)]",
         "mov_imm r3, 2\nshl r3, r2, r3\niadd r3, r0, r3\ndevice_load_u32 r1, r3"},
    };
    PAIRS(pairs);
}

Test(asm_comfort, spellings_of_the_seeds_are_accepted) {
    static const pair pairs[] = {
        {"dadd r2:r3, r4:r5, r6:r7", "dadd r2, r4, r6"},
        {"device_load_u128 r4:r7, r1", "device_load_u128 r4, r1"},
        {"if (p1)\nendif\nif (!p1)\nendif", "if p1\nendif\nif !p1\nendif"},
        {".pred q\nif (q)\nendif\nif (!q)\nendif", "if p1\nendif\nif !p1\nendif"},
        {"nop // not code", "nop"},
        {"hadd r1, r2.hi, r3", "mov_imm r4, 16\nshr r4, r2, r4\nhadd r1, r4, r3"},
        {"hadd r1, r2.lo, r3.lo", "hadd r1, r2, r3"},
        {"@p1 hadd r1.hi, r2, r3", "mov_imm r4, 16\nhadd r5, r2, r3\n@p1 bfi r1, r1, r5, r4, r4"},
        /* The guard suppresses the effect; the temporary is written in any case. */
        {"@p1 device_load_u16 r1.hi, r2",
         "mov_imm r3, 16\nmov_imm r4, 0\n@p1 device_load_u16 r4, r2\n"
         "@p1 bfi r1, r1, r4, r3, r3"},
        {"device_load_u16 r1.hi, r2",
         "mov_imm r3, 16\ndevice_load_u16 r4, r2\nbfi r1, r1, r4, r3, r3"},
        {"@!p1 wave_shuffle r1.hi, r2, r3",
         "mov_imm r4, 16\nmov_imm r5, 0\n@!p1 wave_shuffle r5, r2, r3\n"
         "@!p1 bfi r1, r1, r5, r4, r4"},
        {".reg x\nhadd r1, x.hi, r3", "mov_imm r4, 16\nshr r4, r0, r4\nhadd r1, r4, r3"},
        {"mov r1.hi, r1.hi", "mov_imm r2, 16\nshr r2, r1, r2\nmov_imm r3, 16\nmov r4, r2\n"
                             "bfi r1, r1, r4, r3, r3"},
        {"@!p2 mov r1.hi, 5", "mov_imm r2, 16\nmov_imm r3, 5\n@!p2 bfi r1, r1, r3, r2, r2"},
        {"@p1 atomic_add.acq_rel.device r2, r3",
         "@p1 fence_release .device\n@p1 atomic_add r2, r3, .device\n@p1 fence_acquire .device"},
        /* tests/seeds has every name of alias.def; these are combinations of them. */
        {"add r1, sr_tid_x, 5", "mov_sr r2, sr_thread_id_x\nmov_imm r3, 5\niadd r1, r2, r3"},
        {"load r1, [SR_LANE_ID*4]",
         "mov_sr r2, sr_lane_id\nmov_imm r3, 2\nshl r3, r2, r3\ndevice_load_u32 r1, r3"},
        {".reg add, min\nmov add, min", "mov r0, r1"},
        {".reg SR_COUNT\nmov SR_COUNT, r1", "mov r0, r1"},
        {".const scope_device = 5\nmov r1, (scope_device)", "mov_imm r1, 5"},
        {".macro load a\nmov r1, a\n.endm\nload r2", "mov r1, r2"},
        {".macro FADD a\nmov r1, a\n.endm\nFADD r2", "mov r1, r2"},
        {"add: nop\ncall add\nhalt", "f: nop\ncall f\nhalt"},
        {"EXIT\nRET", "halt\nreturn"},
        {"local_atomic_add.workgroup r1, r2, r3", "local_atomic_add r1, r2, r3"},
        {"local_atomic_add r1, r2, r3, .workgroup", "local_atomic_add r1, r2, r3"},
        {"atomic_add r1, r2, r3, .cluster", "atomic_add r1, r2, r3, .workgroup"},
        {"fence_acquire .cluster", "fence_acquire .workgroup"},
        {"@p1 atomic_add.acquire r1, r2, r3, .device",
         "@p1 atomic_add r1, r2, r3, .device\n@p1 fence_acquire .device"},
        {"atomic_add.release.system r1, r2, r3",
         "fence_release .system\natomic_add r1, r2, r3, .system"},
        {"atomic_add.acq_rel r1, r2, r3, .device",
         "fence_release .device\natomic_add r1, r2, r3, .device\nfence_acquire .device"},
        {"local_atomic_add.seq_cst r1, r2, r3",
         "fence_sc .workgroup\nlocal_atomic_add r1, r2, r3\nfence_acquire .workgroup"},
    };
    PAIRS(pairs);
}

Test(asm_comfort, macros_expand_to_their_lines) {
    static const pair pairs[] = {
        {".macro m a, b\nmov a, b\n.endm\nm r1, r2\nm r3, r4", "mov r1, r2\nmov r3, r4"},
        {".macro m\nnop\n.endm\nm\nm ; a comment", "nop\nnop"},
        {".macro m a, b\n    mov a , b \n    .endm\n    m r1 , r2 ; a comment\n m r3,r4",
         "mov r1, r2\nmov r3, r4"},
        {".macro m a\n mov a, a\n    .endm\n.macro n b\n m b\t\n    .endm\nn r5\t", "mov r5, r5"},
        {".macro m a\nmov r1, a\n.endm\nm (1 + 2) * 3", "mov_imm r1, 9"},
        {".macro m a\ndevice_load_u32 r1, a\n.endm\nm [r2 + r3]",
         "iadd r4, r2, r3\ndevice_load_u32 r1, r4"},
        {".macro m p, x\n@p mov x, r1\n@!p mov x, r2\n.endm\nm p3, r4",
         "@p3 mov r4, r1\n@!p3 mov r4, r2"},
        {".macro in a\nmov r1, a\n.endm\n.macro out a\nin a\nin r9\n.endm\nout r5",
         "mov r1, r5\nmov r1, r9"},
        {".macro in p\n@p nop\n.endm\n.macro out q\nin q\n.endm\nout p2", "@p2 nop"},
        /* Registers, predicates and labels belong to the expansion. */
        {".reg x\n.macro m\n.reg x\nmov x, r9\n.endm\nm\nm\nmov x, r9",
         "mov r1, r9\nmov r2, r9\nmov r0, r9"},
        {".macro m\ncall f\n.endm\nm\nhalt\nf: return", "call f\nhalt\nf: return"},
        {".macro m\nhalt\nf: call f\nreturn\n.endm\nm\nm",
         "halt\nf: call f\nreturn\nhalt\ng: call g\nreturn"},
        {".macro m l\nl: call l\nreturn\n.endm\nhalt\nm f", "halt\nf: call f\nreturn"},
        {".macro twice what\nwhat\nwhat\n.endm\n.macro inc r\niadd r, r, r\n.endm\ntwice inc r3",
         "iadd r3, r3, r3\niadd r3, r3, r3"},
        {".macro m n\n.if n > 1\nmov r1, n\n.else\nnop\n.endif\n.endm\nm 1\nm 2",
         "nop\nmov_imm r1, 2"},
        {".macro m n\n.if n > 0\nnop\nm n - 1\n.endif\n.endm\nm 3", "nop\nnop\nnop"},
    };
    PAIRS(pairs);
}

Test(asm_comfort, conditions_choose_the_assembled_lines) {
    static const pair pairs[] = {
        {".if 1\nnop\n.endif", "nop"},
        {".if 0\nthis is no code $ \"\n.else\nnop\n.endif", "nop"},
        {".if 1\nnop\n.else\n!!\n.endif", "nop"},
        {".if 0\n.if 1\n??\n.else\n??\n.endif\n.else\n.if 1\nnop\n.endif\n.endif", "nop"},
        {".if !defined(X) && 1.5 > 1\nnop\n.endif\nhalt", "nop\nhalt"},
        {"if p1\n.if 1\nelse\n.endif\nendif", "if p1\nelse\nendif"},
    };
    PAIRS(pairs);
}

Test(asm_comfort, plain_sources_have_no_extension_table) {
    assembled a = in_kernel("nop\nhalt");
    cr_expect_eq(u32_at(&a.file, 28), 36);
    cr_expect_eq(a.file.data[6], 0);
    discard(&a);
    a = in_kernel(".const N = 4\nmov r1, N\nhalt"); /* a name alone needs no section */
    cr_expect_eq(u32_at(&a.file, 28), 36);
    discard(&a);
}

static uint32_t registers_of(const char *body) {
    assembled a = in_kernel(body);
    cr_assert_eq(a.status, WAVE_OK, "%s", body);
    uint32_t count = u32_at(&a.file, u32_at(&a.file, 24) + 8);
    discard(&a);
    return count;
}

Test(asm_comfort, temporaries_raise_the_register_count) {
    cr_expect_eq(registers_of("mov r40, r1"), 32, "a plain kernel has the default");
    cr_expect_eq(registers_of("mov r1, 5"), 32);
    cr_expect_eq(registers_of("mov r40, 5"), 41);
    cr_expect_eq(registers_of("iadd r40, r1, 5"), 42, "a temporary above all");
    cr_expect_eq(registers_of(".registers 50\niadd r40, r1, 5"), 50);
    cr_expect_eq(registers_of("iadd r253, 5, 6"), 256);
}

/* ---- Diagnostics ---- */

typedef struct wrong {
    const char *body, *expected; /* "CODE LINE:COLUMN", counted in the body */
    const char *hint;            /* part of the hint; NULL: any */
} wrong;

static void expect_wrong(const wrong *w, wave_asm_options options) {
    char source[8192], found[200] = "none";
    snprintf(source, sizeof source, ".kernel k\n%s\nhalt\n.end\n", w->body);
    assembled a = assemble_bytes(source, strlen(source), options);
    const wave_diag *d = wave_diags_at(a.diags, 0);
    if (d)
        snprintf(found, sizeof found, "%s %u:%u", d->code, d->line - 1, d->column);
    cr_expect_str_eq(found, w->expected, "%s: %s: %s", w->body, found, d ? d->message : "");
    if (d && w->hint)
        cr_expect(d->hint && strstr(d->hint, w->hint), "%s: hint: %s", w->body,
                  d->hint ? d->hint : "none");
    cr_expect(w->expected[0] == 'W' || a.status == WAVE_ERROR_INPUT);
    discard(&a);
}

#define WRONG(list, options)                                                                       \
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)                                        \
    expect_wrong(&list[i], (wave_asm_options){options})

Test(asm_comfort, wrong_names_are_located) {
    static const wrong list[] = {
        {"iadd r1, r2, nn", "E_SYMBOL 1:14", NULL},
        {".arg count u32\niadd r1, r2, cuont", "E_SYMBOL 2:14", "'count'"},
        {".reg i\n.reg i", "E_SYMBOL 2:6", NULL},
        {".reg iadd", "E_SYMBOL 1:6", NULL},
        {".reg t3", "E_SYMBOL 1:6", NULL},
        {".reg f32", "E_SYMBOL 1:6", NULL},
        {".reg device", "E_SYMBOL 1:6", NULL},
        {".reg r3", "E_SYMBOL 1:6", NULL},
        {".reg i:3", "E_SYMBOL 1:8", NULL},
        {".reg i = p3", "E_SYMBOL 1:10", NULL},
        {".reg i = r256", "E_SYMBOL 1:10", NULL},
        {".reg i:2 = r255", "E_SYMBOL 1:12", NULL},
        {".reg i = r5 nop", "E_SYNTAX 1:13", NULL},
        {".pred q\niadd r1, q, r2", "E_OPERAND 2:10", NULL},
        {".reg i\nif i", "E_OPERAND 2:4", ".pred"},
        {".reg i\n@i nop", "E_OPERAND 2:2", ".pred"},
        {".reg i\ndadd i, r2, r4", "E_OPERAND 2:6", ":2"},
        {".reg i\ncall i", "E_LABEL 2:6", NULL},
        {".const N = 4\nmov N, r1", "E_OPERAND 2:5", NULL},
        {".const N = M", "E_SYMBOL 1:12", NULL},
        {".const N 4", "E_SYMBOL 1:1", NULL},
        {".pred a, b, c, d, e\nnop", "E_PRED_INDEX 1:19", NULL},
        {".pred a, b, c, d\n@a nop\n@b nop\n@c nop\n@d nop", "E_PRED_INDEX 1:16", NULL},
        {"iadd r1, r2, r2:r3", "E_OPERAND 1:14", NULL},
        {"dadd r1, r2, r2:r4", "E_OPERAND 1:17", NULL},
    };
    WRONG(list, 0);
}

Test(asm_comfort, wrong_arguments_are_located) {
    static const wrong list[] = {
        {".arg x", "E_ARGUMENT 1:7", NULL},
        {".arg x foo", "E_ARGUMENT 1:8", NULL},
        {".arg x buffer", "E_ARGUMENT 1:14", NULL},
        {".arg x bytes 0", "E_EXPRESSION 1:14", NULL},
        {".arg x u32 in", "E_SYNTAX 1:12", NULL},
        {"nop\n.arg x u32", "E_ARGUMENT 2:1", NULL},
        {".reg i\n.arg x u32", "E_ARGUMENT 2:1", NULL},
        {".arg x u32\n.reg i = r5\n.arg y u32", "E_ARGUMENT 3:1", NULL},
        {".arg a bytes 1024\n.arg b u32", "E_ARGUMENT 2:6", NULL},
        {".registers 2\n.arg a bytes 12", "E_ARGUMENT 1:12", NULL},
        {".arg x buffer f32 contained\niadd r1, x, r2", "E_CONTAINED 2:10", NULL},
        {".arg x buffer f32 contained\ndevice_load_u32 r1, x", "E_CONTAINED 2:21", NULL},
        {".arg x buffer f32 contained\ndevice_load_u32 r1, [r2 + x*4]", "E_CONTAINED 2:27", NULL},
        {".arg x buffer f32 contained\ndevice_load_u32 r1, [x - 4]", "E_CONTAINED 2:22", NULL},
    };
    WRONG(list, 0);
}

Test(asm_comfort, wrong_expressions_are_located) {
    static const wrong list[] = {
        {"mov r1, 1 / 0", "E_EXPRESSION 1:11", NULL},
        {"mov r1, 1 % 0", "E_EXPRESSION 1:11", NULL},
        {"mov r1, -9223372036854775808 / -1", "E_EXPRESSION 1:30", NULL},
        {"mov r1, 1 << 64", "E_EXPRESSION 1:11", NULL},
        {"mov r1, 1.5 & 1", "E_EXPRESSION 1:13", NULL},
        {"mov r1, ~1.5", "E_EXPRESSION 1:9", NULL},
        {"mov r1, (1 + 2", "E_EXPRESSION 1:15", NULL},
        {"mov r1, 1 + ", "E_EXPRESSION 1:13", NULL},
        {"mov r1, 1 + r2", "E_EXPRESSION 1:13", NULL},
        {"mov r1, sizeof(foo)", "E_EXPRESSION 1:16", NULL},
        {"mov r1, 1 << 40", "E_IMMEDIATE 1:9", NULL},
        {"iadd r1, r2, 1 << 40", "E_IMMEDIATE 1:14", NULL},
        {"fadd r1, r2, 1", "W_IMMEDIATE 1:14", "point"},
        {"device_load_u32 r1, [r2 + r3 + r4]", "E_OPERAND 1:34", NULL},
        {"device_load_u32 r1, [r2 - r3]", "E_OPERAND 1:27", NULL},
        {"device_load_u32 r1, [4*r2]", "E_OPERAND 1:24", NULL},
        {"device_load_u32 r1, [r2 + 1.5]", "E_OPERAND 1:27", NULL},
        {"device_load_u32 r1, [r2", "E_OPERAND 1:24", NULL},
        {"device_load_u32 r1, [r2 + 0x100000000]", "E_IMMEDIATE 1:21", NULL},
        {"device_load_u32 r1, [r2 + 0x7fffffffffffffff + 0x7fffffffffffffff + 6]",
         "E_IMMEDIATE 1:48", NULL},
        {"device_load_u32 r1, [r2 - 0x7fffffffffffffff - 0x7fffffffffffffff - 6]",
         "E_IMMEDIATE 1:48", NULL},
        {"device_load_u32 r1, [r2 - 1 << 63]", "E_IMMEDIATE 1:27", NULL},
        {"iadd r1, [r2 + 4], r3", "E_OPERAND 1:10", "memory"},
        {"device_store_u16 r1, 1.5", "E_OPERAND 1:22", NULL},
        {".registers 8\niadd r7, r1, 5", "E_TEMPORARIES 0:9", ".registers"},
        {"iadd r255, r1, 5", "E_TEMPORARIES 0:9", NULL},
    };
    WRONG(list, 0);
}

Test(asm_comfort, wrong_macros_conditions_and_data_are_located) {
    static const wrong list[] = {
        {".macro m a\nnop", "E_MACRO 1:8", NULL},
        {".macro m\n.macro n\n.endm\n.endm", "E_MACRO 1:8", NULL},
        {".macro iadd\n.endm", "E_MACRO 1:8", NULL},
        {".macro m\n.endm\n.macro m\n.endm", "E_MACRO 3:8", NULL},
        {".macro m a, a\n.endm", "E_MACRO 1:13", NULL},
        {".macro m a\n.endm\nm", "E_MACRO 3:1", NULL},
        {".macro m\n.endm\nm r1", "E_MACRO 3:1", NULL},
        {".macro m\n.endm\n@p1 m", "E_MACRO 3:1", NULL},
        {".macro m\nm\n.endm\nm", "E_MACRO 2:1", "itself"},
        {".endm", "E_MACRO 1:1", NULL},
        {".else", "E_CONDITION 1:1", NULL},
        {".endif", "E_CONDITION 1:1", NULL},
        {".if 1\nnop", "E_CONDITION 1:1", NULL},
        {".if 1\n.else\n.else\n.endif", "E_CONDITION 3:1", NULL},
        {".macro m\n.if 1\n.endm\nm", "E_CONDITION 2:1", NULL},
        {".include \"x\"", "E_INCLUDE 1:10", NULL},
        {".include x", "E_INCLUDE 1:1", NULL},
        {".u32 5", "E_DATA 1:1", ".constant"},
        {".constant\n.u8 256", "E_DATA 2:5", NULL},
        {".constant\n.u8 -129", "E_DATA 2:5", NULL},
        {".constant\n.u32 1.5", "E_DATA 2:6", NULL},
        {".constant\n.ascii 5", "E_DATA 2:8", NULL},
        {".constant\n.align 0", "E_EXPRESSION 2:8", NULL},
        {".private_memory 65537", "E_EXT_SECTION 1:17", NULL},
        {".loc 5", "E_DIRECTIVE 1:1", NULL},
        {".loc \"f\"", "E_DIRECTIVE 1:1", NULL},
        {".assert p1", "E_DIRECTIVE 1:1", NULL},
        {".assert p1, 5", "E_DIRECTIVE 1:1", NULL},
    };
    WRONG(list, 0);
}

/* Habits from other assemblers, and the hints for them. */
Test(asm_comfort, mnemonics_of_other_assemblers_get_a_hint) {
    static const wrong list[] = {
        {"ld r1, r2", "E_MNEMONIC 1:1", "device_load_u32"},
        {"st r1, r2", "E_MNEMONIC 1:1", "device_store_u32"},
        {"br label", "E_MNEMONIC 1:1", "if"},
        {"bra label", "E_MNEMONIC 1:1", "loop"},
        {"jmp label", "E_MNEMONIC 1:1", "loop"},
        {"FCMP p1, r2, r3", "E_MNEMONIC 1:1", "fcmp_eq"},
        {"cmp p1, r2, r3", "E_MNEMONIC 1:1", "icmp_eq"},
        {"LDG r1, r2", "E_MNEMONIC 1:1", "device_load_u32"},
        {"local_atomic_add.device r1, r2, r3", "E_OPERAND 1:17", ".workgroup"},
        {"local_atomic_add r1, r2, r3, .wave", "E_OPERAND 1:30", ".workgroup"},
        {"device_load_u32.acquire r1, r2", "E_OPERAND 1:16", "atomic_load"},
        {"if (r1)\nendif", "E_OPERAND 1:5", "icmp_gt"},
        {"syncthreads", "E_MNEMONIC 1:1", "barrier"},
        {"mov r1, 4.0f", "E_NUMBER 1:9", "without"},
        {".equ N, 4", "E_DIRECTIVE 1:1", ".const"},
        {"@p1 barrier", "E_GUARD 1:1", "every lane"},
        {"@p1 if p2\nendif", "E_GUARD 1:1", NULL},
        {"iadd r1, [r2+4], r3", "E_OPERAND 1:10", "memory"},
        {"AIDD r1, r2, r3", "E_MNEMONIC 1:1", "iadd"},
    };
    WRONG(list, 0);
    static const wrong compat[] = {{"device_load_u32 r1, [r1+4]", "E_CHARACTER 1:21", "iadd"}};
    WRONG(compat, .compat_upstream = true);
}

/* A word that differs in half of its letters is not a misspelling. */
Test(asm_comfort, a_dissimilar_word_gets_no_hint) {
    static const char *const words[] = {"quit", "wat2", "noo5", "rxt", "fxyp", "bits"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assembled a = in_kernel(words[i]);
        const wave_diag *d = wave_diags_at(a.diags, 0);
        cr_assert_not_null(d, "%s", words[i]);
        cr_expect_str_eq(d->code, "E_MNEMONIC");
        cr_expect_null(d->hint, "%s: %s", words[i], d->hint);
        discard(&a);
    }
}

Test(asm_comfort, compat_accepts_no_conveniences) {
    static const wrong list[] = {
        {".arg x u32", "E_COMPAT 1:1", NULL},
        {".reg x", "E_COMPAT 1:1", NULL},
        {".pred x", "E_COMPAT 1:1", NULL},
        {".const N = 4", "E_COMPAT 1:1", NULL},
        {".macro m", "E_COMPAT 1:1", NULL},
        {".if 1", "E_COMPAT 1:1", NULL},
        {".include \"x\"", "E_COMPAT 1:1", NULL},
        {".constant", "E_COMPAT 1:1", NULL},
        {".private_memory 4", "E_COMPAT 1:1", NULL},
        {".loc \"f\", 4", "E_COMPAT 1:1", NULL},
        {"iadd r1, r2, 5", "E_OPERAND 1:14", NULL},
        {"mov r1, 5", "E_OPERAND 1:9", NULL},
        {"iadd r1, sr_lane_id, r2", "E_OPERAND 1:10", NULL},
        {"if (p1)\nendif", "E_CHARACTER 1:4", NULL},
        {"nop // c", "E_CHARACTER 1:5", NULL},
        {"mov r1, srx", "E_SPECIAL 1:9", NULL},
        {"mov r1, x", "E_OPERAND 1:9", NULL},
        {"atomic_add.acquire r1, r2, r3, .device", "E_COMPAT 1:11", NULL},
        {"atomic_add r1, r2, r3, .cluster", "E_COMPAT 1:24", NULL},
        {"mov r1, 3 + 4", "E_CHARACTER 1:11", NULL},
        {"ADD r1, r2, r3", "E_COMPAT 1:1", NULL},
        {"IADD r1, r2, r3", "E_COMPAT 1:1", NULL},
        {"wave_shuffle_idx r1, r2, r3", "E_COMPAT 1:1", NULL},
        {"mov r1, sr_tid_x", "E_SPECIAL 1:9", NULL},
        {"mov r1, SR_LANE_ID", "E_OPERAND 1:9", NULL},
        {"fence_acquire scope_device", "E_COMPAT 1:15", NULL},
    };
    WRONG(list, .compat_upstream = true);
}

Test(asm_comfort, a_diagnostic_names_the_chain_of_macros) {
    assembled a = assemble(".macro inner x\n  iadd r1, x, bad\n.endm\n"
                           ".macro outer\n  inner r2\n.endm\n"
                           ".kernel k\n  outer\n.end\n");
    const wave_diag *d = wave_diags_at(a.diags, 0);
    cr_assert_not_null(d);
    cr_expect_str_eq(d->code, "E_SYMBOL");
    cr_expect_eq(d->line, 2);
    cr_expect_str_eq(d->text, "  iadd r1, x, bad");
    cr_assert_eq(d->related_count, 2);
    cr_expect_str_eq(d->related[0].message, "in macro 'inner', used here");
    cr_expect_eq(d->related[0].line, 5);
    cr_expect_eq(d->related[0].column, 3);
    cr_expect_str_eq(d->related[1].message, "in macro 'outer', used here");
    cr_expect_eq(d->related[1].line, 8);
    discard(&a);
}

/* ---- Files ---- */

static bool find_text(void *user, const char *name, wave_blob *text) {
    const char *const *files = user;
    for (; files[0]; files += 2)
        if (strcmp(files[0], name) == 0) {
            text->size = strlen(files[1]);
            text->data = malloc(text->size + 1);
            memcpy(text->data, files[1], text->size);
            return true;
        }
    return false;
}

static assembled with_files(const char *source, const char *const *files) {
    return assemble_bytes(source, strlen(source),
                          (wave_asm_options){.file = "dir/main.wave",
                                             .include = find_text,
                                             .include_user = (void *)files,
                                             .debug = true});
}

Test(asm_comfort, includes_are_found_and_named_in_diagnostics) {
    const char *const files[] = {"dir/a.inc",
                                 ".include \"sub/b.inc\"\n.const A = B + 1",
                                 "dir/sub/b.inc",
                                 ".const B = 6\n.macro m\nmov r1, A\n.endm\n",
                                 "dir/bad.inc",
                                 "\n  mov r1, nowhere\n",
                                 "dir/self.inc",
                                 ".include \"self.inc\"",
                                 NULL};
    assembled a = with_files(".include \"a.inc\" ; two levels\n.kernel k\nm\nhalt\n.end\n", files);
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(word_at(&a.file, 1), 7);
    discard(&a);
    a = with_files(".kernel k\n.include \"bad.inc\"\nhalt\n.end\n", files);
    const wave_diag *d = wave_diags_at(a.diags, 0);
    cr_assert(d && d->file && d->related_count == 1);
    cr_expect_str_eq(d->file, "dir/bad.inc");
    cr_expect_eq(d->line, 2);
    cr_expect_str_eq(d->related[0].message, "included here");
    cr_expect_eq(d->related[0].line, 2);
    discard(&a);
    a = with_files(".include \"self.inc\"\n", files);
    cr_expect_eq(a.status, WAVE_ERROR_INPUT);
    cr_expect_str_eq(wave_diags_at(a.diags, 0)->code, "E_MACRO");
    discard(&a);
    a = with_files(".include \"none.inc\"\n", files);
    cr_expect_str_eq(wave_diags_at(a.diags, 0)->code, "E_INCLUDE");
    discard(&a);
}

Test(asm_comfort, definitions_of_the_command_line_are_constants) {
    const char *const defines[] = {"N=4*2", "FLAG", "F=1.5"};
    wave_asm_options options = {.defines = defines, .define_count = 3};
    const char *source = ".kernel k\n.if FLAG\nmov r1, N\n.endif\nfadd r2, r1, F\nhalt\n.end\n";
    assembled a = assemble_bytes(source, strlen(source), options);
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(word_at(&a.file, 1), 8);
    cr_expect_eq(word_at(&a.file, 3), 0x3FC00000);
    discard(&a);
    static const char *const wrong_ones[] = {"4=5", "N=", "N=4 5", "iadd=4", ""};
    const char *without_names = ".kernel k\nhalt\n.end\n";
    for (size_t i = 0; i < 5; i++) {
        options = (wave_asm_options){.defines = &wrong_ones[i], .define_count = 1};
        a = assemble_bytes(without_names, strlen(without_names), options);
        cr_expect_eq(a.status, WAVE_ERROR_INPUT, "-D %s", wrong_ones[i]);
        discard(&a);
    }
}

/* ---- Sections ---- */

static wave_module *load(const assembled *a) {
    wave_module *module;
    cr_assert_eq(a->status, WAVE_OK);
    cr_assert_eq(wave_module_load(a->file.data, a->file.size,
                                  &(wave_load_options){.mode = WAVE_MODE_STRICT}, &module, NULL),
                 WAVE_OK);
    return module;
}

Test(asm_comfort, arguments_are_declared) {
    assembled a = in_kernel(".arg x buffer f32 in restrict contained\n.arg y buffer u8 out\n"
                            ".arg \"odd name\" i64\n.arg z local f16\n.arg s bytes 5\nhalt");
    wave_module *m = load(&a);
    static const wave_argument expected[] = {{"x", 1, 2, 1, 3, 0, 1},
                                             {"y", 1, 8, 2, 0, 1, 1},
                                             {"odd name", 0, 4, 1, 0, 2, 2},
                                             {"z", 2, 6, 3, 0, 4, 0},
                                             {"s", 0, 12, 1, 0, 4, 2}};
    cr_assert_eq(wave_module_kernel(m, 0)->arguments, 5);
    cr_expect_eq(wave_module_kernel(m, 0)->argument_words, 6);
    for (size_t i = 0; i < 5; i++) {
        const wave_argument *f = wave_module_argument(m, 0, i), *e = &expected[i];
        cr_expect_str_eq(f->name, e->name);
        cr_expect(f->kind == e->kind && f->type == e->type && f->access == e->access &&
                      f->flags == e->flags && f->first_word == e->first_word &&
                      f->words == e->words,
                  "%s", e->name);
    }
    wave_module_destroy(m);
    discard(&a);
}

Test(asm_comfort, constants_and_private_memory_are_stored) {
    assembled a = assemble(".constant first\n.u8 1, 2\n.align 4\n.constant second\n.u16 0x304\n"
                           ".f32 1.0, 2\n.f64 -0.5\n.ascii \"a\\n\\x7f\"\n"
                           ".kernel k\n.private_memory 8 * 4\nmov r1, second\nhalt\n.end\n"
                           ".kernel l\nhalt\n.end\n");
    wave_module *m = load(&a);
    static const uint8_t expected[] = {1,    2, 0, 0, 4, 3, 0, 0,    0x80, 0x3F, 0,    0,   0,
                                       0x40, 0, 0, 0, 0, 0, 0, 0xE0, 0xBF, 'a',  '\n', 0x7F};
    size_t size;
    const void *bytes = wave_module_constants(m, &size);
    cr_assert_eq(size, sizeof expected);
    cr_expect_arr_eq(bytes, expected, sizeof expected);
    cr_expect_eq(word_at(&a.file, 1), 4);
    cr_expect_eq(wave_module_kernel(m, 0)->private_memory, 32);
    cr_expect_eq(wave_module_kernel(m, 1)->private_memory, 0);
    cr_expect_eq(a.file.data[6], 1, "EXT");
    wave_module_destroy(m);
    discard(&a);
}

Test(asm_comfort, code_is_mapped_to_source_lines) {
    const char *source =
        ".macro m\nnop\nnop\n.endm\n.kernel k\n  iadd r1, r2, 5\n  m\n  halt\n.end\n"
        ".kernel l\n.loc \"x.cl\", 70, 4\nnop\nhalt\n.end\n";
    assembled a =
        assemble_bytes(source, strlen(source), (wave_asm_options){.file = "k.wave", .debug = true});
    wave_module *m = load(&a);
    static const struct {
        unsigned kernel, offset, line, column;
        const char *file;
    } expected[] = {{0, 0, 6, 3, "k.wave"},  {0, 8, 6, 3, "k.wave"},  {0, 16, 7, 3, "k.wave"},
                    {0, 20, 7, 3, "k.wave"}, {0, 24, 8, 3, "k.wave"}, {1, 0, 70, 4, "x.cl"},
                    {1, 4, 70, 4, "x.cl"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        wave_source_place p;
        cr_assert(wave_module_source(m, expected[i].kernel, expected[i].offset, &p));
        cr_expect_str_eq(p.file, expected[i].file);
        cr_expect_eq(p.line, expected[i].line, "%zu: line %u", i, p.line);
        cr_expect_eq(p.column, expected[i].column);
    }
    cr_expect_eq(a.file.data[6], 0, "line needs no EXT");
    wave_module_destroy(m);
    discard(&a);
}

Test(asm_comfort, a_line_directive_after_the_code_has_no_effect) {
    assembled a = in_kernel("nop\nhalt\n.loc \"x\", 5");
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(u32_at(&a.file, 28), 36, "no section");
    discard(&a);
}

Test(asm_comfort, asserts_have_ids_and_texts) {
    assembled a = in_kernel("assert p1, 4\n.assert p1, \"one\"\n@p2 .assert p3, \"two\"\n"
                            ".assert p1, \"one\"\n.assert p1, 2, \"three\"\nhalt");
    wave_module *m = load(&a);
    size_t size;
    cr_expect_eq(word_at(&a.file, 1), 4);
    cr_expect_eq(word_at(&a.file, 3), 5, "the first id above those of the source");
    cr_expect_eq(word_at(&a.file, 4), 0x41000332);
    cr_expect_eq(word_at(&a.file, 5), 6);
    cr_expect_eq(word_at(&a.file, 7), 5, "the same text");
    cr_expect_eq(word_at(&a.file, 9), 2);
    const char *text = wave_module_message(m, 6, &size);
    cr_assert(text && size == 3);
    cr_expect_arr_eq(text, "two", 3);
    cr_expect_null(wave_module_message(m, 4, &size));
    wave_module_destroy(m);
    discard(&a);
    a = in_kernel(".assert p1, 2, \"a\"\n.assert p1, 2, \"b\"\nhalt");
    cr_expect_eq(a.status, WAVE_ERROR_INPUT, "one id, two texts");
    discard(&a);
}

/* Disassembled and assembled again: the same bytes, sections included. */
Test(asm_comfort, the_disassembly_reproduces_every_section) {
    const char *source =
        ".constant\n.u32 1, 2, 3, 4, 5, 6, 7, 8, 9\n.u8 7, 8\n"
        ".kernel a\n.private_memory 4\n.arg x buffer f32 in restrict\n"
        ".arg \"iadd\" u64\n.arg \"\" u8\n.arg x2 buffer bytes out\n"
        ".arg s bytes 12\n.arg l local bf16\n"
        ".assert p1, \"text \\\" \\\\ \\xff\"\n@!p2 .assert p1, 9, \"x\"\nhalt\n.end\n"
        ".kernel b\nnop\nhalt\n.end\n";
    assembled a = assemble_bytes(source, strlen(source),
                                 (wave_asm_options){.file = "a b\\.wave", .debug = true});
    cr_assert_eq(a.status, WAVE_OK);
    wave_blob text;
    cr_assert_eq(wave_disassemble(a.file.data, a.file.size, &(wave_dis_options){.source = true},
                                  &text, NULL),
                 WAVE_OK);
    assembled b = assemble((char *)text.data);
    cr_assert_eq(b.status, WAVE_OK, "%s", (char *)text.data);
    cr_assert_eq(a.file.size, b.file.size, "%s", (char *)text.data);
    cr_expect_arr_eq(a.file.data, b.file.data, a.file.size);
    wave_blob_free(&text);
    discard(&b);
    /* Stripped: the same code and launch, without what only people read. */
    wave_blob stripped;
    cr_assert_eq(wave_strip(a.file.data, a.file.size, NULL, &stripped, NULL), WAVE_OK);
    wave_module *m;
    cr_assert_eq(wave_module_load(stripped.data, stripped.size, NULL, &m, NULL), WAVE_OK);
    size_t size;
    wave_source_place place;
    cr_expect_str_eq(wave_module_kernel(m, 0)->name, "a");
    cr_expect_eq(wave_module_kernel(m, 0)->argument_words, 8);
    cr_expect_str_eq(wave_module_argument(m, 0, 0)->name, "");
    cr_expect_eq(wave_module_argument(m, 0, 0)->flags, WAVE_ARGUMENT_RESTRICT);
    cr_expect_eq(wave_module_kernel(m, 0)->private_memory, 4);
    cr_expect(wave_module_constants(m, &size) && size == 38);
    cr_expect_not(wave_module_source(m, 0, 0, &place));
    cr_expect_null(wave_module_message(m, 9, &size));
    wave_module_destroy(m);
    wave_blob_free(&stripped);
    discard(&a);
}

/* ---- Hostile sources ---- */

static void expect_refused(const char *source, const char *code) {
    assembled a = assemble(source);
    cr_expect_eq(a.status, WAVE_ERROR_INPUT, "%.60s", source);
    cr_expect_str_eq(wave_diags_at(a.diags, 0)->code, code, "%.60s: %s", source,
                     wave_diags_at(a.diags, 0)->message);
    discard(&a);
}

Test(asm_comfort, expansions_are_limited, .timeout = 60) {
    char source[8192];
    int used = 0; /* 2^40 expansions: of an empty macro, then of an instruction */
    for (int leaf = 0; leaf < 2; leaf++) {
        used = snprintf(source, sizeof source, ".macro m0\n%s.endm\n", leaf ? "nop\n" : "");
        for (int i = 1; i <= 40; i++)
            used += snprintf(source + used, sizeof source - (size_t)used,
                             ".macro m%d\nm%d\nm%d\n.endm\n", i, i - 1, i - 1);
        snprintf(source + used, sizeof source - (size_t)used, ".kernel k\nm40\nhalt\n.end\n");
        expect_refused(source, "E_MACRO");
    }
}

Test(asm_comfort, deep_expressions_are_refused_and_long_ones_are_not) {
    static char source[60000];
    int used = snprintf(source, sizeof source, ".kernel k\nmov r1, ");
    memset(source + used, '(', 20000);
    strcpy(source + used + 20000, "\nhalt\n.end\n");
    expect_refused(source, "E_EXPRESSION");
    memset(source + used, '-', 20000);
    for (int i = 1; i < 20000; i += 2)
        source[used + i] = ' ';
    expect_refused(source, "E_EXPRESSION");
    for (int i = 0; i < 20000; i++)
        source[used + i] = i % 2 ? '+' : '1';
    source[used + 19999] = ' ';
    assembled a = assemble(source);
    cr_expect_eq(a.status, WAVE_OK, "long is not deep");
    discard(&a);
}

Test(asm_comfort, too_many_register_names_are_refused) {
    static char source[200000];
    int used = snprintf(source, sizeof source, ".kernel k\n.reg a0");
    for (int i = 1; i < 10000; i++)
        used += snprintf(source + used, sizeof source - (size_t)used, ", a%d", i);
    snprintf(source + used, sizeof source - (size_t)used, "\nhalt\n.end\n");
    expect_refused(source, "E_REGISTER");
}
