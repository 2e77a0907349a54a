/* A second, independent table of the encodings, typed from the ISA reference (its instruction table
 * and its list of extensions), and the rules of its strict decoder written a second time, as
 * plainly as possible: no masks, one rule after the other. The tests compare the library with it.
 *
 * Fields are rd, rs1, rs2, rs3, rs4: R register, 2 pair, 4 quad, A atomic result (0: none), B the
 * same as a pair, P predicate, N predicate that an extension may negate, S special register, F
 * fragment, T tile, Y type of tiles A and B, Z type of tiles C, L space and layout of a tile, I
 * immediate, - unused. */
#ifndef TESTS_ISA_VERDICT_H
#define TESTS_ISA_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct verdict_row {
    uint8_t opcode, modifier, words;
    const char *fields;
    bool scope, extension;
    const char *mnemonic;
} verdict_row;

static const verdict_row verdict_rows[] = {
    {0x00, 0, 2, "RRR--", false, false, "iadd"},
    {0x01, 0, 2, "RRR--", false, false, "isub"},
    {0x02, 0, 2, "RRR--", false, false, "imul"},
    {0x03, 0, 2, "RRR--", false, false, "imul_hi"},
    {0x04, 0, 2, "RRRR-", false, false, "imad"},
    {0x05, 0, 2, "RRR--", false, false, "idiv"},
    {0x06, 0, 2, "RRR--", false, false, "imod"},
    {0x07, 0, 1, "RR---", false, false, "ineg"},
    {0x08, 0, 1, "RR---", false, false, "iabs"},
    {0x09, 0, 2, "RRR--", false, false, "imin"},
    {0x0A, 0, 2, "RRR--", false, false, "imax"},
    {0x0B, 0, 2, "RRRR-", false, false, "iclamp"},
    {0x0C, 0, 2, "RRR--", false, true, "umin"},
    {0x0D, 0, 2, "RRR--", false, true, "umax"},
    {0x0E, 0, 2, "RRR--", false, true, "udiv"},
    {0x0F, 0, 2, "RRR--", false, true, "umod"},
    {0x10, 0, 2, "RRR--", false, false, "fadd"},
    {0x11, 0, 2, "RRR--", false, false, "fsub"},
    {0x12, 0, 2, "RRR--", false, false, "fmul"},
    {0x13, 0, 2, "RRRR-", false, false, "fma"},
    {0x14, 0, 2, "RRR--", false, false, "fdiv"},
    {0x15, 0, 1, "RR---", false, false, "fneg"},
    {0x16, 0, 1, "RR---", false, false, "fabs"},
    {0x17, 0, 2, "RRR--", false, false, "fmin"},
    {0x18, 0, 2, "RRR--", false, false, "fmax"},
    {0x19, 0, 2, "RRRR-", false, false, "fclamp"},
    {0x1A, 0, 1, "RR---", false, false, "fsqrt"},
    {0x1B, 0, 1, "RR---", false, false, "frsqrt"},
    {0x1B, 1, 1, "RR---", false, false, "frcp"},
    {0x1B, 2, 1, "RR---", false, false, "ffloor"},
    {0x1B, 3, 1, "RR---", false, false, "fceil"},
    {0x1B, 4, 1, "RR---", false, false, "fround"},
    {0x1B, 5, 1, "RR---", false, false, "ftrunc"},
    {0x1B, 6, 1, "RR---", false, false, "ffract"},
    {0x1B, 7, 1, "RR---", false, false, "fsat"},
    {0x1B, 8, 1, "RR---", false, false, "fsin"},
    {0x1B, 9, 1, "RR---", false, false, "fcos"},
    {0x1B, 10, 1, "RR---", false, false, "fexp2"},
    {0x1B, 11, 1, "RR---", false, false, "flog2"},
    {0x1C, 0, 2, "RRR--", false, false, "hadd"},
    {0x1C, 1, 2, "RRR--", false, false, "hsub"},
    {0x1C, 2, 2, "RRR--", false, false, "hmul"},
    {0x1C, 3, 2, "RRRR-", false, false, "hma"},
    {0x1D, 0, 2, "RRR--", false, false, "hadd2"},
    {0x1D, 1, 2, "RRR--", false, false, "hmul2"},
    {0x1D, 2, 2, "RRRR-", false, false, "hma2"},
    {0x1E, 0, 2, "222--", false, false, "dadd"},
    {0x1E, 1, 2, "222--", false, false, "dsub"},
    {0x1E, 2, 2, "222--", false, false, "dmul"},
    {0x1E, 3, 2, "2222-", false, false, "dma"},
    {0x1F, 0, 2, "222--", false, false, "ddiv"},
    {0x1F, 1, 1, "22---", false, false, "dsqrt"},
    {0x20, 0, 2, "RRR--", false, false, "and"},
    {0x21, 0, 2, "RRR--", false, false, "or"},
    {0x22, 0, 2, "RRR--", false, false, "xor"},
    {0x23, 0, 1, "RR---", false, false, "not"},
    {0x24, 0, 2, "RRR--", false, false, "shl"},
    {0x25, 0, 2, "RRR--", false, false, "shr"},
    {0x26, 0, 2, "RRR--", false, false, "sar"},
    {0x27, 0, 1, "RR---", false, false, "bitcount"},
    {0x27, 1, 1, "RR---", false, false, "bitfind"},
    {0x27, 2, 1, "RR---", false, false, "bitrev"},
    {0x27, 3, 2, "RRRR-", false, false, "bfe"},
    {0x27, 4, 2, "RRRRR", false, false, "bfi"},
    {0x28, 0, 2, "PRR--", false, false, "icmp_eq"},
    {0x28, 1, 2, "PRR--", false, false, "icmp_ne"},
    {0x28, 2, 2, "PRR--", false, false, "icmp_lt"},
    {0x28, 3, 2, "PRR--", false, false, "icmp_le"},
    {0x28, 4, 2, "PRR--", false, false, "icmp_gt"},
    {0x28, 5, 2, "PRR--", false, false, "icmp_ge"},
    {0x29, 0, 2, "PRR--", false, false, "ucmp_eq"},
    {0x29, 1, 2, "PRR--", false, false, "ucmp_ne"},
    {0x29, 2, 2, "PRR--", false, false, "ucmp_lt"},
    {0x29, 3, 2, "PRR--", false, false, "ucmp_le"},
    {0x29, 4, 2, "PRR--", false, false, "ucmp_gt"},
    {0x29, 5, 2, "PRR--", false, false, "ucmp_ge"},
    {0x2A, 0, 2, "PRR--", false, false, "fcmp_eq"},
    {0x2A, 1, 2, "PRR--", false, false, "fcmp_ne"},
    {0x2A, 2, 2, "PRR--", false, false, "fcmp_lt"},
    {0x2A, 3, 2, "PRR--", false, false, "fcmp_le"},
    {0x2A, 4, 2, "PRR--", false, false, "fcmp_gt"},
    {0x2A, 5, 2, "PRR--", false, false, "fcmp_ge"},
    {0x2A, 6, 2, "PRR--", false, false, "fcmp_ord"},
    {0x2A, 7, 2, "PRR--", false, false, "fcmp_unord"},
    {0x2B, 0, 2, "RPRR-", false, false, "select"},
    {0x2C, 0, 1, "RR---", false, false, "cvt_f32_i32"},
    {0x2C, 1, 1, "RR---", false, false, "cvt_f32_u32"},
    {0x2C, 2, 1, "RR---", false, false, "cvt_i32_f32"},
    {0x2C, 3, 1, "RR---", false, false, "cvt_u32_f32"},
    {0x2C, 4, 1, "RR---", false, false, "cvt_f32_f16"},
    {0x2C, 5, 1, "RR---", false, false, "cvt_f16_f32"},
    {0x2C, 6, 1, "R2---", false, false, "cvt_f32_f64"},
    {0x2C, 7, 1, "2R---", false, false, "cvt_f64_f32"},
    {0x2C, 8, 1, "RR---", false, false, "cvt_f32_bf16"},
    {0x2C, 9, 1, "RR---", false, false, "cvt_bf16_f32"},
    {0x2D, 0, 2, "RRR--", false, false, "badd"},
    {0x2D, 1, 2, "RRR--", false, false, "bsub"},
    {0x2D, 2, 2, "RRR--", false, false, "bmul"},
    {0x2D, 3, 2, "RRRR-", false, false, "bma"},
    {0x2E, 0, 2, "RRR--", false, false, "badd2"},
    {0x2E, 1, 2, "RRR--", false, false, "bmul2"},
    {0x2E, 2, 2, "RRRR-", false, false, "bma2"},
    {0x30, 0, 1, "RR---", false, false, "local_load_u8"},
    {0x30, 1, 1, "RR---", false, false, "local_load_u16"},
    {0x30, 2, 1, "RR---", false, false, "local_load_u32"},
    {0x30, 3, 1, "2R---", false, false, "local_load_u64"},
    {0x31, 0, 2, "-RR--", false, false, "local_store_u8"},
    {0x31, 1, 2, "-RR--", false, false, "local_store_u16"},
    {0x31, 2, 2, "-RR--", false, false, "local_store_u32"},
    {0x31, 3, 2, "-R2--", false, false, "local_store_u64"},
    {0x32, 0, 1, "RR---", false, true, "private_load_u8"},
    {0x32, 1, 1, "RR---", false, true, "private_load_u16"},
    {0x32, 2, 1, "RR---", false, true, "private_load_u32"},
    {0x32, 3, 1, "2R---", false, true, "private_load_u64"},
    {0x32, 4, 1, "4R---", false, true, "private_load_u128"},
    {0x33, 0, 2, "-RR--", false, true, "private_store_u8"},
    {0x33, 1, 2, "-RR--", false, true, "private_store_u16"},
    {0x33, 2, 2, "-RR--", false, true, "private_store_u32"},
    {0x33, 3, 2, "-R2--", false, true, "private_store_u64"},
    {0x33, 4, 2, "-R4--", false, true, "private_store_u128"},
    {0x34, 0, 1, "RR---", false, true, "constant_load_u8"},
    {0x34, 1, 1, "RR---", false, true, "constant_load_u16"},
    {0x34, 2, 1, "RR---", false, true, "constant_load_u32"},
    {0x34, 3, 1, "2R---", false, true, "constant_load_u64"},
    {0x34, 4, 1, "4R---", false, true, "constant_load_u128"},
    {0x38, 0, 1, "RR---", false, false, "device_load_u8"},
    {0x38, 1, 1, "RR---", false, false, "device_load_u16"},
    {0x38, 2, 1, "RR---", false, false, "device_load_u32"},
    {0x38, 3, 1, "2R---", false, false, "device_load_u64"},
    {0x38, 4, 1, "4R---", false, false, "device_load_u128"},
    {0x39, 0, 2, "-RR--", false, false, "device_store_u8"},
    {0x39, 1, 2, "-RR--", false, false, "device_store_u16"},
    {0x39, 2, 2, "-RR--", false, false, "device_store_u32"},
    {0x39, 3, 2, "-R2--", false, false, "device_store_u64"},
    {0x39, 4, 2, "-R4--", false, false, "device_store_u128"},
    {0x3C, 0, 2, "ARR--", false, false, "local_atomic_add"},
    {0x3C, 1, 2, "ARR--", false, false, "local_atomic_sub"},
    {0x3C, 2, 2, "ARR--", false, false, "local_atomic_min"},
    {0x3C, 3, 2, "ARR--", false, false, "local_atomic_max"},
    {0x3C, 4, 2, "ARR--", false, false, "local_atomic_and"},
    {0x3C, 5, 2, "ARR--", false, false, "local_atomic_or"},
    {0x3C, 6, 2, "ARR--", false, false, "local_atomic_xor"},
    {0x3C, 7, 2, "ARR--", false, false, "local_atomic_exchange"},
    {0x3C, 8, 2, "ARRR-", false, false, "local_atomic_cas"},
    {0x3C, 9, 2, "ARR--", false, true, "local_atomic_fadd"},
    {0x3C, 10, 2, "ARR--", false, true, "local_atomic_imin"},
    {0x3C, 11, 2, "ARR--", false, true, "local_atomic_imax"},
    {0x3C, 12, 2, "AR---", false, true, "local_atomic_load"},
    {0x3C, 13, 2, "-RR--", false, true, "local_atomic_store"},
    {0x3D, 0, 2, "ARR--", true, false, "atomic_add"},
    {0x3D, 1, 2, "ARR--", true, false, "atomic_sub"},
    {0x3D, 2, 2, "ARR--", true, false, "atomic_min"},
    {0x3D, 3, 2, "ARR--", true, false, "atomic_max"},
    {0x3D, 4, 2, "ARR--", true, false, "atomic_and"},
    {0x3D, 5, 2, "ARR--", true, false, "atomic_or"},
    {0x3D, 6, 2, "ARR--", true, false, "atomic_xor"},
    {0x3D, 7, 2, "ARR--", true, false, "atomic_exchange"},
    {0x3D, 8, 2, "ARRR-", true, false, "atomic_cas"},
    {0x3D, 9, 2, "ARR--", true, true, "atomic_fadd"},
    {0x3D, 10, 2, "ARR--", true, true, "atomic_imin"},
    {0x3D, 11, 2, "ARR--", true, true, "atomic_imax"},
    {0x3D, 12, 2, "AR---", true, true, "atomic_load"},
    {0x3D, 13, 2, "-RR--", true, true, "atomic_store"},
    {0x3E, 0, 2, "RRR--", false, false, "wave_shuffle"},
    {0x3E, 1, 2, "RRR--", false, false, "wave_shuffle_up"},
    {0x3E, 2, 2, "RRR--", false, false, "wave_shuffle_down"},
    {0x3E, 3, 2, "RRR--", false, false, "wave_shuffle_xor"},
    {0x3E, 4, 2, "RRR--", false, false, "wave_broadcast"},
    {0x3E, 5, 1, "RP---", false, false, "wave_ballot"},
    {0x3E, 6, 1, "PP---", false, false, "wave_any"},
    {0x3E, 7, 1, "PP---", false, false, "wave_all"},
    {0x3E, 8, 1, "RR---", false, false, "wave_prefix_sum"},
    {0x3E, 9, 1, "RR---", false, false, "wave_reduce_add"},
    {0x3E, 10, 1, "RR---", false, false, "wave_reduce_min"},
    {0x3E, 11, 1, "RR---", false, false, "wave_reduce_max"},
    {0x3E, 12, 1, "RR---", false, true, "wave_reduce_and"},
    {0x3E, 13, 1, "RR---", false, true, "wave_reduce_or"},
    {0x3E, 14, 1, "RR---", false, true, "wave_reduce_xor"},
    {0x3F, 0, 1, "-N---", false, false, "if"},
    {0x3F, 1, 1, "-----", false, false, "else"},
    {0x3F, 2, 1, "-----", false, false, "endif"},
    {0x3F, 3, 1, "-----", false, false, "loop"},
    {0x3F, 4, 1, "-N---", false, false, "break"},
    {0x3F, 5, 1, "-N---", false, false, "continue"},
    {0x3F, 6, 1, "-----", false, false, "endloop"},
    {0x3F, 7, 2, "--III", false, false, "call"},
    {0x3F, 8, 1, "-----", false, false, "return"},
    {0x3F, 9, 1, "-----", false, false, "halt"},
    {0x3F, 10, 1, "-----", false, false, "barrier"},
    {0x3F, 11, 2, "-----", true, false, "fence_acquire"},
    {0x3F, 12, 2, "-----", true, false, "fence_release"},
    {0x3F, 13, 2, "-----", true, false, "fence_acq_rel"},
    {0x3F, 14, 1, "-----", false, false, "wait"},
    {0x3F, 15, 1, "-----", false, false, "nop"},
    {0x40, 0, 2, "FRR--", false, false, "mma_load_a"},
    {0x40, 1, 2, "FRR--", false, false, "mma_load_b"},
    {0x40, 2, 2, "RRF--", false, false, "mma_store_c"},
    {0x40, 3, 2, "FFF--", false, false, "mma_compute"},
    {0x40, 8, 2, "TRRYL", false, true, "tile_load_a"},
    {0x40, 9, 2, "TRRYL", false, true, "tile_load_b"},
    {0x40, 10, 2, "TRRZL", false, true, "tile_load_c"},
    {0x40, 11, 2, "TRRZL", false, true, "tile_store_c"},
    {0x40, 12, 2, "TTTTY", false, true, "mma"},
    {0x40, 13, 2, "TR-Z-", false, true, "tile_fill_c"},
    {0x41, 0, 1, "RR---", false, false, "mov"},
    {0x41, 1, 2, "R-III", false, false, "mov_imm"},
    {0x41, 2, 1, "RS---", false, false, "mov_sr"},
    {0x41, 3, 2, "-PIII", false, true, "assert"},
    {0x42, 0, 2, "222--", false, true, "ladd"},
    {0x42, 1, 2, "222--", false, true, "lsub"},
    {0x42, 2, 2, "222--", false, true, "lmul"},
    {0x42, 3, 2, "222--", false, true, "lmul_hi"},
    {0x42, 4, 2, "22R--", false, true, "lshl"},
    {0x42, 5, 2, "22R--", false, true, "lshr"},
    {0x42, 6, 2, "22R--", false, true, "lsar"},
    {0x42, 7, 2, "222--", false, true, "ldiv"},
    {0x42, 8, 2, "222--", false, true, "lmod"},
    {0x42, 9, 2, "222--", false, true, "ludiv"},
    {0x42, 10, 2, "222--", false, true, "lumod"},
    {0x43, 0, 2, "P22--", false, true, "lcmp_eq"},
    {0x43, 1, 2, "P22--", false, true, "lcmp_ne"},
    {0x43, 2, 2, "P22--", false, true, "lcmp_lt"},
    {0x43, 3, 2, "P22--", false, true, "lcmp_le"},
    {0x43, 4, 2, "P22--", false, true, "lcmp_gt"},
    {0x43, 5, 2, "P22--", false, true, "lcmp_ge"},
    {0x43, 10, 2, "P22--", false, true, "lucmp_lt"},
    {0x43, 11, 2, "P22--", false, true, "lucmp_le"},
    {0x43, 12, 2, "P22--", false, true, "lucmp_gt"},
    {0x43, 13, 2, "P22--", false, true, "lucmp_ge"},
    {0x44, 0, 2, "P22--", false, true, "dcmp_eq"},
    {0x44, 1, 2, "P22--", false, true, "dcmp_ne"},
    {0x44, 2, 2, "P22--", false, true, "dcmp_lt"},
    {0x44, 3, 2, "P22--", false, true, "dcmp_le"},
    {0x44, 4, 2, "P22--", false, true, "dcmp_gt"},
    {0x44, 5, 2, "P22--", false, true, "dcmp_ge"},
    {0x44, 6, 2, "P22--", false, true, "dcmp_ord"},
    {0x44, 7, 2, "P22--", false, true, "dcmp_unord"},
    {0x45, 0, 1, "22---", false, true, "dneg"},
    {0x45, 1, 1, "22---", false, true, "dabs"},
    {0x45, 2, 1, "22---", false, true, "dfloor"},
    {0x45, 3, 1, "22---", false, true, "dceil"},
    {0x45, 4, 1, "22---", false, true, "dround"},
    {0x45, 5, 1, "22---", false, true, "dtrunc"},
    {0x45, 6, 2, "222--", false, true, "dmin"},
    {0x45, 7, 2, "222--", false, true, "dmax"},
    {0x46, 0, 1, "2R---", false, true, "cvt_f64_i32"},
    {0x46, 1, 1, "2R---", false, true, "cvt_f64_u32"},
    {0x46, 2, 1, "R2---", false, true, "cvt_i32_f64"},
    {0x46, 3, 1, "R2---", false, true, "cvt_u32_f64"},
    {0x46, 4, 1, "22---", false, true, "cvt_f64_i64"},
    {0x46, 5, 1, "22---", false, true, "cvt_f64_u64"},
    {0x46, 6, 1, "22---", false, true, "cvt_i64_f64"},
    {0x46, 7, 1, "22---", false, true, "cvt_u64_f64"},
    {0x46, 8, 1, "R2---", false, true, "cvt_f32_i64"},
    {0x46, 9, 1, "R2---", false, true, "cvt_f32_u64"},
    {0x46, 10, 1, "2R---", false, true, "cvt_i64_f32"},
    {0x46, 11, 1, "2R---", false, true, "cvt_u64_f32"},
    {0x46, 12, 1, "R2---", false, true, "cvt_f16_f64"},
    {0x46, 13, 1, "2R---", false, true, "cvt_f64_f16"},
    {0x47, 0, 2, "-----", true, true, "fence_sc"},
    {0x38, 5, 1, "RR---", false, true, "device_load_u8.uncached"},
    {0x38, 6, 1, "RR---", false, true, "device_load_u16.uncached"},
    {0x38, 7, 1, "RR---", false, true, "device_load_u32.uncached"},
    {0x38, 8, 1, "2R---", false, true, "device_load_u64.uncached"},
    {0x38, 9, 1, "4R---", false, true, "device_load_u128.uncached"},
    {0x38, 10, 1, "RR---", false, true, "device_load_u8.streaming"},
    {0x38, 11, 1, "RR---", false, true, "device_load_u16.streaming"},
    {0x38, 12, 1, "RR---", false, true, "device_load_u32.streaming"},
    {0x38, 13, 1, "2R---", false, true, "device_load_u64.streaming"},
    {0x38, 14, 1, "4R---", false, true, "device_load_u128.streaming"},
    {0x39, 5, 2, "-RR--", false, true, "device_store_u8.uncached"},
    {0x39, 6, 2, "-RR--", false, true, "device_store_u16.uncached"},
    {0x39, 7, 2, "-RR--", false, true, "device_store_u32.uncached"},
    {0x39, 8, 2, "-R2--", false, true, "device_store_u64.uncached"},
    {0x39, 9, 2, "-R4--", false, true, "device_store_u128.uncached"},
    {0x39, 10, 2, "-RR--", false, true, "device_store_u8.streaming"},
    {0x39, 11, 2, "-RR--", false, true, "device_store_u16.streaming"},
    {0x39, 12, 2, "-RR--", false, true, "device_store_u32.streaming"},
    {0x39, 13, 2, "-R2--", false, true, "device_store_u64.streaming"},
    {0x39, 14, 2, "-R4--", false, true, "device_store_u128.streaming"},
    {0x48, 0, 2, "BR2--", false, true, "local_atomic64_add"},
    {0x48, 1, 2, "BR2--", false, true, "local_atomic64_sub"},
    {0x48, 2, 2, "BR2--", false, true, "local_atomic64_min"},
    {0x48, 3, 2, "BR2--", false, true, "local_atomic64_max"},
    {0x48, 4, 2, "BR2--", false, true, "local_atomic64_and"},
    {0x48, 5, 2, "BR2--", false, true, "local_atomic64_or"},
    {0x48, 6, 2, "BR2--", false, true, "local_atomic64_xor"},
    {0x48, 7, 2, "BR2--", false, true, "local_atomic64_exchange"},
    {0x48, 8, 2, "BR22-", false, true, "local_atomic64_cas"},
    {0x48, 10, 2, "BR2--", false, true, "local_atomic64_imin"},
    {0x48, 11, 2, "BR2--", false, true, "local_atomic64_imax"},
    {0x48, 12, 2, "BR---", false, true, "local_atomic64_load"},
    {0x48, 13, 2, "-R2--", false, true, "local_atomic64_store"},
    {0x49, 0, 2, "BR2--", true, true, "atomic64_add"},
    {0x49, 1, 2, "BR2--", true, true, "atomic64_sub"},
    {0x49, 2, 2, "BR2--", true, true, "atomic64_min"},
    {0x49, 3, 2, "BR2--", true, true, "atomic64_max"},
    {0x49, 4, 2, "BR2--", true, true, "atomic64_and"},
    {0x49, 5, 2, "BR2--", true, true, "atomic64_or"},
    {0x49, 6, 2, "BR2--", true, true, "atomic64_xor"},
    {0x49, 7, 2, "BR2--", true, true, "atomic64_exchange"},
    {0x49, 8, 2, "BR22-", true, true, "atomic64_cas"},
    {0x49, 10, 2, "BR2--", true, true, "atomic64_imin"},
    {0x49, 11, 2, "BR2--", true, true, "atomic64_imax"},
    {0x49, 12, 2, "BR---", true, true, "atomic64_load"},
    {0x49, 13, 2, "-R2--", true, true, "atomic64_store"},
    {0x3E, 15, 1, "2P---", false, true, "wave_ballot64"},
};

