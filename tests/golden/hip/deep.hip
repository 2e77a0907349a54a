// WAVE kernels for gfx942, 64 lanes to a wave, compiled from deep.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// deep
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
struct deep_args {
    uint32_t r[3];
};

// The variables of a kernel that nests too deeply for one function.
struct deep_state {
    uint32_t u0;
    uint32_t u1;
    uint32_t u2;
    uint32_t u3;
    uint32_t u4;
    uint32_t u5;
    uint32_t u6;
    uint32_t u7;
    uint32_t u8;
    uint32_t u9;
    uint32_t u10;
    uint32_t u11;
    uint32_t u12;
    uint32_t u13;
    uint32_t u14;
    uint32_t u15;
    uint32_t u16;
    uint32_t u17;
    uint32_t u18;
    uint32_t u19;
    uint32_t u20;
    uint32_t u21;
    uint32_t u22;
    uint32_t u23;
    uint32_t u24;
    uint32_t u25;
    uint32_t u26;
    uint32_t u27;
    uint32_t u28;
    uint32_t u29;
    uint32_t u30;
    uint32_t u31;
    uint32_t u32;
    uint32_t u33;
    uint32_t u34;
    uint32_t u35;
    uint32_t u36;
    uint32_t u37;
    uint32_t u38;
    uint32_t u39;
    uint32_t u40;
    uint32_t u41;
    uint32_t u42;
    uint32_t u43;
    uint32_t u44;
    uint32_t u45;
    uint32_t u46;
    uint32_t u47;
    uint32_t u48;
    uint32_t u49;
    uint32_t u50;
    uint32_t u51;
    uint32_t u52;
    uint32_t u53;
    uint32_t u54;
    uint32_t u55;
    uint32_t u56;
    uint32_t u57;
    uint32_t u58;
    uint32_t u59;
    uint32_t u60;
    uint32_t u61;
    uint32_t u62;
    uint32_t u63;
    uint32_t u64;
    uint32_t u65;
    uint32_t u66;
    uint32_t u67;
    uint32_t u68;
    uint32_t u69;
    uint32_t u70;
    uint32_t u71;
    uint32_t u72;
    uint32_t u73;
    uint32_t u74;
    uint32_t u75;
    uint32_t u76;
    uint32_t u77;
    uint32_t u78;
    uint32_t u79;
    uint32_t u80;
    uint32_t u81;
    uint32_t u82;
    uint32_t u83;
    uint32_t u84;
    uint32_t u85;
    uint32_t u86;
    uint32_t u87;
    uint32_t u88;
    uint32_t u89;
    uint32_t u90;
    uint32_t u91;
    uint32_t u92;
    uint32_t u93;
    uint32_t u94;
    uint32_t u95;
    uint32_t u96;
    uint32_t u97;
    uint32_t u98;
    uint32_t u99;
    uint32_t u100;
    uint32_t u101;
    uint32_t u102;
    uint32_t u103;
    uint32_t u104;
    uint32_t u105;
    uint32_t u106;
    uint32_t u107;
    uint32_t u108;
    uint32_t u109;
    uint32_t u110;
};

static __device__ inline uint32_t deep_part1(deep_state &s, const deep_args &args) {
    s.u101 = s.u100 - 1u;
    if ((int32_t)s.u101 > (int32_t)args.r[2]) {
        s.u102 = s.u101 - 1u;
        if ((int32_t)s.u102 > (int32_t)args.r[2]) {
            s.u103 = s.u102 - 1u;
            if ((int32_t)s.u103 > (int32_t)args.r[2]) {
                s.u104 = s.u103 - 1u;
                if ((int32_t)s.u104 > (int32_t)args.r[2]) {
                    s.u105 = s.u104 - 1u;
                    if ((int32_t)s.u105 > (int32_t)args.r[2]) {
                        s.u106 = s.u1 + 1u;
                        if (s.u106 > args.r[2]) return 1u;
                    } else {
                        s.u106 = s.u1;
                    }
                } else {
                    s.u105 = s.u104;
                    s.u106 = s.u1;
                }
            } else {
                s.u105 = s.u103;
                s.u106 = s.u1;
            }
        } else {
            s.u105 = s.u102;
            s.u106 = s.u1;
        }
    } else {
        s.u105 = s.u101;
        s.u106 = s.u1;
    }
    return 0u;
}

