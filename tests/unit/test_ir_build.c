/* The builder and the convergence lowering on small kernels: the expected text, derived from the
 * rules of ISA.md 7.3 and 13.3, and the verifier on the result. */
#include "ir/build.h"
#include "ir/lower.h"
#include "ir/opt.h"
#include "ir/text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

typedef enum stage { BUILT, LIVE, CLEANED, LOWERED } stage;

/* The IR of a kernel given as assembly, without its first and last line and the tokens. */
static void check(const char *source, stage until, const char *expected) {
    wave_diags *diags = wave_diags_create(0);
    wave_blob binary = {0};
    wave_module *module = NULL;
    char whole[2000];
    snprintf(whole, sizeof whole, ".kernel k\n.registers 16\n%s\n.end\n", source);
    cr_assert_eq(wave_assemble(whole, strlen(whole), NULL, &binary, diags), WAVE_OK);
    cr_assert_eq(wave_module_load(binary.data, binary.size, NULL, &module, diags), WAVE_OK);
    ir_func f;
    unsigned how = IR_BUILD_ASSERTS | (until == LIVE ? (unsigned)IR_BUILD_LIVE : 0);
    cr_assert(ir_build(&f, &module->kernels[0], 0, 32, how, diags));
    cr_assert(ir_verify(&f, "build", diags));
    if (until == LOWERED) {
        ir_lower_convergence(&f);
        cr_assert(ir_verify(&f, "convergence", diags));
    }
    if (until >= CLEANED) {
        ir_opt_dead_code(&f);
        cr_assert(ir_verify(&f, "dead code", diags));
    }
    buf text = {0};
    ir_print(&f, &text);
    buf_char(&text, '\0');
    const char *body = strchr((char *)text.data, '\n') + 1;
    if (until == LIVE) /* without the first token */
        body = strchr(body, '\n') + 1;
    size_t n = strlen(body) - 2; /* "}\n" */
    cr_expect(strlen(expected) == n && memcmp(body, expected, n) == 0, "expected:\n%s\ngot:\n%.*s",
              expected, (int)n, body);
    buf_free(&text);
    ir_free(&f);
    wave_module_destroy(module);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
}

Test(ir_build, a_guarded_instruction_becomes_a_select) {
    check("icmp_lt p1, r0, r1\n@p1 iadd r2, r0, r1\ndevice_store_u32 r3, r2\nhalt", CLEANED,
          "  %1:bool = icmp_lt arg0, arg1\n"
          "  %2:u32 = iadd arg0, arg1\n"
          "  %3:u32 = select %1, %2, arg2\n"
          "  store(device, 4, +0) arg3, %3\n"
          "  halt\n");
}

Test(ir_build, a_guarded_store_becomes_an_if) {
    check("icmp_lt p1, r0, r1\n@!p1 device_store_u32 r0, r1\nhalt", CLEANED,
          "  %1:bool = icmp_lt arg0, arg1\n"
          "  %2:bool = bnot %1\n"
          "  if %2 {\n"
          "    store(device, 4, +0) arg0, arg1\n"
          "    yield\n"
          "  } else {\n"
          "    yield\n"
          "  }\n"
          "  halt\n");
}

Test(ir_build, the_sides_of_an_if_merge) {
    check("icmp_lt p1, r0, r1\nif p1\nmov_imm r2, 5\nelse\niadd r2, r0, r1\nendif\n"
          "device_store_u32 r0, r2\nhalt",
          CLEANED,
          "  %1:bool = icmp_lt arg0, arg1\n"
          "  if %1 {\n"
          "    yield 0x5:u32\n"
          "  } else {\n"
          "    %2:u32 = iadd arg0, arg1\n"
          "    yield %2\n"
          "  }\n"
          "  %3:u32 = result(0)\n"
          "  store(device, 4, +0) arg0, %3\n"
          "  halt\n");
}

Test(ir_build, a_loop_carries_the_registers_it_writes) {
    check("mov_imm r2, 0\nloop\nicmp_ge p1, r2, r0\nbreak p1\niadd r2, r2, r1\nendloop\n"
          "device_store_u32 r0, r2\nhalt",
          CLEANED,
          "  loop 0x0:u32 {\n"
          "    %1:u32 = param(0)\n"
          "    %2:bool = icmp_ge %1, arg0\n"
          "    if %2 {\n"
          "      break %1\n"
          "    } else {\n"
          "      yield\n"
          "    }\n"
          "    %3:u32 = iadd %1, arg1\n"
          "    continue %3\n"
          "  }\n"
          "  %4:u32 = result(0)\n"
          "  store(device, 4, +0) arg0, %4\n"
          "  halt\n");
}

Test(ir_build, overwritten_results_are_left_out) {
    check("iadd r2, r0, r1\nwave_ballot r2, p1\nfmul r2, r3, r3\ndevice_store_u32 r0, r2\nhalt",
          LIVE,
          "  %2:f32 = bitcast arg3\n"
          "  %3:f32 = fmul %2, %2\n"
          "  %4:u32 = bitcast %3\n"
          "  store(device, 4, +0) arg0, %4\n"
          "  halt\n");
}

