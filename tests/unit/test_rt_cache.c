/* The cache of compiled kernels: SHA-256 against published values, keys, damage, and what a module
 * load makes of it. */
#include "cache.h"
#include "rt_helpers.h"

#include <dirent.h>
#include <sys/stat.h>

/* ---- SHA-256: the examples of FIPS 180-4 and one of many blocks ---- */

static void expect_digest(const char *text, size_t repeat, const char *hex) {
    rt_sha256 h;
    uint8_t digest[32];
    char got[65];
    rt_sha256_start(&h);
    for (size_t k = 0; k < repeat; k++)
        rt_sha256_add(&h, text, strlen(text));
    rt_sha256_end(&h, digest);
    for (int k = 0; k < 32; k++)
        (void)snprintf(got + 2 * k, 3, "%02x", digest[k]);
    cr_expect_str_eq(got, hex);
}

Test(rt_cache, sha256) {
    expect_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_digest("aaaaaaaaaa", 100000,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

Test(rt_cache, keys_differ) {
    char a[RT_KEY_SIZE], b[RT_KEY_SIZE], c[RT_KEY_SIZE];
    rt_sha256 h;
    rt_key_start(&h);
    rt_key_text(&h, "ab");
    rt_key_text(&h, "c");
    rt_key_end(&h, a);
    rt_key_start(&h);
    rt_key_text(&h, "a");
    rt_key_text(&h, "bc");
    rt_key_end(&h, b);
    rt_key_start(&h);
    rt_key_text(&h, "ab");
    rt_key_text(&h, "c");
    rt_key_end(&h, c);
    cr_expect_str_neq(a, b);
    cr_expect_str_eq(a, c);
}

/* ---- Files ---- */

static char folder[] = "/tmp/wave-cache-XXXXXX";
static char inner[64];

static void setup(void) {
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(inner, sizeof inner, "%s/a/b", folder);
}

static void teardown(void) {
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(rt_cache_files, .init = setup, .fini = teardown);

static char *only_file(void) {
    static char path[512];
    DIR *directory = opendir(inner);
    unsigned files = 0;
    cr_assert_not_null(directory);
    for (struct dirent *e; (e = readdir(directory));)
        if (e->d_name[0] != '.') {
            (void)snprintf(path, sizeof path, "%s/%s", inner, e->d_name);
            files++;
        }
    closedir(directory);
    cr_assert_eq(files, 1, "%u files", files);
    return path;
}

static void damage(const char *path, long offset, int byte) {
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    fseek(file, offset, offset < 0 ? SEEK_END : SEEK_SET);
    fputc(byte, file);
    fclose(file);
}

Test(rt_cache_files, round_trip) {
    wave_blob out = {0};
    cr_expect_not(rt_cache_read(inner, "key", &out));
    cr_expect(rt_cache_write(inner, "key", "hello", 5));
    cr_assert(rt_cache_read(inner, "key", &out));
    cr_expect(out.size == 5 && strcmp((char *)out.data, "hello") == 0);
    wave_blob_free(&out);
    cr_expect(rt_cache_write(inner, "key", "", 0));
    cr_assert(rt_cache_read(inner, "key", &out));
    cr_expect_eq(out.size, 0);
    wave_blob_free(&out);
    (void)only_file(); /* no temporary is left */
}

Test(rt_cache_files, damaged_entries_are_removed) {
    static const long places[] = {0, 8, 39, 40, -1};
    wave_blob out = {0};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        cr_assert(rt_cache_write(inner, "key", "some text", 9));
        char *path = only_file();
        damage(path, places[k], '~');
        cr_expect_not(rt_cache_read(inner, "key", &out), "byte %ld", places[k]);
        cr_expect_neq(access(path, F_OK), 0);
    }
    cr_assert(rt_cache_write(inner, "key", "some text", 9));
    cr_assert_eq(truncate(only_file(), 20), 0);
    cr_expect_not(rt_cache_read(inner, "key", &out));
    cr_expect_null(out.data);
}

Test(rt_cache_files, unwritable_folder) {
    cr_expect_not(rt_cache_write("/proc/no/such/folder", "key", "x", 1));
}

Test(rt_cache_files, folders) {
    setenv("WAVE_CACHE_DIR", "/x/y", 1);
    setenv("XDG_CACHE_HOME", "/x/cache", 1);
    setenv("HOME", "/x/home", 1);
    static const struct {
        const char *asked, *variable, *expected;
    } cases[] = {{"/asked", NULL, "/asked"},
                 {"", NULL, NULL},
                 {NULL, NULL, "/x/y"},
                 {NULL, "WAVE_CACHE_DIR", "/x/cache/wave"},
                 {NULL, "XDG_CACHE_HOME", "/x/home/.cache/wave"},
                 {NULL, "HOME", NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (cases[k].variable)
            unsetenv(cases[k].variable);
        char *got = rt_cache_folder(cases[k].asked);
        if (cases[k].expected)
            cr_expect_str_eq(got, cases[k].expected);
        else
            cr_expect_null(got);
        free(got);
    }
    setenv("WAVE_CACHE_DIR", "", 1);
    cr_expect_null(rt_cache_folder(NULL));
}

/* ---- Modules ---- */

/* The text and the machine code. */
static void damage_all(void) {
    char path[512];
    DIR *directory = opendir(inner);
    cr_assert_not_null(directory);
    for (struct dirent *e; (e = readdir(directory));)
        if (e->d_name[0] != '.') {
            (void)snprintf(path, sizeof path, "%s/%s", inner, e->d_name);
            damage(path, -1, 0);
        }
    closedir(directory);
}

static unsigned told;

static void count_compiling(void *user, const char *what) {
    (void)user;
    told += strncmp(what, "compiling for ", 14) == 0;
}

static bool load_cached(wave_rt_device *device, const char *source, wave_rt_module_options *o) {
    wave_rt_module *module;
    wave_rt_error error;
    wave_blob binary = rt_assemble(source);
    o->cache = inner;
    o->progress = count_compiling;
    told = 0;
    cr_assert_eq(wave_rt_module_load(device, binary.data, binary.size, o, &module, &error),
                 WAVE_RT_OK, "%s", error.message);
    bool cached = wave_rt_module_cached(module);
    cr_expect_eq(told, cached ? 0 : 1);
    cr_expect(strstr(wave_rt_module_text(module, NULL), ".visible .entry"));
    wave_rt_module_destroy(module);
    wave_blob_free(&binary);
    return cached;
}

Test(rt_cache_files, modules) {
    char path[4096];
    wave_rt_module_options o;
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    wave_rt_device *device = rt_open("cuda:0");
    wave_rt_module_init(&o);
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect(load_cached(device, RT_STORE, &o));
    damage_all();
    cr_expect_not(load_cached(device, RT_STORE, &o)); /* made again */
    cr_expect(load_cached(device, RT_STORE, &o));
    cr_expect_not(load_cached(device, RT_MADD, &o));
    o.optimise = false;
    cr_expect_not(load_cached(device, RT_STORE, &o));
    o.bounds = true;
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect(load_cached(device, RT_STORE, &o));
    wave_rt_close(device);
    setenv("WAVE_SIM_CAPABILITY", "80", 1);
    device = rt_open("cuda:0");
    cr_expect_not(load_cached(device, RT_STORE, &o)); /* another architecture */
    wave_rt_close(device);
}
