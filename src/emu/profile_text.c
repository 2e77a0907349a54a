/* A profile as a table next to the disassembly and as JSON. The page is in profile_html.c. */
#include "emu/profile.h"

#include "base/place.h"
#include "base/text.h"

void profile_ratio(buf *out, uint64_t numerator, uint64_t denominator, unsigned decimals) {
    if (denominator == 0)
        numerator = 0, denominator = 1;
    uint64_t whole = numerator / denominator, rest = numerator % denominator, digits = 0;
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals; i++) {
        /* Long division, one digit at a time. A remainder above 2^60 loses bits that do not affect
         * the result shown. */
        while (rest > UINT64_MAX / 16)
            rest /= 2, denominator /= 2;
        rest *= 10;
        digits = digits * 10 + rest / denominator;
        rest %= denominator;
        scale *= 10;
    }
    if (rest >= denominator - rest && ++digits == scale) {
        digits = 0;
        whole++;
    }
    buf_decimal(out, whole);
    if (!decimals)
        return;
    buf_char(out, '.');
    for (scale /= 10; scale; scale /= 10)
        buf_char(out, (char)('0' + digits / scale % 10));
}

profile_totals profile_sum(const wave_profile *profile) {
    profile_totals t = {0};
    for (uint32_t i = 0; i < profile->count; i++) {
        const profile_row *row = &profile->rows[i];
        t.executions += row->executions;
        t.lanes += row->lanes;
        if (row->executions > t.hottest)
            t.hottest = row->executions;
        t.branches += row->all + row->none + row->split;
        t.split += row->split;
        t.products += row->multiplies ? row->executions : 0;
        if (row->local) {
            t.local_accesses += row->accesses;
            t.passes += row->passes;
            t.ideal_passes += row->ideal_passes;
            continue;
        }
        if (row->own) {
            t.private_accesses += row->accesses;
            t.private_bytes += row->bytes;
            continue;
        }
        if (row->constant) {
            t.constant_accesses += row->accesses;
            t.constant_bytes += row->bytes;
            continue;
        }
        t.device_accesses += row->accesses;
        t.device_bytes += row->bytes;
        for (unsigned k = 0; k < PROFILE_SEGMENTS; k++) {
            t.segments[k] += row->segments[k];
            t.ideal[k] += row->ideal[k];
        }
    }
    return t;
}

void wave_profile_read_lines(wave_profile *profile, wave_read_line read, void *user) {
    profile->read_line = read;
    profile->read_user = user;
}

bool profile_new_line(const wave_profile *profile, const char *title, uint32_t index,
                      profile_line *out) {
    const profile_row *row = &profile->rows[index];
    const char *file = (const char *)profile->texts.data + row->file;
    if (!row->line || (index && row[-1].line == row->line && row[-1].file == row->file))
        return false;
    *out = (profile_line){.file = *file ? file : title, .line = row->line};
    if (!profile->read_line ||
        !profile->read_line(profile->read_user, out->file, out->line, &out->text, &out->length))
        out->text = NULL;
    return true;
}

/* ---- Text ---- */

/* Finishes a cell that began at `start` by right-aligning it in `width` columns. */
static void align_right(buf *out, size_t start, size_t width) {
    size_t length = out->size - start;
    if (out->failed || length >= width)
        return;
    size_t padding = width - length;
    buf_fill(out, ' ', padding);
    if (out->failed)
        return;
    for (size_t i = length; i-- > 0;)
        out->data[start + padding + i] = out->data[start + i];
    for (size_t i = 0; i < padding; i++)
        out->data[start + i] = ' ';
}

static void number_cell(buf *out, uint64_t value, size_t width) {
    size_t start = out->size;
    buf_decimal(out, value);
    align_right(out, start, width);
}

static void percent(buf *out, uint64_t part, uint64_t whole) {
    profile_ratio(out, part * 100, whole, 1);
    buf_char(out, '%');
}

