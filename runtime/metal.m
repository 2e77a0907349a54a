// Apple's GPUs through Metal, as a plug-in that is built on macOS. Kept thin: memory is shared with
// the host, so transfers are plain copies, and each launch is its own command buffer. Metal runs a
// queue's command buffers in order, so nothing here waits before a launch. Apart from Metal's
// objects, the only state is each queue's list of command buffers that nobody has waited for.
#include "metal_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

@interface WaveMetalDevice : NSObject
@property(nonatomic, strong) id<MTLDevice> device;
@property(nonatomic, strong) NSString *builtText; // the source of `built`
@property(nonatomic, strong) id<MTLLibrary> built; // made by `build`, for the next module
@end
@implementation WaveMetalDevice
@end

@interface WaveMetalQueue : NSObject
@property(nonatomic, strong) id<MTLCommandQueue> queue;
@property(nonatomic, strong) id<MTLBuffer> status; // where kernels report which assert failed
@property(nonatomic, strong) NSMutableArray<id<MTLCommandBuffer>> *pending; // in queue order
@property(nonatomic, strong) id<MTLCommandBuffer>
    failed;                                              // the first since the last wait; nil: none
@property(nonatomic, strong) id<MTLCommandBuffer> timed; // the last timed launch
@end
@implementation WaveMetalQueue
@end

@interface WaveMetalEvent : NSObject
@property(nonatomic, strong) id<MTLSharedEvent> event;
@property(nonatomic, strong) id<MTLCommandBuffer> commands; // the command buffer that signals it
@property(nonatomic) uint64_t value;                        // the value that the event then reaches
@end
@implementation WaveMetalEvent
@end

@interface WaveMetalModule : NSObject
@property(nonatomic, strong) NSArray<id<MTLComputePipelineState>> *pipelines; // one per kernel
@end
@implementation WaveMetalModule
@end

// The runtime's pointers own these objects until they are taken back.
static void *give(id object) {
    return (void *)CFBridgingRetain(object);
}

static void take_back(void *pointer) {
    if (pointer)
        CFBridgingRelease(pointer);
}

static wave_rt_status fail_with(wave_rt_error *error, wave_rt_status status, const char *what,
                                NSError *reason) {
    const char *words = reason ? reason.localizedDescription.UTF8String : "no reason given";
    return rt_fail_call(error, status, what, words, reason ? (long)reason.code : 0);
}

// ---- Devices ----

// A sandbox or a daemon may get an empty list and still have the default device.
static NSArray<id<MTLDevice>> *all_devices(void) {
    NSArray<id<MTLDevice>> *listed = MTLCopyAllDevices();
    if (listed.count)
        return listed;
    NSMutableArray<id<MTLDevice>> *devices = [NSMutableArray new];
    id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    if (device)
        [devices addObject:device];
    return devices;
}

// The newest language version that both this system and the build's SDK support: 2 for Metal 3.2.
static unsigned language(void) {
#if __MAC_OS_X_VERSION_MAX_ALLOWED >= 150000
    if (@available(macOS 15.0, *))
        return 2;
#endif
    if (@available(macOS 14.0, *))
        return 1;
    return 0;
}

static uint32_t clamp(NSUInteger value) {
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void describe(id<MTLDevice> device, unsigned index, wave_rt_device_info *info) {
    MTLSize most = device.maxThreadsPerThreadgroup;
    NSOperatingSystemVersion os = NSProcessInfo.processInfo.operatingSystemVersion;
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "metal:%u", index);
    rt_copy(info->title, sizeof info->title, device.name.UTF8String);
    snprintf(info->driver, sizeof info->driver, "Metal of macOS %ld.%ld", (long)os.majorVersion,
             (long)os.minorVersion);
    info->target = "msl";
    snprintf(info->arch, sizeof info->arch, "metal3.%u", language());
    info->wave_width = 32; // checked against every pipeline
    info->max_workgroup_size = clamp(most.width < 1024 ? most.width : 1024);
    info->max_workgroup[0] = clamp(most.width);
    info->max_workgroup[1] = clamp(most.height);
    info->max_workgroup[2] = clamp(most.depth);
    info->max_grid[0] = info->max_grid[1] = info->max_grid[2] = INT32_MAX;
    info->local_memory_size = device.maxThreadgroupMemoryLength;
    info->device_memory_size = device.recommendedMaxWorkingSetSize;
    info->shared = true;
    // Metal reports neither the number of cores nor their properties. Its only identity is one
    // number per device, formatted here as a UUID.
    snprintf(info->uuid, sizeof info->uuid, "00000000-0000-0000-%04llx-%012llx",
             (unsigned long long)(device.registryID >> 48),
             (unsigned long long)(device.registryID & 0xffffffffffff));
    info->capabilities = WAVE_RT_CAP_ATOMIC_F32 | WAVE_RT_CAP_MMA;
}

