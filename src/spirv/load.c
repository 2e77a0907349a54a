/* wave_module_load: WBIN directly, SPIR-V by conversion to WBIN. */
#include "frontend/frontend.h"
#include "spirv/spirv.h"

wave_status wave_module_load(const void *data, size_t size, const wave_load_options *options,
                             wave_module **module, wave_diags *diags) {
    if (!module || !data || !spirv_looks_like(data, size))
        return fe_module_load(data, size, options, module, diags);
    *module = NULL;
    wave_blob converted;
    wave_status status = wave_from_spirv(data, size, NULL, &converted, diags);
    if (status == WAVE_OK)
        status = fe_module_load(converted.data, converted.size, options, module, diags);
    if (status == WAVE_OK)
        fe_module_keep(*module, converted.data);
    else
        wave_blob_free(&converted);
    return status;
}