static void percent_cell(buf *out, uint64_t part, uint64_t whole, size_t width) {
    size_t start = out->size;
    percent(out, part, whole);
    align_right(out, start, width);
}

/* Two averages over the accesses: actual / best possible. */
static void pair_cell(buf *out, uint64_t real, uint64_t ideal, uint64_t accesses, size_t width) {
    size_t start = out->size;
    profile_ratio(out, real, accesses, 1);
    buf_char(out, '/');
    profile_ratio(out, ideal, accesses, 1);
    align_right(out, start, width);
}

/* "  k.wave:31 |     fadd r1, r1, r2", above the instructions of the line. */
static void text_line(buf *out, const profile_line *line) {
    const place where = {.input = line->file, .line = line->line, .offset = -1};
    buf_text(out, "  ");
    place_head(out, &where);
    if (line->text) {
        buf text = {0};
        buf_bytes(&text, line->text, line->length);
        buf_char(&text, '\0');
        buf_text(out, " | ");
        for (char *c = (char *)text.data; !text.failed && *c; c++)
            *c = *c == '\t' ? ' ' : *c;
        text_visible(out, text.failed ? "" : (const char *)text.data);
        buf_free(&text);
    }
    buf_char(out, '\n');
}

static void text_row(buf *out, const wave_profile *profile, const profile_row *row,
                     const profile_totals *totals) {
    buf_printf(out, "  0x%04x", (unsigned)row->pc);
    number_cell(out, row->executions, 12);
    percent_cell(out, row->executions, totals->executions, 8);
    if (row->executions)
        percent_cell(out, row->lanes, row->executions * profile->width, 8);
    else
        buf_fill(out, ' ', 8);
    if (row->branch && row->executions)
        percent_cell(out, row->split, row->all + row->none + row->split, 8);
    else
        buf_fill(out, ' ', 8);
    for (unsigned k = 0; k < PROFILE_SEGMENTS; k++) {
        if (row->device && row->accesses)
            pair_cell(out, row->segments[k], row->ideal[k], row->accesses, 12);
        else
            buf_fill(out, ' ', 12);
    }
    if (row->local && row->accesses)
        pair_cell(out, row->passes, row->ideal_passes, row->accesses, 12);
    else
        buf_fill(out, ' ', 12);
    buf_text(out, "  ");
    buf_fill(out, ' ', 2 * (size_t)(row->depth < 24 ? row->depth : 24));
    buf_text(out, profile_row_text(profile, row));
    buf_char(out, '\n');
}

static void text_totals(buf *out, const wave_profile *profile, const profile_totals *t) {
    buf_printf(out, "  Workgroups: %llu, wave-instructions: %llu, lanes executing: ",
               (unsigned long long)profile->workgroups, (unsigned long long)t->executions);
    percent(out, t->lanes, t->executions * profile->width);
    buf_printf(out, "\n  Branches: %llu, divergent: %llu\n", (unsigned long long)t->branches,
               (unsigned long long)t->split);
    buf_printf(out, "  Device memory: %llu wave accesses, %llu bytes",
               (unsigned long long)t->device_accesses, (unsigned long long)t->device_bytes);
    for (unsigned k = 0; k < PROFILE_SEGMENTS && t->device_accesses; k++) {
        buf_printf(out, "; %u-byte segments %llu, ideal %llu (", 32u << k,
                   (unsigned long long)t->segments[k], (unsigned long long)t->ideal[k]);
        percent(out, t->ideal[k], t->segments[k]);
        buf_char(out, ')');
    }
    buf_printf(out, "\n  Local memory: %llu wave accesses, %llu bank passes, ideal %llu\n",
               (unsigned long long)t->local_accesses, (unsigned long long)t->passes,
               (unsigned long long)t->ideal_passes);
    if (t->products)
        buf_printf(out, "  Tile products: %llu, %llu fma\n", (unsigned long long)t->products,
                   (unsigned long long)t->products * PROFILE_FMAS);
    if (t->private_accesses)
        buf_printf(out, "  Private memory: %llu wave accesses, %llu bytes\n",
                   (unsigned long long)t->private_accesses, (unsigned long long)t->private_bytes);
    if (t->constant_accesses)
        buf_printf(out, "  Constant memory: %llu wave accesses, %llu bytes\n",
                   (unsigned long long)t->constant_accesses, (unsigned long long)t->constant_bytes);
}