static wave_rt_status metal_enumerate(const rt_vendor *self, rt_found *found,
                                      wave_rt_error *error) {
    (void)self;
    @autoreleasepool {
        unsigned index = 0;
        for (id<MTLDevice> device in all_devices()) {
            wave_rt_device_info info;
            describe(device, index++, &info);
            if (!found->device(found, &info))
                return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
        }
    }
    return WAVE_RT_OK;
}

static wave_rt_status metal_open(const char *which, void **state, wave_rt_device_info *info,
                                 wave_rt_error *error) {
    @autoreleasepool {
        unsigned index;
        NSArray<id<MTLDevice>> *devices = all_devices();
        if (!rt_index(which, &index) || index >= devices.count)
            return rt_fail(error, WAVE_RT_NO_DEVICE,
                           "there is no metal:%.40s; Metal has %u devices", which,
                           (unsigned)devices.count);
        WaveMetalDevice *d = [WaveMetalDevice new];
        d.device = devices[index];
        describe(d.device, index, info);
        *state = give(d);
        return WAVE_RT_OK;
    }
}

static void metal_close(void *state) {
    take_back(state);
}

// ---- Memory: shared with the host ----

static wave_rt_status metal_memory_create(void *state, uint64_t size, bool shared, void **memory,
                                          void **host, wave_rt_error *error) {
    (void)shared; // all its memory is shared
    @autoreleasepool {
        WaveMetalDevice *d = (__bridge WaveMetalDevice *)state;
        id<MTLBuffer> buffer = [d.device newBufferWithLength:(NSUInteger)size
                                                     options:MTLResourceStorageModeShared];
        if (!buffer)
            return rt_fail(error, WAVE_RT_DEVICE_MEMORY, "Metal cannot create a buffer of %llu bytes",
                           (unsigned long long)size);
        *host = buffer.contents;
        *memory = give(buffer);
        return WAVE_RT_OK;
    }
}

static void metal_memory_destroy(void *state, void *memory) {
    (void)state;
    take_back(memory);
}

// Drops finished command buffers from the head of the list, and keeps the first that failed.
static void drop_ended(WaveMetalQueue *q) {
    while (q.pending.count && q.pending[0].status >= MTLCommandBufferStatusCompleted) {
        if (!q.failed && q.pending[0].status == MTLCommandBufferStatusError)
            q.failed = q.pending[0];
        [q.pending removeObjectAtIndex:0];
    }
}

static wave_rt_status metal_wait(void *state, wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalQueue *q = (__bridge WaveMetalQueue *)state;
        uint32_t *status = q.status.contents;
        for (id<MTLCommandBuffer> one in q.pending)
            [one waitUntilCompleted];
        drop_ended(q);
        id<MTLCommandBuffer> failed = q.failed;
        q.failed = nil;
        if (failed) {
            bool lost = failed.error.code == MTLCommandBufferErrorAccessRevoked;
            status[0] = 0; // do not report an assert of these launches later, for others
            return fail_with(error, lost ? WAVE_RT_LOST : WAVE_RT_LAUNCH, "the command buffer",
                             failed.error);
        }
        if (status[0] == 0)
            return WAVE_RT_OK;
        status[0] = 0;
        return rt_fail(error, WAVE_RT_LAUNCH, RT_ASSERT_FAILED, status[1]);
    }
}

