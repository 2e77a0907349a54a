// Execution of integer, bit and move instructions. Registers hold their value zero-extended to 64
// bits.
#include "ptxvm/vm.h"

// The result of a division by zero: PTX leaves it undefined, so it is a value that no program can
// want.
#define DIVISION_BY_ZERO UINT64_C(0xD1D0D1D0D1D0D1D0)

static unsigned bits_of(const vm_insn *in) {
    return vm_types[in->type].bits;
}

static bool is_signed(const vm_insn *in) {
    return vm_types[in->type].class == VM_SINT;
}

vm_step vm_x_mov(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t value =
        in->type == VM_PRED ? vm_predicate(run, t, &in->op[1]) : vm_source(run, t, &in->op[1]);
    vm_write(t, &in->op[0], value & vm_mask(bits_of(in)));
    return VM_NEXT;
}

vm_step vm_x_unpack(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t value = vm_source(run, t, &in->op[0]);
    for (unsigned i = 0; i < in->count; i++) {
        vm_write(t, &in->op[i + 1], value >> (i * in->mode) & vm_mask(in->mode));
    }
    return VM_NEXT;
}

vm_step vm_x_pack(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t value = 0;
    for (unsigned i = 0; i < in->count; i++) {
        value |= (vm_source(run, t, &in->op[i + 1]) & vm_mask(in->mode)) << (i * in->mode);
    }
    vm_write(t, &in->op[0], value);
    return VM_NEXT;
}

static uint64_t saturate32(int64_t value) {
    return (uint32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

// a + b + carry in `bits` bits; sets the carry flag on request.
static uint64_t add_with_carry(vm_thread *t, const vm_insn *in, uint64_t a, uint64_t b,
                               unsigned bits, bool subtract) {
    uint64_t carry = in->flags & VM_CARRY_IN ? t->carry : 0, mask = vm_mask(bits), result;
    bool out;
    if (subtract) {
        result = (a - b - carry) & mask;
        out = a < b || (carry && a == b);
    } else {
        result = (a + b + carry) & mask;
        out = result < a || (carry && result == a);
    }
    if (in->flags & VM_CARRY_OUT) {
        t->carry = out;
    }
    return result;
}

vm_step vm_x_add(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]);
    bool subtract = in->sub == VM_SUB_SUB;
    uint64_t result;
    if (in->flags & VM_SAT) {
        int64_t wide = vm_sign_extend(b, 32);
        result = saturate32(vm_sign_extend(a, 32) + (subtract ? -wide : wide));
    } else if (in->flags) {
        result = add_with_carry(t, in, a, b, bits_of(in), subtract);
    } else {
        result = (subtract ? a - b : a + b) & vm_mask(bits_of(in));
    }
    vm_write(t, &in->op[0], result);
    return VM_NEXT;
}

static uint64_t high64(uint64_t a, uint64_t b) {
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static uint64_t high_part(const vm_insn *in, uint64_t a, uint64_t b) {
    unsigned bits = bits_of(in);
    if (bits < 64) {
        uint64_t product =
            is_signed(in) ? (uint64_t)(vm_sign_extend(a, bits) * vm_sign_extend(b, bits)) : a * b;
        return product >> bits & vm_mask(bits);
    }
    uint64_t high = high64(a, b);
    if (is_signed(in)) {
        high -= (a >> 63 ? b : 0) + (b >> 63 ? a : 0);
    }
    return high;
}

// mul, mad and madc: mad has op[3].
vm_step vm_x_mul(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]), result;
    unsigned bits = bits_of(in), result_bits = bits;
    if (in->mode == VM_MUL_HI) {
        result = high_part(in, a, b);
    } else if (in->mode == VM_MUL_WIDE) {
        result_bits = 2 * bits;
        result =
            is_signed(in) ? (uint64_t)(vm_sign_extend(a, bits) * vm_sign_extend(b, bits)) : a * b;
        result &= vm_mask(result_bits);
    } else {
        result = a * b & vm_mask(bits);
    }
    if (in->op[3].kind != VM_O_NONE) {
        uint64_t c = vm_source(run, t, &in->op[3]);
        if (in->flags & VM_SAT) {
            result = saturate32(vm_sign_extend(result, 32) + vm_sign_extend(c, 32));
        } else {
            result = add_with_carry(t, in, result, c, result_bits, false);
        }
    }
    vm_write(t, &in->op[0], result);
    return VM_NEXT;
}

