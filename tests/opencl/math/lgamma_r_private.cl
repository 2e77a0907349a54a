//@ test    lgamma_r, the second result to private memory
// Written by generate.py.
//@ grid    1
//@ group   19
//@ buffer  x f32 19 = 24.5866966 5.31323624 17.5125198 9.57945156 21.1417408 17.1017551 25.6490326 15.388072
//@ + 22.1901512 10.5060749 18.8495541 15.6495647 7.4409976 18.7423859 26.7590771 29.6101665
//@ + -0.5 -1.5 1
//@ buffer  out f32 19
//@ buffer  second i32 19
//@ args    x out second
//@ expect  out ulp 16 = 53.4661827 3.66044068 32.1165924 11.8642969 42.7642365 30.9574451 56.869339 26.2342052
//@ + 45.9643898 13.9546175 35.9570732 26.9427147 7.41974974 35.6455574 60.4732475 69.9402618
//@ + 1.26551211 0.860047042 0
//@ expect  second = 1 1 1 1 1 1 1 1
//@ + 1 1 1 1 1 1 1 1
//@ + -1 1 1

kernel void test_lgamma_r(global const float *x, global float *out, global int *second) {
    size_t i = get_global_id(0);
    int r;
    out[i] = lgamma_r(x[i], &r);
    second[i] = r;
}
