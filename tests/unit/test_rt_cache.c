/* The cache of compiled kernels: SHA-256 against published values, keys, damage, and its use when a
 * module is loaded. */
#include "cache.h"
#include "rt_helpers.h"

#include <dirent.h>
#include <fcntl.h>
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

Test(rt_cache, sha256_has_the_published_digests) {
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
    unsetenv("WAVE_CACHE_SIZE");
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

/* The cache in `inner`, created if it is missing. */
static rt_cache open_inner(void) {
    rt_cache cache;
    wave_rt_error why = {0};
    cr_assert(rt_cache_open(&cache, inner, &why), "%s", why.message);
    return cache;
}

Test(rt_cache_files, an_entry_is_read_back_and_is_private) {
    wave_blob out = {0};
    struct stat status;
    rt_cache cache = open_inner();
    cr_expect(stat(inner, &status) == 0 && (status.st_mode & 07777) == 0700);
    cr_expect_not(rt_cache_read(&cache, "key", &out));
    cr_expect(rt_cache_write(&cache, "key", "hello", 5));
    cr_assert(rt_cache_read(&cache, "key", &out));
    cr_expect(out.size == 5 && strcmp((char *)out.data, "hello") == 0);
    wave_blob_free(&out);
    cr_expect(rt_cache_write(&cache, "key", "", 0));
    cr_assert(rt_cache_read(&cache, "key", &out));
    cr_expect_eq(out.size, 0);
    wave_blob_free(&out);
    cr_expect(stat(only_file(), &status) == 0 && (status.st_mode & 07777) == 0600);
    rt_cache_remove(&cache, "key");
    cr_expect_not(rt_cache_read(&cache, "key", &out));
    rt_cache_close(&cache);
}

Test(rt_cache_files, damaged_entries_are_removed) {
    static const long places[] = {0, 8, 39, 40, -1};
    wave_blob out = {0};
    rt_cache cache = open_inner();
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        cr_assert(rt_cache_write(&cache, "key", "some text", 9));
        char *path = only_file();
        damage(path, places[k], '~');
        cr_expect_not(rt_cache_read(&cache, "key", &out), "byte %ld", places[k]);
        cr_expect_neq(access(path, F_OK), 0);
    }
    cr_assert(rt_cache_write(&cache, "key", "some text", 9));
    cr_assert_eq(truncate(only_file(), 20), 0);
    cr_expect_not(rt_cache_read(&cache, "key", &out));
    cr_expect_null(out.data);
    rt_cache_close(&cache);
}

/* ---- Files that are not entries ---- */

/* A valid entry, moved to a path next to the cache or elsewhere. */
static void make_entry(const rt_cache *cache, const char *path) {
    char from[128];
    cr_assert(rt_cache_write(cache, "key", "hello", 5));
    (void)snprintf(from, sizeof from, "%s/key", inner);
    cr_assert_eq(rename(from, path), 0);
}

/* Reading neither succeeds nor blocks, and an entry can replace the file, whatever it is. */
static void expect_no_entry(const rt_cache *cache, const char *what) {
    wave_blob out = {0};
    cr_expect_not(rt_cache_read(cache, "key", &out), "%s", what);
    cr_expect(rt_cache_write(cache, "key", "new", 3), "%s", what);
    cr_assert(rt_cache_read(cache, "key", &out), "%s", what);
    wave_blob_free(&out);
}

Test(rt_cache_files, links_are_not_followed) {
    char target[128], entry[128];
    rt_cache cache = open_inner();
    (void)snprintf(target, sizeof target, "%s/elsewhere", folder);
    (void)snprintf(entry, sizeof entry, "%s/key", inner);
    make_entry(&cache, target);
    cr_assert_eq(symlink(target, entry), 0);
    expect_no_entry(&cache, "a link");
    cr_expect_eq(access(target, F_OK), 0);
    rt_cache_close(&cache);
}

Test(rt_cache_files, pipes_are_not_waited_for, .timeout = 10) {
    char entry[128];
    rt_cache cache = open_inner();
    (void)snprintf(entry, sizeof entry, "%s/key", inner);
    cr_assert_eq(mkfifo(entry, 0600), 0);
    expect_no_entry(&cache, "a pipe");
    rt_cache_close(&cache);
}

Test(rt_cache_files, a_folder_is_not_an_entry) {
    char entry[128];
    wave_blob out = {0};
    rt_cache cache = open_inner();
    (void)snprintf(entry, sizeof entry, "%s/key", inner);
    cr_assert_eq(mkdir(entry, 0700), 0);
    cr_expect_not(rt_cache_read(&cache, "key", &out));
    cr_expect_not(rt_cache_write(&cache, "key", "new", 3));
    (void)only_file(); /* the folder; no temporary is left */
    rt_cache_close(&cache);
}

