/* The PTX interpreter, one family of instructions after the other. Results are derived from the
 * definitions of the PTX ISA; float arithmetic is also compared with the tests' integer-only
 * floats. */
#include "ptxvm_helpers.h"
#include "support/random.h"
#include "support/softfloat.h"

Test(ptxvm_ops, integer_operations_follow_the_isa) {
    static const ptx_expect cases[] = {
        {'r', "add.u32 %r0, 0xFFFFFFFF, 2;", 1},
        {'r', "sub.s32 %r0, 3, 5;", 0xFFFFFFFE},
        {'h', "add.u16 %h0, 0xFFFF, 3;", 2},
        {'l', "sub.u64 %rd0, 0, 1;", UINT64_MAX},
        {'r', "add.sat.s32 %r0, 0x7FFFFFFF, 1;", 0x7FFFFFFF},
        {'r', "sub.sat.s32 %r0, 0x80000000, 1;", 0x80000000},
        {'r', "add.cc.u32 %r1, 0xFFFFFFFF, 1; addc.u32 %r0, 5, 5;", 11},
        {'r', "add.cc.u32 %r1, 0xFFFFFFFE, 1; addc.u32 %r0, 5, 5;", 10},
        {'r', "add.cc.u32 %r1, 0xFFFFFFFF, 1; addc.cc.u32 %r2, 0xFFFFFFFF, 0; addc.u32 %r0, 0, 0;",
         1},
        {'r', "sub.cc.u32 %r1, 3, 4; subc.u32 %r0, 10, 2;", 7},
        {'r', "sub.cc.u32 %r1, 4, 4; subc.u32 %r0, 10, 2;", 8},
        {'r', "sub.cc.u32 %r1, 3, 4; subc.cc.u32 %r2, 7, 7; subc.u32 %r0, 0, 0;", 0xFFFFFFFF},
        {'l', "add.cc.u64 %rd1, 0xFFFFFFFFFFFFFFFF, 1; addc.u64 %rd0, 0, 0;", 1},
        {'r', "mul.lo.u32 %r0, 0x10001, 0x10001;", 0x20001},
        {'r', "mul.hi.u32 %r0, 0xFFFFFFFF, 0xFFFFFFFF;", 0xFFFFFFFE},
        {'r', "mul.hi.s32 %r0, 0xFFFFFFFF, 0xFFFFFFFF;", 0},
        {'r', "mul.hi.s32 %r0, 0x80000000, 2;", 0xFFFFFFFF},
        {'l', "mul.wide.u32 %rd0, 0xFFFFFFFF, 0xFFFFFFFF;", 0xFFFFFFFE00000001},
        {'l', "mul.wide.s32 %rd0, 0xFFFFFFFF, 7;", 0xFFFFFFFFFFFFFFF9},
        {'r', "mul.wide.s16 %r0, 0x8000, 0x8000;", 0x40000000},
        {'l', "mul.hi.u64 %rd0, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF;", 0xFFFFFFFFFFFFFFFE},
        {'l', "mul.hi.s64 %rd0, 0xFFFFFFFFFFFFFFFF, 5;", UINT64_MAX},
        {'l', "mul.hi.s64 %rd0, 0x8000000000000000, 0x8000000000000000;", 0x4000000000000000},
        {'h', "mul.lo.s16 %h0, 300, 300;", 90000 & 0xFFFF},
        {'h', "mul.hi.u16 %h0, 300, 300;", 1},
        {'r', "mad.lo.s32 %r0, 7, -3, 100;", 79},
        {'r', "mad.hi.u32 %r0, 0x80000000, 4, 1;", 3},
        {'r', "mad.hi.sat.s32 %r0, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF;", 0x7FFFFFFF},
        {'l', "mad.wide.u32 %rd0, 0xFFFFFFFF, 2, 3;", 0x200000001},
        {'r', "mad.lo.cc.u32 %r1, 0xFFFF, 0x10001, 1; madc.hi.u32 %r0, 2, 2, 40;", 41},
        {'r', "div.s32 %r0, -7, 2;", 0xFFFFFFFD},
        {'r', "div.u32 %r0, -7, 2;", 0x7FFFFFFC},
        {'r', "rem.s32 %r0, -7, 2;", 0xFFFFFFFF},
        {'r', "rem.s32 %r0, 7, -2;", 1},
        {'r', "div.s32 %r0, 0x80000000, -1;", 0x80000000},
        {'r', "rem.s32 %r0, 0x80000000, -1;", 0},
        {'l', "div.s64 %rd0, 0x8000000000000000, -1;", 0x8000000000000000},
        {'l', "rem.u64 %rd0, 0xFFFFFFFFFFFFFFFF, 10;", 5},
        {'h', "div.s16 %h0, 0x8000, 3;", 0x10000 - 10922},
        {'r', "neg.s32 %r0, 0x80000000;", 0x80000000},
        {'r', "neg.s32 %r0, 5;", 0xFFFFFFFB},
        {'r', "abs.s32 %r0, -5;", 5},
        {'r', "abs.s32 %r0, 0x80000000;", 0x80000000},
        {'l', "abs.s64 %rd0, -5;", 5},
        {'r', "min.s32 %r0, -1, 1;", 0xFFFFFFFF},
        {'r', "min.u32 %r0, -1, 1;", 1},
        {'r', "max.s32 %r0, -1, 1;", 1},
        {'r', "max.u32 %r0, -1, 1;", 0xFFFFFFFF},
        {'h', "min.s16 %h0, 0x8000, 1;", 0x8000},
        {'l', "max.s64 %rd0, -1, 1;", 1},
        {'r', "sad.u32 %r0, 3, 10, 100;", 107},
        {'r', "sad.s32 %r0, -3, 10, 100;", 113},
        {'r', "sad.u32 %r0, 10, 3, 1;", 8},
        {'r', "dp4a.u32.u32 %r0, 0x01020304, 0x05060708, 10;", 10 + 5 + 12 + 21 + 32},
        {'r', "dp4a.s32.u32 %r0, 0xFF000000, 0xFF000000, 0;", (uint32_t)-255},
    };
    PTX_CHECK(cases);
}

