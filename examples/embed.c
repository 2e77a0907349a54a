/* Compiles a kernel inside a program: assembly in, HIP text out, without any files.
 *
 *     cc embed.c $(pkg-config --cflags --libs wave) */
#include <wave/compile.h>
#include <wave/wave.h>

#include <stdio.h>
#include <string.h>

static const char source[] = ".kernel store\n"
                             ".registers 2\n"
                             "    device_store_u32 r0, r1\n"
                             "    halt\n"
                             ".end\n";

int main(void) {
    wave_blob binary, text;
    wave_module *module;
    wave_compile_options options;
    wave_diags *diags = wave_diags_create(0); /* what is wrong, and where */
    int status = 1;
    wave_compile_init(&options);
    options.target = WAVE_TARGET_HIP;
    if (wave_assemble(source, strlen(source), NULL, &binary, diags) == WAVE_OK) {
        if (wave_module_load(binary.data, binary.size, NULL, &module, diags) == WAVE_OK) {
            if (wave_compile(module, &options, &text, diags) == WAVE_OK) {
                fwrite(text.data, 1, text.size, stdout);
                wave_blob_free(&text);
                status = 0;
            }
            wave_module_destroy(module);
        }
        wave_blob_free(&binary);
    }
    for (size_t k = 0; k < wave_diags_count(diags); k++)
        fprintf(stderr, "%s\n", wave_diags_at(diags, k)->message);
    wave_diags_destroy(diags);
    return status;
}
