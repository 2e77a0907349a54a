/* The verifier's refusals: one kernel for each error, as text. */
#include "ir/text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define HEAD "kernel \"k\" args 2 group 64,1,1 local 64 width 32 {\n"
#define TAIL "halt\n}\n"
#define TILES                                                                                      \
    HEAD "%1:token = token\n%2:a_f16 = tile_fill arg0, %1\n%3:b_f16 = tile_fill arg0, %1\n"        \
         "%4:c_f32 = tile_fill arg0, %1\n"

static const struct {
    const char *text, *operation, *complaint;
} wrong[] = {
    {HEAD "%1:f32 = iadd arg0, arg1\n" TAIL, "iadd", "has the wrong type"},
    {HEAD "%1:u32 = iadd arg0\n" TAIL, "iadd", "has the wrong number of operands"},
    {HEAD "%1:u32 = iadd arg0, arg1, arg1\n" TAIL, "iadd", "has the wrong number of operands"},
    {HEAD "%1:f32 = fadd arg0, arg1\n" TAIL, "fadd", "has an operand of the wrong type"},
    {HEAD "%1:u32 = select true, arg0, 0x0:f32\n" TAIL, "select",
     "has an operand of the wrong type"},
    {HEAD "%1:f64 = bitcast arg0\n" TAIL, "bitcast", "reinterprets a value of another size"},
    {HEAD "%1:bool = bitcast true\n" TAIL, "bitcast", "reinterprets a value of another size"},
    {HEAD "store(device, 4, +0)\n" TAIL, "store", "has no address"},
    {HEAD "store(device, 8, +0) arg0, arg1\n" TAIL, "store", "stores the wrong number of values"},
    {HEAD "store(local, 1, +0) arg0, arg1, arg1\n" TAIL, "store",
     "stores the wrong number of values"},
    {HEAD "store(device, 4, +0) arg0, true\n" TAIL, "store", "has an operand of the wrong type"},
    {HEAD "store(device, 4, +0) 0x0:f32, arg0\n" TAIL, "store", "has an operand of the wrong type"},
    {HEAD "%1:u32 = load(device, 8, +0) arg0\n" TAIL, "load",
     "loads an unsupported number of bytes"},
    {HEAD "loads(device, 4, +0) arg0\n%1:u32 = result(0)\n" TAIL, "loads",
     "loads an unsupported number of bytes"},
    {HEAD
     "loads(device, 8, +0) arg0\n%1:u32 = result(0)\n%2:u32 = result(1)\n%3:u32 = result(2)\n" TAIL,
     "result", "is one result too many"},
    {HEAD "%1:u32 = atomic(device, cas, device, +0) arg0, arg1\n" TAIL, "atomic",
     "has the wrong number of operands"},
    {HEAD "%1:u32 = atomic(device, add, device, +0) arg0, arg1, arg1\n" TAIL, "atomic",
     "has the wrong number of operands"},
    {HEAD "%1:u32 = atomic(device, add, device, +0) arg0, 0x0:f32\n" TAIL, "atomic",
     "has an operand of the wrong type"},
    {HEAD "%1:u64 = atomic(device, add, device, +0) arg0, arg1\n" TAIL, "atomic",
     "has an operand of the wrong type"},
    {HEAD "%1:u64 = atomic(device, load, device, +0) arg0\n" TAIL, "atomic", "has the wrong type"},
    {HEAD "%1:u32 = atomic(device, load, device, +0, 64) arg0\n" TAIL, "atomic",
     "has the wrong type"},
    {HEAD "atomic(device, store, device, +0, 64) arg0, arg1\n" TAIL, "atomic",
     "has an operand of the wrong type"},
    {HEAD "%1:u64 = atomic(device, add, device, +0, 64) 0x0:f32, 0x0:u64\n" TAIL, "atomic",
     "has an operand of the wrong type"},
    {TILES "%5:c_f32 = tile_mma(row_row) %3, %2, %4, %1\n" TAIL, "tile_mma",
     "multiplies tiles that do not match"},
    {TILES "%5:b_bf16 = tile_fill arg0, %1\n%6:c_f32 = tile_mma(row_row) %2, %5, %4, %1\n" TAIL,
     "tile_mma", "multiplies tiles that do not match"},
    {TILES "%5:c_i32 = tile_fill arg0, %1\n%6:c_i32 = tile_mma(row_row) %2, %3, %5, %1\n" TAIL,
     "tile_mma", "multiplies tiles that do not match"},
    {TILES "%5:u32 = tile_mma(row_row) %2, %3, %4, %1\n" TAIL, "tile_mma", "has the wrong type"},
    {TILES "%5:c_f32 = tile_mma(row_row) %2, %3, %4\n" TAIL, "tile_mma",
     "has the wrong number of operands"},
    {TILES "tile_store(device, row, +0) arg0, 0x20:u32, %2, %1\n" TAIL, "tile_store",
     "stores a tile that is not a result"},
    {TILES "tile_store(device, row, +0) arg0, 0x20:u32, arg1, %1\n" TAIL, "tile_store",
     "has an operand of the wrong type"},
    {TILES "%5:a_f16 = tile_load(private, row, +0) arg0, 0x20:u32, %1\n" TAIL, "tile_load",
     "is an access that this memory does not have"},
    {TILES "%5:u64 = pointer arg0\n%6:a_f16 = tile_load(local, row, +0) %5, 0x20:u32, %1\n" TAIL,
     "tile_load", "has a pointer to memory of another kind"},
    {TILES "%5:u32 = tile_load(local, row, +0) arg0, 0x20:u32, %1\n" TAIL, "tile_load",
     "has the wrong type"},
    {TILES "tile_fixed(7340032) %1\n" TAIL, "tile_fixed", "is not an instruction"},
    {TILES "tile_fixed(14680064) %1\n" TAIL, "tile_fixed", "is not an instruction"},
    {HEAD "loop arg0 {\n%1:u32 = param(0)\ncontinue\n}\n" TAIL, "continue",
     "does not match the loop's parameters"},
    {HEAD "loop arg0 {\n%1:u32 = param(0)\ncontinue 0x0:f32\n}\n" TAIL, "continue",
     "carries a value of the wrong type"},
    {HEAD "loop {\nbreak arg0\n}\n" TAIL, "break", "has more values than there are results"},
    {HEAD "if true {\nyield arg0\n} else {\nyield arg0, arg1\n}\n%1:u32 = result(0)\n" TAIL,
     "yield", "has more values than there are results"},
    {HEAD "if true {\nyield arg0\n} else {\nyield 0x0:f32\n}\n%1:u32 = result(0)\n" TAIL, "yield",
     "has a value that differs in type from its result"},
    {HEAD "if true {\nyield arg0\n} else {\nyield\n}\n%1:u32 = result(0)\n" TAIL, "yield",
     "has fewer values than there are results"},
    {HEAD "halt\nhalt\n}\n", "halt", "ends the region before its last operation"},
    {HEAD "yield\n}\n", "yield", "is outside an if"},
    {HEAD "loop {\nyield\n}\n" TAIL, "yield", "is outside an if"},
    {HEAD "continue\n}\n", "continue", "is outside a loop"},
    {HEAD "if true {\nyield arg0\n} else {\nyield arg1\n}\n%1:u32 = result(1)\n" TAIL, "result",
     "does not follow its operation"},
    {HEAD "%1:u32 = param(0)\n" TAIL, "param", "is outside a loop body"},
    {HEAD "loop arg0 {\n%1:u32 = iadd arg0, arg1\n%2:u32 = param(0)\nbreak\n}\n" TAIL, "param",
     "is not at the head of the loop body"},
    {HEAD "loop arg0, arg1 {\n%1:u32 = param(1)\n%2:u32 = param(0)\nbreak\n}\n" TAIL, "param",
     "is not at the head of the loop body"},
    {HEAD "loop {\n%1:u32 = param(0)\nbreak\n}\n" TAIL, "param", "has no initial value"},
    {HEAD "loop arg0 {\n%1:f32 = param(0)\nbreak\n}\n" TAIL, "param",
     "differs in type from its initial value"},
    {HEAD "loop arg0 {\nbreak\n}\n" TAIL, "loop", "does not have one parameter per initial value"},
    {HEAD "if true {\n%1:u32 = iadd arg0, arg1\nyield\n} else {\nyield\n}\n"
          "store(device, 4, +0) arg0, %1\n" TAIL,
     "store", "uses a value that is not visible here"},
    {HEAD "if true {\n%1:u32 = iadd arg0, arg1\nyield\n} else {\n%2:u32 = ineg %1\nyield\n}\n" TAIL,
     "ineg", "uses a value that is not visible here"},
    {HEAD "%1:u32 = iadd arg0, arg1\n}\n", "iadd", "is last in its region but does not end it"},
    {HEAD "if true {\n} else {\nyield\n}\n" TAIL, "if", "has an empty region"},
    {HEAD "loop {\n}\n" TAIL, "loop", "has an empty region"},
    {HEAD "%1:u32 = ineg arg0\nfunction {\nreturn 0x1:u32\n}\n" TAIL, "function",
     "is not at the start of the kernel"},
    {HEAD "function {\nhalt\n}\n" TAIL, "function", "does not end with a return"},
    {HEAD "function {\n%1:u32 = input(1)\nreturn %1\n}\n" TAIL, "input",
     "is not at the head of a function"},
    {HEAD "%1:u32 = input(0)\n" TAIL, "input", "is not at the head of a function"},
    {HEAD "function {\n%1:token = input(0)\nreturn %1\n}\n" TAIL, "input",
     "has a type that is not allowed as a function input"},
    {HEAD "function {\nreturn arg0\n}\n" TAIL, "return",
     "reads a value of the kernel from inside a function"},
    {HEAD "function {\n%1:u32 = load(device, 4, +0) 0x0:u32\nreturn %1\n}\n" TAIL, "load",
     "is not allowed in a function"},
    {HEAD "function {\nloop {\nbreak\n}\nreturn 0x1:u32\n}\n" TAIL, "loop",
     "is not allowed in a function"},
    {HEAD "function {\nif true {\nreturn 0x1:u32\n} else {\nyield\n}\nreturn 0x1:u32\n}\n" TAIL,
     "return", "is inside an if"},
    {HEAD "function {\n%1:u32 = call(0)\nreturn %1\n}\n" TAIL, "call",
     "is not allowed in a function"},
    {HEAD "return arg0\n}\n", "return", "is outside a function"},
    {HEAD "%1:u32 = call(0)\n" TAIL, "call", "calls a function that does not exist"},
    {HEAD "function {\n%1:u32 = input(0)\nreturn %1\n}\n%2:u32 = call(0)\n" TAIL, "call",
     "does not match the inputs of its function"},
    {HEAD "function {\nreturn 0x1:u32\n}\n%2:u32 = call(0) arg0\n" TAIL, "call",
     "does not match the inputs of its function"},
    {HEAD "function {\n%1:u32 = input(0)\nreturn %1\n}\n%2:u32 = call(0) 0x0:f32\n" TAIL, "call",
     "does not match the inputs of its function"},
    {HEAD "function {\nreturn 0x1:u32\n}\n%2:f32 = call(0)\n" TAIL, "call",
     "differs in type from its function"},
};

