// C = A * B with 4 x 4 results per thread: the HIP counterpart of
// examples/gemm_register_blocked.wave, with the same tiles, the same padding and the same order of
// operations. Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)

constexpr int SIDE = 16;  // threads along a side of the workgroup, and the step along K
constexpr int TILE = 64;  // the side of the tile of C
constexpr int A_ROW = 66; // padded: transposing stores meet different banks, float2 stays aligned

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
gemm_register_blocked(const float *__restrict__ A, const float *__restrict__ B,
                      float *__restrict__ C, int N, int K) {
    __shared__ __align__(16) float tile_a[SIDE][A_ROW]; // transposed
    __shared__ __align__(16) float tile_b[SIDE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int first_column = blockIdx.x * TILE + 4 * tx;
    int first_row = blockIdx.y * TILE;

    // Thread t copies A[row t / 4][4 (t mod 4) ..] and B[k = ty][4 tx ..].
    int t = ty * SIDE + tx;
    int a_row = t >> 2, a_k = (t & 3) << 2;
    const float *a = A + ((first_row + a_row) * K + a_k);
    const float *b = B + (ty * N + first_column);

    float sum[4][4] = {};
    int done = 0;
    do {
        float4 from_a = *reinterpret_cast<const float4 *>(a);
        float4 from_b = *reinterpret_cast<const float4 *>(b);
        tile_a[a_k + 0][a_row] = from_a.x;
        tile_a[a_k + 1][a_row] = from_a.y;
        tile_a[a_k + 2][a_row] = from_a.z;
        tile_a[a_k + 3][a_row] = from_a.w;
        *reinterpret_cast<float4 *>(&tile_b[ty][4 * tx]) = from_b;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            float2 a01 = *reinterpret_cast<const float2 *>(&tile_a[k][4 * ty]);
            float2 a23 = *reinterpret_cast<const float2 *>(&tile_a[k][4 * ty + 2]);
            float4 bs = *reinterpret_cast<const float4 *>(&tile_b[k][4 * tx]);
            float ak[4] = {a01.x, a01.y, a23.x, a23.y};
            float bk[4] = {bs.x, bs.y, bs.z, bs.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] = fmaf(ak[i], bk[j], sum[i][j]);
        }
        __syncthreads();

        a += SIDE;
        b += SIDE * N;
        done += SIDE;
    } while (done < K);

    float *c = C + ((first_row + 4 * ty) * N + first_column);
#pragma unroll
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(c + i * N) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
