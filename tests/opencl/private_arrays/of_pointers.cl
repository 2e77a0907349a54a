//@ test    a private array of pointers to global memory, one chosen at run time
//@ group   64
//@ buffer  a i32 64 = iota 0
//@ buffer  b i32 65 = iota 100 2
//@ buffer  c i32 64 = fill 7
//@ buffer  out i32 64
//@ args    a b c out
//@ expect  out = 11220 104874 7227 14883 110880 7557 18546 116886 7887 22209 122892 8217 25872 128898 8547
//@ + 29535 134904 8877 33198 140910 9207 36861 146916 9537 40524 152922 9867 44187 158928 10197 47850 164934
//@ + 10527 51513 170940 10857 55176 176946 11187 58839 182952 11517 62502 188958 11847 66165 194964 12177
//@ + 69828 200970 12507 73491 206976 12837 77154 212982 13167 80817 218988 13497 84480 224994 13827 88143

kernel void pointers(global const int *a, global const int *b, global const int *c, global int *out) {
    size_t i = get_global_id(0);
    global const int *all[3] = {a, b + 1, c};
    int total = 0;
    for (int k = 0; k < 4; k++)
        total = total * 10 + all[(i + k * k) % 3][i];
    out[i] = total;
}