Test(ptxvm_ops, division_by_zero_is_recognisable) {
    static const ptx_expect cases[] = {
        {'r', "div.u32 %r0, 5, 0;", 0xD1D0D1D0},
        {'r', "rem.s32 %r0, 5, 0;", 0xD1D0D1D0},
        {'l', "div.s64 %rd0, 5, 0;", 0xD1D0D1D0D1D0D1D0},
    };
    PTX_CHECK(cases);
}

Test(ptxvm_ops, bit_operations_follow_the_isa) {
    static const ptx_expect cases[] = {
        {'r', "and.b32 %r0, 0xF0F0, 0xFF00;", 0xF000},
        {'r', "or.b32 %r0, 0xF0F0, 0xFF00;", 0xFFF0},
        {'r', "xor.b32 %r0, 0xF0F0, 0xFF00;", 0x0FF0},
        {'h', "not.b16 %h0, 0x00FF;", 0xFF00},
        {'r', "cnot.b32 %r0, 0;", 1},
        {'r', "cnot.b32 %r0, 7;", 0},
        {'r', "lop3.b32 %r0, 0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA, 0x96;", 0x96969696},
        {'r', "lop3.b32 %r0, 0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA, 0x1B;", 0x1B1B1B1B},
        {'p', "setp.eq.u32 %p1, 1, 1; not.pred %p2, %p1; xor.pred %p0, %p1, %p2;", 1},
        {'p', "setp.eq.u32 %p1, 1, 1; and.pred %p0, %p1, !%p1;", 0},
        {'p', "mov.pred %p0, -1;", 1},
        {'r', "shl.b32 %r0, 1, 31;", 0x80000000},
        {'r', "shl.b32 %r0, 1, 32;", 0},
        {'r', "shl.b32 %r0, 1, 0xFFFFFFFF;", 0},
        {'l', "shl.b64 %rd0, 1, 63;", UINT64_C(1) << 63},
        {'l', "shl.b64 %rd0, 1, 64;", 0},
        {'h', "shl.b16 %h0, 0xFF, 8;", 0xFF00},
        {'r', "shr.u32 %r0, 0x80000000, 31;", 1},
        {'r', "shr.u32 %r0, 0x80000000, 32;", 0},
        {'r', "shr.s32 %r0, 0x80000000, 31;", 0xFFFFFFFF},
        {'r', "shr.s32 %r0, 0x80000000, 99;", 0xFFFFFFFF},
        {'r', "shr.s32 %r0, 0x40000000, 99;", 0},
        {'r', "shr.b32 %r0, 0x80000000, 4;", 0x08000000},
        {'h', "shr.s16 %h0, 0x8000, 3;", 0xF000},
        {'l', "shr.s64 %rd0, 0x8000000000000000, 70;", UINT64_MAX},
        {'l', "shr.u64 %rd0, 0x8000000000000000, 64;", 0},
        {'r', "shf.l.wrap.b32 %r0, 0x12345678, 0x9ABCDEF0, 8;", 0xBCDEF012},
        {'r', "shf.l.wrap.b32 %r0, 0x12345678, 0x9ABCDEF0, 40;", 0xBCDEF012},
        {'r', "shf.l.clamp.b32 %r0, 0x12345678, 0x9ABCDEF0, 40;", 0x12345678},
        {'r', "shf.r.wrap.b32 %r0, 0x12345678, 0x9ABCDEF0, 8;", 0xF0123456},
        {'r', "shf.r.clamp.b32 %r0, 0x12345678, 0x9ABCDEF0, 32;", 0x9ABCDEF0},
        {'r', "shf.r.wrap.b32 %r0, 0x12345678, 0x9ABCDEF0, 32;", 0x12345678},
        {'r', "popc.b32 %r0, 0xF0F00001;", 9},
        {'r', "popc.b64 %r0, 0xFFFFFFFFFFFFFFFF;", 64},
        {'r', "clz.b32 %r0, 0;", 32},
        {'r', "clz.b32 %r0, 1;", 31},
        {'r', "clz.b64 %r0, 0;", 64},
        {'r', "clz.b64 %r0, 0x100000000;", 31},
        {'r', "brev.b32 %r0, 0x00000013;", 0xC8000000},
        {'l', "brev.b64 %rd0, 1;", UINT64_C(1) << 63},
        {'r', "bfind.u32 %r0, 0;", 0xFFFFFFFF},
        {'r', "bfind.u32 %r0, 0x00010000;", 16},
        {'r', "bfind.s32 %r0, 0xFFFFFFFF;", 0xFFFFFFFF},
        {'r', "bfind.s32 %r0, 0xFFFFFF00;", 7},
        {'r', "bfind.shiftamt.u32 %r0, 0x00010000;", 15},
        {'r', "bfind.shiftamt.u32 %r0, 0;", 0xFFFFFFFF},
        {'r', "bfind.u64 %r0, 0x8000000000000000;", 63},
        {'r', "bfe.u32 %r0, 0x12345678, 8, 12;", 0x456},
        {'r', "bfe.u32 %r0, 0x12345678, 28, 12;", 1},
        {'r', "bfe.u32 %r0, 0x12345678, 40, 4;", 0},
        {'r', "bfe.u32 %r0, 0x12345678, 8, 0;", 0},
        {'r', "bfe.u32 %r0, 0x12345678, 0, 32;", 0x12345678},
        {'r', "mov.u32 %r1, 0x108; mov.u32 %r2, 0x10C; bfe.u32 %r0, 0x12345678, %r1, %r2;", 0x456},
        {'r', "bfe.s32 %r0, 0x00000800, 8, 4;", 0xFFFFFFF8},
        {'r', "bfe.s32 %r0, 0x80000000, 30, 8;", 0xFFFFFFFE},
        {'r', "bfe.s32 %r0, 0x80000000, 200, 8;", 0xFFFFFFFF},
        {'r', "bfe.s32 %r0, 0x80000000, 4, 0;", 0},
        {'l', "bfe.s64 %rd0, 0x8000000000000000, 60, 4;", 0xFFFFFFFFFFFFFFF8},
        {'r', "bfi.b32 %r0, 0xFF, 0x12345678, 8, 4;", 0x12345F78},
        {'r', "bfi.b32 %r0, 0xFF, 0x12345678, 28, 8;", 0xF2345678},
        {'r', "bfi.b32 %r0, 0xFF, 0x12345678, 32, 8;", 0x12345678},
        {'r', "bfi.b32 %r0, 0xFF, 0x12345678, 8, 0;", 0x12345678},
        {'r', "bfi.b32 %r0, 0xFF, 0x12345678, 0, 40;", 0xFF},
        {'l', "bfi.b64 %rd0, 0xFF, 0, 60, 4;", 0xF000000000000000},
        {'r', "prmt.b32 %r0, 0x33221100, 0x77665544, 0x6240;", 0x66224400},
        {'r', "prmt.b32 %r0, 0x00008000, 0, 0x999A;", 0xFFFFFF00},
        {'r', "prmt.b32.f4e %r0, 0x33221100, 0x77665544, 1;", 0x44332211},
        {'r', "prmt.b32.b4e %r0, 0x33221100, 0x77665544, 1;", 0x66770011},
        {'r', "prmt.b32.rc8 %r0, 0x33221100, 0x77665544, 2;", 0x22222222},
        {'r', "prmt.b32.ecl %r0, 0x33221100, 0x77665544, 1;", 0x33221111},
        {'r', "prmt.b32.ecr %r0, 0x33221100, 0x77665544, 1;", 0x11111100},
        {'r', "prmt.b32.rc16 %r0, 0x33221100, 0x77665544, 1;", 0x33223322},
    };
    PTX_CHECK(cases);
}

