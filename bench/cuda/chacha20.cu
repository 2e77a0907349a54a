// The stream cipher of RFC 8439, four lanes per block: the CUDA counterpart of
// examples/chacha20.wave. Compiled by bench/sass.py; nothing here is run.

constexpr int THREADS = 64;
constexpr unsigned FULL = 0xFFFFFFFFu;

static __device__ __forceinline__ unsigned rotate(unsigned x, int n) {
    return __funnelshift_l(x, x, n);
}

static __device__ __forceinline__ void quarter_round(unsigned &a, unsigned &b, unsigned &c,
                                                     unsigned &d) {
    a += b;
    d = rotate(d ^ a, 16);
    c += d;
    b = rotate(b ^ c, 12);
    a += b;
    d = rotate(d ^ a, 8);
    c += d;
    b = rotate(b ^ c, 7);
}

extern "C" __global__ void __launch_bounds__(THREADS)
chacha20(const unsigned *__restrict__ key, const unsigned *__restrict__ nonce, unsigned counter,
         const unsigned *__restrict__ text, unsigned *__restrict__ out, int blocks) {
    int index = blockIdx.x * THREADS + threadIdx.x;
    int column = index & 3, block = index >> 2;
    bool inside = block < blocks;
    unsigned a = column == 0   ? 0x61707865u
                 : column == 1 ? 0x3320646Eu
                 : column == 2 ? 0x79622D32u
                               : 0x6B206574u;
    unsigned b = key[column], c = key[column + 4];
    unsigned d = column == 0 ? counter + block : nonce[column - 1];
    unsigned a0 = a, b0 = b, c0 = c, d0 = d;
    int right = (column + 1) & 3, left = (column + 3) & 3;

    // All lanes of the wave take part in the shuffles.
#pragma unroll
    for (int round = 0; round < 10; round++) {
        quarter_round(a, b, c, d);
        b = __shfl_sync(FULL, b, right, 4);
        c = __shfl_xor_sync(FULL, c, 2);
        d = __shfl_sync(FULL, d, left, 4);
        quarter_round(a, b, c, d);
        b = __shfl_sync(FULL, b, left, 4);
        c = __shfl_xor_sync(FULL, c, 2);
        d = __shfl_sync(FULL, d, right, 4);
    }
    if (inside) {
        int at = block * 16 + column;
        out[at] = (a + a0) ^ text[at];
        out[at + 4] = (b + b0) ^ text[at + 4];
        out[at + 8] = (c + c0) ^ text[at + 8];
        out[at + 12] = (d + d0) ^ text[at + 12];
    }
}
