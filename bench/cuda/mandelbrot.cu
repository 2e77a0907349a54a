// How many steps z = z^2 + c takes to leave the disc |z| <= 2, one thread per pixel: the CUDA
// counterpart of examples/mandelbrot.wave. Compiled by bench/sass.py; nothing here is run.

constexpr int SIDE = 16;

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
mandelbrot(unsigned *__restrict__ out, int width, int height, int limit, float left, float top,
           float distance) {
    int x = blockIdx.x * SIDE + threadIdx.x;
    int y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= width || y >= height)
        return;

    float cx = __fmaf_rn(__int2float_rn(x), distance, left);
    float cy = __fmaf_rn(__int2float_rn(y), distance, top);
    float zx = 0.0f, zy = 0.0f;
    int steps = 0;
    while (steps < limit) {
        float xx = __fmul_rn(zx, zx);
        float yy = __fmul_rn(zy, zy);
        if (__fadd_rn(xx, yy) > 4.0f)
            break;
        zy = __fmaf_rn(__fadd_rn(zx, zx), zy, cy);
        zx = __fadd_rn(__fsub_rn(xx, yy), cx);
        steps++;
    }
    out[y * width + x] = steps;
}