static uint8_t *bytes_of(rt_span span) {
    return (uint8_t *)((__bridge id<MTLBuffer>)span.memory).contents + span.offset;
}

static id<MTLBuffer> staging(WaveMetalQueue *q, uint64_t size, wave_rt_error *error) {
    id<MTLBuffer> buffer = [q.queue.device newBufferWithLength:(NSUInteger)size
                                                       options:MTLResourceStorageModeShared];
    if (!buffer)
        rt_fail(error, WAVE_RT_DEVICE_MEMORY, "Metal cannot create a buffer of %llu bytes",
                (unsigned long long)size);
    return buffer;
}

static wave_rt_status commit(WaveMetalQueue *q, id<MTLCommandBuffer> commands) {
    [commands commit];
    drop_ended(q); // a queue has at most 64 unfinished ones, so the list stays short
    [q.pending addObject:commands];
    return WAVE_RT_OK;
}

// A copy by the device, in queue order. The command buffer retains both buffers.
static id<MTLCommandBuffer> encode_copy(WaveMetalQueue *q, id<MTLBuffer> from, uint64_t start,
                                        id<MTLBuffer> to, uint64_t end, uint64_t size,
                                        wave_rt_error *error) {
    id<MTLCommandBuffer> commands = [q.queue commandBuffer];
    id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
    if (!encoder) {
        rt_fail(error, WAVE_RT_VENDOR, "Metal cannot create a command encoder");
        return nil;
    }
    [encoder copyFromBuffer:from
               sourceOffset:(NSUInteger)start
                   toBuffer:to
          destinationOffset:(NSUInteger)end
                       size:(NSUInteger)size];
    [encoder endEncoding];
    return commands;
}

// The device copies and fills only entire words.
static bool has_words(rt_span span) {
    return (span.offset | span.size) % 4 == 0;
}

// Waiting is the fast path here, because the host shares the memory. An upload that is only queued
// goes through a staging buffer, which the device copies in queue order.
static wave_rt_status metal_upload(void *state, rt_span to, const void *data, bool wait,
                                   wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalQueue *q = (__bridge WaveMetalQueue *)state;
        if (wait || !has_words(to)) {
            wave_rt_status status = metal_wait(state, error);
            if (status == WAVE_RT_OK)
                memcpy(bytes_of(to), data, (size_t)to.size);
            return status;
        }
        id<MTLBuffer> between = staging(q, to.size, error);
        if (!between)
            return WAVE_RT_DEVICE_MEMORY;
        memcpy(between.contents, data, (size_t)to.size);
        id<MTLCommandBuffer> commands = encode_copy(q, between, 0, (__bridge id<MTLBuffer>)to.memory,
                                                    to.offset, to.size, error);
        return commands ? commit(q, commands) : WAVE_RT_VENDOR;
    }
}

// waitUntilCompleted also waits for the handler that copies the bytes to their destination.
static wave_rt_status metal_download(void *state, rt_span from, void *data, bool wait,
                                     wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalQueue *q = (__bridge WaveMetalQueue *)state;
        if (wait || !has_words(from)) {
            wave_rt_status status = metal_wait(state, error);
            if (status == WAVE_RT_OK)
                memcpy(data, bytes_of(from), (size_t)from.size);
            return status;
        }
        id<MTLBuffer> between = staging(q, from.size, error);
        if (!between)
            return WAVE_RT_DEVICE_MEMORY;
        id<MTLCommandBuffer> commands = encode_copy(q, (__bridge id<MTLBuffer>)from.memory,
                                                    from.offset, between, 0, from.size, error);
        if (!commands)
            return WAVE_RT_VENDOR;
        [commands addCompletedHandler:^(id<MTLCommandBuffer> done) {
          if (done.status == MTLCommandBufferStatusCompleted)
              memcpy(data, between.contents, (size_t)from.size);
        }];
        return commit(q, commands);
    }
}

