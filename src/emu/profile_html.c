/* A profile as one self-contained page: tiles with the totals, the worst places by name, and the
 * disassembly as a heat map. No script, no external resource; light or dark as the reader's browser
 * prefers. */
#include "emu/profile.h"

#include "base/text.h"

static const char *const style[] = {
    ":root{color-scheme:light dark;--bg:#fbfbfa;--fg:#1d2126;--soft:#5d6670;--line:#e2e4e6;"
    "--card:#fff;--bar:#3b7ddd;--good:#2e9d5b;--mid:#d99a1c;--bad:#d6403a;--heat:235,87,35}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e4e7ea;--soft:#97a1ab;"
    "--line:#2b3138;--card:#1c2127;--bar:#6ea3f0;--good:#56c184;--mid:#e3b04b;--bad:#f0716b;"
    "--heat:255,120,60}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:1280px;margin:0 auto;padding:28px 24px 60px}\n"
    "h1{font-size:24px;line-height:1.2;margin:0 0 4px}h2{font-size:16px;margin:28px 0 8px}\n"
    "p{margin:4px 0}.soft{color:var(--soft)}\n"
    "code,td,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans "
    "Mono',monospace}\n",
    ".tiles{display:flex;flex-wrap:wrap;gap:12px;margin:20px 0 0}\n"
    ".tile{flex:1 1 180px;background:var(--card);border:1px solid var(--line);border-radius:8px;"
    "padding:12px 16px}\n"
    ".tile b{display:block;font-size:24px;line-height:1.3;font-weight:600}\n"
    ".tile span{color:var(--soft);font-size:13px}\n"
    "ul.look{margin:0;padding-left:20px}.look a{color:inherit}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:6px 20px;font-size:13px;color:var(--soft);"
    "margin:0 0 10px}\n"
    ".legend i{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px;"
    "vertical-align:-1px}\n"
    ".ramp{width:72px!important;background:linear-gradient(90deg,rgba(var(--heat),.04),"
    "rgba(var(--heat),.6))}\n",
    ".scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);"
    "border-radius:8px}\n"
    "table{border-collapse:collapse;width:100%;font-size:13px}\n"
    "th{position:sticky;top:0;background:var(--card);text-align:right;font-weight:600;"
    "padding:8px 10px;border-bottom:1px solid var(--line);color:var(--soft);white-space:nowrap;"
    "font-size:12px}\n"
    "td{padding:2px 10px;text-align:right;white-space:nowrap;border-top:1px solid "
    "var(--line)}\n"
    "th.left,td.left{text-align:left}\n"
    "td.code{white-space:pre;text-align:left}\n"
    "tr.src td{padding-top:10px;color:var(--soft)}tr.cold td{color:var(--soft)}tr:target "
    "td{outline:2px solid var(--bar)}\n"
    "td.heat{background:rgba(var(--heat),calc(var(--h)*.6));text-align:right}\n"
    ".meter{display:inline-block;width:64px;height:8px;margin-left:8px;border-radius:4px;"
    "background:var(--line);overflow:hidden;vertical-align:1px}\n"
    ".meter i{display:block;height:8px;float:left}\n"
    ".b-bar{background:var(--bar)}.b-good{background:var(--good)}.b-mid{background:var(--mid)}"
    ".b-bad{background:var(--bad)}\n"
    ".good{color:var(--good)}.mid{color:var(--mid)}.bad{color:var(--bad);font-weight:600}\n"};

static void escape(buf *out, const char *text) {
    buf shown = {0};
    text_visible(&shown, text);
    for (size_t k = 0; k < shown.size; k++) {
        switch (shown.data[k]) {
        case '<': buf_text(out, "&lt;"); break;
        case '>': buf_text(out, "&gt;"); break;
        case '&': buf_text(out, "&amp;"); break;
        case '"': buf_text(out, "&quot;"); break;
        default: buf_char(out, (char)shown.data[k]); break;
        }
    }
    out->failed |= shown.failed;
    buf_free(&shown);
}

static void percent(buf *out, uint64_t part, uint64_t whole) {
    profile_ratio(out, part * 100, whole, 1);
    buf_text(out, "&thinsp;%");
}

/* 1,234,567 */
static void grouped(buf *out, uint64_t value) {
    uint64_t scale = 1;
    while (value / scale >= 1000)
        scale *= 1000;
    buf_decimal(out, value / scale);
    for (scale /= 1000; scale; scale /= 1000)
        buf_printf(out, ",%03u", (unsigned)(value / scale % 1000));
}

/* The colour of a share of the ideal. */
static const char *grade(uint64_t ideal, uint64_t real) {
    if (real == 0 || ideal * 10 >= real * 9)
        return "good";
    return ideal * 2 >= real ? "mid" : "bad";
}

/* ---- Head ---- */