Test(ir_verify, every_violation_has_its_message) {
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        wave_diags *diags = wave_diags_create(0);
        arena memory = {0};
        ir_func f;
        bool found = false;
        char name[40];
        snprintf(name, sizeof name, "(%s): ", wrong[k].operation);
        cr_expect(!ir_parse(&f, wrong[k].text, strlen(wrong[k].text), &memory, diags), "%s",
                  wrong[k].text);
        for (size_t d = 0; d < wave_diags_count(diags); d++) {
            const wave_diag *diag = wave_diags_at(diags, d);
            found |= strcmp(diag->code, "E_IR") == 0 && strstr(diag->message, name) &&
                     strstr(diag->message, wrong[k].complaint);
        }
        cr_expect(found, "%s\n%s %s; instead: %s", wrong[k].text, wrong[k].operation,
                  wrong[k].complaint,
                  wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "nothing");
        ir_free(&f);
        arena_free(&memory);
        wave_diags_destroy(diags);
    }
}

/* Functions that claim to be lowered; %2 differs between lanes, %3 does not. */
#define LANES                                                                                      \
    HEAD "%1:token = token\n%2:bool = icmp_lt sr_lane_id, arg0\n%3:bool = icmp_lt arg1, arg0\n"
#define SOME_HALT "if %2 {\nhalt\n} else {\nyield\n}\n"

