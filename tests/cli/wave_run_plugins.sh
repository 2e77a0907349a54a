#!/bin/sh
# Where wave-run finds its plug-ins: in the folder of the program itself, however it is started, and never in the current
# folder. The plug-in here only reports which copy of it was loaded. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
cc=${CC:-cc}
ending=so
[ "$(uname)" = Darwin ] && ending=dylib
WAVE_CUDA_LIBRARY=
WAVE_HIP_LIBRARY=
export WAVE_CUDA_LIBRARY WAVE_HIP_LIBRARY
unset WAVE_RT_PLUGINS

# plugin FOLDER: creates a plug-in there that writes its folder to the file named by LOADED.
cat >plugin.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void note(void) {
    FILE *file = fopen(getenv("LOADED"), "a");
    if (file) {
        fputs(PLACE "\n", file);
        fclose(file);
    }
}
END_C
plugin() {
    mkdir -p "$1" && $cc -fPIC -shared -DPLACE="\"$1\"" plugin.c -o "$1/libwave_rt_sycl.$ending" &&
        cp "$1/libwave_rt_sycl.$ending" "$1/libwave_rt_metal.$ending"
}
LOADED=$dir/loaded
export LOADED

mkdir -p own/bin here links || exit 2
cp "$bin/wave-run" own/bin/wave-run || exit 2
ln -s "$dir/own/bin/wave-run" links/wave-run
plugin own/lib/wave && plugin here/wave && plugin lib/wave || exit 2

# loads PLACE COMMAND...: in the folder here/; the plug-in comes from PLACE, and from nowhere else.
loads() {
    place=$1
    shift
    rm -f loaded
    (cd here && "$@" -l) >out 2>err || { cat err; return 1; }
    [ "$(sort -u loaded)" = "$place" ] || { echo "loaded from: $(cat loaded), not $place"; return 1; }
}
ok "the absolute path" loads own/lib/wave "$dir/own/bin/wave-run"
ok "a relative path" loads own/lib/wave ../own/bin/wave-run
ok "through PATH" loads own/lib/wave env PATH="$dir/own/bin:$PATH" wave-run
ok "a relative folder in PATH" loads own/lib/wave env PATH="../own/bin:$PATH" wave-run
ok "a link to the program" loads own/lib/wave "$dir/links/wave-run"
ok "a link to the program, through PATH" loads own/lib/wave env PATH="$dir/links:$PATH" wave-run

# The caller chooses argv[0], so it does not tell where the program is.
called() { loads own/lib/wave python3 -c 'import os, sys; os.execv(sys.argv[1], sys.argv[2:])' "$dir/own/bin/wave-run" "$1"; }
ok "called by a plain name" called wave-run
ok "called by a name of this folder" called ./wave-run
[ "$(uname)" = Linux ] && ok "called by another absolute name" called "$dir/here/wave-run"

# Without its own plug-in it has none, whatever the current folder contains.
none() {
    rm -rf own/lib loaded
    (cd here && PATH=$dir/own/bin:$PATH wave-run -l) >out 2>err && absent loaded
}
ok "without its own plug-in" none

# The list names the command that installs it; README and docs/using/runtime.md have the same words.
if [ "$(uname)" = Darwin ]; then
    ok "how to install Metal" has out 'metal        not here: the plug-in libwave_rt_metal is not installed; "make plugins" in'
else
    command="sh scripts/find-sycl.sh --install && make plugins"
    ok "how to install SYCL" has out "sycl         not here: the plug-in libwave_rt_sycl is not installed; \"$command\" in wavec's sources builds it"
    ok "where Metal is" has out "metal        not here: the plug-in libwave_rt_metal is not installed; Metal is for macOS"
    for document in README.md docs/using/runtime.md; do
        ok "the same command in $document" has "$tests/../$document" "$command"
    done
fi

# Only the folder that the user names is searched.
asked() { loads here/wave env WAVE_RT_PLUGINS="$dir/here/wave" "$dir/own/bin/wave-run"; }
ok "WAVE_RT_PLUGINS" asked
off() {
    rm -f loaded
    (cd here && WAVE_RT_PLUGINS= "$dir/own/bin/wave-run" -l) >out 2>err && absent loaded
}
ok "WAVE_RT_PLUGINS is empty" off
ok "WAVE_RT_PLUGINS is empty: the list says so" has out "sycl         not here: turned off: WAVE_RT_PLUGINS is empty"
mkdir bare || exit 2
check "WAVE_RT_PLUGINS names a folder without any" 0 env WAVE_RT_PLUGINS="$dir/bare" own/bin/wave-run -l
said out "sycl         not here: the plug-in libwave_rt_sycl is not in $dir/bare, given by WAVE_RT_PLUGINS"

# The plug-in built by make plugins works as it is: no variable needs to name the driver of Intel's CPU device. A
# plug-in built by an older checkout is reported as such.
real() {
    env -u OCL_ICD_FILENAMES -u OCL_ICD_VENDORS -u ONEAPI_DEVICE_SELECTOR -u LD_LIBRARY_PATH "$bin/wave-run" -l >out 2>err &&
        { has out "sycl:cpu " || has out "has a different version; \"sh scripts/find-sycl.sh"; }
}
if [ -e "$bin/../lib/wave/libwave_rt_sycl.so" ] && (cd "$tests/.." && sh scripts/find-sycl.sh --cpu) >/dev/null; then
    ok "sycl:cpu without a variable" real
else
    skipped "sycl:cpu without a variable: the plug-in or Intel's CPU device is not installed"
fi
finish "cli/wave_run_plugins"