static void tile(buf *out, const char *label) {
    buf_printf(out, "</b><span>%s</span></div>\n", label);
}

static void tiles(buf *out, const wave_profile *profile, const profile_totals *t) {
    buf_text(out, "<div class=\"tiles\">\n<div class=\"tile\"><b>");
    grouped(out, t->executions);
    tile(out, "wave-instructions");
    buf_text(out, "<div class=\"tile\"><b>");
    percent(out, t->lanes, t->executions * profile->width);
    tile(out, "of the lanes executing");
    buf_text(out, "<div class=\"tile\"><b>");
    grouped(out, t->split);
    buf_text(out, " <small class=\"soft\">of ");
    grouped(out, t->branches);
    buf_text(out, "</small>");
    tile(out, "branches divergent");
    buf_text(out, "<div class=\"tile\"><b>");
    if (t->device_accesses)
        percent(out, t->ideal[0], t->segments[0]);
    else
        buf_text(out, "&ndash;");
    tile(out, "device coalescing (ideal / touched 32-byte segments)");
    buf_text(out, "<div class=\"tile\"><b>");
    if (t->local_accesses)
        grouped(out, t->passes - t->ideal_passes);
    else
        buf_text(out, "&ndash;");
    tile(out, "extra local passes because of bank conflicts");
    buf_text(out, "</div>\n");
}

static void head(buf *out, const wave_profile *profile, const char *title,
                 const profile_totals *totals) {
    const char *kernel = *profile->kernel ? profile->kernel : "(anonymous)";
    buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                  "<title>Profile of ");
    escape(out, kernel);
    buf_text(out, "</title>\n<style>\n");
    for (size_t i = 0; i < sizeof style / sizeof *style; i++)
        buf_text(out, style[i]);
    buf_text(out, "</style>\n</head>\n<body>\n<main>\n<h1>Profile of <code>");
    escape(out, kernel);
    buf_text(out, "</code></h1>\n<p class=\"soft\">");
    escape(out, title);
    const uint32_t *grid = profile->grid, *group = profile->group;
    buf_printf(out,
               " &middot; grid %u&times;%u&times;%u &middot; workgroup %u&times;%u&times;%u "
               "&middot; wave width %u &middot; workgroups run: %llu</p>\n",
               (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2], (unsigned)group[0],
               (unsigned)group[1], (unsigned)group[2], (unsigned)profile->width,
               (unsigned long long)profile->workgroups);
    tiles(out, profile, totals);
}

/* ---- The worst places ---- */

static uint64_t wasted_segments(const profile_row *row) {
    return row->segments[0] - row->ideal[0];
}

static uint64_t extra_passes(const profile_row *row) {
    return row->passes - row->ideal_passes;
}

static uint64_t split_branches(const profile_row *row) {
    return row->split;
}

static const profile_row *worst(const wave_profile *profile,
                                uint64_t (*cost)(const profile_row *)) {
    const profile_row *found = NULL;
    for (uint32_t i = 0; i < profile->count; i++)
        if (cost(&profile->rows[i]) > (found ? cost(found) : 0))
            found = &profile->rows[i];
    return found;
}

static void place(buf *out, const wave_profile *profile, const profile_row *row) {
    buf_printf(out, "<li><a href=\"#pc%x\"><code>0x%04x ", (unsigned)row->pc, (unsigned)row->pc);
    escape(out, profile_row_text(profile, row));
    buf_text(out, "</code></a>: ");
}

static void places(buf *out, const wave_profile *profile) {
    const profile_row *memory = worst(profile, wasted_segments);
    const profile_row *banks = worst(profile, extra_passes);
    const profile_row *branch = worst(profile, split_branches);
    if (!memory && !banks && !branch)
        return;
    buf_text(out, "<h2>Where to look first</h2>\n<ul class=\"look\">\n");
    if (memory) {
        place(out, profile, memory);
        profile_ratio(out, memory->segments[0], memory->accesses, 1);
        buf_text(out, " segments of 32 bytes per access, where ");
        profile_ratio(out, memory->ideal[0], memory->accesses, 1);
        buf_text(out, " would suffice</li>\n");
    }
    if (banks) {
        place(out, profile, banks);
        profile_ratio(out, banks->passes, banks->accesses, 1);
        buf_printf(out, " passes per access because of bank conflicts, at worst %llu</li>\n",
                   (unsigned long long)banks->worst);
    }
    if (branch) {
        place(out, profile, branch);
        percent(out, branch->split, branch->all + branch->none + branch->split);
        buf_text(out, " of its executions had lanes on both sides</li>\n");
    }
    buf_text(out, "</ul>\n");
}

/* ---- The table ---- */

/* A part of a meter, its width in percent of the whole. */
static void meter_part(buf *out, const char *colour, uint64_t part, uint64_t whole) {
    buf_printf(out, "<i class=\"b-%s\" style=\"width:", colour);
    profile_ratio(out, part * 100, whole, 1);
    buf_text(out, "%\"></i>");
}