Test(ptxvm_ops, moves_and_selections_follow_the_isa) {
    static const ptx_expect cases[] = {
        {'r', "mov.b16 %h1, 0x1234; mov.b16 %h2, 0xABCD; mov.b32 %r0, {%h1, %h2};", 0xABCD1234},
        {'h', "mov.b32 %r1, 0xABCD1234; mov.b32 {%h1, %h0}, %r1;", 0xABCD},
        {'h', "mov.b32 %r1, 0xABCD1234; mov.b32 {%h0, _}, %r1;", 0x1234},
        {'l', "mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b64 %rd0, {%r1, %r2};", 0x200000001},
        {'r', "mov.u64 %rd1, 0x123456789; mov.b64 {%r1, %r0}, %rd1;", 1},
        {'h', "mov.u64 %rd1, 0x1111222233334444; mov.b64 {%h1, %h0, %h2, %h3}, %rd1;", 0x3333},
        {'r', "mov.f32 %f1, 1.0; mov.b32 %r0, %f1;", 0x3F800000},
        {'f', "mov.f32 %f0, 0d3FF8000000000000;", 0x3FC00000},
        {'d', "mov.f64 %fd0, -2.5;", 0xC004000000000000},
        {'d', "mov.f64 %fd0, 0f3F800000;", 0x3FF0000000000000},
        {'r', "mov.u32 %r0, 0b101;", 5},
        {'r', "mov.u32 %r0, 017;", 15},
        {'r', "mov.u32 %r0, 4294967295U;", 0xFFFFFFFF},
        {'r', "mov.u32 %r0, WARP_SZ;", 32},
        {'r', "setp.lt.s32 %p1, -1, 0; selp.u32 %r0, 7, 8, %p1;", 7},
        {'r', "setp.lt.s32 %p1, -1, 0; selp.u32 %r0, 7, 8, !%p1;", 8},
        {'r', "slct.u32.s32 %r0, 1, 2, -1;", 2},
        {'r', "slct.u32.s32 %r0, 1, 2, 0;", 1},
        {'r', "slct.u32.f32 %r0, 1, 2, 0f80000000;", 1},
        {'r', "slct.u32.f32 %r0, 1, 2, 0fBF800000;", 2},
        {'r', "slct.u32.f32 %r0, 1, 2, 0f7FC00000;", 2},
        {'r', "slct.ftz.u32.f32 %r0, 1, 2, 0f80000001;", 1},
    };
    PTX_CHECK(cases);
}

