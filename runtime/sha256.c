/* SHA-256 as defined in FIPS 180-4: the content hash of the cache. */
#include "cache.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}

static void mix(uint32_t state[8], const uint8_t block[64]) {
    uint32_t w[64], v[8];
    for (int k = 0; k < 16; k++)
        w[k] = (uint32_t)block[4 * k] << 24 | (uint32_t)block[4 * k + 1] << 16 |
               (uint32_t)block[4 * k + 2] << 8 | block[4 * k + 3];
    for (int k = 16; k < 64; k++) {
        uint32_t a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[k - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int k = 0; k < 64; k++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + constants[k] + w[k];
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int k = 0; k < 8; k++)
        state[k] += v[k];
}

void rt_sha256_start(rt_sha256 *h) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(h, 0, sizeof *h);
    memcpy(h->state, start, sizeof start);
}

void rt_sha256_add(rt_sha256 *h, const void *data, size_t size) {
    const uint8_t *at = data;
    while (size) {
        size_t used = (size_t)(h->length % 64), room = 64 - used;
        size_t count = size < room ? size : room;
        memcpy(h->block + used, at, count);
        h->length += count;
        at += count;
        size -= count;
        if (used + count == 64)
            mix(h->state, h->block);
    }
}

void rt_sha256_end(rt_sha256 *h, uint8_t digest[32]) {
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = h->length * 8;
    uint8_t length[8];
    for (int k = 0; k < 8; k++)
        length[k] = (uint8_t)(bits >> (56 - 8 * k));
    size_t used = (size_t)(h->length % 64);
    rt_sha256_add(h, padding, used < 56 ? 56 - used : 120 - used);
    rt_sha256_add(h, length, sizeof length);
    for (int k = 0; k < 32; k++)
        digest[k] = (uint8_t)(h->state[k / 4] >> (24 - 8 * (k % 4)));
}