vm_step vm_x_div(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]), result;
    unsigned bits = bits_of(in);
    bool quotient = in->sub == VM_SUB_DIV;
    if (b == 0) {
        result = DIVISION_BY_ZERO;
    } else if (!is_signed(in)) {
        result = quotient ? a / b : a % b;
    } else {
        int64_t x = vm_sign_extend(a, bits), y = vm_sign_extend(b, bits);
        if (y == -1) {
            result = quotient ? 0 - (uint64_t)x : 0;
        } else {
            result = (uint64_t)(quotient ? x / y : x % y);
        }
    }
    vm_write(t, &in->op[0], result & vm_mask(bits));
    return VM_NEXT;
}

// min, max, neg, abs.
vm_step vm_x_int2(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), result;
    unsigned bits = bits_of(in);
    if (in->sub == VM_SUB_NEG || in->sub == VM_SUB_ABS) {
        result = in->sub == VM_SUB_NEG || vm_sign_extend(a, bits) < 0 ? 0 - a : a;
    } else {
        uint64_t b = vm_source(run, t, &in->op[2]);
        bool less = is_signed(in) ? vm_sign_extend(a, bits) < vm_sign_extend(b, bits) : a < b;
        result = less == (in->sub == VM_SUB_MIN) ? a : b;
    }
    vm_write(t, &in->op[0], result & vm_mask(bits));
    return VM_NEXT;
}

static uint64_t lop3(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
    uint64_t result = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (table >> i & 1) {
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        }
    }
    return result;
}

vm_step vm_x_logic(vm_run *run, vm_thread *t, const vm_insn *in) {
    bool pred = in->type == VM_PRED;
    uint64_t value[4] = {0};
    for (unsigned i = 1; i <= 4 && in->op[i].kind != VM_O_NONE; i++) {
        value[i - 1] = pred ? vm_predicate(run, t, &in->op[i]) : vm_source(run, t, &in->op[i]);
    }
    uint64_t a = value[0], b = value[1], result;
    switch (in->sub) {
    case VM_SUB_AND: result = a & b; break;
    case VM_SUB_OR: result = a | b; break;
    case VM_SUB_XOR: result = a ^ b; break;
    case VM_SUB_NOT: result = ~a; break;
    case VM_SUB_CNOT: result = a == 0; break;
    default: result = lop3(a, b, value[2], value[3]); break;
    }
    vm_write(t, &in->op[0], result & vm_mask(bits_of(in)));
    return VM_NEXT;
}

// Amounts beyond the width are clamped to it; shf.wrap takes the amount modulo 32.
vm_step vm_x_shift(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]), result;
    unsigned bits = bits_of(in);
    if (in->sub == VM_SUB_SHF_L || in->sub == VM_SUB_SHF_R) {
        uint64_t c = vm_source(run, t, &in->op[3]);
        uint64_t n = in->mode ? c & 31 : c > 32 ? 32 : c, wide = b << 32 | a;
        result = in->sub == VM_SUB_SHF_L ? (wide << n) >> 32 : wide >> n;
    } else {
        uint64_t n = b > bits ? bits : b;
        if (in->sub == VM_SUB_SHL) {
            result = n == 64 ? 0 : a << n;
        } else if (is_signed(in)) {
            int64_t value = vm_sign_extend(a, bits);
            unsigned by = n > 63 ? 63 : (unsigned)n;
            result = value < 0 ? ~(~(uint64_t)value >> by) : (uint64_t)value >> by;
        } else {
            result = n == 64 ? 0 : a >> n;
        }
    }
    vm_write(t, &in->op[0], result & vm_mask(bits));
    return VM_NEXT;
}

static unsigned leading_zeros(uint64_t value, unsigned bits) {
    unsigned n = 0;
    while (n < bits && !(value >> (bits - 1 - n) & 1)) {
        n++;
    }
    return n;
}

// popc, clz, brev, bfind.
vm_step vm_x_bits(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), result = 0;
    unsigned bits = bits_of(in);
    switch (in->sub) {
    case VM_SUB_POPC:
        for (; a; a &= a - 1) {
            result++;
        }
        break;
    case VM_SUB_CLZ: result = leading_zeros(a, bits); break;
    case VM_SUB_BREV:
        for (unsigned i = 0; i < bits; i++) {
            result |= (a >> i & 1) << (bits - 1 - i);
        }
        break;
    default:
        if (is_signed(in) && (a >> (bits - 1) & 1)) {
            a = ~a & vm_mask(bits);
        }
        unsigned zeros = leading_zeros(a, bits);
        result = zeros == bits ? UINT32_MAX : in->mode ? zeros : bits - 1 - zeros;
        break;
    }
    vm_write(t, &in->op[0], result);
    return VM_NEXT;
}

