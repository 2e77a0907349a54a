// out[c][r] = in[r][c] through a padded tile in shared memory, four elements per thread: the CUDA
// counterpart of examples/transpose.wave. Compiled by bench/sass.py; nothing here is run.

constexpr int TILE = 32;
constexpr int ROWS = 8;
constexpr int EACH = TILE / ROWS;

extern "C" __global__ void __launch_bounds__(TILE * ROWS)
transpose(const unsigned *__restrict__ in, unsigned *__restrict__ out, int columns, int rows) {
    __shared__ unsigned tile[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;

    int from = (y0 + ty) * columns + x0 + tx;
    unsigned value[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++)
        value[i] = in[from + i * ROWS * columns];
#pragma unroll
    for (int i = 0; i < EACH; i++)
        tile[ty + i * ROWS][tx] = value[i];
    __syncthreads();

    int to = (x0 + ty) * rows + y0 + tx;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        out[to + i * ROWS * rows] = tile[tx][ty + i * ROWS];
}
