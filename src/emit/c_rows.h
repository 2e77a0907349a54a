/* Rows that the tables of several targets of the C family have in common. The parts that differ
 * between their spellings are parameters of the macro:
 *
 *   p              prefix of a function's name: "sycl::"
 *   f              its suffix for an f32: floorf
 *   cast(to, x)    reinterprets bits: as_type<to>(x)
 *   half, half2    the types of an f16 and of two */
#ifndef EMIT_C_ROWS_H
#define EMIT_C_ROWS_H

#include "emit/c_printer.h"

/* Elements of tiles that c_units lists. */
#define C_FLOATS (1u << IR_ELEMENT_F16 | 1u << IR_ELEMENT_BF16)

/* ---- c_target.forms ---- */

#define C_WORD_FORMS(p, cast, half)                                                                \
    [IR_LOW16] = {.text = cast(half, "(uint16_t)$0"), .level = C_POSTFIX, .operands = {C_UNARY}},  \
    [IR_ZEXT16] = {.text = "(uint32_t)" cast("uint16_t", "$0"), .level = C_UNARY},                 \
    [IR_IMIN] = {.text = "(uint32_t)" p "min(#0, #1)", .level = C_UNARY},                          \
    [IR_IMAX] = {.text = "(uint32_t)" p "max(#0, #1)", .level = C_UNARY}

/* Functions with one name for all types. */
#define C_OVERLOADED_FORMS(p, half)                                                                \
    [IR_UMIN] = C_CALL(p "min($0, $1)"), [IR_UMAX] = C_CALL(p "max($0, $1)"),                      \
    [IR_BITCOUNT] = C_CALL(p "popcount($0)"), [IR_FMA] = C_CALL(p "fma($0, $1, $2)"),              \
    [IR_HMA] = C_CALL(p "fma($0, $1, $2)"), [IR_HMA2] = C_CALL(p "fma($0, $1, $2)"),               \
    [IR_CVT_F16_F32] = C_CAST("(" half ")$0")

#define C_FLOAT_FORMS(p, f, sqrt)                                                                  \
    [IR_FABS] = C_CALL(p "fabs" f "($0)"), [IR_FSQRT] = C_CALL(sqrt "($0)"),                       \
    [IR_FRSQRT] = {.text = "1.0f / " sqrt "($0)", .level = C_MULTIPLY},                            \
    [IR_FFLOOR] = C_CALL(p "floor" f "($0)"), [IR_FCEIL] = C_CALL(p "ceil" f "($0)"),              \
    [IR_FROUND] = C_CALL(p "rint" f "($0)"), [IR_FTRUNC] = C_CALL(p "trunc" f "($0)")

#define C_DOUBLE_FORMS(p)                                                                          \
    [IR_DSQRT] = C_CALL(p "sqrt($0)"), [IR_DABS] = C_CALL(p "fabs($0)"),                           \
    [IR_DFLOOR] = C_CALL(p "floor($0)"), [IR_DCEIL] = C_CALL(p "ceil($0)"),                        \
    [IR_DROUND] = C_CALL(p "rint($0)"), [IR_DTRUNC] = C_CALL(p "trunc($0)")

/* Approximations, for c_target.fast. */
#define C_FAST_FORMS(p)                                                                            \
    [IR_FSIN] = C_CALL(p "sin($0)"), [IR_FCOS] = C_CALL(p "cos($0)"),                              \
    [IR_FEXP2] = C_CALL(p "exp2($0)"), [IR_FLOG2] = C_CALL(p "log2($0)")
#define C_FAST_QUOTIENTS(p)                                                                        \
    [IR_FDIV] = C_CALL(p "divide($0, $1)"), [IR_FSQRT] = C_CALL(p "sqrt($0)"),                     \
    [IR_FRSQRT] = C_CALL(p "rsqrt($0)")

/* ---- c_target.waves ---- */