static uint64_t extract(uint64_t a, unsigned bits, bool sign, unsigned position, unsigned length) {
    uint64_t result = position < bits ? a >> position : 0;
    unsigned last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    if (length == 0) {
        return 0;
    }
    bool fill = sign && (a >> last & 1);
    // Bits at and past `valid` come from the sign.
    unsigned valid = position >= bits ? 0 : length < bits - position ? length : bits - position;
    result &= vm_mask(valid);
    return fill ? result | ~vm_mask(valid) : result;
}

static uint64_t insert(uint64_t a, uint64_t b, unsigned bits, unsigned position, unsigned length) {
    if (position >= bits || length == 0) {
        return b;
    }
    uint64_t mask = vm_mask(length > bits ? bits : length) << position;
    return (b & ~mask) | (a << position & mask);
}

// bfe, bfi, sad.
vm_step vm_x_field(vm_run *run, vm_thread *t, const vm_insn *in) {
    unsigned bits = bits_of(in);
    uint64_t v[4] = {0}, result;
    for (unsigned i = 0; i < 4 && in->op[i + 1].kind != VM_O_NONE; i++) {
        v[i] = vm_source(run, t, &in->op[i + 1]);
    }
    if (in->sub == VM_SUB_BFE) {
        result = extract(v[0], bits, is_signed(in), v[1] & 0xFF, v[2] & 0xFF);
    } else if (in->sub == VM_SUB_BFI) {
        result = insert(v[0], v[1], bits, v[2] & 0xFF, v[3] & 0xFF);
    } else {
        bool less =
            is_signed(in) ? vm_sign_extend(v[0], bits) < vm_sign_extend(v[1], bits) : v[0] < v[1];
        result = v[2] + (less ? v[1] - v[0] : v[0] - v[1]);
    }
    vm_write(t, &in->op[0], result & vm_mask(bits));
    return VM_NEXT;
}

// Selectors of the special modes, for c & 3 = 0..3, as in the table of the PTX ISA.
static const uint16_t prmt_modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};

vm_step vm_x_prmt(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]);
    uint64_t c = vm_source(run, t, &in->op[3]), bytes = b << 32 | a, result = 0;
    unsigned control = in->mode ? prmt_modes[in->mode - 1][c & 3] : (unsigned)(c & 0xFFFF);
    for (unsigned i = 0; i < 4; i++) {
        unsigned select = control >> (4 * i) & 0xF;
        uint64_t byte = bytes >> (8 * (select & 7)) & 0xFF;
        if (select & 8) {
            byte = byte & 0x80 ? 0xFF : 0;
        }
        result |= byte << (8 * i);
    }
    vm_write(t, &in->op[0], result);
    return VM_NEXT;
}

vm_step vm_x_dp4a(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]);
    uint64_t sum = vm_source(run, t, &in->op[3]);
    for (unsigned i = 0; i < 32; i += 8) {
        int64_t x = in->type == VM_S32 ? vm_sign_extend(a >> i, 8) : (int64_t)(a >> i & 0xFF);
        int64_t y = in->type2 == VM_S32 ? vm_sign_extend(b >> i, 8) : (int64_t)(b >> i & 0xFF);
        sum += (uint64_t)(x * y);
    }
    vm_write(t, &in->op[0], (uint32_t)sum);
    return VM_NEXT;
}

// Only the selected value counts as read: the other one may be undefined.
vm_step vm_x_selp(vm_run *run, vm_thread *t, const vm_insn *in) {
    bool first = vm_predicate(run, t, &in->op[3]);
    vm_write(t, &in->op[0], vm_source(run, t, &in->op[first ? 1 : 2]) & vm_mask(bits_of(in)));
    return VM_NEXT;
}

vm_step vm_x_slct(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t c = vm_source(run, t, &in->op[3]);
    bool negative = c >> 31 & 1;
    if (in->type2 == VM_F32) {
        uint64_t magnitude = c & 0x7FFFFFFF;
        bool zero = magnitude == 0 || ((in->flags & VM_FTZ) && magnitude < 0x800000);
        negative = (negative && !zero) || magnitude > 0x7F800000;
    }
    vm_write(t, &in->op[0], vm_source(run, t, &in->op[negative ? 2 : 1]) & vm_mask(bits_of(in)));
    return VM_NEXT;
}
