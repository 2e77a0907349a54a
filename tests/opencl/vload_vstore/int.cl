//@ test    vload and vstore of int, 2 to 16 components, from odd elements
//@ group   3
//@ buffer  x u32 64 = 4294967287 4294967292 1 6 11 16 21 26 31 36 41 46 51 56 61 66 71 76 81 86 91 96 101 106
//@ + 111 116 121 126 131 136 141 146 151 156 161 166 171 176 181 186 191 196 201 206 211 216 221 226 231 236
//@ + 241 246 251 256 261 266 271 276 281 286 291 296 301 306
//@ buffer  out u32 120
//@ args    x out
//@ expect  out[0..6] = 4294967292 1 7 12 18 23
//@ expect  out[8..17] = 4294967292 1 6 12 17 22 28 33 38
//@ expect  out[20..32] = 4294967292 1 6 11 17 22 27 32 38 43 48 53
//@ expect  out[36..60] = 4294967292 1 6 11 16 21 26 31 37 42 47 52 57 62 67 72 78 83 88 93 98 103 108 113
//@ expect  out[68..116] = 4294967292 1 6 11 16 21 26 31 36 41 46 51 56 61 66 71 77 82 87 92 97 102 107 112 117
//@ + 122 127 132 137 142 147 152 158 163 168 173 178 183 188 193 198 203 208 213 218 223 228 233

kernel void moved(global const int *x, global int *out) {
    size_t i = get_global_id(0);
    vstore2(vload2(i, x + 1) + (int)i, i, out + 0);
    vstore3(vload3(i, x + 1) + (int)i, i, out + 8);
    vstore4(vload4(i, x + 1) + (int)i, i, out + 20);
    vstore8(vload8(i, x + 1) + (int)i, i, out + 36);
    vstore16(vload16(i, x + 1) + (int)i, i, out + 68);
}