/* One half of a pair is enough; a guarded instruction overwrites in some lanes only. */
Test(ir_build, results_read_in_part_are_built) {
    check("lmul r2, r0, r4\nmov_imm r2, 1\ndevice_store_u32 r0, r3\nhalt", LIVE,
          "  %2:u64 = pack64 arg0, arg1\n"
          "  %3:u64 = pack64 arg4, arg5\n"
          "  %4:u64 = lmul %2, %3\n"
          "  %5:u32 = lo64 %4\n"
          "  %6:u32 = hi64 %4\n"
          "  store(device, 4, +0) arg0, %6\n"
          "  halt\n");
    check("iadd r2, r0, r1\n@p1 mov_imm r2, 1\ndevice_store_u32 r0, r2\nhalt", LIVE,
          "  %2:u32 = iadd arg0, arg1\n"
          "  %3:u32 = select false, 0x1:u32, %2\n"
          "  store(device, 4, +0) arg0, %3\n"
          "  halt\n");
}

/* Both sides overwrite r2; r3 is overwritten in one. */
Test(ir_build, results_that_one_side_needs_are_built) {
    check("iadd r2, r0, r1\nisub r3, r0, r1\nif p1\nmov_imm r2, 5\nelse\nmov r2, r0\nmov r3, r0\n"
          "endif\ndevice_store_u64 r0, r2\nhalt",
          LIVE,
          "  %2:u32 = isub arg0, arg1\n"
          "  if false {\n"
          "    %3:token = token\n"
          "    yield 0x5:u32, %2\n"
          "  } else {\n"
          "    %4:token = token\n"
          "    yield arg0, arg0\n"
          "  }\n"
          "  %5:u32 = result(0)\n"
          "  %6:u32 = result(1)\n"
          "  store(device, 8, +0) arg0, %5, %6\n"
          "  halt\n");
}

/* The next iteration, a lane that leaves the loop and a caller may read any register. Unused loads
 * and f64 operations are built, too, because their diagnostics do not depend on a use. */
Test(ir_build, results_that_may_be_read_elsewhere_are_built) {
    check("loop\nicmp_ge p1, r2, r0\nbreak p1\niadd r2, r2, r1\nendloop\ndevice_store_u32 r0, r0\n"
          "halt",
          LIVE,
          "  loop arg2, false {\n"
          "    %2:u32 = param(0)\n"
          "    %3:bool = param(1)\n"
          "    %4:token = token\n"
          "    %5:bool = icmp_ge %2, arg0\n"
          "    if %5 {\n"
          "      %6:token = token\n"
          "      break %2, %5\n"
          "    } else {\n"
          "      yield\n"
          "    }\n"
          "    %7:token = token\n"
          "    %8:u32 = iadd %2, arg1\n"
          "    continue %8, %5\n"
          "  }\n"
          "  %9:u32 = result(0)\n"
          "  %10:bool = result(1)\n"
          "  store(device, 4, +0) arg0, arg0\n"
          "  halt\n");
    check("device_load_u32 r2, r1\ncvt_f64_f32 r4, r1\ndevice_store_u32 r0, r0\nhalt", LIVE,
          "  %2:u32 = load(device, 4, +0) arg1\n"
          "  %3:f32 = bitcast arg1\n"
          "  %4:f64 = cvt_f64_f32 %3\n"
          "  %5:u64 = bitcast %4\n"
          "  %6:u32 = lo64 %5\n"
          "  %7:u32 = hi64 %5\n"
          "  store(device, 4, +0) arg0, arg0\n"
          "  halt\n");
}

Test(ir_build, a_pair_stays_one_value) {
    check("dadd r2, r0, r4\ndmul r6, r2, r2\ndevice_store_u64 r8, r6\nhalt", CLEANED,
          "  %1:u64 = pack64 arg0, arg1\n"
          "  %2:f64 = bitcast %1\n"
          "  %3:u64 = pack64 arg4, arg5\n"
          "  %4:f64 = bitcast %3\n"
          "  %5:f64 = dadd %2, %4\n"
          "  %6:f64 = dmul %5, %5\n"
          "  %7:u64 = bitcast %6\n"
          "  %8:u32 = lo64 %7\n"
          "  %9:u32 = hi64 %7\n"
          "  store(device, 8, +0) arg8, %8, %9\n"
          "  halt\n");
}

/* A pair is read and written as a unit; r0 as destination means no result; an unread half is not
 * created. */