static wave_rt_status metal_copy(void *state, rt_span to, rt_span from, wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalQueue *q = (__bridge WaveMetalQueue *)state;
        if (!has_words(to) || !has_words(from)) {
            wave_rt_status status = metal_wait(state, error);
            if (status == WAVE_RT_OK)
                memcpy(bytes_of(to), bytes_of(from), (size_t)to.size);
            return status;
        }
        id<MTLCommandBuffer> commands =
            encode_copy(q, (__bridge id<MTLBuffer>)from.memory, from.offset,
                        (__bridge id<MTLBuffer>)to.memory, to.offset, to.size, error);
        return commands ? commit(q, commands) : WAVE_RT_VENDOR;
    }
}

static wave_rt_status metal_fill(void *state, rt_span to, uint8_t byte, bool wait,
                                 wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalQueue *q = (__bridge WaveMetalQueue *)state;
        if (wait || !has_words(to)) {
            wave_rt_status status = metal_wait(state, error);
            if (status == WAVE_RT_OK)
                memset(bytes_of(to), byte, (size_t)to.size);
            return status;
        }
        id<MTLCommandBuffer> commands = [q.queue commandBuffer];
        id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
        if (!encoder)
            return rt_fail(error, WAVE_RT_VENDOR, "Metal cannot create a command encoder");
        [encoder fillBuffer:(__bridge id<MTLBuffer>)to.memory
                      range:NSMakeRange((NSUInteger)to.offset, (NSUInteger)to.size)
                      value:byte];
        [encoder endEncoding];
        return commit(q, commands);
    }
}

// Pages, which Metal can use without a copy.
static wave_rt_status metal_host_create(void *state, uint64_t size, void **memory,
                                        wave_rt_error *error) {
    (void)state;
    enum { PAGE = 16384 };
    *memory = NULL;
    if (posix_memalign(memory, PAGE, (size_t)((size + PAGE - 1) / PAGE * PAGE)) != 0)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    return WAVE_RT_OK;
}

static void metal_host_destroy(void *state, void *memory) {
    (void)state;
    free(memory);
}

// ---- Modules ----

// Safe math: the compiler may neither reorder nor make assumptions, and functions are the precise
// ones. The emitted text requests the same in a pragma. Before SDK 15 one switch controls both.
static id<MTLLibrary> compile(id<MTLDevice> device, const char *text, NSError **reason) {
    MTLCompileOptions *options = [MTLCompileOptions new];
#if __MAC_OS_X_VERSION_MAX_ALLOWED >= 150000
    if (@available(macOS 15.0, *)) {
        options.mathMode = MTLMathModeSafe;
        options.mathFloatingPointFunctions = MTLMathFloatingPointFunctionsPrecise;
        options.languageVersion = MTLLanguageVersion3_2;
    } else
#endif
    {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
        options.fastMathEnabled = NO;
#pragma clang diagnostic pop
        if (@available(macOS 14.0, *))
            options.languageVersion = MTLLanguageVersion3_1;
        else if (@available(macOS 13.0, *))
            options.languageVersion = MTLLanguageVersion3_0;
    }
    return [device newLibraryWithSource:[NSString stringWithUTF8String:text]
                                options:options
                                  error:reason];
}

static id<MTLLibrary> compile_program(id<MTLDevice> device, const rt_program *program,
                                      wave_rt_error *error) {
    NSError *reason = nil;
    id<MTLLibrary> library = compile(device, program->text, &reason);
    if (!library) {
        const char *log = reason ? reason.localizedDescription.UTF8String : "";
        rt_fail(error, WAVE_RT_BAD_BUILD, "Metal does not compile the kernel");
        rt_log(error, log, strlen(log));
    }
    return library;
}

// Loads a metallib that the caller provided.
static id<MTLLibrary> load_library(id<MTLDevice> device, const rt_program *program,
                                   wave_rt_error *error) {
    NSError *reason = nil;
    dispatch_data_t data = dispatch_data_create(program->binary, program->binary_size, NULL,
                                                DISPATCH_DATA_DESTRUCTOR_DEFAULT);
    id<MTLLibrary> library = [device newLibraryWithData:data error:&reason];
    if (!library)
        fail_with(error, WAVE_RT_BAD_BUILD, "the metallib", reason);
    return library;
}