/* 1 MiB for all, so 256 KiB for one. */
Test(rt_cache_files, an_entry_has_a_largest_size) {
    static uint8_t data[300000];
    wave_blob out = {0};
    rt_cache cache = open_inner();
    cr_expect(rt_cache_write(&cache, "key", data, sizeof data));
    cr_assert(rt_cache_read(&cache, "key", &out));
    wave_blob_free(&out);
    rt_cache_close(&cache);
    setenv("WAVE_CACHE_SIZE", "1", 1);
    cache = open_inner();
    cr_expect_not(rt_cache_write(&cache, "other", data, sizeof data));
    expect_no_entry(&cache, "a large one");
    rt_cache_close(&cache);
}

Test(rt_cache_files, entries_of_other_users_are_not_read) {
    char entry[128];
    if (geteuid() != 0)
        cr_skip_test("only root can give files away");
    rt_cache cache = open_inner();
    (void)snprintf(entry, sizeof entry, "%s/key", inner);
    cr_assert(rt_cache_write(&cache, "key", "hello", 5));
    cr_assert_eq(chown(entry, 12345, 12345), 0);
    expect_no_entry(&cache, "another user's");
    rt_cache_close(&cache);
}

/* ---- The folder ---- */

/* Whether a cache in this folder is used; when it is not, the reason names `culprit`. */
static void expect_trust(const char *path, const char *culprit, const char *reason) {
    rt_cache cache;
    wave_rt_error why = {0};
    bool open = rt_cache_open(&cache, path, &why);
    cr_expect_eq(open, culprit == NULL, "%s: %s", path, why.message);
    if (culprit && !open) {
        cr_expect(strncmp(why.message, culprit, strlen(culprit)) == 0 &&
                      strncmp(why.message + strlen(culprit), reason, strlen(reason)) == 0,
                  "%s: %s", path, why.message);
    }
    rt_cache_close(&cache);
}

Test(rt_cache_files, folders_that_others_can_change_are_not_used) {
    static const char changed[] = " can be changed by other users";
    static const mode_t modes[] = {0770, 0707, 0777, 0720};
    char parent[64];
    (void)snprintf(parent, sizeof parent, "%s/a", folder);
    expect_trust(inner, NULL, NULL);
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        cr_assert_eq(chmod(inner, modes[k]), 0);
        expect_trust(inner, inner, changed);
        cr_assert_eq(chmod(inner, 01000 | modes[k]), 0); /* others could add entries */
        expect_trust(inner, inner, changed);
        cr_assert_eq(chmod(inner, 0700), 0);
        cr_assert_eq(chmod(parent, modes[k]), 0);
        expect_trust(inner, parent, changed);
        cr_assert_eq(chmod(parent, 01000 | modes[k]), 0); /* as /tmp is */
        expect_trust(inner, NULL, NULL);
        cr_assert_eq(chmod(parent, 0755), 0);
        expect_trust(inner, NULL, NULL);
    }
}