static void lanes_cell(buf *out, const wave_profile *profile, const profile_row *row) {
    uint64_t all = row->executions * profile->width;
    buf_text(out, "<td>");
    if (row->executions) {
        percent(out, row->lanes, all);
        buf_text(out, "<span class=\"meter\">");
        meter_part(out, "bar", row->lanes, all);
        buf_text(out, "</span>");
    }
    buf_text(out, "</td>");
}

static void branch_cell(buf *out, const profile_row *row) {
    uint64_t times = row->all + row->none + row->split;
    if (!row->branch || !times) {
        buf_text(out, "<td></td>");
        return;
    }
    buf_printf(out, "<td title=\"all lanes %llu, none %llu, split %llu\">",
               (unsigned long long)row->all, (unsigned long long)row->none,
               (unsigned long long)row->split);
    percent(out, row->split, times);
    buf_text(out, "<span class=\"meter\">");
    meter_part(out, "bad", row->split, times);
    buf_text(out, "</span></td>");
}

static void pair_cell(buf *out, bool shown, uint64_t real, uint64_t ideal, uint64_t accesses) {
    if (!shown || !accesses) {
        buf_text(out, "<td></td>");
        return;
    }
    buf_printf(out, "<td><span class=\"%s\">", grade(ideal, real));
    profile_ratio(out, real, accesses, 1);
    buf_text(out, "</span> <span class=\"soft\">/ ");
    profile_ratio(out, ideal, accesses, 1);
    buf_text(out, "</span></td>");
}

static void line_html(buf *out, const profile_line *line) {
    buf text = {0};
    buf_text(out, "<tr class=\"src\"><td class=\"left soft\">");
    escape(out, line->file);
    buf_printf(out, ":%u</td><td class=\"code\" colspan=\"9\">", (unsigned)line->line);
    if (line->text)
        buf_bytes(&text, line->text, line->length);
    buf_char(&text, '\0');
    if (!text.failed)
        escape(out, (const char *)text.data);
    buf_free(&text);
    buf_text(out, "</td></tr>\n");
}

static void row_html(buf *out, const wave_profile *profile, const profile_row *row,
                     const profile_totals *totals) {
    buf_printf(out, "<tr id=\"pc%x\"%s><td class=\"left soft\">0x%04x</td><td class=\"code\">",
               (unsigned)row->pc, row->executions ? "" : " class=\"cold\"", (unsigned)row->pc);
    buf_fill(out, ' ', 2 * (size_t)(row->depth < 32 ? row->depth : 32));
    escape(out, profile_row_text(profile, row));
    buf_text(out, "</td><td class=\"heat\" style=\"--h:");
    profile_ratio(out, row->executions, totals->hottest, 3);
    buf_text(out, "\">");
    grouped(out, row->executions);
    buf_text(out, "</td><td>");
    if (row->executions)
        percent(out, row->executions, totals->executions);
    buf_text(out, "</td>");
    lanes_cell(out, profile, row);
    branch_cell(out, row);
    for (unsigned k = 0; k < PROFILE_SEGMENTS; k++)
        pair_cell(out, row->device, row->segments[k], row->ideal[k], row->accesses);
    pair_cell(out, row->local, row->passes, row->ideal_passes, row->accesses);
    buf_text(out, "</tr>\n");
}

void profile_format_html(const wave_profile *profile, const char *title, buf *out) {
    profile_totals totals = profile_sum(profile);
    head(out, profile, title, &totals);
    places(out, profile);
    buf_text(
        out,
        "<h2>Instruction by instruction</h2>\n<div class=\"legend\">\n"
        "<span><i class=\"ramp\"></i>executions: the stronger the colour, the more</span>\n"
        "<span><i class=\"b-bar\"></i>executing lanes of the wave</span>\n"
        "<span><i class=\"b-bad\"></i>share of branches with lanes on both sides</span>\n"
        "<span>memory: real / ideal, averaged over the accesses, "
        "<b class=\"good\">good</b> <b class=\"mid\">fair</b> <b class=\"bad\">poor</b></span>\n"
        "</div>\n<div class=\"scroll\">\n<table>\n<thead><tr><th class=\"left\">PC</th>"
        "<th class=\"left\">Instruction</th><th>Executed</th><th>Share</th><th>Lanes</th>"
        "<th>Divergent</th><th>32-byte segments</th><th>64-byte</th><th>128-byte</th>"
        "<th>Bank passes</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < profile->count; i++) {
        profile_line line;
        if (profile_new_line(profile, title, i, &line))
            line_html(out, &line);
        row_html(out, profile, &profile->rows[i], &totals);
    }
    buf_text(out, "</tbody>\n</table>\n</div>\n</main>\n</body>\n</html>\n");
}