/* Shuffles by a helper. `wave` precedes the value in its operands, `lanes` follows the lane. */
#define C_SHUFFLE(lane, level, wave, lanes, which, refers)                                         \
    {                                                                                              \
        .text = "wave_shuffle(" wave "$0, " lane lanes ")", .operands = {C_ANY, level},            \
        .helper = 1 + (which), .names = refers                                                     \
    }
#define C_SHUFFLES(wave, lanes, which, refers)                                                     \
    [IR_WAVE_SHUFFLE] = C_SHUFFLE("$1", C_ANY, wave, lanes, which, refers),                        \
    [IR_WAVE_SHUFFLE_UP] = C_SHUFFLE("@below", C_ANY, wave, lanes, which, refers),                 \
    [IR_WAVE_SHUFFLE_DOWN] = C_SHUFFLE("@above", C_ANY, wave, lanes, which, refers),               \
    [IR_WAVE_SHUFFLE_XOR] = C_SHUFFLE("lane ^ $1", C_UNARY, wave, lanes, which, (refers) | C_LANE)

/* ---- c_target.types, bitcasts, names ---- */

#define C_TYPES(half, half2)                                                                       \
    [IR_BOOL] = "bool", [IR_U32] = "uint32_t", [IR_F32] = "float", [IR_U64] = "uint64_t",          \
    [IR_F64] = "double", [IR_F16] = half, [IR_F16X2] = half2, [IR_A_F16] = "wave_tile::a_f16",     \
    [IR_A_BF16] = "wave_tile::a_bf16", [IR_A_I8] = "wave_tile::a_i8",                              \
    [IR_A_U8] = "wave_tile::a_u8", [IR_B_F16] = "wave_tile::b_f16",                                \
    [IR_B_BF16] = "wave_tile::b_bf16", [IR_B_I8] = "wave_tile::b_i8",                              \
    [IR_B_U8] = "wave_tile::b_u8", [IR_C_F32] = "wave_tile::c_f32",                                \
    [IR_C_I32] = "wave_tile::c_i32"

#define C_BITCASTS(cast, half, half2)                                                              \
    [IR_F32] = {[IR_U32] = cast("float", "$0"), [IR_F16X2] = cast("float", "$0")},                 \
    [IR_U32] = {[IR_F32] = cast("uint32_t", "$0"), [IR_F16X2] = cast("uint32_t", "$0")},           \
    [IR_F64] = {[IR_U64] = cast("double", "$0")}, [IR_U64] = {[IR_F64] = cast("uint64_t", "$0")},  \
    [IR_F16] = {[IR_U32] = cast(half, "(uint16_t)$0")},                                            \
    [IR_F16X2] = {[IR_U32] = cast(half2, "$0"), [IR_F32] = cast(half2, "$0")}

/* The x, y and z of a vector of special registers. */
#define C_AXES(id, vector, type, needs)                                                            \
    [C_SPECIAL_NAME(id##_X)] = {vector "x", type, needs},                                          \
    [C_SPECIAL_NAME(id##_Y)] = {vector "y", type, needs},                                          \
    [C_SPECIAL_NAME(id##_Z)] = {vector "z", type, needs}

/* ---- Targets with one address space ---- */

#define C_FLAT_NAMES                                                                               \
    [C_MEM] = {"mem", "uint8_t *", 0}, [C_ARGS] = {"args", "const %_args &", 0},                   \
    [C_LOCAL] = {"local", "uint8_t *", 0}, [C_SIZE] = {"mem_size", "uint64_t ", 0},                \
    [C_STATUS] = {"status", "uint32_t *", 0}, [C_PRIVATE] = {"own", "uint8_t *", 0},               \
    [C_SPECIAL_NAME(LANE_ID)] = {"lane", "uint32_t ", 0}

#define C_FLAT_TARGET                                                                              \
    .pointer = "uint8_t *", .device = "", .local = "", .own = "", .constant = "const ",            \
    .constants = "(const uint8_t *)" EMIT_CONSTANTS, .own_array = "alignas(16) uint8_t own",       \
    .structure = EMIT_STRUCTURE_WHOLE, .restricted = "__restrict__ ", .state = "%_state &",        \
    .vectors = {"{", "}"}

#endif