/* The path through a link is checked too, and so is the path to the link. */
Test(rt_cache_files, links_in_the_path_are_checked) {
    static const char changed[] = " can be changed by other users";
    char link[64], far[64], middle[64], path[100];
    (void)snprintf(link, sizeof link, "%s/link", folder);
    (void)snprintf(far, sizeof far, "%s/far", folder);
    (void)snprintf(middle, sizeof middle, "%s/far/middle", folder);
    (void)snprintf(path, sizeof path, "%s/link/x/../cache", folder);
    cr_assert(mkdir(far, 0700) == 0 && mkdir(middle, 0700) == 0);
    cr_assert_eq(symlink("far/middle", link), 0);
    expect_trust(path, NULL, NULL);
    cr_assert_eq(chmod(far, 0777), 0);
    expect_trust(path, far, changed);
    cr_assert_eq(chmod(far, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/loop/x", folder);
    (void)snprintf(link, sizeof link, "%s/loop", folder);
    cr_assert_eq(symlink("loop", link), 0);
    expect_trust(path, link, ": ");
}

Test(rt_cache_files, folders_of_other_users_are_not_used) {
    static const char belongs[] = " belongs to another user";
    char parent[64], link[64];
    if (geteuid() != 0)
        cr_skip_test("only root can give files away");
    (void)snprintf(parent, sizeof parent, "%s/a", folder);
    (void)snprintf(link, sizeof link, "%s/link", folder);
    expect_trust(inner, NULL, NULL);
    cr_assert_eq(chown(inner, 12345, 12345), 0);
    expect_trust(inner, inner, belongs);
    cr_assert_eq(chown(inner, 0, 0), 0);
    cr_assert_eq(chown(parent, 12345, 12345), 0);
    expect_trust(inner, parent, belongs);
    cr_assert_eq(chown(parent, 0, 0), 0);
    cr_assert(symlink(inner, link) == 0);
    expect_trust(link, NULL, NULL);
    cr_assert_eq(lchown(link, 12345, 12345), 0);
    expect_trust(link, link, belongs);
}

Test(rt_cache_files, a_path_that_is_no_folder_is_reported) {
    char file[64];
    (void)snprintf(file, sizeof file, "%s/file", folder);
    FILE *made = fopen(file, "w");
    cr_assert_not_null(made);
    fclose(made);
    expect_trust(file, file, " is not a folder");
    expect_trust("/proc/no/such/folder", "/proc/no", ": ");
}

Test(rt_cache_files, a_relative_folder_is_accepted) {
    struct stat status;
    cr_assert_eq(chdir(folder), 0);
    expect_trust("./here/", NULL, NULL);
    cr_expect_eq(stat("here", &status), 0);
}

/* ---- Its size ---- */

static void age(const char *key, time_t seconds) {
    char path[200];
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    (void)snprintf(path, sizeof path, "%s/%s", inner, key);
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0, "%s", path);
}

static bool present(const char *key) {
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", inner, key);
    return access(path, F_OK) == 0;
}

/* Five entries of 240,000 bytes exceed 1 MiB, four do not. */
Test(rt_cache_files, the_oldest_entries_make_room) {
    static uint8_t data[240000];
    char keys[5][RT_KEY_SIZE];
    wave_blob out = {0};
    setenv("WAVE_CACHE_SIZE", "1", 1);
    rt_cache cache = open_inner();
    for (int k = 0; k < 5; k++) {
        memset(keys[k], 'a' + k, RT_KEY_SIZE - 1);
        keys[k][RT_KEY_SIZE - 1] = '\0';
    }
    for (int k = 0; k < 4; k++) {
        cr_assert(rt_cache_write(&cache, keys[k], data, sizeof data));
        age(keys[k], 1000000 - 10 * k); /* the fourth is the oldest */
    }
    cr_assert(rt_cache_read(&cache, keys[3], &out)); /* now it is the newest */
    wave_blob_free(&out);
    cr_assert(
        rt_cache_write(&cache, "not a key", data, sizeof data)); /* neither counted nor removed */
    age("not a key", 1);
    cr_assert(rt_cache_write(&cache, keys[4], data, sizeof data));
    cr_expect(present(keys[0]) && present(keys[1]) && present(keys[3]) && present(keys[4]));
    cr_expect_not(present(keys[2]));
    cr_expect(present("not a key"));
    rt_cache_close(&cache);
}

Test(rt_cache_files, temporary_files_of_killed_processes_are_removed) {
    char old[RT_KEY_SIZE + 4], new[RT_KEY_SIZE + 4];
    rt_cache cache = open_inner();
    memset(old, 'a', RT_KEY_SIZE - 1);
    memcpy(new, old, RT_KEY_SIZE - 1);
    memcpy(old + RT_KEY_SIZE - 1, ".1.0", 5);
    memcpy(new + RT_KEY_SIZE - 1, ".2.0", 5);
    cr_assert(rt_cache_write(&cache, old, "x", 1) && rt_cache_write(&cache, new, "x", 1));
    age(old, 1000000);
    cr_assert(rt_cache_write(&cache, "key", "x", 1));
    cr_expect(present(new) && !present(old));
    rt_cache_close(&cache);
}

Test(rt_cache_files, the_size_limit_is_parsed) {
    static const struct {
        const char *text;
        uint64_t limit;
    } cases[] = {{"", 1073741824}, {"1", 1048576}, {"0", 0}, {"999999", 1048574951424}};
    static const char *const bad[] = {"x", "1x", "-1", "1000000", "99999999999999999999", " 1"};
    uint64_t limit;
    wave_rt_error why;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        setenv("WAVE_CACHE_SIZE", cases[k].text, 1);
        cr_expect(rt_cache_limit(&limit, &why) && limit == cases[k].limit, "%s", cases[k].text);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        setenv("WAVE_CACHE_SIZE", bad[k], 1);
        cr_expect_not(rt_cache_limit(&limit, &why), "%s", bad[k]);
        cr_expect(strstr(why.message, "WAVE_CACHE_SIZE"));
    }
}

