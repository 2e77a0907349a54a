/* OpenCL's vector types as structures, as far as src/opencl uses them. */
#ifndef CLMATH_VECTORS_H
#define CLMATH_VECTORS_H

typedef struct {
    float x, y;
} float2;
typedef struct {
    float x, y, z;
} float3;
typedef struct {
    float x, y, z, w;
} float4;
typedef struct {
    double x, y;
} double2;
typedef struct {
    double x, y, z;
} double3;
typedef struct {
    double x, y, z, w;
} double4;

#endif
