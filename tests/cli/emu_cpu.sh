#!/bin/sh
# wave-emu --cpu: the same bits whichever instructions of the processor the emulator uses. That every instruction agrees is
# shown by tests/unit/test_emu_lanes.c. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

for example in gemm_tiled softmax mandelbrot; do
    for cpu in best plain; do
        check "$example with --cpu=$cpu" 0 "$bin/wave-emu" --test "$tests/../examples/$example.wave" --cpu=$cpu
    done
done
check "an unknown processor" 2 "$bin/wave-emu" --test "$tests/../examples/softmax.wave" --cpu=sse
said err "expected best, plain or avx2"

# Where there is no AVX2, asking for it is refused, not ignored.
if "$bin/wave-emu" --test "$tests/../examples/softmax.wave" --cpu=avx2 >out 2>err; then
    said err "memory is what"
else
    said err "this processor or this build has no such code"
fi
finish emu_cpu
