// See metal_archive.h. Archives need macOS 11, which is older than any Metal version we compile
// for.
#include "metal_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

@implementation WaveMetalArchive
- (void)dealloc {
    char path[1100];
    if (!self.folder)
        return;
    (void)snprintf(path, sizeof path, "%s/archive", self.folder.UTF8String);
    (void)unlink(path);
    (void)rmdir(self.folder.UTF8String);
}
@end

// A private folder among the user's temporary files.
static WaveMetalArchive *make_place(char path[1100]) {
    char folder[1000];
    int size =
        snprintf(folder, sizeof folder, "%s/wave-XXXXXX", NSTemporaryDirectory().UTF8String);
    if (size >= (int)sizeof folder || !mkdtemp(folder))
        return nil;
    WaveMetalArchive *made = [WaveMetalArchive new];
    made.folder = [NSString stringWithUTF8String:folder];
    (void)snprintf(path, 1100, "%s/archive", folder);
    return made;
}

static id<MTLBinaryArchive> open_archive(id<MTLDevice> device, NSURL *url) {
    MTLBinaryArchiveDescriptor *descriptor = [MTLBinaryArchiveDescriptor new];
    descriptor.url = url;
    return [device newBinaryArchiveWithDescriptor:descriptor error:NULL];
}

// ---- Making ----

static bool read_file(const char *path, wave_blob *binary) {
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    uint8_t *data = size > 0 ? malloc((size_t)size + 1) : NULL;
    bool good = data && fseek(file, 0, SEEK_SET) == 0 &&
                fread(data, 1, (size_t)size, file) == (size_t)size;
    if (file)
        fclose(file);
    if (!good) {
        free(data);
        return false;
    }
    data[size] = 0;
    binary->data = data;
    binary->size = (size_t)size;
    return true;
}

bool metal_archive_make(id<MTLDevice> device, NSArray<id<MTLFunction>> *functions,
                        wave_blob *binary) {
    char path[1100];
    WaveMetalArchive *place = make_place(path);
    id<MTLBinaryArchive> archive = place ? open_archive(device, nil) : nil;
    bool good = archive != nil;
    for (id<MTLFunction> function in functions) {
        MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
        descriptor.computeFunction = function;
        good = good && [archive addComputePipelineFunctionsWithDescriptor:descriptor error:NULL];
    }
    NSURL *url = good ? [NSURL fileURLWithPath:[NSString stringWithUTF8String:path]] : nil;
    return good && [archive serializeToURL:url error:NULL] && read_file(path, binary);
}

// ---- Using ----

WaveMetalArchive *metal_archive_open(id<MTLDevice> device, const void *bytes, size_t size) {
    char path[1100];
    WaveMetalArchive *made = size ? make_place(path) : nil;
    FILE *file = made ? fopen(path, "wb") : NULL;
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0)
        good = false;
    if (good)
        made.archive =
            open_archive(device, [NSURL fileURLWithPath:[NSString stringWithUTF8String:path]]);
    return made.archive ? made : nil;
}