static const struct {
    const char *text;
    bool together; /* the barrier is reached by all lanes of a wave, or by none */
} lowered[] = {
    {LANES "if %2 {\nbarrier %1\nyield\n} else {\nyield\n}\n" TAIL, false},
    {LANES "if %3 {\nbarrier %1\nyield\n} else {\nyield\n}\n" TAIL, true},
    {LANES SOME_HALT "barrier %1\n" TAIL, false},
    {LANES "if %3 {\n" SOME_HALT "yield\n} else {\nbarrier %1\nyield\n}\n" TAIL, true},
    {LANES "if %3 {\nbarrier %1\nyield\n} else {\n" SOME_HALT "yield\n}\n" TAIL, true},
    {LANES "if %3 {\n" SOME_HALT "yield\n} else {\nyield\n}\nbarrier %1\n" TAIL, false},
    {LANES "if %3 {\nyield\n} else {\n" SOME_HALT "yield\n}\nbarrier %1\n" TAIL, false},
    {LANES "if %3 {\n" SOME_HALT "halt\n} else {\nyield\n}\nbarrier %1\n" TAIL, true},
    {LANES "if %3 {\nyield\n} else {\n" SOME_HALT "halt\n}\nbarrier %1\n" TAIL, true},
    {LANES SOME_HALT "if %3 {\nyield\n} else {\nbarrier %1\nyield\n}\n" TAIL, false},
};

