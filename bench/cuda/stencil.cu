// One step of heat diffusion on a grid, five-point stencil: the CUDA counterpart of
// examples/stencil.wave. Compiled by bench/sass.py; nothing here is run.

constexpr int TILE = 16;

extern "C" __global__ void __launch_bounds__(TILE * TILE)
stencil(const float *__restrict__ u, float *__restrict__ out, int width, int height, float alpha) {
    __shared__ float tile[TILE + 2][TILE + 2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    int x = left + tx, y = top + ty;

    // The nearest cell inside the grid
    auto cell = [=](int cx, int cy) {
        return u[max(min(cy, height - 1), 0) * width + max(min(cx, width - 1), 0)];
    };
    float own = cell(x, y);
    tile[ty + 1][tx + 1] = own;

    // Halo: thread t < 64 loads cell t mod 16 of side t / 16 (north, south, west, east).
    int t = ty * TILE + tx;
    if (t < 4 * TILE) {
        int along = t & (TILE - 1), side = t >> 4;
        int edge = side & 1 ? TILE : -1;
        int cx = side < 2 ? along : edge, cy = side < 2 ? edge : along;
        tile[cy + 1][cx + 1] = cell(left + cx, top + cy);
    }
    __syncthreads();

    float sum = __fadd_rn(__fadd_rn(tile[ty][tx + 1], tile[ty + 2][tx + 1]),
                          __fadd_rn(tile[ty + 1][tx], tile[ty + 1][tx + 2]));
    float step = __fmaf_rn(alpha, __fmaf_rn(-4.0f, own, sum), own);
    bool inside = unsigned(x - 1) < unsigned(width - 2) && unsigned(y - 1) < unsigned(height - 2);
    if (x < width && y < height)
        out[y * width + x] = inside ? step : own;
}
