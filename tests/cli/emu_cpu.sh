#!/bin/sh
# wave-emu --cpu: the bits do not depend on the processor instructions that the emulator uses. tests/unit/test_emu_lanes.c
# shows that every instruction agrees. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

for example in gemm_tiled softmax mandelbrot; do
    for cpu in best plain; do
        check "$example with --cpu=$cpu" 0 "$bin/wave-emu" --test "$tests/../examples/$example.wave" --cpu=$cpu
    done
done
check "an unknown processor" 2 "$bin/wave-emu" --test "$tests/../examples/softmax.wave" --cpu=sse
said err "expected best, plain or avx2"

# Without AVX2, a request for it is rejected, not ignored.
checked="--cpu=avx2 takes effect or is rejected"
if "$bin/wave-emu" --test "$tests/../examples/softmax.wave" --cpu=avx2 >out 2>err; then
    said err "memory is what"
else
    said err "this processor or this build does not support it"
fi
finish emu_cpu