Test(ptxvm_ops, comparisons_follow_the_isa) {
    static const ptx_expect cases[] = {
        {'p', "setp.lt.s32 %p0, -1, 1;", 1},
        {'p', "setp.lt.u32 %p0, -1, 1;", 0},
        {'p', "setp.hi.u32 %p0, -1, 1;", 1},
        {'p', "setp.ls.u32 %p0, 1, 1;", 1},
        {'p', "setp.hs.u32 %p0, 0, 1;", 0},
        {'p', "setp.lo.u64 %p0, 0, 1;", 1},
        {'p', "setp.ge.s64 %p0, -1, 1;", 0},
        {'p', "setp.gt.s16 %p0, 0x8000, 1;", 0},
        {'p', "setp.ne.b32 %p0, 5, 5;", 0},
        {'p', "setp.eq.u32 %p1|%p0, 5, 5;", 0},
        {'p', "setp.eq.u32 %p0|%p1, 5, 5;", 1},
        {'p', "mov.pred %p1, 0; setp.eq.and.u32 %p0, 5, 5, %p1;", 0},
        {'p', "mov.pred %p1, 0; setp.eq.and.u32 %p0, 5, 5, !%p1;", 1},
        {'p', "mov.pred %p1, 1; setp.eq.or.u32 %p0, 5, 6, %p1;", 1},
        {'p', "mov.pred %p1, 1; setp.eq.xor.u32 %p0, 5, 5, %p1;", 0},
        // q = BoolOp(!t, c)
        {'p', "mov.pred %p1, 1; setp.eq.and.u32 %p2|%p0, 5, 5, %p1;", 0},
        {'p', "mov.pred %p1, 1; setp.eq.or.u32 %p2|%p0, 5, 5, %p1;", 1},
        {'p', "setp.eq.f32 %p0, 0f00000000, 0f80000000;", 1},
        {'p', "setp.ne.f32 %p0, 0f7FC00000, 1.0;", 0},
        {'p', "setp.neu.f32 %p0, 0f7FC00000, 1.0;", 1},
        {'p', "setp.eq.f32 %p0, 0f7FC00000, 0f7FC00000;", 0},
        {'p', "setp.equ.f32 %p0, 0f7FC00000, 1.0;", 1},
        {'p', "setp.lt.f32 %p0, 0f7FC00000, 1.0;", 0},
        {'p', "setp.ltu.f32 %p0, 0f7FC00000, 1.0;", 1},
        {'p', "setp.ltu.f32 %p0, 2.0, 1.0;", 0},
        {'p', "setp.leu.f32 %p0, 1.0, 1.0;", 1},
        {'p', "setp.gtu.f32 %p0, 1.0, 1.0;", 0},
        {'p', "setp.geu.f64 %p0, 1.0, 0d7FF8000000000000;", 1},
        {'p', "setp.num.f32 %p0, 1.0, 0f7FC00000;", 0},
        {'p', "setp.num.f32 %p0, 1.0, 0f7F800000;", 1},
        {'p', "setp.nan.f32 %p0, 1.0, 0f7FC00000;", 1},
        {'p', "setp.gt.f32 %p0, 0f00000001, 0f00000000;", 1},
        {'p', "setp.gt.ftz.f32 %p0, 0f00000001, 0f00000000;", 0},
        {'p', "mov.b16 %h1, 0x3C00; mov.b16 %h2, 0xC000; setp.gt.f16 %p0, %h1, %h2;", 1},
        {'p', "mov.b16 %h1, 0x7E00; mov.b16 %h2, 0xC000; setp.gtu.f16 %p0, %h1, %h2;", 1},
        {'p', "mov.b32 %r1, 0x3C003C00; mov.b32 %r2, 0x40003C00; setp.eq.f16x2 %p0|%p1, %r1, %r2;",
         1},
        {'p', "mov.b32 %r1, 0x3C003C00; mov.b32 %r2, 0x40003C00; setp.eq.f16x2 %p1|%p0, %r1, %r2;",
         0},
        {'r', "set.lt.u32.s32 %r0, -1, 0;", 0xFFFFFFFF},
        {'f', "set.lt.f32.s32 %f0, -1, 0;", 0x3F800000},
        {'r', "set.lt.u32.f32 %r0, 1.0, 0.0;", 0},
        {'h', "mov.b16 %h1, 0xBC00; mov.b16 %h2, 0x3C00; set.lt.f16.f16 %h0, %h1, %h2;", 0x3C00},
        {'r', "mov.b16 %h1, 0xBC00; mov.b16 %h2, 0x3C00; set.lt.u32.f16 %r0, %h1, %h2;",
         0xFFFFFFFF},
        {'r', "mov.b32 %r1, 0x3C004000; mov.b32 %r2, 0x40003C00; set.lt.u32.f16x2 %r0, %r1, %r2;",
         0xFFFF0000},
        {'r', "mov.b32 %r1, 0x3C004000; mov.b32 %r2, 0x40003C00; set.gt.u32.f16x2 %r0, %r1, %r2;",
         0x0000FFFF},
        {'r', "mov.b32 %r1, 0x3C004000; mov.b32 %r2, 0x40003C00; set.gt.f16x2.f16x2 %r0, %r1, %r2;",
         0x00003C00},
        {'p', "testp.finite.f32 %p0, 0f7F800000;", 0},
        {'p', "testp.infinite.f32 %p0, 0fFF800000;", 1},
        {'p', "testp.notanumber.f64 %p0, 0d7FF8000000000000;", 1},
        {'p', "testp.number.f32 %p0, 0f7F800000;", 1},
        {'p', "testp.subnormal.f32 %p0, 0f80000001;", 1},
        {'p', "testp.normal.f32 %p0, 0f00000000;", 1},
    };
    PTX_CHECK(cases);
}

