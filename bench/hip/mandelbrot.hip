// How many steps z = z^2 + c takes to leave the disc |z| <= 2, one thread per pixel: the HIP
// counterpart of examples/mandelbrot.wave. Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)

constexpr int SIDE = 16;

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
mandelbrot(unsigned *__restrict__ out, int width, int height, int limit, float left, float top,
           float distance) {
    int x = blockIdx.x * SIDE + threadIdx.x;
    int y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= width || y >= height)
        return;

    float cx = fmaf(static_cast<float>(x), distance, left);
    float cy = fmaf(static_cast<float>(y), distance, top);
    float zx = 0.0f, zy = 0.0f;
    int steps = 0;
    while (steps < limit) {
        float xx = zx * zx;
        float yy = zy * zy;
        if (xx + yy > 4.0f)
            break;
        zy = fmaf(zx + zx, zy, cy);
        zx = xx - yy + cx;
        steps++;
    }
    out[y * width + x] = steps;
}
