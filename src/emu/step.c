/* What an observer can query about the wave of a step, and instructions as text. */
#include "emu/machine.h"

static const emu_wave *wave_of(const wave_step *step) {
    return &step->machine->waves[step->wave];
}

uint32_t wave_step_register(const wave_step *step, uint32_t reg, uint32_t lane) {
    const emu_machine *m = step->machine;
    if (reg >= m->registers || lane >= m->width)
        return 0;
    return lane < wave_of(step)->count ? wave_of(step)->regs[reg * m->stride + lane] : 0;
}

bool wave_step_predicate(const wave_step *step, uint32_t predicate, uint32_t lane) {
    if (predicate >= ISA_PREDICATES || lane >= wave_of(step)->count)
        return false;
    return wave_of(step)->pred[predicate] >> lane & 1;
}

uint32_t wave_step_register_count(const wave_step *step) {
    return step->machine->registers;
}

const uint8_t *wave_step_local(const wave_step *step, uint64_t *size) {
    if (size)
        *size = step->machine->local_size;
    return step->machine->local;
}

const uint8_t *wave_step_device(const wave_step *step, uint64_t *size) {
    if (size)
        *size = step->machine->device_size;
    return step->machine->device;
}

const uint8_t *wave_step_private(const wave_step *step, uint32_t lane, uint64_t *size) {
    const emu_machine *m = step->machine;
    const bool there = m->private_memory && lane < wave_of(step)->count;
    if (size)
        *size = there ? m->private_size : 0;
    return there ? wave_of(step)->private_memory + lane * m->private_size : NULL;
}

static void append_frame(buf *out, const emu_machine *m, const emu_frame *frame) {
    const fe_insn *insn = &m->kernel->insns[frame->origin];
    switch ((emu_frame_kind)frame->kind) {
    case EMU_IF:
        buf_printf(out, "if at 0x%04x, in its %s: ", insn->pc,
                   frame->else_seen ? "else" : "first part");
        buf_printf(out, "%u lanes take the other, %u are done\n", emu_lane_count(frame->first),
                   emu_lane_count(frame->second));
        break;
    case EMU_LOOP:
        buf_printf(out, "loop at 0x%04x: %u lanes have left it, %u continue\n", insn->pc,
                   emu_lane_count(frame->first), emu_lane_count(frame->second));
        break;
    case EMU_CALL:
        buf_printf(out, "call at 0x%04x of 0x%04x: %u lanes have returned\n", insn->pc,
                   m->kernel->insns[insn->partner].pc, emu_lane_count(frame->first));
        break;
    }
}

wave_status wave_step_frames(const wave_step *step, wave_blob *out) {
    const emu_wave *w = wave_of(step);
    buf text = {0};
    for (uint32_t i = 0; i < w->depth; i++)
        append_frame(&text, step->machine, &w->frames[i]);
    return buf_take(&text, out);
}

wave_status wave_instruction_text(const wave_module *module, size_t kernel, uint32_t pc,
                                  wave_blob *out) {
    *out = (wave_blob){0};
    if (!module || kernel >= module->kernel_count)
        return WAVE_ERROR_USAGE;
    const fe_kernel *in = &module->kernels[kernel];
    const fe_insn *insn = fe_insn_at(in, pc);
    if (!insn)
        return WAVE_ERROR_USAGE;
    buf text = {0};
    fe_insn_text(&text, insn, in->insns, (unsigned)kernel);
    return buf_take(&text, out);
}

uint32_t wave_instruction_offset(const wave_module *module, size_t kernel, uint32_t index) {
    bool exists = module && kernel < module->kernel_count &&
                  index < module->kernels[kernel].info.instructions;
    return exists ? module->kernels[kernel].insns[index].pc : UINT32_MAX;
}