Test(ptxvm_ops, conversions_follow_the_isa) {
    static const ptx_expect cases[] = {
        {'r', "cvt.u32.s16 %r0, 0x8000;", 0xFFFF8000},
        {'r', "mov.u32 %r1, 0x1FF; cvt.u32.u8 %r0, %r1;", 0xFF},
        {'r', "mov.u32 %r1, 0x1FF; cvt.s32.s8 %r0, %r1;", 0xFFFFFFFF},
        {'r', "mov.u32 %r1, 0x180; cvt.s8.s32 %r0, %r1;", 0xFFFFFF80},
        {'r', "mov.u32 %r1, 0x180; cvt.u8.u32 %r0, %r1;", 0x80},
        {'l', "mov.u32 %r1, 0x80000000; cvt.s64.s32 %rd0, %r1;", 0xFFFFFFFF80000000},
        {'l', "mov.u32 %r1, 0x80000000; cvt.u64.u32 %rd0, %r1;", 0x80000000},
        {'l', "mov.u32 %r1, 0x80000000; cvt.u64.s32 %rd0, %r1;", 0xFFFFFFFF80000000},
        {'r', "mov.u64 %rd1, 0x123456789; cvt.u32.u64 %r0, %rd1;", 0x23456789},
        {'r', "cvt.sat.u8.s32 %r0, -5;", 0},
        {'r', "cvt.sat.u8.s32 %r0, 300;", 255},
        {'r', "cvt.sat.s8.s32 %r0, -300;", 0xFFFFFF80},
        {'r', "cvt.sat.s32.u32 %r0, 0xFFFFFFFF;", 0x7FFFFFFF},
        {'r', "cvt.sat.u32.s64 %r0, -1;", 0},
        {'l', "cvt.sat.s64.u64 %rd0, 0xFFFFFFFFFFFFFFFF;", INT64_MAX},
        {'r', "cvt.rzi.s32.f32 %r0, -1.75;", 0xFFFFFFFF},
        {'r', "cvt.rmi.s32.f32 %r0, -1.25;", 0xFFFFFFFE},
        {'r', "cvt.rpi.s32.f32 %r0, 1.25;", 2},
        {'r', "cvt.rni.s32.f32 %r0, 2.5;", 2},
        {'r', "cvt.rni.s32.f32 %r0, 3.5;", 4},
        {'r', "cvt.rzi.s32.f32 %r0, 3e9;", 0x7FFFFFFF},
        {'r', "cvt.rzi.s32.f32 %r0, -3e9;", 0x80000000},
        {'r', "cvt.rzi.u32.f32 %r0, -3.0;", 0},
        {'r', "cvt.rzi.u32.f32 %r0, 5e9;", 0xFFFFFFFF},
        {'r', "cvt.rzi.u32.f32 %r0, 3e9;", 3000000000},
        {'r', "cvt.rzi.u8.f32 %r0, 300.0;", 255},
        {'r', "cvt.rzi.s32.f32 %r0, 0f7FC00000;", 0},
        {'r', "cvt.rzi.u32.f32 %r0, 0fFFC00000;", 0},
        {'l', "cvt.rzi.s64.f32 %rd0, 0f7FC00000;", UINT64_C(1) << 63},
        {'r', "cvt.rzi.s32.f64 %r0, 0d7FF8000000000000;", 0x80000000},
        {'r', "cvt.rzi.u32.f64 %r0, 0d7FF8000000000000;", 0x80000000},
        {'l', "cvt.rzi.u64.f64 %rd0, 1e30;", UINT64_MAX},
        {'l', "cvt.rzi.s64.f64 %rd0, -1e30;", UINT64_C(1) << 63},
        {'l', "cvt.rzi.s64.f32 %rd0, 0fDF000000;", UINT64_C(1) << 63},
        {'f', "cvt.rn.f32.s32 %f0, -1;", 0xBF800000},
        {'f', "cvt.rn.f32.u32 %f0, -1;", 0x4F800000},
        {'f', "cvt.rz.f32.u32 %f0, -1;", 0x4F7FFFFF},
        {'f', "cvt.rn.f32.s32 %f0, 16777217;", 0x4B800000},
        {'f', "cvt.rn.f32.s32 %f0, 16777219;", 0x4B800002},
        {'f', "cvt.rp.f32.s32 %f0, 16777217;", 0x4B800001},
        {'f', "cvt.rm.f32.s32 %f0, -16777217;", 0xCB800001},
        {'d', "cvt.rn.f64.s64 %fd0, 0x8000000000000000;", 0xC3E0000000000000},
        {'d', "cvt.rn.f64.u64 %fd0, 0xFFFFFFFFFFFFFFFF;", 0x43F0000000000000},
        {'f', "cvt.rn.f32.u64 %f0, 0x8000008000000000;", 0x5F000000},
        {'f', "cvt.rn.f32.u64 %f0, 0x8000008000000001;", 0x5F000001},
        {'h', "cvt.rn.f16.f32 %h0, 65520.0;", 0x7C00},
        {'h', "cvt.rz.f16.f32 %h0, 65520.0;", 0x7BFF},
        {'h', "cvt.rn.f16.f32 %h0, 65519.9;", 0x7BFF},
        {'h', "cvt.rn.f16.f32 %h0, 0f33000000;", 0},
        {'h', "cvt.rn.f16.f32 %h0, 0f33000001;", 1},
        {'h', "cvt.rn.f16.f32 %h0, 0f3F801000;", 0x3C00},
        {'h', "cvt.rn.f16.f32 %h0, 0f3F803000;", 0x3C02},
        {'h', "cvt.rn.f16.f32 %h0, 0f7FC00000;", 0x7FFF},
        {'h', "cvt.rn.f16.s32 %h0, -3;", 0xC200},
        {'h', "cvt.rn.bf16.f32 %h0, 0f3F808000;", 0x3F80},
        {'h', "cvt.rn.bf16.f32 %h0, 0f3F818000;", 0x3F82},
        {'h', "cvt.rz.bf16.f32 %h0, 0f3F81FFFF;", 0x3F81},
        {'h', "cvt.rn.relu.f16.f32 %h0, -1.0;", 0},
        {'r', "cvt.rn.f16x2.f32 %r0, 1.0, 2.0;", 0x3C004000},
        {'r', "cvt.rz.bf16x2.f32 %r0, 0f3F81FFFF, -2.0;", 0x3F81C000},
        {'f', "mov.b16 %h1, 0x0001; cvt.f32.f16 %f0, %h1;", 0x33800000},
        {'f', "mov.b16 %h1, 0xFC00; cvt.f32.f16 %f0, %h1;", 0xFF800000},
        {'f', "mov.b16 %h1, 0x7BFF; cvt.f32.f16 %f0, %h1;", 0x477FE000},
        {'f', "mov.b16 %h1, 0xC049; cvt.f32.bf16 %f0, %h1;", 0xC0490000},
        {'f', "cvt.rn.f32.f64 %f0, 0d3FF0000010000000;", 0x3F800000},
        {'f', "cvt.rn.f32.f64 %f0, 0d3FF0000010000001;", 0x3F800001},
        {'f', "cvt.rp.f32.f64 %f0, 0d3FF0000000000001;", 0x3F800001},
        {'f', "cvt.rn.f32.f64 %f0, 1e300;", 0x7F800000},
        {'f', "cvt.rz.f32.f64 %f0, 1e300;", 0x7F7FFFFF},
        {'f', "cvt.rn.f32.f64 %f0, 0d36A0000000000000;", 0x00000001},
        {'f', "cvt.rn.f32.f64 %f0, 0d3690000000000000;", 0x00000000},
        {'d', "cvt.f64.f32 %fd0, 0f00000001;", 0x36A0000000000000},
        {'d', "cvt.ftz.f64.f32 %fd0, 0f80000001;", 0x8000000000000000},
        {'f', "cvt.rni.f32.f32 %f0, 2.5;", 0x40000000},
        {'f', "cvt.rni.f32.f32 %f0, -0.5;", 0x80000000},
        {'f', "cvt.rmi.f32.f32 %f0, -0.5;", 0xBF800000},
        {'f', "cvt.rpi.f32.f32 %f0, -0.5;", 0x80000000},
        {'f', "cvt.rzi.f32.f32 %f0, -1.5;", 0xBF800000},
        {'f', "cvt.sat.f32.f32 %f0, 2.0;", 0x3F800000},
        {'f', "cvt.sat.f32.f32 %f0, -2.0;", 0},
        {'f', "cvt.sat.f32.f32 %f0, 0f7FC00000;", 0},
        {'f', "cvt.sat.f32.f32 %f0, 0f80000000;", 0},
        {'f', "cvt.ftz.f32.f32 %f0, 0f80000001;", 0x80000000},
    };
    PTX_CHECK(cases);
}

