// Softmax of a row per workgroup, the row kept in LDS: the HIP counterpart of
// examples/softmax.wave. exact_exp2 is the algorithm of src/base/exact_math.c, so that both sides
// compute the same bits. Compiled by bench/amdgcn.py; nothing here is run.
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)

constexpr int WAVE = 64;
constexpr int THREADS = 256;
constexpr int WAVES = THREADS / WAVE;
constexpr int MAX_COLUMNS = 2048;

// 2^x = 2^n (1 + f (ln 2 + f E(f))), n the integer nearest x, f = x - n.
static __device__ inline float exact_exp2(float x) {
    const float ln2_hi = 0x1.62e430p-1f, ln2_lo = -0x1.05c610p-29f;
    float bounded = fmaxf(fminf(x, 160.0f), -160.0f);
    int n = static_cast<int>(bounded + (bounded < 0.0f ? -0.5f : 0.5f));
    float f = bounded - static_cast<float>(n);

    float e = 0x1.fb3138p-17f;
    e = fmaf(e, f, 0x1.4392f8p-13f);
    e = fmaf(e, f, 0x1.5d8a18p-10f);
    e = fmaf(e, f, 0x1.3b2accp-7f);
    e = fmaf(e, f, 0x1.c6b08ep-5f);
    e = fmaf(e, f, 0x1.ebfbe0p-3f);
    float head = f * ln2_hi;
    float head_error = fmaf(f, ln2_hi, -head);
    float tail = fmaf(f * f, e, fmaf(f, ln2_lo, head_error));
    float sum = 1.0f + head;
    float sum_error = head - (sum - 1.0f);
    float p = sum + (sum_error + tail);

    // Results below the normal range are first scaled by 2^64, then rounded once.
    bool small = n < -125;
    unsigned scaled = __float_as_uint(p) + (static_cast<unsigned>(small ? n + 64 : n) << 23);
    float result = __uint_as_float(scaled) * (small ? 0x1p-64f : 1.0f);
    result = x >= 128.0f ? __uint_as_float(0x7F800000u) : result;
    return x != x ? __uint_as_float(0x7FC00000u) : result;
}

static __device__ inline float wave_max(float m) {
#pragma unroll
    for (int d = 1; d < WAVE; d <<= 1)
        m = fmaxf(m, __shfl_xor(m, d));
    return m;
}

static __device__ inline float wave_sum(float sum) {
#pragma unroll
    for (int d = 1; d < WAVE; d <<= 1)
        sum += __shfl_xor(sum, d);
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax(const float *__restrict__ in, float *__restrict__ out, int columns) {
    __shared__ float row[MAX_COLUMNS];
    __shared__ float wave_maximum[WAVES];
    __shared__ float wave_total[WAVES];
    int thread = threadIdx.x, lane = thread % WAVE, wave = thread / WAVE;
    in += blockIdx.x * columns;
    out += blockIdx.x * columns;

    // 1. copy and maximum
    float m = __uint_as_float(0xFF800000u);
    for (int i = thread; i < columns; i += THREADS) {
        float x = in[i];
        row[i] = x;
        m = fmaxf(m, x);
    }
    m = wave_max(m);
    if (lane == 0)
        wave_maximum[wave] = m;
    __syncthreads();
    if (lane < WAVES)
        m = fmaxf(m, wave_maximum[lane]);
    m = wave_max(m);

    // 2. exponentials and their sum
    float sum = 0.0f;
    for (int i = thread; i < columns; i += THREADS) {
        float e = exact_exp2((row[i] - m) * 1.44269504f);
        row[i] = e;
        sum += e;
    }
    sum = wave_sum(sum);
    if (lane == 0)
        wave_total[wave] = sum;
    __syncthreads();
    sum = wave_sum(lane < WAVES ? 0.0f + wave_total[lane] : 0.0f);

    // 3. one division per thread, one product per element
    float scale = 1.0f / sum;
    for (int i = thread; i < columns; i += THREADS)
        out[i] = row[i] * scale;
}