enum { VERDICT_ROWS = sizeof verdict_rows / sizeof *verdict_rows };

static inline const verdict_row *verdict_find(unsigned opcode, unsigned modifier) {
    for (size_t i = 0; i < VERDICT_ROWS; i++)
        if (verdict_rows[i].opcode == opcode && verdict_rows[i].modifier == modifier)
            return &verdict_rows[i];
    return NULL;
}

static inline bool verdict_has_opcode(unsigned opcode) {
    for (size_t i = 0; i < VERDICT_ROWS; i++)
        if (verdict_rows[i].opcode == opcode)
            return true;
    return false;
}

/* The decoder's expected verdict on an instruction, as bits. */
enum {
    V_OPCODE = 1 << 0,
    V_MODIFIER = 1 << 1,
    V_RESERVED = 1 << 2, /* E_ or W_, by mode */
    V_PRED_INDEX = 1 << 3,
    V_EXTENSION = 1 << 4,
    V_SPECIAL = 1 << 5,
    V_REGISTER = 1 << 6,
    V_GUARD = 1 << 7,
    V_CAS = 1 << 8
};

static inline bool verdict_forbids_guard(const verdict_row *row) {
    /* if, else, endif, loop, endloop, call, barrier */
    static const uint8_t modifiers[] = {0, 1, 2, 3, 6, 7, 10};
    for (size_t i = 0; row->opcode == 0x3F && i < sizeof modifiers; i++)
        if (row->modifier == modifiers[i])
            return true;
    return row->opcode == 0x40 && row->modifier >= 8; /* tiles */
}