Test(ptxvm_ops, float_operations_follow_the_isa) {
    static const ptx_expect cases[] = {
        {'f', "add.rn.f32 %f0, 1.0, 0f33800000;", 0x3F800000},
        {'f', "add.rp.f32 %f0, 1.0, 0f33800000;", 0x3F800001},
        {'f', "add.rn.f32 %f0, 1.0, 0f34400000;", 0x3F800002},
        {'f', "add.rz.f32 %f0, 1.0, 0f34400000;", 0x3F800001},
        {'f', "sub.rm.f32 %f0, 1.0, 0f20000000;", 0x3F7FFFFF},
        {'f', "sub.rn.f32 %f0, 1.0, 1.0;", 0},
        {'f', "sub.rm.f32 %f0, 1.0, 1.0;", 0x80000000},
        {'f', "mul.rn.f32 %f0, 0f00800000, 0.5;", 0x00400000},
        {'f', "mul.rn.ftz.f32 %f0, 0f00800000, 0.5;", 0},
        {'f', "mul.rn.ftz.f32 %f0, 0f80000001, 0f7F000000;", 0x80000000},
        {'f', "mul.rn.sat.f32 %f0, 3.0, 3.0;", 0x3F800000},
        {'f', "add.rn.sat.f32 %f0, 0f7F800000, 0fFF800000;", 0},
        {'f', "fma.rn.f32 %f0, 0f3F800001, 0f3F800001, 0fBF800002;", 0x28800000},
        {'f', "fma.rz.f32 %f0, 0f3F800001, 0f3F800001, 0f00000000;", 0x3F800002},
        {'f', "fma.rp.f32 %f0, 0f3F800001, 0f3F800001, 0f00000000;", 0x3F800003},
        {'f', "mad.rn.f32 %f0, 2.0, 3.0, 4.0;", 0x41200000},
        {'f', "div.rn.f32 %f0, 1.0, 3.0;", 0x3EAAAAAB},
        {'f', "div.rz.f32 %f0, 1.0, 3.0;", 0x3EAAAAAA},
        {'f', "div.rn.f32 %f0, -1.0, 0.0;", 0xFF800000},
        {'f', "div.rn.f32 %f0, 0.0, 0.0;", 0x7FFFFFFF},
        {'f', "rcp.rn.f32 %f0, -0.0;", 0xFF800000},
        {'f', "rcp.rn.f32 %f0, 3.0;", 0x3EAAAAAB},
        {'f', "sqrt.rn.f32 %f0, 2.0;", 0x3FB504F3},
        {'f', "sqrt.rp.f32 %f0, 2.0;", 0x3FB504F4},
        {'f', "sqrt.rn.f32 %f0, -0.0;", 0x80000000},
        {'f', "sqrt.rn.f32 %f0, -1.0;", 0x7FFFFFFF},
        {'f', "neg.f32 %f0, 0.0;", 0x80000000},
        {'f', "abs.f32 %f0, -1.5;", 0x3FC00000},
        {'f', "min.f32 %f0, 0.0, -0.0;", 0x80000000},
        {'f', "max.f32 %f0, -0.0, 0.0;", 0},
        {'f', "min.f32 %f0, 0f7FC00000, 3.0;", 0x40400000},
        {'f', "max.f32 %f0, 3.0, 0f7F800001;", 0x40400000},
        {'f', "min.NaN.f32 %f0, 0f7FC00000, 3.0;", 0x7FFFFFFF},
        {'f', "max.f32 %f0, 0f7FC00000, 0f7FC00000;", 0x7FFFFFFF},
        {'f', "copysign.f32 %f0, -1.0, 3.0;", 0xC0400000},
        {'d', "add.rn.f64 %fd0, 1.0, 0d3CA0000000000000;", 0x3FF0000000000000},
        {'d', "add.rp.f64 %fd0, 1.0, 0d3CA0000000000000;", 0x3FF0000000000001},
        {'d', "fma.rn.f64 %fd0, 0d3FF0000000000001, 0d3FF0000000000001, 0dBFF0000000000002;",
         0x3970000000000000},
        {'d', "div.rn.f64 %fd0, 1.0, 3.0;", 0x3FD5555555555555},
        {'d', "div.rp.f64 %fd0, 1.0, 3.0;", 0x3FD5555555555556},
        {'d', "sqrt.rn.f64 %fd0, 2.0;", 0x3FF6A09E667F3BCD},
        {'d', "max.f64 %fd0, -1.0, 0d7FF8000000000000;", 0xBFF0000000000000},
        {'h', "mov.b16 %h1, 0x3C00; mov.b16 %h2, 0x1000; add.rn.f16 %h0, %h1, %h2;", 0x3C00},
        {'h', "mov.b16 %h1, 0x3C00; mov.b16 %h2, 0x1001; add.rn.f16 %h0, %h1, %h2;", 0x3C01},
        {'h', "mov.b16 %h1, 0x7BFF; add.rn.f16 %h0, %h1, %h1;", 0x7C00},
        {'h', "mov.b16 %h1, 0x0001; mov.b16 %h2, 0x3800; mul.rn.f16 %h0, %h1, %h2;", 0},
        {'h', "mov.b16 %h1, 0x8001; mov.b16 %h2, 0x3400; mul.rn.f16 %h0, %h1, %h2;", 0x8000},
        {'h', "mov.b16 %h1, 0x03FF; mov.b16 %h2, 0x3C00; mul.rn.ftz.f16 %h0, %h1, %h2;", 0},
        {'h', "mov.b16 %h1, 0x7C00; mov.b16 %h2, 0xFC00; add.rn.f16 %h0, %h1, %h2;", 0x7FFF},
        {'h', "mov.b16 %h1, 0xBC00; neg.f16 %h0, %h1;", 0x3C00},
        {'h', "mov.b16 %h1, 0xBC00; abs.f16 %h0, %h1;", 0x3C00},
        {'h', "mov.b16 %h1, 0xBC00; mov.b16 %h2, 0x7E00; min.f16 %h0, %h1, %h2;", 0xBC00},
        {'h', "mov.b16 %h1, 0x4000; mov.b16 %h2, 0x3C00; sub.rn.sat.f16 %h0, %h2, %h1;", 0},
        // The exact sum is 2^-31 below a tie; an intermediate rounding to f32 would turn it into
        // one.
        {'h', "mov.b16 %h1, 0x3C01; mov.b16 %h2, 0x0FFE; fma.rn.f16 %h0, %h1, %h2, %h1;", 0x3C01},
        {'r', "mov.b32 %r1, 0x3C004000; mov.b32 %r2, 0x42004400; fma.rn.f16x2 %r0, %r1, %r2, %r1;",
         0x44004900},
        {'r', "mov.b32 %r1, 0x3C004000; mov.b32 %r2, 0x42004400; max.f16x2 %r0, %r1, %r2;",
         0x42004400},
        {'h', "mov.b16 %h1, 0x3F81; mov.b16 %h2, 0x3F80; fma.rn.bf16 %h0, %h1, %h1, %h2;", 0x4001},
    };
    PTX_CHECK(cases);
}

