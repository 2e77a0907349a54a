/* The interface of the checkers and the profiler to the engine: each is an observer that can be
 * created, queried for its result, and destroyed. The engine adds them after the caller's own
 * observers.
 *
 * They receive a copy of the launch whose grid, workgroup, registers, local_memory, wave_width and
 * kernel are the effective ones: what the kernel declares has already replaced the defaults. The
 * copy outlives the observer, as do the module, the kernel and the diagnostics (which may be
 * NULL). */
#ifndef EMU_CHECKS_H
#define EMU_CHECKS_H

#include "frontend/frontend.h"

#include <wave/emu.h>

/* Fill *out, including the user pointer. False: out of memory, and there is nothing to destroy. */
bool emu_race_create(const fe_kernel *kernel, const wave_module *module, const wave_launch *launch,
                     wave_diags *diags, wave_observer *out);
bool emu_uninit_create(const fe_kernel *kernel, const wave_module *module,
                       const wave_launch *launch, wave_diags *diags, wave_observer *out);

/* Whether any buffer of the launch is contained. */
bool emu_buffers_wanted(const fe_kernel *kernel, const wave_launch *launch);
bool emu_buffers_create(const fe_kernel *kernel, const wave_module *module,
                        const wave_launch *launch, wave_diags *diags, wave_observer *out);

/* After the run: WAVE_OK, WAVE_ERROR_INPUT when an E_ diagnostic was reported, WAVE_ERROR_MEMORY
 * when an allocation failed during the run and the check is incomplete. */
wave_status emu_race_status(const wave_observer *observer);
wave_status emu_uninit_status(const wave_observer *observer);
wave_status emu_buffers_status(const wave_observer *observer);

void emu_race_destroy(wave_observer *observer);
void emu_uninit_destroy(wave_observer *observer);
void emu_buffers_destroy(wave_observer *observer);

/* The profile outlives the run: the caller owns *profile and frees it with wave_profile_destroy. It
 * must not point into the launch; the module has to outlive it. */
bool emu_profile_create(const fe_kernel *kernel, const wave_module *module,
                        const wave_launch *launch, wave_diags *diags, wave_profile **profile,
                        wave_observer *out);

#endif