static void format_text(const wave_profile *profile, const char *title, buf *out) {
    profile_totals totals = profile_sum(profile);
    buf_text(out, "Profile of ");
    text_visible(out, title);
    buf_text(out, ": kernel ");
    text_visible(out, *profile->kernel ? profile->kernel : "(anonymous)");
    buf_printf(out, ", grid %u,%u,%u, workgroup %u,%u,%u, wave width %u\n",
               (unsigned)profile->grid[0], (unsigned)profile->grid[1], (unsigned)profile->grid[2],
               (unsigned)profile->group[0], (unsigned)profile->group[1],
               (unsigned)profile->group[2], (unsigned)profile->width);
    text_totals(out, profile, &totals);
    buf_text(out, "\n      PC    executed   share   lanes   split     32-byte     64-byte"
                  "    128-byte       banks  instruction\n");
    for (uint32_t i = 0; i < profile->count; i++) {
        profile_line line;
        if (profile_new_line(profile, title, i, &line))
            text_line(out, &line);
        text_row(out, profile, &profile->rows[i], &totals);
    }
    buf_text(out,
             "\n  lanes: executing lanes of the wave. split: branches with lanes on both sides.\n"
             "  32-, 64-, 128-byte: segments a device access touches / the fewest that hold its "
             "bytes.\n"
             "  banks: passes a local access takes (32 banks of 4 bytes) / without conflicts.\n");
}

/* ---- JSON ---- */

static void json_number(buf *out, const char *name, uint64_t value) {
    buf_printf(out, "\"%s\":", name);
    buf_decimal(out, value);
}

static void json_triple(buf *out, const char *name, const uint32_t value[3]) {
    buf_printf(out, "\"%s\":[%u,%u,%u]", name, (unsigned)value[0], (unsigned)value[1],
               (unsigned)value[2]);
}

static void json_segments(buf *out, const uint64_t real[], const uint64_t ideal[]) {
    buf_text(out, "\"segments\":{");
    for (unsigned k = 0; k < PROFILE_SEGMENTS; k++)
        buf_printf(out, "%s\"%u\":{\"touched\":%llu,\"ideal\":%llu}", k ? "," : "", 32u << k,
                   (unsigned long long)real[k], (unsigned long long)ideal[k]);
    buf_char(out, '}');
}

static void json_memory(buf *out, const profile_row *row) {
    const char *space = row->device     ? "device"
                        : row->own      ? "private"
                        : row->constant ? "constant"
                                        : "local";
    buf_printf(out, ",\"%s\":{", space);
    json_number(out, "accesses", row->accesses);
    buf_char(out, ',');
    json_number(out, "lane_accesses", row->lane_accesses);
    buf_char(out, ',');
    json_number(out, "bytes", row->bytes);
    if (row->device) {
        buf_char(out, ',');
        json_segments(out, row->segments, row->ideal);
    } else if (row->local) {
        buf_char(out, ',');
        json_number(out, "passes", row->passes);
        buf_char(out, ',');
        json_number(out, "ideal_passes", row->ideal_passes);
        buf_char(out, ',');
        json_number(out, "worst_passes", row->worst);
    }
    buf_char(out, '}');
}

