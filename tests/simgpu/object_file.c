/* 64-bit ELF files, little-endian like the hosts of the tests. AMD's are described in LLVM's "User
 * Guide for AMDGPU Backend": the flags contain the GPU, and NAME.kd is a kernel's descriptor with
 * the size of its arguments as the third word. NVIDIA's have a section .text.NAME, and the
 * capability in the flags: in the second byte since version 8 of their ABI (CUDA 13), in the first
 * before. Declared here because not every system has elf.h. */
#include "simgpu/object_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct header {
    uint8_t magic[4], bits, order, version, system, system_version, rest[7];
    uint16_t type, machine;
    uint32_t elf_version;
    uint64_t entry, segments, sections;
    uint32_t flags;
    uint16_t size, segment_size, segment_count, section_size, section_count, name_section;
} header;

typedef struct section {
    uint32_t name, type;
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t align, entry_size;
} section;

typedef struct symbol {
    uint32_t name;
    uint8_t kind, visibility;
    uint16_t section;
    uint64_t value, size;
} symbol;

_Static_assert(sizeof(header) == 64 && sizeof(section) == 64 && sizeof(symbol) == 24,
               "the sizes that ELF defines");

enum { PROGRAM = 1, SYMBOLS = 11 }; /* types of sections */
enum { BITS_64 = 2, NVIDIA = 190, AMD = 224, AMD_SYSTEM = 64, DESCRIPTOR_ARGUMENTS = 8 };

/* EF_AMDGPU_MACH_… */
static const struct {
    const char *arch;
    uint32_t number;
} gpus[] = {{"gfx90a", 0x3f}, {"gfx942", 0x4c}, {"gfx1030", 0x36}, {"gfx1100", 0x41}};

static bool is_elf(const header *h, unsigned machine) {
    return memcmp(h->magic, "\177ELF", 4) == 0 && h->bits == BITS_64 && h->machine == machine;
}

bool object_fits_amd(const void *image, const char *arch) {
    const header *h = image;
    size_t length = strcspn(arch, ":");
    if (!is_elf(h, AMD) || h->system != AMD_SYSTEM)
        return false;
    for (size_t k = 0; k < sizeof gpus / sizeof *gpus; k++)
        if (strlen(gpus[k].arch) == length && memcmp(gpus[k].arch, arch, length) == 0)
            return (h->flags & 0xff) == gpus[k].number;
    return false;
}

bool object_fits_nvidia(const void *image, unsigned capability) {
    const header *h = image;
    return is_elf(h, NVIDIA) && (h->flags >> (h->system_version >= 8 ? 8 : 0) & 0xff) == capability;
}

size_t object_size(const void *image) {
    const header *h = image;
    size_t sections = h->sections + (size_t)h->section_count * h->section_size;
    size_t segments = h->segments + (size_t)h->segment_count * h->segment_size;
    return sections > segments ? sections : segments;
}

void *object_copy(const void *image) {
    void *copy = malloc(object_size(image));
    if (!copy)
        abort();
    return memcpy(copy, image, object_size(image));
}

static const section *section_at(const void *image, unsigned index) {
    const header *h = image;
    return index < h->section_count
               ? (const section *)((const uint8_t *)image + h->sections) + index
               : NULL;
}

/* The string table of a section with symbols or names. */
static const char *names_of(const void *image, unsigned index) {
    return (const char *)image + section_at(image, index)->offset;
}

bool object_nvidia_has(const void *image, const char *kernel) {
    static const char prefix[] = ".text.";
    const char *names = names_of(image, ((const header *)image)->name_section);
    const section *s;
    for (unsigned k = 0; (s = section_at(image, k)); k++)
        if (strncmp(names + s->name, prefix, sizeof prefix - 1) == 0 &&
            strcmp(names + s->name + sizeof prefix - 1, kernel) == 0)
            return true;
    return false;
}

/* The bytes at an address of the loaded file. */
static const uint8_t *at_address(const void *image, uint64_t address) {
    const section *s;
    for (unsigned k = 0; (s = section_at(image, k)); k++)
        if (s->type == PROGRAM && address >= s->address && address - s->address < s->size)
            return (const uint8_t *)image + s->offset + (address - s->address);
    return NULL;
}

static const symbol *find_symbol(const void *image, const char *name, const char *suffix) {
    const section *s;
    size_t length = strlen(name);
    for (unsigned k = 0; (s = section_at(image, k)); k++) {
        if (s->type != SYMBOLS)
            continue;
        const char *names = names_of(image, s->link);
        const symbol *one = (const symbol *)((const uint8_t *)image + s->offset);
        for (size_t n = s->size / sizeof *one; n > 0; n--, one++)
            if (strncmp(names + one->name, name, length) == 0 &&
                strcmp(names + one->name + length, suffix) == 0)
                return one;
    }
    return NULL;
}

bool object_amd_arguments(const void *image, const char *kernel, uint32_t *size) {
    const symbol *found = find_symbol(image, kernel, ".kd");
    const uint8_t *descriptor = found ? at_address(image, found->value) : NULL;
    if (descriptor)
        memcpy(size, descriptor + DESCRIPTOR_ARGUMENTS, sizeof *size);
    return descriptor != NULL;
}
