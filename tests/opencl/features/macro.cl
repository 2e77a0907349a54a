//@ test    macros of the command line
// Written by generate.py.
//@ cc: -DSCALE=3 -D PLUS=1
//@ grid    1
//@ group   64
//@ buffer  out u32 64 at 256
//@ args    out
//@ expect  out = 1 4 7 10 13 16 19 22
//@ + 25 28 31 34 37 40 43 46
//@ + 49 52 55 58 61 64 67 70
//@ + 73 76 79 82 85 88 91 94
//@ + 97 100 103 106 109 112 115 118
//@ + 121 124 127 130 133 136 139 142
//@ + 145 148 151 154 157 160 163 166
//@ + 169 172 175 178 181 184 187 190

kernel void k(global uint *out) { out[get_global_id(0)] = SCALE * get_global_id(0) + PLUS; }
