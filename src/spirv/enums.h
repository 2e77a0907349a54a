/* The SPIR-V numbers that the reader and the IR builder use. The names are those of the
 * specification; anything missing here is rejected. */
#ifndef SPIRV_ENUMS_H
#define SPIRV_ENUMS_H

typedef enum spirv_op {
#define OP(number, name, section, operands) SPIRV_Op##name = number,
#define REFUSED(number, name, feature)      SPIRV_Op##name = number,
#include "spirv/ops.def"
#undef OP
#undef REFUSED
} spirv_op;

typedef enum spirv_opencl {
#define CL(number, name, operands) SPIRV_CL_##name = number,
#include "spirv/opencl.def"
} spirv_opencl;

typedef enum spirv_storage {
    SPIRV_UniformConstant = 0,
    SPIRV_Input = 1,
    SPIRV_Workgroup = 4,
    SPIRV_CrossWorkgroup = 5,
    SPIRV_Private = 6,
    SPIRV_Function = 7,
    SPIRV_Generic = 8
} spirv_storage;

typedef enum spirv_execution_mode {
    SPIRV_Mode_LocalSize = 17,
    SPIRV_Mode_LocalSizeHint = 18,
    SPIRV_Mode_VecTypeHint = 30,
    SPIRV_Mode_ContractionOff = 31,
    SPIRV_Mode_Initializer = 33,
    SPIRV_Mode_Finalizer = 34,
    SPIRV_Mode_SubgroupSize = 35,
    SPIRV_Mode_SubgroupsPerWorkgroup = 36,
    SPIRV_Mode_SubgroupsPerWorkgroupId = 37,
    SPIRV_Mode_LocalSizeId = 38,
    SPIRV_Mode_LocalSizeHintId = 39,
    SPIRV_Mode_DenormPreserve = 4459,
    SPIRV_Mode_DenormFlushToZero = 4460,
    SPIRV_Mode_SignedZeroInfNanPreserve = 4461,
    SPIRV_Mode_RoundingModeRTE = 4462,
    SPIRV_Mode_RoundingModeRTZ = 4463
} spirv_execution_mode;

typedef enum spirv_decoration_kind {
    SPIRV_Dec_RelaxedPrecision = 0,
    SPIRV_Dec_SpecId = 1,
    SPIRV_Dec_CPacked = 10,
    SPIRV_Dec_BuiltIn = 11,
    SPIRV_Dec_Restrict = 19,
    SPIRV_Dec_Aliased = 20,
    SPIRV_Dec_Volatile = 21,
    SPIRV_Dec_Constant = 22,
    SPIRV_Dec_Coherent = 23,
    SPIRV_Dec_NonWritable = 24,
    SPIRV_Dec_NonReadable = 25,
    SPIRV_Dec_Uniform = 26,
    SPIRV_Dec_UniformId = 27,
    SPIRV_Dec_SaturatedConversion = 28,
    SPIRV_Dec_Offset = 35,
    SPIRV_Dec_FuncParamAttr = 38,
    SPIRV_Dec_FPRoundingMode = 39,
    SPIRV_Dec_FPFastMathMode = 40,
    SPIRV_Dec_LinkageAttributes = 41,
    SPIRV_Dec_NoContraction = 42,
    SPIRV_Dec_Alignment = 44,
    SPIRV_Dec_MaxByteOffset = 45,
    SPIRV_Dec_AlignmentId = 46,
    SPIRV_Dec_MaxByteOffsetId = 47,
    SPIRV_Dec_NoSignedWrap = 4469,
    SPIRV_Dec_NoUnsignedWrap = 4470,
    SPIRV_Dec_RestrictPointer = 5355,
    SPIRV_Dec_AliasedPointer = 5356,
    SPIRV_Dec_UserSemantic = 5635
} spirv_decoration_kind;

typedef enum spirv_parameter_attribute {
    SPIRV_Zext = 0,
    SPIRV_Sext = 1,
    SPIRV_ByVal = 2,
    SPIRV_Sret = 3,
    SPIRV_NoAlias = 4,
    SPIRV_NoCapture = 5,
    SPIRV_NoWrite = 6,
    SPIRV_NoReadWrite = 7
} spirv_parameter_attribute;

typedef enum spirv_linkage { SPIRV_Linkage_Export, SPIRV_Linkage_Import } spirv_linkage;

typedef enum spirv_rounding { SPIRV_RTE, SPIRV_RTZ, SPIRV_RTP, SPIRV_RTN } spirv_rounding;

typedef enum spirv_builtin {
    SPIRV_NumWorkgroups = 24,
    SPIRV_WorkgroupSize = 25,
    SPIRV_WorkgroupId = 26,
    SPIRV_LocalInvocationId = 27,
    SPIRV_GlobalInvocationId = 28,
    SPIRV_LocalInvocationIndex = 29,
    SPIRV_WorkDim = 30,
    SPIRV_GlobalSize = 31,
    SPIRV_EnqueuedWorkgroupSize = 32,
    SPIRV_GlobalOffset = 33,
    SPIRV_GlobalLinearId = 34,
    SPIRV_SubgroupSize = 36,
    SPIRV_SubgroupMaxSize = 37,
    SPIRV_NumSubgroups = 38,
    SPIRV_NumEnqueuedSubgroups = 39,
    SPIRV_SubgroupId = 40,
    SPIRV_SubgroupLocalInvocationId = 41,
    SPIRV_SubgroupEqMask = 4416,
    SPIRV_SubgroupGeMask = 4417,
    SPIRV_SubgroupGtMask = 4418,
    SPIRV_SubgroupLeMask = 4419,
    SPIRV_SubgroupLtMask = 4420
} spirv_builtin;

typedef enum spirv_scope {
    SPIRV_Scope_CrossDevice,
    SPIRV_Scope_Device,
    SPIRV_Scope_Workgroup,
    SPIRV_Scope_Subgroup,
    SPIRV_Scope_Invocation
} spirv_scope;

/* Bits of memory semantics. */
enum {
    SPIRV_Acquire = 1 << 1,
    SPIRV_Release = 1 << 2,
    SPIRV_AcquireRelease = 1 << 3,
    SPIRV_SequentiallyConsistent = 1 << 4,
    SPIRV_SubgroupMemory = 1 << 7,
    SPIRV_WorkgroupMemory = 1 << 8,
    SPIRV_CrossWorkgroupMemory = 1 << 9
};

/* Bits of a memory access; Aligned has the alignment in the next word. */
enum { SPIRV_Access_Volatile = 1, SPIRV_Access_Aligned = 2, SPIRV_Access_Nontemporal = 4 };

typedef enum spirv_group_operation {
    SPIRV_Reduce,
    SPIRV_InclusiveScan,
    SPIRV_ExclusiveScan,
    SPIRV_ClusteredReduce
} spirv_group_operation;

#endif
