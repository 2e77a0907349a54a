//@ test    a sparse matrix in rows times a vector
//@ group   32
//@ buffer  starts u32 33 = 0 0 1 3 6 10 10 11 13 16 20 20 21 23 26 30 30 31 33 36 40 40 41 43 46 50 50 51 53
//@ + 56 60 60 61
//@ buffer  columns u32 61 = 7 14 19 21 26 31 28 1 6 11 10 17 22 24 29 2 31 4 9 14 13 20 25 27 0 5 2 7 12 17 16
//@ + 23 28 30 3 8 5 10 15 20 19 26 31 1 6 11 8 13 18 23 22 29 2 4 9 14 11 16 21 26 25
//@ buffer  values f32 61 = -3 -2 -1 0 1 2 3 -3 -2 -1 0 1 2 3 -3 -2 -1 0 1 2 3 -3 -2 -1 0 1 2 3 -3 -2 -1 0 1 2
//@ + 3 -3 -2 -1 0 1 2 3 -3 -2 -1 0 1 2 3 -3 -2 -1 0 1 2 3 -3 -2 -1 0 1
//@ buffer  x f32 32 = 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1
//@ buffer  y f32 32
//@ args    starts columns values x y
//@ expect  y = 0 -6 -12 3 3 0 0 6 -4 11 0 9 0 -2 0 0 -1 3 0 0 0 8 0 -3 9 0 -4 -4 24 -6 0 0

kernel void spmv(global const uint *starts, global const uint *columns, global const float *values, global const float *x, global float *y) {
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (uint k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}
