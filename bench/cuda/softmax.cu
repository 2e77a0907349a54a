// Softmax of a row per workgroup, the row kept in shared memory: the CUDA counterpart of
// examples/softmax.wave. exact_exp2 is the algorithm of src/base/exact_math.c, so that both sides
// compute the same bits. Compiled by bench/sass.py; nothing here is run.

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int MAX_COLUMNS = 2048;
constexpr unsigned FULL = 0xFFFFFFFFu;

// 2^x = 2^n (1 + f (ln 2 + f E(f))), n the integer nearest x, f = x - n.
static __device__ __forceinline__ float exact_exp2(float x) {
    const float ln2_hi = 0x1.62e430p-1f, ln2_lo = -0x1.05c610p-29f;
    float bounded = fmaxf(fminf(x, 160.0f), -160.0f);
    int n = __float2int_rz(__fadd_rn(bounded, bounded < 0.0f ? -0.5f : 0.5f));
    float f = __fsub_rn(bounded, __int2float_rn(n));

    float e = 0x1.fb3138p-17f;
    e = __fmaf_rn(e, f, 0x1.4392f8p-13f);
    e = __fmaf_rn(e, f, 0x1.5d8a18p-10f);
    e = __fmaf_rn(e, f, 0x1.3b2accp-7f);
    e = __fmaf_rn(e, f, 0x1.c6b08ep-5f);
    e = __fmaf_rn(e, f, 0x1.ebfbe0p-3f);
    float head = __fmul_rn(f, ln2_hi);
    float head_error = __fmaf_rn(f, ln2_hi, -head);
    float tail = __fmaf_rn(__fmul_rn(f, f), e, __fmaf_rn(f, ln2_lo, head_error));
    float sum = __fadd_rn(1.0f, head);
    float sum_error = __fsub_rn(head, __fsub_rn(sum, 1.0f));
    float p = __fadd_rn(sum, __fadd_rn(sum_error, tail));

    // Results below the normal range are first scaled by 2^64, then rounded once.
    bool small = n < -125;
    unsigned scaled = __float_as_uint(p) + ((unsigned)(small ? n + 64 : n) << 23);
    float result = __fmul_rn(__uint_as_float(scaled), small ? 0x1p-64f : 1.0f);
    result = x >= 128.0f ? __uint_as_float(0x7F800000u) : result;
    return x != x ? __uint_as_float(0x7FC00000u) : result;
}

static __device__ __forceinline__ float warp_max(float m) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1)
        m = fmaxf(m, __shfl_xor_sync(FULL, m, d));
    return m;
}

static __device__ __forceinline__ float warp_sum(float sum) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1)
        sum = __fadd_rn(sum, __shfl_xor_sync(FULL, sum, d));
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax(const float *__restrict__ in, float *__restrict__ out, int columns) {
    __shared__ float row[MAX_COLUMNS];
    __shared__ float warp_maximum[WARPS];
    __shared__ float warp_total[WARPS];
    int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    in += blockIdx.x * columns;
    out += blockIdx.x * columns;

    // 1. copy and maximum
    float m = __uint_as_float(0xFF800000u);
    for (int i = thread; i < columns; i += THREADS) {
        float x = in[i];
        row[i] = x;
        m = fmaxf(m, x);
    }
    m = warp_max(m);
    if (lane == 0)
        warp_maximum[warp] = m;
    __syncthreads();
    if (lane < WARPS)
        m = fmaxf(m, warp_maximum[lane]);
    m = warp_max(m);

    // 2. exponentials and their sum
    float sum = 0.0f;
    for (int i = thread; i < columns; i += THREADS) {
        float e = exact_exp2(__fmul_rn(__fsub_rn(row[i], m), 1.44269504f));
        row[i] = e;
        sum = __fadd_rn(sum, e);
    }
    sum = warp_sum(sum);
    if (lane == 0)
        warp_total[warp] = sum;
    __syncthreads();
    sum = warp_sum(lane < WARPS ? __fadd_rn(0.0f, warp_total[lane]) : 0.0f);

    // 3. one division per thread, one product per element
    float scale = __frcp_rn(sum);
    for (int i = thread; i < columns; i += THREADS)
        out[i] = __fmul_rn(row[i], scale);
}
