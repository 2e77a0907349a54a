#!/bin/sh
# wave-hwtest and wave-hwbench start their children as new programs, because Metal's compiler service does not answer a
# process created by fork alone. Here a library loaded before libc makes fork fail. Run with WAVE_BIN=build/bin.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../support/cli.sh"
hwtest=$bin/../tests/wave-hwtest
hwbench=$bin/../tests/wave-hwbench
cc=${CC:-cc}
WAVE_CUDA_LIBRARY=
WAVE_HIP_LIBRARY=
WAVE_RT_PLUGINS=
export WAVE_CUDA_LIBRARY WAVE_HIP_LIBRARY WAVE_RT_PLUGINS
one=$root/examples/saxpy.wave
two=$root/examples/vector_add.wave

# ---- Without fork ----

cat >no_fork.c <<'EOF'
#include <errno.h>
#include <sys/types.h>
pid_t fork(void);
pid_t fork(void) {
    errno = ENOSYS;
    return -1;
}
EOF
# forkless COMMAND...: runs it where fork fails. A sanitizer's run time insists on being the first library,
# unless an option disables that.
forkless() { env LD_PRELOAD="$dir/no_fork.so" ASAN_OPTIONS=verify_asan_link_order=0 "$@"; }
if [ "$(uname -s)" = Linux ] && $cc -fPIC -shared no_fork.c -o no_fork.so; then
    cat >try.c <<'EOF'
#include <unistd.h>
int main(void) {
    return fork() < 0 ? 0 : 1;
}
EOF
    $cc try.c -o try || exit 2
    ok "fork fails here" forkless ./try
    runs() { status 0 forkless "$hwtest" --device=emu "$one" "$two" && has out "wave-hwtest: 4 passed, 0 failed"; }
    ok "hwtest runs tests" runs
    finds() { status 0 forkless "$hwtest" -O2 "$one" && has out "cuda         skipped: turned off" && has out "1 passed, 0 failed"; }
    ok "hwtest looks for devices" finds
    bench_runs() {
        status 0 forkless "$hwbench" --device=emu --elements=2^12 --examples="$root/examples" --csv=bench.csv &&
            [ "$(grep -c '^emu,' bench.csv)" -eq 12 ]
    }
    ok "hwbench times every example" bench_runs
else
    skipped "children without fork: this needs LD_PRELOAD of Linux"
fi

# ---- How children are started ----

# A name that is found through PATH, from another folder.
by_name() {
    mkdir -p elsewhere && cd elsewhere || return 1
    PATH=$bin/../tests:$PATH status 0 wave-hwtest --device=emu -O2 "$one"
    result=$?
    cd ..
    return $result
}
ok "hwtest is found through PATH" by_name
# Only a child's parent can give it a job.
made_up() { printf 'no job' | status 2 "$hwtest" "--child=$1" --device=emu "$one" && has err "wave-hwtest"; }
ok "an invalid job" made_up worker
# With the descriptor for the answers open, nothing but the job itself can be wrong.
answers() { printf 'no job' | status 2 "$hwtest" "--child=$1" --device=emu "$one" 3>answers && [ ! -s answers ]; }
ok "a worker's job of the wrong size" answers worker
ok "a job for a child that takes none" answers devices
long_job() { head -c 100000 /dev/zero | status 2 "$hwtest" --child=worker --device=emu "$one" 3>answers && [ ! -s answers ]; }
ok "a job that is too long" long_job
zeros() { head -c 40 /dev/zero | status 2 "$hwbench" --child=bench --device=emu 3>answers && [ ! -s answers ]; }
ok "hwbench: a job of no elements" zeros
ok "a child of an unknown kind" made_up nothing
bench_made_up() { printf 'no job' | status 2 "$hwbench" "--child=$1" --device=emu && has err "wave-hwbench"; }
ok "hwbench: an invalid job" bench_made_up bench
ok "hwbench: a job for a child that takes none" bench_made_up devices
ok "hwbench: a child of an unknown kind" bench_made_up nothing
no_job() { status 2 "$hwtest" --child=worker --device=emu "$one" </dev/null; }
ok "an empty job" no_job

finish "cli/hwtest_children"
