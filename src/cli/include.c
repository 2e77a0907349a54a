/* File access for the assembler: the files that a source includes. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* Included files are hand-written text, so this limit is generous. */
static const size_t LARGEST_INCLUDE = (size_t)1 << 26;

bool cli_add_include(cli_includes *list, const char *name, size_t length) {
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 8;
        char **paths = realloc(list->paths, room * sizeof *paths);
        if (!paths)
            return false;
        list->paths = paths;
        list->room = room;
    }
    char *copy = strndup(name, length);
    if (!copy)
        return false;
    list->paths[list->count++] = copy;
    return true;
}

static bool include(void *user, const char *name, wave_blob *text) {
    bool good =
        cli_read_blob(name, LARGEST_INCLUDE, text) && cli_add_include(user, name, strlen(name));
    if (!good)
        wave_blob_free(text);
    return good;
}

wave_asm_options cli_asm_options(const char *path, cli_includes *includes) {
    return (wave_asm_options){
        .file = strcmp(path, "-") == 0 ? NULL : path, .include = include, .include_user = includes};
}

void cli_free_includes(cli_includes *includes) {
    for (size_t i = 0; i < includes->count; i++)
        free(includes->paths[i]);
    free(includes->paths);
    *includes = (cli_includes){0};
}

wave_status cli_assemble(const char *path, const cli_input *input, wave_blob *out,
                         wave_diags *diags) {
    cli_includes includes = {0};
    wave_asm_options options = cli_asm_options(path, &includes);
    wave_status status =
        wave_assemble((const char *)input->data, input->size, &options, out, diags);
    cli_free_includes(&includes);
    return status;
}
