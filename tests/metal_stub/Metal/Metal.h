// Our own declarations of the part of Metal that our files use; see Foundation.h.
#ifndef METAL_STUB_METAL_H
#define METAL_STUB_METAL_H

#import <Foundation/Foundation.h>

// METAL_STUB_SDK is the version of the simulated SDK; make metal-lint tries several. Xcode 15 has the
// SDK of macOS 14. Apple's libc headers, if used, set the number only once, so they come first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef METAL_STUB_SDK
#define METAL_STUB_SDK 150000
#endif
#undef __MAC_OS_X_VERSION_MAX_ALLOWED
#define __MAC_OS_X_VERSION_MAX_ALLOWED METAL_STUB_SDK
#define SINCE(version) __attribute__((availability(macos, introduced = version)))

typedef struct {
    NSUInteger width, height, depth;
} MTLSize;
static inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
    return (MTLSize){width, height, depth};
}

typedef NSUInteger MTLResourceOptions;
enum : MTLResourceOptions { MTLResourceStorageModeShared = 0 };
typedef enum : NSUInteger {
    MTLLanguageVersion3_0 SINCE(13.0) = (3 << 16) + 0,
    MTLLanguageVersion3_1 SINCE(14.0) = (3 << 16) + 1,
#if __MAC_OS_X_VERSION_MAX_ALLOWED >= 150000
    MTLLanguageVersion3_2 SINCE(15.0) = (3 << 16) + 2,
#endif
} MTLLanguageVersion;
#if __MAC_OS_X_VERSION_MAX_ALLOWED >= 150000
typedef enum : NSInteger { MTLMathModeSafe = 0 } MTLMathMode SINCE(15.0);
typedef enum : NSInteger {
    MTLMathFloatingPointFunctionsFast = 0,
    MTLMathFloatingPointFunctionsPrecise = 1
} MTLMathFloatingPointFunctions SINCE(15.0);
#endif
typedef enum : NSUInteger {
    MTLCommandBufferStatusCompleted = 4,
    MTLCommandBufferStatusError = 5
} MTLCommandBufferStatus;
enum : NSUInteger { MTLCommandBufferErrorAccessRevoked = 4 };

@protocol MTLBuffer
@property(readonly) void *contents;
@end

@protocol MTLFunction
@end

@protocol MTLLibrary
- (id<MTLFunction>)newFunctionWithName:(NSString *)name;
@end

@protocol MTLComputePipelineState
@property(readonly) NSUInteger threadExecutionWidth;
@property(readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) NSUInteger staticThreadgroupMemoryLength;
@end

@protocol MTLBinaryArchive;

@interface MTLComputePipelineDescriptor : NSObject
@property(readwrite, strong) id<MTLFunction> computeFunction;
@property(readwrite, copy) NSArray<id<MTLBinaryArchive>> *binaryArchives SINCE(11.0);
@end

@protocol MTLBinaryArchive
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                            error:(NSError **)error;
- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error;
@end

SINCE(11.0) @interface MTLBinaryArchiveDescriptor : NSObject
@property(readwrite, copy) NSURL *url;
@end

typedef NSUInteger MTLPipelineOption;
enum : MTLPipelineOption { MTLPipelineOptionNone = 0 };
@class MTLComputePipelineReflection;

@interface MTLCompileOptions : NSObject
@property(readwrite) BOOL fastMathEnabled;
#if __MAC_OS_X_VERSION_MAX_ALLOWED >= 150000
@property(readwrite) MTLMathMode mathMode SINCE(15.0);
@property(readwrite) MTLMathFloatingPointFunctions mathFloatingPointFunctions SINCE(15.0);
#endif
@property(readwrite) MTLLanguageVersion languageVersion;
@end

@protocol MTLComputeCommandEncoder
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
- (void)endEncoding;
@end

@protocol MTLBlitCommandEncoder
- (void)copyFromBuffer:(id<MTLBuffer>)source
           sourceOffset:(NSUInteger)sourceOffset
               toBuffer:(id<MTLBuffer>)destination
      destinationOffset:(NSUInteger)destinationOffset
                   size:(NSUInteger)size;
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value;
- (void)endEncoding;
@end

@protocol MTLEvent
@end
@protocol MTLSharedEvent <MTLEvent>
@property(readwrite) uint64_t signaledValue;
@end

@protocol MTLCommandBuffer;
typedef void (^MTLCommandBufferHandler)(id<MTLCommandBuffer>);

@protocol MTLCommandBuffer
- (id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (id<MTLBlitCommandEncoder>)blitCommandEncoder;
- (void)addCompletedHandler:(MTLCommandBufferHandler)block;
- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value;
- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value;
- (void)commit;
- (void)waitUntilCompleted;
@property(readonly) MTLCommandBufferStatus status;
@property(readonly) NSError *error;
@property(readonly) double GPUStartTime;
@property(readonly) double GPUEndTime;
@end

@protocol MTLDevice;
@protocol MTLCommandQueue
@property(readonly) id<MTLDevice> device;
- (id<MTLCommandBuffer>)commandBuffer;
@end

@protocol MTLDevice
@property(readonly) NSString *name;
@property(readonly) MTLSize maxThreadsPerThreadgroup;
@property(readonly) NSUInteger maxThreadgroupMemoryLength;
@property(readonly) uint64_t recommendedMaxWorkingSetSize;
@property(readonly) uint64_t registryID;
- (id<MTLCommandQueue>)newCommandQueue;
- (id<MTLSharedEvent>)newSharedEvent;
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                               options:(MTLCompileOptions *)options
                                 error:(NSError **)error;
- (id<MTLLibrary>)newLibraryWithData:(dispatch_data_t)data error:(NSError **)error;
- (id<MTLLibrary>)newLibraryWithURL:(NSURL *)url error:(NSError **)error;
- (id<MTLComputePipelineState>)
    newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                  error:(NSError **)error;
- (id<MTLComputePipelineState>)
    newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                  options:(MTLPipelineOption)options
                               reflection:(MTLComputePipelineReflection **)reflection
                                    error:(NSError **)error;
- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor
                                                 error:(NSError **)error SINCE(11.0);
@end

NSArray<id<MTLDevice>> *MTLCopyAllDevices(void);
id<MTLDevice> MTLCreateSystemDefaultDevice(void);

#endif