Test(rt_cache_files, the_environment_determines_the_folder) {
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

/* Entries of the cache: for each module the text and the machine code. */
static unsigned for_each_entry(void (*action)(const char *path)) {
    char paths[8][512];
    unsigned files = 0;
    DIR *directory = opendir(inner);
    cr_assert_not_null(directory);
    for (struct dirent *e; (e = readdir(directory)) && files < 8;)
        if (e->d_name[0] != '.')
            (void)snprintf(paths[files++], sizeof *paths, "%s/%s", inner, e->d_name);
    closedir(directory);
    for (unsigned k = 0; k < files && action; k++)
        action(paths[k]);
    return files;
}

static void damage_end(const char *path) {
    damage(path, -1, 0);
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

Test(rt_cache_files, modules_are_cached_by_options_and_device) {
    char path[4096];
    wave_rt_module_options o;
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    wave_rt_device *device = rt_open("cuda:0");
    wave_rt_module_init(&o);
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect(load_cached(device, RT_STORE, &o));
    cr_expect_eq(for_each_entry(damage_end), 2);
    cr_expect_not(load_cached(device, RT_STORE, &o)); /* compiled again */
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

/* A text that the vendor rejects, with a valid checksum. */
static void spoil(const char *path) {
    rt_cache cache = open_inner();
    cr_assert(rt_cache_write(&cache, strrchr(path, '/') + 1, "no PTX at all\n", 14));
    rt_cache_close(&cache);
}

Test(rt_cache_files, rejected_entries_are_rebuilt) {
    char path[4096];
    wave_rt_module_options o;
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    wave_rt_device *device = rt_open("cuda:0");
    wave_rt_module_init(&o);
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect_eq(for_each_entry(spoil), 2);
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect(load_cached(device, RT_STORE, &o));
    wave_rt_close(device);
}

/* What the vendor rejects is not cached; an accepted entry that it later rejects is removed. */
Test(rt_cache_files, rejected_entries_are_removed) {
    char path[4096];
    wave_rt_module_options o;
    wave_rt_module *module;
    wave_rt_error error;
    wave_blob binary = rt_assemble(RT_STORE);
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    setenv("WAVE_SIM_CAPABILITY", "86", 1);
    wave_rt_device *device = rt_open("cuda:0");
    wave_rt_module_init(&o);
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect_eq(for_each_entry(NULL), 2);
    wave_rt_close(device);
    setenv("WAVE_SIM_CAPABILITY", "87", 1); /* which takes the same text and other machine code */
    setenv("WAVE_SIM_SPOIL", "1", 1);
    device = rt_open("cuda:0");
    cr_expect_eq(wave_rt_module_load(device, binary.data, binary.size, &o, &module, &error),
                 WAVE_RT_BAD_BUILD);
    cr_expect_eq(told, 2); /* compiled again, without success */
    cr_expect_eq(for_each_entry(NULL), 0);
    wave_rt_close(device);
    wave_blob_free(&binary);
}

static char warning[600];
static unsigned warnings;

static void take_warning(void *user, const char *what) {
    (void)user;
    (void)snprintf(warning, sizeof warning, "%s", what);
    warnings++;
}

/* Without the cache a module is still loaded, and the reason is reported once. */
Test(rt_cache_files, an_unsafe_cache_is_not_used) {
    char path[4096];
    wave_rt_module_options o;
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    wave_rt_device *device = rt_open("cuda:0");
    wave_rt_module_init(&o);
    o.warning = take_warning;
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect(load_cached(device, RT_STORE, &o));
    cr_expect_eq(warnings, 0);
    cr_assert_eq(chmod(inner, 0777), 0);
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect_not(load_cached(device, RT_STORE, &o));
    cr_expect_eq(warnings, 1);
    cr_expect(strstr(warning, inner) && strstr(warning, "can be changed by other users"), "%s",
              warning);
    wave_rt_close(device);
}

/* The callbacks are lent for one call: a launch that loads a variant of the module uses neither. */
Test(rt_cache_files, a_variant_calls_nobody_back) {
    char path[4096];
    wave_rt_module *module;
    wave_rt_queue *queue;
    wave_rt_module_options o;
    wave_rt_launch launch;
    wave_rt_error error = {0};
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    wave_rt_device *device = rt_open("cuda:0");
    wave_blob binary = rt_assemble(".kernel open\n.registers 0\n halt\n.end\n");
    wave_rt_module_init(&o);
    o.cache = inner;
    o.progress = count_compiling;
    o.warning = take_warning;
    cr_assert_eq(wave_rt_module_load(device, binary.data, binary.size, &o, &module, &error),
                 WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(wave_rt_queue_create(device, &queue, &error), WAVE_RT_OK);
    cr_assert_eq(chmod(inner, 0777), 0);
    told = 0;
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.registers = 64;
    cr_expect_eq(wave_rt_dispatch(queue, &launch, &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(wave_rt_wait(queue, &error), WAVE_RT_OK, "%s", error.message);
    cr_expect(told == 0 && warnings == 0);
    wave_rt_queue_destroy(queue);
    wave_rt_module_destroy(module);
    wave_rt_close(device);
    wave_blob_free(&binary);
}
