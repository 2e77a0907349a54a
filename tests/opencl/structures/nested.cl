//@ test    structures in structures and arrays of them in private memory, chosen at run time
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 2 101015 202026 3009 104020 205033 6014 107027 208038 9021 110032 211045 12026 113039 214050
//@ + 15033 116044 217057 18038 119051 220062 21045 122056 223069 24050 125063 226074 27057 128068 229081 30062
//@ + 131075 232086 33069 134080 235093 36074 137087 238098 39081 140092 241105 42086 143099 244110 45093
//@ + 146104 247117 48098 149111 250122 51105 152116 253129 54110 155123 256134 57117 158128 259141 60122
//@ + 161135 262146 63129

typedef struct {
    int2 at;
    struct {
        short a, b;
    } inner[2];
} node;

kernel void nested(global int *out) {
    int i = get_global_id(0);
    node n[3];
    for (int k = 0; k < 3; k++) {
        n[k].at = (int2)(k, i);
        n[k].inner[0].a = (short)(k * 10);
        n[k].inner[0].b = (short)(i * 2);
        n[k].inner[1] = n[k].inner[0];
        n[k].inner[1].a++;
    }
    node m = n[i % 3];
    n[0] = n[2];
    out[i] = m.at.x * 100000 + m.at.y * 1000 + m.inner[i & 1].a + m.inner[1].b + n[0].at.x;
}
