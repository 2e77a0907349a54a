//@ test    overloaded helpers and a helper with a vector result
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 140101 140305 140509 140713 140917 141121 141325 141529 141733 141937 142141 142345 142549
//@ + 142753 142957 143161 143365 143569 143773 143977 144181 144385 144589 144793 144997 145201 145405 145609
//@ + 145813 146017 146221 146425 146629 146833 147037 147241 147445 147649 147853 148057 148261 148465 148669
//@ + 148873 149077 149281 149485 149689 149893 150097 150301 150505 150709 150913 151117 151321 151525 151729
//@ + 151933 152137 152341 152545 152749 152953

float __attribute__((overloadable)) twice(float a) { return a * 2.0f; }
int __attribute__((overloadable)) twice(int a) { return a * 2 + 1; }
int2 __attribute__((overloadable)) twice(int2 a) { return a.yx * 2; }

kernel void overloads(global int *out) {
    int i = get_global_id(0);
    int2 v = twice((int2)(i, 7));
    out[i] = (int)twice((float)i + 0.5f) + twice(i) * 100 + v.x * 10000 + v.y;
}
