// C = max(A * B + bias, 0) with AMD's matrix built-ins: the HIP counterpart of examples/gemm_mma.wave, with the same tiles, the
// same double buffering and the same pieces of a wave: four waves of 64 lanes take two pieces each. Compiled by bench/amdgcn.py;
// nothing here is run.
#include <hip/hip_runtime.h>
#include <stdint.h>

constexpr int TILE = 128, DEPTH = 32;

typedef float float4_ __attribute__((ext_vector_type(4)));
typedef _Float16 half4_ __attribute__((ext_vector_type(4)));
typedef uint32_t uint4_ __attribute__((ext_vector_type(4)));

extern "C" __global__ void __launch_bounds__(256)
gemm_mma(const _Float16 *__restrict__ A, const _Float16 *__restrict__ B, const float *__restrict__ bias, float *__restrict__ C, int N,
         int K) {
    alignas(32) __shared__ uint8_t local[32768];
    int t = threadIdx.x, lane = t % 64, side = lane % 16, group = lane / 16;
    for (int piece = t / 64; piece < 8; piece += 4) {
        const _Float16 *a = A + ((blockIdx.y * TILE + t / 4) * K + t % 4 * 8);
        const _Float16 *b = B + (t / 16 * N + blockIdx.x * TILE + t % 16 * 8);
        int in_a = (piece & 4) << 10, in_b = 8192 + ((piece & 3) << 6);
        float4_ sum[4][2] = {};
        uint4_ from[4];
        auto fetch = [&] {
            from[0] = *(const uint4_ *)a;
            from[1] = *(const uint4_ *)(a + 64 * K);
            from[2] = *(const uint4_ *)b;
            from[3] = *(const uint4_ *)(b + 16 * N);
            a += DEPTH;
            b += DEPTH * N;
        };
        auto keep = [&](int half_of) {
            for (int k = 0; k < 4; k++)
                *(uint4_ *)(local + half_of + k * 4096 + t * 16) = from[k];
        };
        fetch();
        keep(0);
        __syncthreads();
        auto multiply = [&](int k) { // in the half that the previous step has filled
            const uint8_t *now = local + (((k & DEPTH) ^ DEPTH) << 9);
#pragma unroll
            for (int inner = 0; inner < DEPTH; inner += 16) {
                half4_ fa[4], fb[2];
                for (int i = 0; i < 4; i++)
                    fa[i] = *(const half4_ *)(now + in_a + i * 1024 + inner * 2 + side * 64 + group * 8);
                for (int j = 0; j < 2; j++)
                    for (int e = 0; e < 4; e++)
                        fb[j][e] = *(const _Float16 *)(now + in_b + (inner + group * 4 + e) * 256 + j * 32 + side * 2);
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 2; j++)
                        sum[i][j] = __builtin_amdgcn_mfma_f32_16x16x16f16(fa[i], fb[j], sum[i][j], 0, 0, 0);
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
        int top = blockIdx.y * TILE + (piece & 4) * 16, left = blockIdx.x * TILE + (piece & 3) * 32;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 2; j++)
                for (int r = 0; r < 4; r++) {
                    int column = left + j * 16 + side;
                    C[(top + i * 16 + group * 4 + r) * N + column] = fmaxf(sum[i][j][r] + bias[column], 0.0f);
                }
        __syncthreads();
    }
}