static void json_row(buf *out, const wave_profile *profile, const char *title,
                     const profile_row *row) {
    const char *file = (const char *)profile->texts.data + row->file;
    buf_char(out, '{');
    if (row->line) {
        buf_text(out, "\"file\":");
        buf_json_string(out, *file ? file : title);
        buf_char(out, ',');
        json_number(out, "line", row->line);
        buf_char(out, ',');
    }
    json_number(out, "pc", row->pc);
    buf_text(out, ",\"text\":");
    buf_json_string(out, profile_row_text(profile, row));
    buf_char(out, ',');
    json_number(out, "executions", row->executions);
    buf_char(out, ',');
    json_number(out, "lanes", row->lanes);
    if (row->branch)
        buf_printf(out, ",\"branch\":{\"all\":%llu,\"none\":%llu,\"split\":%llu}",
                   (unsigned long long)row->all, (unsigned long long)row->none,
                   (unsigned long long)row->split);
    if (row->multiplies) {
        buf_char(out, ',');
        json_number(out, "fma", row->executions * PROFILE_FMAS);
    }
    if (row->device || row->local || row->own || row->constant)
        json_memory(out, row);
    buf_char(out, '}');
}

static void json_totals(buf *out, const profile_totals *t) {
    buf_printf(out, "\"totals\":{\"executions\":%llu,\"lanes\":%llu,\"branches\":%llu,",
               (unsigned long long)t->executions, (unsigned long long)t->lanes,
               (unsigned long long)t->branches);
    buf_printf(out, "\"split_branches\":%llu,\n \"device\":{\"accesses\":%llu,\"bytes\":%llu,",
               (unsigned long long)t->split, (unsigned long long)t->device_accesses,
               (unsigned long long)t->device_bytes);
    json_segments(out, t->segments, t->ideal);
    buf_printf(out, "},\n \"local\":{\"accesses\":%llu,\"passes\":%llu,\"ideal_passes\":%llu}",
               (unsigned long long)t->local_accesses, (unsigned long long)t->passes,
               (unsigned long long)t->ideal_passes);
    if (t->products)
        buf_printf(out, ",\n \"tiles\":{\"products\":%llu,\"fma\":%llu}",
                   (unsigned long long)t->products, (unsigned long long)t->products * PROFILE_FMAS);
    if (t->private_accesses)
        buf_printf(out, ",\n \"private\":{\"accesses\":%llu,\"bytes\":%llu}",
                   (unsigned long long)t->private_accesses, (unsigned long long)t->private_bytes);
    if (t->constant_accesses)
        buf_printf(out, ",\n \"constant\":{\"accesses\":%llu,\"bytes\":%llu}",
                   (unsigned long long)t->constant_accesses, (unsigned long long)t->constant_bytes);
    buf_text(out, "},\n");
}

static void format_json(const wave_profile *profile, const char *title, buf *out) {
    profile_totals totals = profile_sum(profile);
    buf_text(out, "{\"file\":");
    buf_json_string(out, title);
    buf_text(out, ",\"kernel\":");
    buf_json_string(out, profile->kernel);
    buf_text(out, ",\n ");
    json_triple(out, "grid", profile->grid);
    buf_char(out, ',');
    json_triple(out, "workgroup", profile->group);
    buf_printf(out, ",\"wave_width\":%u,\"workgroups\":%llu,\n ", (unsigned)profile->width,
               (unsigned long long)profile->workgroups);
    json_totals(out, &totals);
    buf_text(out, " \"instructions\":[");
    for (uint32_t i = 0; i < profile->count; i++) {
        buf_text(out, i ? ",\n  " : "\n  ");
        json_row(out, profile, title, &profile->rows[i]);
    }
    buf_text(out, "]}\n");
}

wave_status wave_profile_format(const wave_profile *profile, const char *title,
                                wave_profile_style style, wave_blob *out) {
    buf text = {0};
    *out = (wave_blob){0};
    if (!profile || !title)
        return WAVE_ERROR_USAGE;
    switch (style) {
    case WAVE_PROFILE_TEXT: format_text(profile, title, &text); break;
    case WAVE_PROFILE_JSON: format_json(profile, title, &text); break;
    case WAVE_PROFILE_HTML: profile_format_html(profile, title, &text); break;
    default: return WAVE_ERROR_USAGE;
    }
    return buf_take(&text, out);
}
