// out[c][r] = in[r][c] through a padded tile in LDS, four elements per thread: the HIP counterpart of
// examples/transpose.wave. Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>

constexpr unsigned TILE = 32;
constexpr unsigned ROWS = 8;
constexpr unsigned EACH = TILE / ROWS;

extern "C" __global__ void __launch_bounds__(TILE * ROWS)
transpose(const unsigned *__restrict__ in, unsigned *__restrict__ out, unsigned columns,
          unsigned rows) {
    __shared__ unsigned tile[TILE][TILE + 1];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;

    unsigned from = (y0 + ty) * columns + x0 + tx;
    unsigned value[EACH];
#pragma unroll
    for (unsigned i = 0; i < EACH; i++)
        value[i] = in[from + i * ROWS * columns];
#pragma unroll
    for (unsigned i = 0; i < EACH; i++)
        tile[ty + i * ROWS][tx] = value[i];
    __syncthreads();

    unsigned to = (x0 + ty) * rows + y0 + tx;
#pragma unroll
    for (unsigned i = 0; i < EACH; i++)
        out[to + i * ROWS * rows] = tile[tx][ty + i * ROWS];
}