static inline unsigned verdict_field(char kind, unsigned value, unsigned registers, bool extended) {
    switch (kind) {
    case '-': return value ? V_RESERVED : 0;
    case 'R':
    case 'A': return value >= registers ? V_REGISTER : 0;
    case '2':
    case 'B': return value + 1 >= registers ? V_REGISTER : 0;
    case '4': return value + 3 >= registers ? V_REGISTER : 0;
    case 'P': return value > 3 ? V_PRED_INDEX : 0;
    case 'N':
        if (value >= 0x80 && value <= 0x83)
            return extended ? 0 : V_EXTENSION;
        return value > 3 ? V_PRED_INDEX : 0;
    case 'S': return value > (extended ? 22u : 19u) ? V_SPECIAL : 0;
    case 'T': return value > 15 ? V_MODIFIER : 0;
    case 'Y': return value > 4 ? V_MODIFIER : 0;
    case 'Z': return value != 2 && value != 5 ? V_MODIFIER : 0;
    case 'L': return value > 3 ? V_RESERVED : 0;
    default: return 0;
    }
}

/* `registers` is the kernel's register count, `extended` the EXT flag of the file. */
static inline unsigned verdict_of(uint32_t word0, uint32_t word1, unsigned registers,
                                  bool extended) {
    unsigned opcode = word0 >> 24, modifier = word0 >> 4 & 15;
    if (!verdict_has_opcode(opcode))
        return V_OPCODE;
    const verdict_row *row = verdict_find(opcode, modifier);
    if (!row)
        return V_MODIFIER;
    const unsigned values[5] = {word0 >> 16 & 255, word0 >> 8 & 255, word1 >> 24, word1 >> 16 & 255,
                                word1 >> 8 & 255};
    unsigned verdict = row->extension && !extended ? V_EXTENSION : 0;
    if (word0 & 8)
        verdict |= V_RESERVED;
    if ((word0 & 7) && verdict_forbids_guard(row))
        verdict |= V_GUARD;
    for (unsigned i = 0; i < 5; i++) {
        if (i >= 2 && row->words == 1)
            break;
        /* The upstream assembler encodes compare-and-swap as an add with a third source. */
        bool add = (opcode == 0x3C || opcode == 0x3D) && modifier == 0;
        if (i == 3 && add && values[3])
            verdict |= V_CAS;
        else
            verdict |= verdict_field(row->fields[i], values[i], registers, extended);
    }
    if (row->words == 2 && row->fields[2] != 'I') {
        if (word1 & 0xFC)
            verdict |= V_RESERVED;
        if ((word1 & 3) && !row->scope)
            verdict |= V_RESERVED;
    }
    return verdict;
}

#endif