static __device__ inline void deep_part2(deep_state &s) {
    s.u105 = s.u100;
    s.u106 = s.u1;
}

extern "C" __global__ void __launch_bounds__(1024) deep(uint8_t *mem, deep_args args) {
    deep_state s;
    s.u0 = args.r[1];
    s.u1 = 0u;
    while (true) {
        s.u2 = s.u0 - 1u;
        if ((int32_t)s.u2 > (int32_t)args.r[2]) {
            s.u3 = s.u2 - 1u;
            if ((int32_t)s.u3 > (int32_t)args.r[2]) {
                s.u4 = s.u3 - 1u;
                if ((int32_t)s.u4 > (int32_t)args.r[2]) {
                    s.u5 = s.u4 - 1u;
                    if ((int32_t)s.u5 > (int32_t)args.r[2]) {
                        s.u6 = s.u5 - 1u;
                        if ((int32_t)s.u6 > (int32_t)args.r[2]) {
                            s.u7 = s.u6 - 1u;
                            if ((int32_t)s.u7 > (int32_t)args.r[2]) {
                                s.u8 = s.u7 - 1u;
                                if ((int32_t)s.u8 > (int32_t)args.r[2]) {
                                    s.u9 = s.u8 - 1u;
                                    if ((int32_t)s.u9 > (int32_t)args.r[2]) {
                                        s.u10 = s.u9 - 1u;
                                        if ((int32_t)s.u10 > (int32_t)args.r[2]) {
                                            s.u11 = s.u10 - 1u;
                                            if ((int32_t)s.u11 > (int32_t)args.r[2]) {
                                                s.u12 = s.u11 - 1u;
                                                if ((int32_t)s.u12 > (int32_t)args.r[2]) {
                                                    s.u13 = s.u12 - 1u;
                                                    if ((int32_t)s.u13 > (int32_t)args.r[2]) {
                                                        s.u14 = s.u13 - 1u;
                                                        if ((int32_t)s.u14 > (int32_t)args.r[2]) {
                                                            s.u15 = s.u14 - 1u;
                                                            if ((int32_t)s.u15 > (int32_t)args.r[2]) {
                                                                s.u16 = s.u15 - 1u;
                                                                if ((int32_t)s.u16 > (int32_t)args.r[2]) {
                                                                s.u17 = s.u16 - 1u;
                                                                if ((int32_t)s.u17 > (int32_t)args.r[2]) {
                                                                s.u18 = s.u17 - 1u;
                                                                if ((int32_t)s.u18 > (int32_t)args.r[2]) {
                                                                s.u19 = s.u18 - 1u;
                                                                if ((int32_t)s.u19 > (int32_t)args.r[2]) {
                                                                s.u20 = s.u19 - 1u;
                                                                if ((int32_t)s.u20 > (int32_t)args.r[2]) {
                                                                s.u21 = s.u20 - 1u;
                                                                if ((int32_t)s.u21 > (int32_t)args.r[2]) {
                                                                s.u22 = s.u21 - 1u;
                                                                if ((int32_t)s.u22 > (int32_t)args.r[2]) {
                                                                s.u23 = s.u22 - 1u;
                                                                if ((int32_t)s.u23 > (int32_t)args.r[2]) {
                                                                s.u24 = s.u23 - 1u;
                                                                if ((int32_t)s.u24 > (int32_t)args.r[2]) {
                                                                s.u25 = s.u24 - 1u;
                                                                if ((int32_t)s.u25 > (int32_t)args.r[2]) {
                                                                s.u26 = s.u25 - 1u;
                                                                if ((int32_t)s.u26 > (int32_t)args.r[2]) {
                                                                s.u27 = s.u26 - 1u;
                                                                if ((int32_t)s.u27 > (int32_t)args.r[2]) {
                                                                s.u28 = s.u27 - 1u;
                                                                if ((int32_t)s.u28 > (int32_t)args.r[2]) {
                                                                s.u29 = s.u28 - 1u;
                                                                if ((int32_t)s.u29 > (int32_t)args.r[2]) {
                                                                s.u30 = s.u29 - 1u;
                                                                if ((int32_t)s.u30 > (int32_t)args.r[2]) {
                                                                s.u31 = s.u30 - 1u;
                                                                if ((int32_t)s.u31 > (int32_t)args.r[2]) {
                                                                s.u32 = s.u31 - 1u;
                                                                if ((int32_t)s.u32 > (int32_t)args.r[2]) {
                                                                s.u33 = s.u32 - 1u;
                                                                if ((int32_t)s.u33 > (int32_t)args.r[2]) {
                                                                s.u34 = s.u33 - 1u;
                                                                if ((int32_t)s.u34 > (int32_t)args.r[2]) {
                                                                s.u35 = s.u34 - 1u;
                                                                if ((int32_t)s.u35 > (int32_t)args.r[2]) {
                                                                s.u36 = s.u35 - 1u;
                                                                if ((int32_t)s.u36 > (int32_t)args.r[2]) {
                                                                s.u37 = s.u36 - 1u;
                                                                if ((int32_t)s.u37 > (int32_t)args.r[2]) {
                                                                s.u38 = s.u37 - 1u;
                                                                if ((int32_t)s.u38 > (int32_t)args.r[2]) {
                                                                s.u39 = s.u38 - 1u;
                                                                if ((int32_t)s.u39 > (int32_t)args.r[2]) {
                                                                s.u40 = s.u39 - 1u;
                                                                if ((int32_t)s.u40 > (int32_t)args.r[2]) {
                                                                s.u41 = s.u40 - 1u;
                                                                if ((int32_t)s.u41 > (int32_t)args.r[2]) {
                                                                s.u42 = s.u41 - 1u;
                                                                if ((int32_t)s.u42 > (int32_t)args.r[2]) {
                                                                s.u43 = s.u42 - 1u;
                                                                if ((int32_t)s.u43 > (int32_t)args.r[2]) {
                                                                s.u44 = s.u43 - 1u;
                                                                if ((int32_t)s.u44 > (int32_t)args.r[2]) {
                                                                s.u45 = s.u44 - 1u;
                                                                if ((int32_t)s.u45 > (int32_t)args.r[2]) {
                                                                s.u46 = s.u45 - 1u;
                                                                if ((int32_t)s.u46 > (int32_t)args.r[2]) {
                                                                s.u47 = s.u46 - 1u;
                                                                if ((int32_t)s.u47 > (int32_t)args.r[2]) {
                                                                s.u48 = s.u47 - 1u;
                                                                if ((int32_t)s.u48 > (int32_t)args.r[2]) {
                                                                s.u49 = s.u48 - 1u;
                                                                if ((int32_t)s.u49 > (int32_t)args.r[2]) {
                                                                s.u50 = s.u49 - 1u;
                                                                if ((int32_t)s.u50 > (int32_t)args.r[2]) {
                                                                s.u51 = s.u50 - 1u;
                                                                if ((int32_t)s.u51 > (int32_t)args.r[2]) {
                                                                s.u52 = s.u51 - 1u;
                                                                if ((int32_t)s.u52 > (int32_t)args.r[2]) {
                                                                s.u53 = s.u52 - 1u;
                                                                if ((int32_t)s.u53 > (int32_t)args.r[2]) {
                                                                s.u54 = s.u53 - 1u;
                                                                if ((int32_t)s.u54 > (int32_t)args.r[2]) {
                                                                s.u55 = s.u54 - 1u;
                                                                if ((int32_t)s.u55 > (int32_t)args.r[2]) {
                                                                s.u56 = s.u55 - 1u;
                                                                if ((int32_t)s.u56 > (int32_t)args.r[2]) {
                                                                s.u57 = s.u56 - 1u;
                                                                if ((int32_t)s.u57 > (int32_t)args.r[2]) {
                                                                s.u58 = s.u57 - 1u;
                                                                if ((int32_t)s.u58 > (int32_t)args.r[2]) {
                                                                s.u59 = s.u58 - 1u;
                                                                if ((int32_t)s.u59 > (int32_t)args.r[2]) {
                                                                s.u60 = s.u59 - 1u;
                                                                if ((int32_t)s.u60 > (int32_t)args.r[2]) {
                                                                s.u61 = s.u60 - 1u;
                                                                if ((int32_t)s.u61 > (int32_t)args.r[2]) {
                                                                s.u62 = s.u61 - 1u;
                                                                if ((int32_t)s.u62 > (int32_t)args.r[2]) {
                                                                s.u63 = s.u62 - 1u;
                                                                if ((int32_t)s.u63 > (int32_t)args.r[2]) {
                                                                s.u64 = s.u63 - 1u;
                                                                if ((int32_t)s.u64 > (int32_t)args.r[2]) {
                                                                s.u65 = s.u64 - 1u;
                                                                if ((int32_t)s.u65 > (int32_t)args.r[2]) {
                                                                s.u66 = s.u65 - 1u;
                                                                if ((int32_t)s.u66 > (int32_t)args.r[2]) {
                                                                s.u67 = s.u66 - 1u;
                                                                if ((int32_t)s.u67 > (int32_t)args.r[2]) {
                                                                s.u68 = s.u67 - 1u;
                                                                if ((int32_t)s.u68 > (int32_t)args.r[2]) {
                                                                s.u69 = s.u68 - 1u;
                                                                if ((int32_t)s.u69 > (int32_t)args.r[2]) {
                                                                s.u70 = s.u69 - 1u;
                                                                if ((int32_t)s.u70 > (int32_t)args.r[2]) {
                                                                s.u71 = s.u70 - 1u;
                                                                if ((int32_t)s.u71 > (int32_t)args.r[2]) {
                                                                s.u72 = s.u71 - 1u;
                                                                if ((int32_t)s.u72 > (int32_t)args.r[2]) {
                                                                s.u73 = s.u72 - 1u;
                                                                if ((int32_t)s.u73 > (int32_t)args.r[2]) {
                                                                s.u74 = s.u73 - 1u;
                                                                if ((int32_t)s.u74 > (int32_t)args.r[2]) {
                                                                s.u75 = s.u74 - 1u;
                                                                if ((int32_t)s.u75 > (int32_t)args.r[2]) {
                                                                s.u76 = s.u75 - 1u;
                                                                if ((int32_t)s.u76 > (int32_t)args.r[2]) {
                                                                s.u77 = s.u76 - 1u;
                                                                if ((int32_t)s.u77 > (int32_t)args.r[2]) {
                                                                s.u78 = s.u77 - 1u;
                                                                if ((int32_t)s.u78 > (int32_t)args.r[2]) {
                                                                s.u79 = s.u78 - 1u;
                                                                if ((int32_t)s.u79 > (int32_t)args.r[2]) {
                                                                s.u80 = s.u79 - 1u;
                                                                if ((int32_t)s.u80 > (int32_t)args.r[2]) {
                                                                s.u81 = s.u80 - 1u;
                                                                if ((int32_t)s.u81 > (int32_t)args.r[2]) {
                                                                s.u82 = s.u81 - 1u;
                                                                if ((int32_t)s.u82 > (int32_t)args.r[2]) {
                                                                s.u83 = s.u82 - 1u;
                                                                if ((int32_t)s.u83 > (int32_t)args.r[2]) {
                                                                s.u84 = s.u83 - 1u;
                                                                if ((int32_t)s.u84 > (int32_t)args.r[2]) {
                                                                s.u85 = s.u84 - 1u;
                                                                if ((int32_t)s.u85 > (int32_t)args.r[2]) {
                                                                s.u86 = s.u85 - 1u;
                                                                if ((int32_t)s.u86 > (int32_t)args.r[2]) {
                                                                s.u87 = s.u86 - 1u;
                                                                if ((int32_t)s.u87 > (int32_t)args.r[2]) {
                                                                s.u88 = s.u87 - 1u;
                                                                if ((int32_t)s.u88 > (int32_t)args.r[2]) {
                                                                s.u89 = s.u88 - 1u;
                                                                if ((int32_t)s.u89 > (int32_t)args.r[2]) {
                                                                s.u90 = s.u89 - 1u;
                                                                if ((int32_t)s.u90 > (int32_t)args.r[2]) {
                                                                s.u91 = s.u90 - 1u;
                                                                if ((int32_t)s.u91 > (int32_t)args.r[2]) {
                                                                s.u92 = s.u91 - 1u;
                                                                if ((int32_t)s.u92 > (int32_t)args.r[2]) {
                                                                s.u93 = s.u92 - 1u;
                                                                if ((int32_t)s.u93 > (int32_t)args.r[2]) {
                                                                s.u94 = s.u93 - 1u;
                                                                if ((int32_t)s.u94 > (int32_t)args.r[2]) {
                                                                s.u95 = s.u94 - 1u;
                                                                if ((int32_t)s.u95 > (int32_t)args.r[2]) {
                                                                s.u96 = s.u95 - 1u;
                                                                if ((int32_t)s.u96 > (int32_t)args.r[2]) {
                                                                s.u97 = s.u96 - 1u;
                                                                if ((int32_t)s.u97 > (int32_t)args.r[2]) {
                                                                s.u98 = s.u97 - 1u;
                                                                if ((int32_t)s.u98 > (int32_t)args.r[2]) {
                                                                s.u99 = s.u98 - 1u;
                                                                if ((int32_t)s.u99 > (int32_t)args.r[2]) {
                                                                s.u100 = s.u99 - 1u;
                                                                if ((int32_t)s.u100 > (int32_t)args.r[2]) {
                                                                uint32_t exit1 = deep_part1(s, args);
                                                                if (exit1 == 1u) break;
                                                                } else {
                                                                deep_part2(s);
                                                                }
                                                                } else {
                                                                s.u105 = s.u99;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u98;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u97;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u96;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u95;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u94;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u93;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u92;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u91;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u90;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u89;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u88;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u87;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u86;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u85;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u84;
                                                                s.u106 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u83;
                                                                s.u106 = s.u1;
                                                                }
                                                                s.u107 = s.u106;
                                                                } else {
                                                                s.u105 = s.u82;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u105 = s.u81;
                                                                s.u107 = s.u1;
                                                                }
                                                                s.u80 = s.u105;
                                                                } else {
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u79;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u78;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u77;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u76;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u75;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u74;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u73;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u72;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u71;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u70;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u69;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u68;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u67;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u66;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u65;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u64;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u63;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u62;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u61;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u60;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u59;
                                                                s.u107 = s.u1;
                                                                }
                                                                } else {
                                                                s.u80 = s.u58;
                                                                s.u107 = s.u1;
                                                                }
                                                                s.u108 = s.u107;
                                                                } else {
                                                                s.u80 = s.u57;
                                                                s.u108 = s.u1;
                                                                }
                                                                s.u56 = s.u80;
                                                                } else {
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u55;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u54;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u53;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u52;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u51;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u50;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u49;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u48;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u47;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u46;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u45;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u44;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u43;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u42;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u41;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u40;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u39;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u38;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u37;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u36;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u35;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u34;
                                                                s.u108 = s.u1;
                                                                }
                                                                } else {
                                                                s.u56 = s.u33;
                                                                s.u108 = s.u1;
                                                                }
                                                                s.u32 = s.u56;
                                                                s.u109 = s.u108;
                                                                } else {
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u31;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u30;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u29;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u28;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u27;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u26;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u25;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u24;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u23;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u22;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u21;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u20;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u19;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u18;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u17;
                                                                s.u109 = s.u1;
                                                                }
                                                                } else {
                                                                s.u32 = s.u16;
                                                                s.u109 = s.u1;
                                                                }
                                                            } else {
                                                                s.u32 = s.u15;
                                                                s.u109 = s.u1;
                                                            }
                                                        } else {
                                                            s.u32 = s.u14;
                                                            s.u109 = s.u1;
                                                        }
                                                    } else {
                                                        s.u32 = s.u13;
                                                        s.u109 = s.u1;
                                                    }
                                                } else {
                                                    s.u32 = s.u12;
                                                    s.u109 = s.u1;
                                                }
                                            } else {
                                                s.u32 = s.u11;
                                                s.u109 = s.u1;
                                            }
                                        } else {
                                            s.u32 = s.u10;
                                            s.u109 = s.u1;
                                        }
                                    } else {
                                        s.u32 = s.u9;
                                        s.u109 = s.u1;
                                    }
                                    s.u8 = s.u32;
                                } else {
                                    s.u109 = s.u1;
                                }
                                s.u110 = s.u109;
                            } else {
                                s.u8 = s.u7;
                                s.u110 = s.u1;
                            }
                        } else {
                            s.u8 = s.u6;
                            s.u110 = s.u1;
                        }
                    } else {
                        s.u8 = s.u5;
                        s.u110 = s.u1;
                    }
                } else {
                    s.u8 = s.u4;
                    s.u110 = s.u1;
                }
            } else {
                s.u8 = s.u3;
                s.u110 = s.u1;
            }
        } else {
            s.u8 = s.u2;
            s.u110 = s.u1;
        }
        s.u0 = s.u8 + args.r[2];
        if (s.u0 < 1u) {
            s.u106 = s.u110;
            break;
        }
        s.u1 = s.u110;
    }
    *(mem_u32 *)(mem + args.r[0]) = s.u106;
}
