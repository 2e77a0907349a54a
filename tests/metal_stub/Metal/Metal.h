// Declarations of our own for the part of Metal that our files use; see Foundation.h.
#ifndef METAL_STUB_METAL_H
#define METAL_STUB_METAL_H

#import <Foundation/Foundation.h>

typedef struct {
    NSUInteger width, height, depth;
} MTLSize;
static inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
    return (MTLSize){width, height, depth};
}

typedef NSUInteger MTLResourceOptions;
enum : MTLResourceOptions { MTLResourceStorageModeShared = 0 };
typedef enum : NSInteger { MTLMathModeSafe = 0 } MTLMathMode;
typedef enum : NSUInteger { MTLLanguageVersion3_2 = (3 << 16) + 2 } MTLLanguageVersion;
typedef enum : NSUInteger { MTLCommandBufferStatusError = 5 } MTLCommandBufferStatus;
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

@interface MTLCompileOptions : NSObject
@property(readwrite) BOOL fastMathEnabled;
@property(readwrite) MTLMathMode mathMode;
@property(readwrite) MTLLanguageVersion languageVersion;
@end

@protocol MTLComputeCommandEncoder
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
- (void)endEncoding;
@end

@protocol MTLCommandBuffer
- (id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (void)commit;
- (void)waitUntilCompleted;
@property(readonly) MTLCommandBufferStatus status;
@property(readonly) NSError *error;
@property(readonly) double GPUStartTime;
@property(readonly) double GPUEndTime;
@end

@protocol MTLCommandQueue
- (id<MTLCommandBuffer>)commandBuffer;
@end

@protocol MTLDevice
@property(readonly) NSString *name;
@property(readonly) MTLSize maxThreadsPerThreadgroup;
@property(readonly) NSUInteger maxThreadgroupMemoryLength;
@property(readonly) uint64_t recommendedMaxWorkingSetSize;
- (id<MTLCommandQueue>)newCommandQueue;
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                               options:(MTLCompileOptions *)options
                                 error:(NSError **)error;
- (id<MTLLibrary>)newLibraryWithURL:(NSURL *)url error:(NSError **)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                                             error:(NSError **)error;
@end

NSArray<id<MTLDevice>> *MTLCopyAllDevices(void);
id<MTLDevice> MTLCreateSystemDefaultDevice(void);

#endif
