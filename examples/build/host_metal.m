// Apple, through Metal: the compiled library scale.metallib is read from the working folder.
#include "scale.h"
#include "scale_host.h"

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <stdio.h>

static int failed(NSError *error, const char *what) {
    fprintf(stderr, "%s: %s\n", what, error ? error.localizedDescription.UTF8String : "failed");
    return 1;
}

int scale_on_device(const float *in, float *out, uint32_t n, float factor) {
    @autoreleasepool {
        NSError *error = nil;
        uint32_t size = scale_buffer_bytes(n);
        scale_args args;
        scale_fill_words(args.r, n, factor);
        id<MTLDevice> device = MTLCreateSystemDefaultDevice();
        id<MTLLibrary> library = [device newLibraryWithURL:[NSURL fileURLWithPath:@"scale.metallib"]
                                                     error:&error];
        id<MTLFunction> function =
            [library newFunctionWithName:[NSString stringWithUTF8String:scale_SYMBOL]];
        if (!function)
            return failed(error, "scale.metallib");
        id<MTLComputePipelineState> pipeline = [device newComputePipelineStateWithFunction:function
                                                                                     error:&error];
        if (!pipeline || pipeline.threadExecutionWidth != 32)
            return failed(error, "a pipeline with waves of 32 lanes");
        id<MTLBuffer> mem = [device newBufferWithLength:2 * size
                                                options:MTLResourceStorageModeShared];
        memcpy(mem.contents, in, 4 * (size_t)n);
        id<MTLCommandBuffer> commands = [[device newCommandQueue] commandBuffer];
        id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
        [encoder setComputePipelineState:pipeline];
        [encoder setBuffer:mem offset:0 atIndex:0];
        [encoder setBytes:&args length:sizeof args atIndex:1];
        [encoder dispatchThreadgroups:MTLSizeMake((n + 63) / 64, 1, 1)
                threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
        [encoder endEncoding];
        [commands commit];
        [commands waitUntilCompleted];
        if (commands.status == MTLCommandBufferStatusError)
            return failed(commands.error, "the launch");
        memcpy(out, (const uint8_t *)mem.contents + size, 4 * (size_t)n);
        return 0;
    }
}
