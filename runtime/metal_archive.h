// Machine code of Metal pipelines as bytes, for the cache: binary archives, which Metal reads from
// and writes to files only.
#ifndef RUNTIME_METAL_ARCHIVE_H
#define RUNTIME_METAL_ARCHIVE_H

#include "rt.h"

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

// The machine code of every function; false when Metal makes no archive of them. What it cannot do
// is no error: pipelines are then compiled when they are made.
bool metal_archive_make(id<MTLDevice> device, NSArray<id<MTLFunction>> *functions,
                        wave_blob *binary);

// An archive of such bytes, in a file that lasts as long as this object; nil: none.
@interface WaveMetalArchive : NSObject
@property(nonatomic, strong) id<MTLBinaryArchive> archive;
@property(nonatomic, strong) NSString *folder; // its own, removed with it
@end
WaveMetalArchive *metal_archive_open(id<MTLDevice> device, const void *bytes, size_t size);

#endif
