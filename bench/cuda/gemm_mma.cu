// C = max(A * B + bias, 0) with wmma: the CUDA counterpart of examples/gemm_mma.wave, with the same
// tiles, the same double buffering and the same pieces of a warp. Compiled by bench/sass.py;
// nothing here is run.
#include <mma.h>

using namespace nvcuda;

constexpr int TILE = 128;  // the side of a block's tile of C
constexpr int DEPTH = 32;  // the step along K
constexpr int WARPS = 8;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
gemm_mma(const half *__restrict__ A, const half *__restrict__ B, const float *__restrict__ bias,
         float *__restrict__ C, int N, int K) {
    __shared__ __align__(32) unsigned char local[32768];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const half *a = A + ((blockIdx.y * TILE + t / 4) * K + t % 4 * 8);
    const half *b = B + (t / 16 * N + blockIdx.x * TILE + t % 16 * 8);
    int in_a = (warp & 4) << 10, in_b = 8192 + ((warp & 3) << 6);

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);

    uint4 from[4];
    auto fetch = [&] {
        from[0] = *reinterpret_cast<const uint4 *>(a);
        from[1] = *reinterpret_cast<const uint4 *>(a + 64 * K);
        from[2] = *reinterpret_cast<const uint4 *>(b);
        from[3] = *reinterpret_cast<const uint4 *>(b + 16 * N);
        a += DEPTH;
        b += DEPTH * N;
    };
    auto keep = [&](int half_of) {
        for (int k = 0; k < 4; k++)
            *reinterpret_cast<uint4 *>(local + half_of + k * 4096 + t * 16) = from[k];
    };
    fetch();
    keep(0);
    __syncthreads();
    auto multiply = [&](int k) { // in the half that the previous step has filled
        const unsigned char *now = local + (((k & DEPTH) ^ DEPTH) << 9);
#pragma unroll
        for (int inner = 0; inner < DEPTH; inner += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
            for (int i = 0; i < 4; i++)
                wmma::load_matrix_sync(
                    fa[i], reinterpret_cast<const half *>(now + in_a + i * 1024 + inner * 2), 32);
            for (int j = 0; j < 2; j++)
                wmma::load_matrix_sync(
                    fb[j], reinterpret_cast<const half *>(now + in_b + inner * 256 + j * 32), 128);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
        }
    };
    int k = DEPTH;
    for (; k < K; k += DEPTH) {
        fetch();
        multiply(k);
        keep((k & DEPTH) << 9);
        __syncthreads();
    }
    multiply(k);
    __syncthreads();

    float *own = reinterpret_cast<float *>(local + warp * 1024);
    int top = blockIdx.y * TILE + (warp & 4) * 16, left = blockIdx.x * TILE + (warp & 3) * 32;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            wmma::store_matrix_sync(own, sum[i][j], 16, wmma::mem_row_major);
            __syncwarp();
            for (int e = lane; e < 256; e += 32) {
                int column = left + j * 16 + e % 16;
                C[(top + i * 16 + e / 16) * N + column] = fmaxf(own[e] + bias[column], 0.0f);
            }
            __syncwarp();
        }
}
