// 64-bit integers and doubles: products, quotients, shifts, 128-bit products, sign conversions.
extern "C" __global__ void wide(const unsigned long long *a, const long long *b, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = a[i];
    long long y = b[i];
    unsigned long long *o = out + 10 * i;
    o[0] = x * (unsigned long long)y;
    o[1] = __umul64hi(x, (unsigned long long)y);
    o[2] = y ? x / (unsigned long long)y : 7;
    o[3] = y ? (unsigned long long)((long long)x % y) : 9;
    o[4] = x << (y & 63) | x >> (64 - (y & 63) & 63);
    o[5] = (unsigned long long)(y >> 7) + __popcll(x) + __clzll(y) + __brevll(x);
    unsigned __int128 p = (unsigned __int128)x * x + (unsigned long long)y;
    o[6] = (unsigned long long)(p >> 64) ^ (unsigned long long)p;
    o[7] = (unsigned long long)__double_as_longlong(__dadd_rn((double)y, 0.5));
    o[8] = (unsigned long long)(signed char)x + (unsigned short)(x >> 8);
    o[9] = (unsigned long long)__double2ll_rz(__ddiv_rn((double)x, 3.0)) - (unsigned long long)min(y, 3LL);
}
