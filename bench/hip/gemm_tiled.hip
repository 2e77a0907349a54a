// C = A * B with 16 x 16 tiles in LDS, one element per thread: the HIP counterpart of
// examples/gemm_tiled.wave. Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)

constexpr int TILE = 16;

extern "C" __global__ void __launch_bounds__(TILE * TILE)
gemm_tiled(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int N,
           int K) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;

    const float *a = A + (row * K + tx);
    const float *b = B + (ty * N + column);
    float sum = 0.0f;
    int done = 0;
    do {
        tile_a[ty][tx] = *a;
        tile_b[ty][tx] = *b;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum = fmaf(tile_a[ty][k], tile_b[k][tx], sum);
        __syncthreads();
        a += TILE;
        b += TILE * N;
        done += TILE;
    } while (done < K);
    C[row * N + column] = sum;
}