Test(ir_verify, operations_of_a_wave_must_be_reached_together) {
    for (size_t k = 0; k < sizeof lowered / sizeof *lowered; k++) {
        wave_diags *diags = wave_diags_create(0);
        arena memory = {0};
        ir_func f;
        cr_assert(ir_parse(&f, lowered[k].text, strlen(lowered[k].text), &memory, diags));
        cr_expect(ir_verify(&f, "a test", diags));
        f.converged = true;
        cr_expect_eq(ir_verify(&f, "a test", diags), lowered[k].together, "%s", lowered[k].text);
        cr_assert_eq(wave_diags_count(diags), !lowered[k].together);
        if (!lowered[k].together)
            cr_expect_not_null(strstr(wave_diags_at(diags, 0)->message,
                                      "is not reached by all lanes of the wave together"));
        ir_free(&f);
        arena_free(&memory);
        wave_diags_destroy(diags);
    }
}

/* ---- Errors that the parser already reports ---- */

static const struct {
    const char *text, *message;
} malformed[] = {
    {HEAD "%1:void = iadd arg0, arg1\n" TAIL, "a value cannot have this type"},
    {HEAD "%1:u32 = iadd arg0, 0x:u32\n" TAIL, "expected hexadecimal digits, ':' and a type"},
    {HEAD "%1:u64 = pack64 arg0, 0x11111111111111111:u32\n" TAIL, "number too large"},
    {HEAD "%1:u32 = iadd arg0, arg1 }\n" TAIL, "more than one statement on a line"},
    {HEAD "if true {\nyield arg0\n} else {\nyield arg1\n}\n%1:u32 = result(0) arg0\n" TAIL,
     "a result has no operands"},
    {"kernel \"a\\q\" args 0 group 0,0,0 local 0 width 32 {\n" TAIL, "invalid escape sequence"},
    {"kernel \"a\\u00zz\" args 0 group 0,0,0 local 0 width 32 {\n" TAIL, "invalid escape sequence"},
    {"kernel \"a\" args x group 0,0,0 local 0 width 32 {\n" TAIL, "expected a number"},
    {"kernel \"a\" args 1 groups 0,0,0 local 0 width 32 {\n" TAIL, "expected"},
    {HEAD "fence(acquire, far)\n" TAIL, "unknown name 'far'"},
    {HEAD "fence(never, device)\n" TAIL, "unknown name 'never'"},
    {HEAD "%1:u32 = atomic(device, times, device, +0) arg0, arg1\n" TAIL, "unknown name 'times'"},
    {HEAD "%1:u32 = load(device, 4, +99999999999) arg0\n" TAIL, "number too large"},
    {HEAD "%1:u32 = load(device, 4, +0, cool) arg0\n" TAIL, "unknown name 'cool'"},
    {HEAD "%1:u64 = atomic(device, load, device, +0, 63) arg0\n" TAIL, "32 or 64 bits"},
    {HEAD "%1:u64 = atomic(device, load, device, +0, ) arg0\n" TAIL, "expected a number"},
    {HEAD "%1:u32 = iadd sr_nothing, arg0\n" TAIL, "expected a value"},
    {HEAD "%0:u32 = iadd arg1, arg0\n" TAIL, "%0 cannot be defined here"},
};

Test(ir_verify, malformed_text_is_refused_by_the_parser) {
    for (size_t k = 0; k < sizeof malformed / sizeof *malformed; k++) {
        wave_diags *diags = wave_diags_create(0);
        arena memory = {0};
        ir_func f;
        cr_expect(!ir_parse(&f, malformed[k].text, strlen(malformed[k].text), &memory, diags), "%s",
                  malformed[k].text);
        cr_assert_eq(wave_diags_count(diags), 1, "%s", malformed[k].text);
        cr_expect_not_null(strstr(wave_diags_at(diags, 0)->message, malformed[k].message),
                           "%s\n%s; instead: %s", malformed[k].text, malformed[k].message,
                           wave_diags_at(diags, 0)->message);
        ir_free(&f);
        arena_free(&memory);
        wave_diags_destroy(diags);
    }
}