Test(ir_build, atomics_of_64_bits_use_register_pairs) {
    check("atomic64_add r2, r0, r4, .system\natomic64_cas r0, r2, r2, r4, .wave\n"
          "atomic64_load r6, r0, .device\ndevice_store_u32.streaming r0, r7\nhalt",
          CLEANED,
          "  %1:u64 = pack64 arg4, arg5\n"
          "  %2:u64 = atomic(device, add, system, +0, 64) arg0, %1\n"
          "  %3:u32 = lo64 %2\n"
          "  %4:u64 = pack64 arg4, arg5\n"
          "  %5:u64 = atomic(device, cas, wave, +0, 64) %3, %2, %4\n"
          "  %6:u64 = atomic(device, load, device, +0, 64) arg0\n"
          "  %7:u32 = hi64 %6\n"
          "  store(device, 4, +0, streaming) arg0, %7\n"
          "  halt\n");
}

Test(ir_build, a_return_in_an_inner_loop_yields_a_flag) {
    check("call f\ndevice_store_u32 r0, r2\nhalt\n"
          "f:\nloop\nicmp_lt p1, r2, r1\n@p1 return\niadd r2, r2, r1\nendloop\nreturn",
          CLEANED,
          "  loop {\n"
          "    loop arg2 {\n"
          "      %1:u32 = param(0)\n"
          "      %2:bool = icmp_lt %1, arg1\n"
          "      if %2 {\n"
          "        break %1, true\n"
          "      } else {\n"
          "        yield\n"
          "      }\n"
          "      %3:u32 = iadd %1, arg1\n"
          "      continue %3\n"
          "    }\n"
          "    %4:u32 = result(0)\n"
          "    %5:bool = result(1)\n"
          "    if %5 {\n"
          "      break %4\n"
          "    } else {\n"
          "      yield\n"
          "    }\n"
          "    break %4\n"
          "  }\n"
          "  %6:u32 = result(0)\n"
          "  store(device, 4, +0) arg0, %6\n"
          "  halt\n");
}

/* ISA.md 13.3: two ballots with a halt between them see different lanes. */
Test(ir_convergence, ballots_around_a_divergent_halt_differ) {
    check("mov_sr r1, sr_lane_id\nicmp_lt p1, r1, r0\nwave_ballot r2, p1\n@p1 halt\n"
          "wave_ballot r3, p1\niadd r2, r2, r3\ndevice_store_u32 r0, r2\nhalt",
          LOWERED,
          "  %1:token = token\n"
          "  %2:bool = icmp_lt sr_lane_id, arg0\n"
          "  %3:u32 = wave_ballot %1, %2\n"
          "  %4:bool = wave_any %1, %2\n"
          "  if %4 {\n"
          "    yield false\n"
          "  } else {\n"
          "    yield %2\n"
          "  }\n"
          "  %5:bool = result(0)\n"
          "  %6:bool = bnot %2\n"
          "  %7:bool = bor %5, %6\n"
          "  %8:bool = band %2, %7\n"
          "  %9:u32 = wave_ballot %1, %8\n"
          "  %10:u32 = iadd %3, %9\n"
          "  if %7 {\n"
          "    store(device, 4, +0) arg0, %10\n"
          "    yield\n"
          "  } else {\n"
          "    yield\n"
          "  }\n"
          "  halt\n");
}

Test(ir_convergence, a_reduction_in_a_divergent_if_is_masked) {
    check("mov_sr r1, sr_lane_id\nicmp_lt p1, r1, r0\nif p1\nwave_reduce_min r2, r1\nendif\n"
          "device_store_u32 r0, r2\nhalt",
          LOWERED,
          "  %1:token = token\n"
          "  %2:bool = icmp_lt sr_lane_id, arg0\n"
          "  %3:bool = wave_any %1, %2\n"
          "  if %3 {\n"
          "    %4:u32 = select %2, sr_lane_id, 0xFFFFFFFF:u32\n"
          "    %5:u32 = wave_reduce_min %1, %4\n"
          "    yield %5\n"
          "  } else {\n"
          "    yield 0x0:u32\n"
          "  }\n"
          "  %6:u32 = result(0)\n"
          "  %7:u32 = select %2, %6, arg2\n"
          "  store(device, 4, +0) arg0, %7\n"
          "  halt\n");
}

Test(ir_convergence, uniform_control_flow_is_unchanged) {
    check("mov_imm r2, 0\nloop\nicmp_ge p1, r2, r0\nbreak p1\nwave_reduce_add r3, r1\n"
          "iadd r2, r2, r3\nendloop\ndevice_store_u32 r0, r2\nhalt",
          LOWERED,
          "  %1:token = token\n"
          "  loop 0x0:u32 {\n"
          "    %2:u32 = param(0)\n"
          "    %3:bool = icmp_ge %2, arg0\n"
          "    if %3 {\n"
          "      break %2\n"
          "    } else {\n"
          "      yield\n"
          "    }\n"
          "    %4:u32 = wave_reduce_add %1, arg1\n"
          "    %5:u32 = iadd %2, %4\n"
          "    continue %5\n"
          "  }\n"
          "  %6:u32 = result(0)\n"
          "  store(device, 4, +0) arg0, %6\n"
          "  halt\n");
}
