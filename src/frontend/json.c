/* Parts of the JSON that several tools print. */
#include "frontend/frontend.h"

void fe_argument_json(const wave_argument *a, buf *out) {
    static const char *const kinds[] = {"scalar", "buffer", "local"};
    static const char *const accesses[] = {"none", "in", "out", "inout"};
    buf_text(out, "{\"name\": ");
    buf_json_string(out, a->name);
    buf_printf(out, ", \"kind\": \"%s\", \"type\": \"%s\"", kinds[a->kind],
               wave_type_name((wave_type)a->type));
    if (a->kind != WAVE_ARGUMENT_SCALAR)
        buf_printf(out, ", \"access\": \"%s\", \"restrict\": %s, \"contained\": %s",
                   accesses[a->access & 3], a->flags & WAVE_ARGUMENT_RESTRICT ? "true" : "false",
                   a->flags & WAVE_ARGUMENT_CONTAINED ? "true" : "false");
    buf_printf(out, ", \"first_word\": %u, \"words\": %u}", a->first_word, a->words);
}