static id<MTLFunction> find_function(id<MTLLibrary> library, const rt_program *program,
                                     size_t index) {
    const char *symbol = program->entries[index].symbol;
    return [library newFunctionWithName:[NSString stringWithUTF8String:symbol]];
}

// Builds the machine code of all kernels. The library is Metal's intermediate form and cannot be
// stored as bytes, so it is kept for the next module. An empty binary means that there is nothing
// to cache.
static wave_rt_status metal_build(void *state, const rt_program *program, wave_blob *binary,
                                  wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalDevice *d = (__bridge WaveMetalDevice *)state;
        id<MTLLibrary> library = compile_program(d.device, program, error);
        if (!library)
            return WAVE_RT_BAD_BUILD;
        NSMutableArray<id<MTLFunction>> *functions = [NSMutableArray new];
        for (size_t k = 0; k < program->count; k++) {
            id<MTLFunction> function = find_function(library, program, k);
            if (function)
                [functions addObject:function];
        }
        @synchronized(d) {
            d.built = library;
            d.builtText = [NSString stringWithUTF8String:program->text];
        }
        if (metal_archive_make(d.device, functions, binary))
            return WAVE_RT_OK;
        binary->size = 0;
        binary->data = calloc(1, 1);
        return binary->data ? WAVE_RT_OK : rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    }
}

static id<MTLLibrary> take_built(WaveMetalDevice *d, const rt_program *program) {
    id<MTLLibrary> library = nil;
    @synchronized(d) {
        if (d.builtText && strcmp(d.builtText.UTF8String, program->text) == 0)
            library = d.built;
        d.built = nil;
        d.builtText = nil;
    }
    return library;
}

// A kernel is compiled for one wave width; a pipeline with another width would compute wrong
// results. Machine code comes from the archive where it has it, the rest is compiled.
static id<MTLComputePipelineState> make_pipeline(id<MTLDevice> device, id<MTLLibrary> library,
                                                 WaveMetalArchive *archive,
                                                 const rt_program *program, size_t index,
                                                 wave_rt_error *error) {
    NSError *reason = nil;
    const char *symbol = program->entries[index].symbol;
    id<MTLFunction> function = find_function(library, program, index);
    MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
    descriptor.computeFunction = function;
    if (archive)
        descriptor.binaryArchives = @[ archive.archive ];
    id<MTLComputePipelineState> pipeline =
        function ? [device newComputePipelineStateWithDescriptor:descriptor
                                                         options:MTLPipelineOptionNone
                                                      reflection:NULL
                                                           error:&reason]
                 : nil;
    if (!pipeline) {
        fail_with(error, WAVE_RT_BAD_BUILD, symbol, reason);
        return nil;
    }
    if (pipeline.threadExecutionWidth != program->wave_width) {
        rt_fail(error, WAVE_RT_LIMIT,
                "WAVE_WIDTH: %s runs waves of %u lanes, but the kernel is compiled for %u", symbol,
                (unsigned)pipeline.threadExecutionWidth, program->wave_width);
        return nil;
    }
    return pipeline;
}

static wave_rt_status metal_module_create(void *state, const rt_program *program, void **module,
                                          wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalDevice *d = (__bridge WaveMetalDevice *)state;
        bool own = program->native && !*program->text;
        id<MTLLibrary> library =
            own ? load_library(d.device, program, error) : take_built(d, program);
        if (!library && (own || !(library = compile_program(d.device, program, error))))
            return WAVE_RT_BAD_BUILD;
        WaveMetalArchive *archive =
            own ? nil : metal_archive_open(d.device, program->binary, program->binary_size);
        NSMutableArray<id<MTLComputePipelineState>> *pipelines = [NSMutableArray new];
        for (size_t k = 0; k < program->count; k++) {
            wave_rt_error local;
            memset(&local, 0, sizeof local);
            id<MTLComputePipelineState> pipeline =
                make_pipeline(d.device, library, archive, program, k, &local);
            if (!pipeline) {
                if (error)
                    *error = local;
                return local.status;
            }
            [pipelines addObject:pipeline];
        }
        WaveMetalModule *m = [WaveMetalModule new];
        m.pipelines = pipelines;
        *module = give(m);
        return WAVE_RT_OK;
    }
}

