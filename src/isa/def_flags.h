/* The flags of isa.def without their prefix, for the files that expand the table. */
#ifndef ISA_DEF_FLAGS_H
#define ISA_DEF_FLAGS_H

#include "isa/isa.h"

enum {
    PURE = ISA_PURE,
    READS = ISA_READS,
    WRITES = ISA_WRITES,
    CONVERGENT = ISA_CONVERGENT,
    MAY_TRAP = ISA_MAY_TRAP,
    CONTROL = ISA_CONTROL,
    UNGUARDED = ISA_UNGUARDED,
    LOCAL = ISA_LOCAL,
    DEVICE = ISA_DEVICE,
    EXTENSION = ISA_EXTENSION,
    NEWMNEM = ISA_NEWMNEM,
    UPSTREAM8 = ISA_UPSTREAM8,
    PRIVATE = ISA_PRIVATE,
    CONSTANT = ISA_CONSTANT,
    UNCACHED = ISA_UNCACHED,
    STREAMING = ISA_STREAMING
};

#endif
