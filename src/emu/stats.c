/* Statistics and their text. They are summed at the end from the counts of each instruction
 * (executions and executing lanes), so that the cost during the run is two additions.
 *
 * Executed means processed by a wave: an instruction whose guard holds for no lane counts, an
 * instruction skipped by a wave without active lanes does not. The else, endif and endloop that
 * such a wave jumps to count. */
#include "emu/machine.h"

static void add_accesses(const emu_insn *in, const isa_desc *d, wave_stats *stats) {
    const bool mma = d->klass != ISA_CLASS_MEMORY, tile = isa_is_tile((isa_op)in->op);
    const uint64_t count = tile  ? in->executions * ISA_TILE_ELEMENTS
                           : mma ? in->lanes * 16
                                 : in->lanes;
    const uint64_t bytes = count * (tile ? isa_tile_bytes[in->type] : d->bytes);
    if (!(d->flags & (ISA_READS | ISA_WRITES)))
        return;
    if (d->flags & ISA_LOCAL && !(tile && in->place & ISA_TILE_DEVICE)) {
        *(d->flags & ISA_READS ? &stats->local_loads : &stats->local_stores) += count;
        *(d->flags & ISA_READS ? &stats->local_load_bytes : &stats->local_store_bytes) += bytes;
    } else if (d->flags & ISA_DEVICE) {
        *(d->flags & ISA_READS ? &stats->device_loads : &stats->device_stores) += count;
        *(d->flags & ISA_READS ? &stats->device_load_bytes : &stats->device_store_bytes) += bytes;
    } else if (d->flags & ISA_PRIVATE) {
        *(d->flags & ISA_READS ? &stats->private_loads : &stats->private_stores) += count;
        *(d->flags & ISA_READS ? &stats->private_load_bytes : &stats->private_store_bytes) += bytes;
    } else if (d->flags & ISA_CONSTANT) {
        stats->constant_loads += count;
        stats->constant_load_bytes += bytes;
    }
}

static void add_instruction(const emu_insn *in, wave_stats *stats) {
    const isa_desc *d = &isa_table[in->op];
    stats->instructions += in->executions;
    stats->lane_ops += in->lanes;
    switch ((isa_class)d->klass) {
    case ISA_CLASS_INT: stats->integer_ops += in->executions; break;
    case ISA_CLASS_FLOAT: stats->float_ops += in->executions; break;
    case ISA_CLASS_MEMORY: stats->memory_ops += in->executions; break;
    case ISA_CLASS_CONTROL: stats->control_ops += in->executions; break;
    case ISA_CLASS_WAVE: stats->wave_ops += in->executions; break;
    case ISA_CLASS_ATOMIC: stats->atomic_ops += in->lanes; return;
    case ISA_CLASS_COUNT: break;
    }
    add_accesses(in, d, stats);
    if (in->op == ISA_BARRIER)
        stats->barriers += in->executions;
}

void emu_collect_stats(const emu_machine *m, wave_stats *stats) {
    *stats = (wave_stats){.divergent_branches = m->divergent,
                          .workgroups = m->workgroups_begun,
                          .waves = m->workgroups_begun * m->wave_count};
    for (uint32_t i = 0; i < m->kernel->info.instructions; i++)
        add_instruction(&m->code[i], stats);
}

static void append_memory(buf *out, const char *space, const uint64_t values[4]) {
    buf_printf(out, "  %s memory:\n", space);
    buf_printf(out, "    Loads:  %llu (%llu bytes)\n", (unsigned long long)values[0],
               (unsigned long long)values[1]);
    buf_printf(out, "    Stores: %llu (%llu bytes)\n\n", (unsigned long long)values[2],
               (unsigned long long)values[3]);
}

wave_status wave_stats_format(const wave_stats *stats, wave_blob *out) {
    const struct {
        const char *label;
        uint64_t value;
    } lines[] = {{"  Instructions executed: ", stats->instructions},
                 {"    Integer ops:         ", stats->integer_ops},
                 {"    Float ops:           ", stats->float_ops},
                 {"    Memory ops:          ", stats->memory_ops},
                 {"    Control ops:         ", stats->control_ops},
                 {"    Wave ops:            ", stats->wave_ops},
                 {"    Atomic ops:          ", stats->atomic_ops}};
    const uint64_t device[4] = {stats->device_loads, stats->device_load_bytes, stats->device_stores,
                                stats->device_store_bytes};
    const uint64_t local[4] = {stats->local_loads, stats->local_load_bytes, stats->local_stores,
                               stats->local_store_bytes};
    const uint64_t private_memory[4] = {stats->private_loads, stats->private_load_bytes,
                                        stats->private_stores, stats->private_store_bytes};
    buf text = {0};
    buf_text(&text, "Execution Statistics:\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        buf_printf(&text, "%s%llu\n", lines[i].label, (unsigned long long)lines[i].value);
    buf_char(&text, '\n');
    append_memory(&text, "Device", device);
    append_memory(&text, "Local", local);
    if (private_memory[0] || private_memory[2])
        append_memory(&text, "Private", private_memory);
    if (stats->constant_loads)
        buf_printf(&text, "  Constant memory:\n    Loads:  %llu (%llu bytes)\n\n",
                   (unsigned long long)stats->constant_loads,
                   (unsigned long long)stats->constant_load_bytes);
    buf_printf(&text, "  Barriers: %llu\n", (unsigned long long)stats->barriers);
    buf_printf(&text, "  Divergent branches: %llu\n\n",
               (unsigned long long)stats->divergent_branches);
    buf_printf(&text, "  Workgroups executed: %llu\n", (unsigned long long)stats->workgroups);
    buf_printf(&text, "  Waves executed: %llu\n", (unsigned long long)stats->waves);
    return buf_take(&text, out);
}