static void metal_module_destroy(void *state, void *module) {
    (void)state;
    take_back(module);
}

static wave_rt_status metal_kernel_limits(void *state, void *module, size_t kernel,
                                          rt_limits *limits, wave_rt_error *error) {
    (void)state;
    (void)error;
    @autoreleasepool {
        id<MTLComputePipelineState> pipeline =
            ((__bridge WaveMetalModule *)module).pipelines[kernel];
        memset(limits, 0, sizeof *limits);
        limits->threads = clamp(pipeline.maxTotalThreadsPerThreadgroup);
        limits->local_memory = clamp(pipeline.staticThreadgroupMemoryLength);
    }
    return WAVE_RT_OK;
}

// ---- Queues ----

static wave_rt_status metal_queue_create(void *state, void **queue, wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalDevice *d = (__bridge WaveMetalDevice *)state;
        WaveMetalQueue *q = [WaveMetalQueue new];
        q.queue = [d.device newCommandQueue];
        q.status = [d.device newBufferWithLength:16 options:MTLResourceStorageModeShared];
        q.pending = [NSMutableArray new];
        if (!q.queue || !q.status)
            return rt_fail(error, WAVE_RT_VENDOR, "Metal cannot create a command queue");
        memset(q.status.contents, 0, 16);
        *queue = give(q);
        return WAVE_RT_OK;
    }
}

static void metal_queue_destroy(void *state, void *queue) {
    (void)state;
    if (queue)
        (void)metal_wait(queue, NULL);
    take_back(queue);
}

// The buffers of ISA 3.4: 0 the arena, 1 the argument words, 2 the status, 3 the arena's size. A
// kernel ignores those that it does not declare.
static wave_rt_status metal_launch(void *queue, const rt_dispatch *d, wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalQueue *q = (__bridge WaveMetalQueue *)queue;
        const rt_entry *entry = &d->program->entries[d->kernel];
        id<MTLCommandBuffer> commands = [q.queue commandBuffer];
        id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
        if (!encoder)
            return rt_fail(error, WAVE_RT_VENDOR, "Metal cannot create a command encoder");
        [encoder
            setComputePipelineState:((__bridge WaveMetalModule *)d->module).pipelines[d->kernel]];
        [encoder setBuffer:(__bridge id<MTLBuffer>)d->memory offset:0 atIndex:0];
        if (entry->words)
            [encoder setBytes:d->words length:4 * entry->words atIndex:1];
        if (entry->status)
            [encoder setBuffer:q.status offset:0 atIndex:2];
        if (d->program->bounds)
            [encoder setBytes:&d->memory_size length:sizeof d->memory_size atIndex:3];
        [encoder dispatchThreadgroups:MTLSizeMake(d->grid[0], d->grid[1], d->grid[2])
                threadsPerThreadgroup:MTLSizeMake(d->group[0], d->group[1], d->group[2])];
        [encoder endEncoding];
        if (d->timed)
            q.timed = commands;
        return commit(q, commands);
    }
}

static wave_rt_status metal_elapsed(void *queue, double *seconds, wave_rt_error *error) {
    (void)error;
    @autoreleasepool {
        id<MTLCommandBuffer> timed = ((__bridge WaveMetalQueue *)queue).timed;
        [timed waitUntilCompleted];
        *seconds = timed.GPUEndTime - timed.GPUStartTime;
    }
    return WAVE_RT_OK;
}

// ---- Events: a counter that the device increments ----

static wave_rt_status metal_event_create(void *state, void **event, wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalEvent *e = [WaveMetalEvent new];
        e.event = [((__bridge WaveMetalDevice *)state).device newSharedEvent];
        if (!e.event)
            return rt_fail(error, WAVE_RT_VENDOR, "Metal cannot create an event");
        *event = give(e);
        return WAVE_RT_OK;
    }
}

static void metal_event_destroy(void *state, void *event) {
    (void)state;
    take_back(event);
}

