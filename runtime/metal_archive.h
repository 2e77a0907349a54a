// Machine code of Metal pipelines as bytes, for the cache. Metal reads and writes binary archives
// only as files.
#ifndef RUNTIME_METAL_ARCHIVE_H
#define RUNTIME_METAL_ARCHIVE_H

#include "rt.h"

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

// Stores the machine code of every function; false when Metal cannot archive them. That is no
// error: the pipelines are then compiled on creation.
bool metal_archive_make(id<MTLDevice> device, NSArray<id<MTLFunction>> *functions,
                        wave_blob *binary);

// An archive of such bytes, in a file that lasts as long as this object; nil on failure.
@interface WaveMetalArchive : NSObject
@property(nonatomic, strong) id<MTLBinaryArchive> archive;
@property(nonatomic, strong) NSString *folder; // owned, removed with the object
@end
WaveMetalArchive *metal_archive_open(id<MTLDevice> device, const void *bytes, size_t size);

#endif
