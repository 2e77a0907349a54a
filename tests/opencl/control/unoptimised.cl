//@ test several things without optimisation
//@ cc: -O0
//@ group 32
//@ buffer x i32 32 = iota 0 5
//@ buffer o i32 160
//@ args x o
//@ expect o[0..32] = expr i*5+3
//@ expect o[32..64] = expr ((i-32)*(i-32+1)/2)
//@ expect o[64..96] = expr (i-64)%4*10
//@ expect o[96..128] = expr (i-96)<16?(i-96)*5:7
typedef struct { int a, b; short c; } S;
int helper(int *p, int n) { *p += n; return *p; }
int pick(global const int *g, int n) { return n < 16 ? g[n] : 7; }
kernel void k(global const int *x, global int *o) {
    int i = get_local_id(0);
    S s = {x[i], 3, 5};
    o[i] = s.a + s.b;
    int t = 0;
    for (int k = 0; k <= i; k++) { if (k == 100) break; helper(&t, k); }
    o[32 + i] = t;
    int table[4] = {0, 10, 20, 30};
    o[64 + i] = table[i % 4];
    o[96 + i] = pick(x, i);
}