Test(ptxvm_ops, approximations_are_close_and_counted) {
    static const ptx_expect cases[] = {
        {'f', "ex2.approx.f32 %f0, 3.0;", 0x41000000},
        {'f', "lg2.approx.f32 %f0, 8.0;", 0x40400000},
        {'f', "rsqrt.approx.f32 %f0, 4.0;", 0x3F000000},
        {'f', "sqrt.approx.f32 %f0, 4.0;", 0x40000000},
        {'f', "div.approx.f32 %f0, 6.0, 3.0;", 0x40000000},
        {'f', "sin.approx.f32 %f0, 0.0;", 0},
        {'f', "cos.approx.f32 %f0, 0.0;", 0x3F800000},
        {'f', "tanh.approx.f32 %f0, 0.0;", 0},
        {'d', "rcp.approx.ftz.f64 %fd0, 4.0;", 0x3FD0000000000000},
        {'d', "rcp.approx.ftz.f64 %fd0, 3.0;", 0x3FD5555500000000},
    };
    PTX_CHECK(cases);
    ptxvm_module *module =
        ptx_parse(PTX_HEADER ".entry k() { .reg .f32 %f<3>; mov.f32 %f1, 2.0;\n"
                             "rcp.approx.f32 %f2, %f1; mul.f32 %f2, %f1, %f1; ret; }");
    ptxvm_launch_options options = ptxvm_default_options("k");
    ptxvm_error error;
    ptxvm_stats stats;
    options.block[0] = 3;
    cr_assert_eq(ptxvm_launch(module, &options, &stats, &error), PTXVM_OK);
    cr_expect_eq(stats.inexact, 3);
    cr_expect_eq(stats.unfused, 3);
    cr_expect_eq(stats.instructions, 12);
    ptxvm_free(module);
}

/* ---- against integer-only floats ---- */

enum { TRIPLES = 4000 };

static uint64_t random_state;

static uint64_t random_bits(void) {
    uint64_t bits = random_mmix(&random_state);
    return bits ^ bits >> 29;
}

/* Bits whose exponents are close together half of the time, so that sums and ties occur. */
static uint64_t random_float(sf_format f) {
    uint64_t bits = random_bits() & (sf_sign_bit(f) * 2 - 1), kind = random_bits() % 8;
    if (kind < 4) {
        uint64_t exponent = (uint64_t)sf_bias(f) + random_bits() % 24 - 12;
        bits = (bits & (sf_sign_bit(f) | sf_fraction_mask(f))) | exponent << f.fraction_bits;
    }
    if (kind == 4) {
        bits &= sf_sign_bit(f) | sf_fraction_mask(f);
    }
    if (kind == 3) {
        bits &= ~(sf_fraction_mask(f) >> 4);
    }
    return bits;
}

/* Runs the instruction on triples of operands, which are in registers 1 to 3 of the type's class.
 */
static void run_triples(const char *instruction, unsigned bytes, const uint64_t *in,
                        uint64_t *out) {
    const char *type = bytes == 2 ? "b16" : bytes == 4 ? "f32" : "f64";
    const char *reg = bytes == 2 ? "%h" : bytes == 4 ? "%f" : "%fd";
    char text[3000];
    snprintf(
        text, sizeof text,
        "%s.visible .entry k(.param .u64 in, .param .u64 out)\n{\n%s"
        "ld.param.u64 %%rd8, [in]; ld.param.u64 %%rd9, [out];\n"
        "mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x; mov.u32 %%r3, %%ntid.x;\n"
        "mad.lo.u32 %%r1, %%r1, %%r3, %%r2; mul.wide.u32 %%rd1, %%r1, 24;\n"
        "add.u64 %%rd1, %%rd1, %%rd8; mul.wide.u32 %%rd2, %%r1, 8; add.u64 %%rd2, %%rd2, %%rd9;\n"
        "ld.global.%s %s1, [%%rd1]; ld.global.%s %s2, [%%rd1+8]; ld.global.%s %s3, [%%rd1+16];\n"
        "%s\nst.global.%s [%%rd2], %s0;\n}\n",
        PTX_HEADER, PTX_REGS, type, reg, type, reg, type, reg, instruction, type, reg);
    ptxvm_module *module = ptx_parse(text);
    uint64_t params[2] = {PTX_BUFFER(0), PTX_BUFFER(1)};
    ptxvm_range ranges[2] = {{params[0], (void *)(uintptr_t)in, TRIPLES * 24, true},
                             {params[1], out, TRIPLES * 8, false}};
    ptxvm_launch_options options = ptxvm_default_options("k");
    options.block[0] = 100;
    options.grid[0] = TRIPLES / 100;
    options.params = params;
    options.param_bytes = sizeof params;
    options.ranges = ranges;
    options.range_count = 2;
    options.plain_nan = true;
    options.checks = PTXVM_ALL_CHECKS;
    memset(out, 0, TRIPLES * 8);
    ptx_run(module, &options);
    ptxvm_free(module);
}

