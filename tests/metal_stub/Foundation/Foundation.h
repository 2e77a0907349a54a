// Our own declarations of the part of Foundation that our Objective-C files use: enough to check
// their syntax and types on systems other than macOS, and nothing more.
#ifndef METAL_STUB_FOUNDATION_H
#define METAL_STUB_FOUNDATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long NSUInteger;
typedef long NSInteger;
typedef signed char BOOL;
#define YES ((BOOL)1)
#define NO  ((BOOL)0)
#define nil ((id)0)
typedef const void *CFTypeRef;

typedef struct {
    NSUInteger location, length;
} NSRange;
static inline NSRange NSMakeRange(NSUInteger location, NSUInteger length) {
    return (NSRange){location, length};
}

__attribute__((objc_root_class)) @interface NSObject
+ (instancetype)new;
@end

// From libdispatch, which Foundation includes.
@protocol OS_dispatch_data
@end
typedef id<OS_dispatch_data> dispatch_data_t;
typedef void (^dispatch_block_t)(void);
#define DISPATCH_DATA_DESTRUCTOR_DEFAULT ((dispatch_block_t)0)
dispatch_data_t dispatch_data_create(const void *buffer, size_t size, id queue,
                                     dispatch_block_t destructor);

typedef struct {
    unsigned long state;
    id __unsafe_unretained *itemsPtr;
    unsigned long *mutationsPtr;
    unsigned long extra[5];
} NSFastEnumerationState;

@protocol NSFastEnumeration
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)count;
@end

@interface NSString : NSObject
+ (instancetype)stringWithUTF8String:(const char *)text;
@property(readonly) const char *UTF8String;
@end

@interface NSConstantString : NSString
@end

NSString *NSTemporaryDirectory(void);

@interface NSURL : NSObject
+ (instancetype)fileURLWithPath:(NSString *)path;
@end

@interface NSError : NSObject
@property(readonly) NSString *localizedDescription;
@property(readonly) NSInteger code;
@end

@interface NSArray<__covariant ObjectType> : NSObject <NSFastEnumeration>
+ (instancetype)arrayWithObjects:(const ObjectType[])objects count:(NSUInteger)count;
@property(readonly) NSUInteger count;
- (ObjectType)objectAtIndexedSubscript:(NSUInteger)index;
@end

@interface NSMutableArray<ObjectType> : NSArray <ObjectType>
- (void)addObject:(ObjectType)object;
- (void)removeObjectAtIndex:(NSUInteger)index;
@end

typedef struct {
    NSInteger majorVersion, minorVersion, patchVersion;
} NSOperatingSystemVersion;

@interface NSProcessInfo : NSObject
@property(class, readonly, strong) NSProcessInfo *processInfo;
@property(readonly) NSOperatingSystemVersion operatingSystemVersion;
@end

static inline CFTypeRef CFBridgingRetain(id object) {
    return (__bridge_retained CFTypeRef)object;
}
static inline id CFBridgingRelease(CFTypeRef pointer) {
    return (__bridge_transfer id)pointer;
}

#endif
