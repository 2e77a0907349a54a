//@ test    structures, bytes and 64-bit words in local memory
//@ group   32
//@ buffer  x i32 32 = 68764 98595 60655 40211 61535 65884 59559 4984 1889 24292 98708 34455 48241 10323 91356
//@ + 98891 42919 28426 55778 51469 27601 47869 57102 13188 27730 46641 83911 87362 62628 64832 53036 20680
//@ buffer  out u64 32
//@ args    x out
//@ expect  out = 5226109997 62452144241 69084386363 64524128339 42164292636 63601379597 103384351830
//@ + 72104280292 103694744360 95793723342 10824463194 50584366989 36128697288 103502850010 25472017471
//@ + 1980768209 13828643465 59875808808 50194305836 28941766421 53969177190 58487490384 29806838413
//@ + 45003849535 21684582901 55612306798 67981308311 65670245904 91605723587 87987086941 48906658268
//@ + 29077036562

typedef struct {
    long key;
    uchar mark;
    float weight;
} item;

kernel void items(global const int *x, global long *out) {
    local item items[32];
    local uchar flags[32];
    size_t l = get_local_id(0);
    items[l].key = (long)x[l] << 20;
    items[l].mark = (uchar)x[l];
    items[l].weight = l * 0.5f;
    flags[31 - l] = (uchar)(l * 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    item it = items[l ^ 7];
    out[l] = it.key + it.mark + (long)(it.weight * 2.0f) * 1000 + flags[l];
}