typedef uint64_t (*reference)(sf_format, uint64_t, uint64_t, uint64_t);

static uint64_t ref_add(sf_format f, uint64_t a, uint64_t b, uint64_t c) {
    (void)c;
    return sf_add(f, a, b);
}

static uint64_t ref_sub(sf_format f, uint64_t a, uint64_t b, uint64_t c) {
    (void)c;
    return sf_sub(f, a, b);
}

static uint64_t ref_mul(sf_format f, uint64_t a, uint64_t b, uint64_t c) {
    (void)c;
    return sf_mul(f, a, b);
}

static uint64_t ref_div(sf_format f, uint64_t a, uint64_t b, uint64_t c) {
    (void)c;
    return sf_div(f, a, b);
}

static uint64_t ref_sqrt(sf_format f, uint64_t a, uint64_t b, uint64_t c) {
    (void)b;
    (void)c;
    return sf_sqrt(f, a);
}

static void sweep(sf_format f, const char *instruction, reference expected) {
    static uint64_t in[TRIPLES * 3], out[TRIPLES];
    for (int i = 0; i < TRIPLES * 3; i++) {
        in[i] = random_float(f);
    }
    unsigned bytes = (unsigned)(f.exponent_bits + f.fraction_bits + 1) / 8;
    run_triples(instruction, bytes, in, out);
    for (int i = 0; i < TRIPLES; i++) {
        const uint64_t *v = &in[i * 3];
        uint64_t want = expected(f, v[0], v[1], v[2]);
        cr_assert_eq(out[i], want, "%s of %llx %llx %llx gives %llx, not %llx", instruction,
                     (unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2],
                     (unsigned long long)out[i], (unsigned long long)want);
    }
}

Test(ptxvm_ops, float_operations_agree_with_integer_arithmetic) {
    random_state = 1;
    sweep(sf_f32, "add.rn.f32 %f0, %f1, %f2;", ref_add);
    sweep(sf_f32, "sub.rn.f32 %f0, %f1, %f2;", ref_sub);
    sweep(sf_f32, "mul.rn.f32 %f0, %f1, %f2;", ref_mul);
    sweep(sf_f32, "fma.rn.f32 %f0, %f1, %f2, %f3;", sf_fma);
    sweep(sf_f32, "div.rn.f32 %f0, %f1, %f2;", ref_div);
    sweep(sf_f32, "sqrt.rn.f32 %f0, %f1;", ref_sqrt);
    sweep(sf_f64, "add.rn.f64 %fd0, %fd1, %fd2;", ref_add);
    sweep(sf_f64, "mul.rn.f64 %fd0, %fd1, %fd2;", ref_mul);
    sweep(sf_f64, "fma.rn.f64 %fd0, %fd1, %fd2, %fd3;", sf_fma);
    sweep(sf_f64, "div.rn.f64 %fd0, %fd1, %fd2;", ref_div);
    sweep(sf_f64, "sqrt.rn.f64 %fd0, %fd1;", ref_sqrt);
    sweep(sf_f16, "add.rn.f16 %h0, %h1, %h2;", ref_add);
    sweep(sf_f16, "sub.rn.f16 %h0, %h1, %h2;", ref_sub);
    sweep(sf_f16, "mul.rn.f16 %h0, %h1, %h2;", ref_mul);
    sweep(sf_f16, "fma.rn.f16 %h0, %h1, %h2, %h3;", sf_fma);
    sf_format bf16 = {8, 7};
    sweep(bf16, "fma.rn.bf16 %h0, %h1, %h2, %h3;", sf_fma);
}

static uint64_t ref_to_f16(sf_format f, uint64_t a, uint64_t b, uint64_t c) {
    (void)b;
    (void)c;
    return sf_convert(sf_f16, f, sf_convert(f, sf_f16, a));
}

static uint64_t ref_to_f32(sf_format f, uint64_t a, uint64_t b, uint64_t c) {
    (void)b;
    (void)c;
    return sf_convert(sf_f32, f, sf_convert(f, sf_f32, a));
}

static uint64_t ref_signed(sf_format f, uint64_t a, uint64_t b, uint64_t c) {
    (void)b;
    (void)c;
    uint32_t value = sf_to_integer(f, a, true);
    bool negative = value >> 31;
    return sf_from_integer(f, negative, negative ? (uint32_t)(0 - value) : value);
}

Test(ptxvm_ops, conversions_agree_with_integer_arithmetic) {
    random_state = 2;
    sweep(sf_f32, "cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f0, %h1;", ref_to_f16);
    sweep(sf_f64, "cvt.rn.f32.f64 %f1, %fd1; cvt.f64.f32 %fd0, %f1;", ref_to_f32);
    sweep(sf_f64, "cvt.rn.f16.f64 %h1, %fd1; cvt.f64.f16 %fd0, %h1;", ref_to_f16);
    sweep(sf_f32, "cvt.rzi.s32.f32 %r1, %f1; cvt.rn.f32.s32 %f0, %r1;", ref_signed);
}