static wave_rt_status metal_event_record(void *queue, void *event, wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalQueue *q = (__bridge WaveMetalQueue *)queue;
        WaveMetalEvent *e = (__bridge WaveMetalEvent *)event;
        id<MTLCommandBuffer> commands = [q.queue commandBuffer];
        if (!commands)
            return rt_fail(error, WAVE_RT_VENDOR, "Metal cannot create a command buffer");
        @synchronized(e) {
            e.value++;
            e.commands = commands;
            [commands encodeSignalEvent:e.event value:e.value];
        }
        return commit(q, commands);
    }
}

static wave_rt_status metal_event_follow(void *queue, void *event, wave_rt_error *error) {
    @autoreleasepool {
        WaveMetalQueue *q = (__bridge WaveMetalQueue *)queue;
        WaveMetalEvent *e = (__bridge WaveMetalEvent *)event;
        id<MTLCommandBuffer> commands = [q.queue commandBuffer];
        if (!commands)
            return rt_fail(error, WAVE_RT_VENDOR, "Metal cannot create a command buffer");
        @synchronized(e) {
            [commands encodeWaitForEvent:e.event value:e.value];
        }
        return commit(q, commands);
    }
}

static id<MTLCommandBuffer> commands_of(void *event) {
    WaveMetalEvent *e = (__bridge WaveMetalEvent *)event;
    @synchronized(e) {
        return e.commands;
    }
}

static wave_rt_status metal_event_query(void *state, void *event, bool *done,
                                        wave_rt_error *error) {
    (void)state;
    (void)error;
    @autoreleasepool {
        *done = commands_of(event).status >= MTLCommandBufferStatusCompleted;
    }
    return WAVE_RT_OK;
}

static wave_rt_status metal_event_wait(void *state, void *event, wave_rt_error *error) {
    (void)state;
    (void)error;
    @autoreleasepool {
        [commands_of(event) waitUntilCompleted];
    }
    return WAVE_RT_OK;
}

static wave_rt_status metal_event_elapsed(void *state, void *start, void *stop, double *seconds,
                                          wave_rt_error *error) {
    (void)state;
    (void)error;
    @autoreleasepool {
        *seconds = commands_of(stop).GPUEndTime - commands_of(start).GPUEndTime;
    }
    return WAVE_RT_OK;
}

static void *metal_native(rt_native kind, void *object) {
    @autoreleasepool {
        switch (kind) {
        case RT_NATIVE_DEVICE: return (__bridge void *)((__bridge WaveMetalDevice *)object).device;
        case RT_NATIVE_QUEUE: return (__bridge void *)((__bridge WaveMetalQueue *)object).queue;
        default: return object; // memory is the buffer
        }
    }
}

static const rt_vendor table = {
    .abi = RT_ABI,
    .name = "metal",
    .target = "msl",
    .enumerate = metal_enumerate,
    .open = metal_open,
    .close = metal_close,
    .memory_create = metal_memory_create,
    .memory_destroy = metal_memory_destroy,
    .host_create = metal_host_create,
    .host_destroy = metal_host_destroy,
    .build = metal_build,
    .module_create = metal_module_create,
    .module_destroy = metal_module_destroy,
    .kernel_limits = metal_kernel_limits,
    .queue_create = metal_queue_create,
    .queue_destroy = metal_queue_destroy,
    .upload = metal_upload,
    .download = metal_download,
    .fill = metal_fill,
    .copy = metal_copy,
    .launch = metal_launch,
    .wait = metal_wait,
    .elapsed = metal_elapsed,
    .event_create = metal_event_create,
    .event_destroy = metal_event_destroy,
    .event_record = metal_event_record,
    .event_follow = metal_event_follow,
    .event_query = metal_event_query,
    .event_wait = metal_event_wait,
    .event_elapsed = metal_event_elapsed,
    .native = metal_native,
};

WAVE_API const rt_vendor *wave_rt_plugin(uint32_t abi);
const rt_vendor *wave_rt_plugin(uint32_t abi) {
    return abi == RT_ABI ? &table : NULL;
}
