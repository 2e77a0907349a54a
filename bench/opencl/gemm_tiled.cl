// C = A * B with 16 x 16 tiles in local memory, one element per work-item: the OpenCL C counterpart of
// bench/cuda/gemm_tiled.cu and bench/hip/gemm_tiled.hip. Nothing here is run.

#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
gemm_tiled(global const float *restrict A, global const float *restrict B, global float *restrict C, int N, int K) {
    local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = get_group_id(1) * TILE + ty;
    int column = get_group_id(0) * TILE + tx;

    global const float *a = A + (row * K + tx);
    global const float *b = B + (ty * N + column);
    float sum = 0.0f;
    int done = 0;
    do {
        tile_a[ty][tx] = *a;
        tile_b[ty][tx] = *b;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum = fma(tile_a[ty][k], tile_b[k][tx], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
        a += TILE;
        b += TILE * N;
        done += TILE;
    } while (done < K);
    C[row * N + column] = sum;
}
