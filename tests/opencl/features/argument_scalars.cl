//@ test    scalars of all widths
// Written by generate.py.
//@ grid    1
//@ group   64
//@ buffer  out u32 64 at 256
//@ args    out 200 0xFFFB 0 3 f32:6.5 0xFF
//@ expect  out = 203 204 205 206 207 208 209 210
//@ + 211 212 213 214 215 216 217 218
//@ + 219 220 221 222 223 224 225 226
//@ + 227 228 229 230 231 232 233 234
//@ + 235 236 237 238 239 240 241 242
//@ + 243 244 245 246 247 248 249 250
//@ + 251 252 253 254 255 256 257 258
//@ + 259 260 261 262 263 264 265 266

kernel void k(global uint *out, uchar a, short b, ulong c, float d, char e) {
    uint i = get_global_id(0);
    out[i] = a + (uint)(int)b + (uint)(c >> 32) + (uint)d + (uint)(int)e + i;
}
