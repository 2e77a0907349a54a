/* Where the runtime searches for a vendor's libraries, in temporary folders, and that a library
 * stays loaded. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): dladdr
#endif
#include "rt_helpers.h"
#include "streams.h"

#include <sys/stat.h>
#include <sys/wait.h>

enum { PATH_SIZE = 4096 };

/* No system has a library of this name, so a match comes from one of the folders. */
static const char *const names[] = {"libwave_test_fake.so", "libwave_test_fake.so.7", NULL};

static char root[] = "/tmp/wave_rt_library.XXXXXX";

static void setup(void) {
    cr_assert_not_null(mkdtemp(root));
    unsetenv("WAVE_TEST_LIBRARY");
    unsetenv("ROCM_PATH");
    unsetenv("HIP_PATH");
}

static void teardown(void) {
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    cr_expect_eq(system(command), 0); // NOLINT(cert-env33-c): a folder that this test made
}

TestSuite(rt_library, .init = setup, .fini = teardown);

/* Creates ROOT/FOLDER/lib/NAME, a link to the simulated CUDA library or a file that is not a
 * library. */
static void put(const char *folder, const char *name, bool good) {
    char path[PATH_SIZE], library[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", root, folder);
    (void)mkdir(path, 0755);
    (void)snprintf(path, sizeof path, "%s/%s/lib", root, folder);
    (void)mkdir(path, 0755);
    (void)snprintf(path, sizeof path, "%s/%s/lib/%s", root, folder, name);
    if (good) {
        cr_assert_eq(symlink(rt_sim_path("libsimcuda.so", library), path), 0);
        return;
    }
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs("no library", file) >= 0 && fclose(file) == 0);
}

static void set_folder(const char *variable, const char *folder) {
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", root, folder);
    setenv(variable, path, 1);
}

/* The folder below ROOT that the library comes from; "" when there is none. */
static const char *found(const char *const *folders, wave_rt_error *error) {
    static char path[PATH_SIZE];
    Dl_info info;
    void *symbol = NULL, *library = rt_library_open("WAVE_TEST_LIBRARY", names, folders, error);
    if (!library)
        return "";
    cr_assert(rt_library_find(library, "sim_live", &symbol));
    cr_assert(dladdr(symbol, &info));
    cr_assert(strncmp(info.dli_fname, root, strlen(root)) == 0, "%s", info.dli_fname);
    (void)snprintf(path, sizeof path, "%s", info.dli_fname + strlen(root) + 1);
    path[strcspn(path, "/")] = '\0';
    rt_library_close(library);
    return path;
}

Test(rt_library, the_folders_of_rocm_are_searched) {
    static const char *const wanted[] = {"$ROCM_PATH/lib", "$HIP_PATH/lib", "/opt/rocm/lib",
                                         "/opt/rocm-*/lib"};
    for (size_t k = 0; k < 4; k++)
        cr_expect_str_eq(rt_rocm_folders[k], wanted[k]);
    cr_expect_null(rt_rocm_folders[4]);
}

Test(rt_library, a_missing_library_is_reported) {
    wave_rt_error error;
    cr_expect_str_eq(found(rt_rocm_folders, &error), "");
    cr_expect_eq(error.status, WAVE_RT_NO_DEVICE);
    cr_expect_str_eq(error.message, "libwave_test_fake.so is not installed");
    cr_expect_str_eq(found(NULL, &error), "");
    cr_expect_str_eq(error.message, "libwave_test_fake.so is not installed");
}

Test(rt_library, rocm_path_comes_first) {
    wave_rt_error error;
    put("rocm", names[1], true);
    put("hip", names[0], true);
    set_folder("ROCM_PATH", "rocm");
    set_folder("HIP_PATH", "hip");
    cr_expect_str_eq(found(rt_rocm_folders, &error), "rocm", "%s", error.message);
}

Test(rt_library, hip_path_comes_next) {
    wave_rt_error error;
    put("hip", names[0], true);
    set_folder("ROCM_PATH", "nothing");
    set_folder("HIP_PATH", "hip");
    cr_expect_str_eq(found(rt_rocm_folders, &error), "hip", "%s", error.message);
}

/* Anybody could place a library in the current folder. */
Test(rt_library, a_relative_folder_is_not_searched) {
    wave_rt_error error;
    put("rocm", names[0], true);
    cr_assert_eq(chdir(root), 0);
    setenv("ROCM_PATH", "rocm", 1);
    setenv("HIP_PATH", "", 1);
    cr_expect_str_eq(found(rt_rocm_folders, &error), "");
}

/* The newest of several releases: 10 is newer than 9, and 6.10 newer than 6.9.3. */
Test(rt_library, the_newest_release_is_preferred) {
    static const char *const releases[] = {"rocm-5.7.1", "rocm-6.9.3", "rocm-6.10.0", "rocm-10.0"};
    char pattern[PATH_SIZE];
    const char *const folders[] = {pattern, NULL};
    (void)snprintf(pattern, sizeof pattern, "%s/rocm-*/lib", root);
    put("rocm-11.0", "libother.so", true);
    for (size_t k = 0; k < sizeof releases / sizeof *releases; k++) {
        pid_t child;
        int status = 1;
        put(releases[k], names[0], true);
        /* In a separate process: a library that is already loaded is not loaded from elsewhere. */
        cr_assert_geq(child = fork(), 0);
        if (child == 0) {
            wave_rt_error error;
            _exit(strcmp(found(folders, &error), releases[k]) != 0);
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_expect_eq(status, 0, "%s is there", releases[k]);
    }
}

/* A library that exists but does not load is reported. A working folder follows it. */
Test(rt_library, a_library_that_does_not_load_is_reported) {
    wave_rt_error error;
    put("rocm", names[0], false);
    set_folder("ROCM_PATH", "rocm");
    cr_expect_str_eq(found(rt_rocm_folders, &error), "");
    cr_expect(strstr(error.message, "rocm/lib/libwave_test_fake.so: "), "%s", error.message);
    put("hip", names[0], true);
    set_folder("HIP_PATH", "hip");
    cr_expect_str_eq(found(rt_rocm_folders, &error), "hip", "%s", error.message);
}

/* The same for one that the system's loader finds by its name. */
Test(rt_library, a_library_that_the_system_finds_and_cannot_load_is_reported) {
    char path[PATH_SIZE];
    wave_rt_error error = {0};
    put("broken", names[0], false);
    (void)snprintf(path, sizeof path, "%s/broken/lib/%s", root, names[0]);
    const char *const list[] = {path, names[1], NULL};
    cr_expect_null(rt_library_open("WAVE_TEST_LIBRARY", list, NULL, &error));
    cr_expect(strstr(error.message, path) && !strstr(error.message, "is not installed"), "%s",
              error.message);
}

Test(rt_library, the_variable_alone_decides) {
    wave_rt_error error;
    put("rocm", names[0], true);
    set_folder("ROCM_PATH", "rocm");
    setenv("WAVE_TEST_LIBRARY", "/nonexistent.so", 1);
    cr_expect_str_eq(found(rt_rocm_folders, &error), "");
    cr_expect(strstr(error.message, "WAVE_TEST_LIBRARY: "), "%s", error.message);
}

/* Vendors' libraries start threads and register handlers that outlive a dlclose. */
Test(rt_library, a_library_stays_loaded) {
    wave_rt_error error;
    char path[PATH_SIZE];
    put("rocm", names[0], true);
    set_folder("ROCM_PATH", "rocm");
    cr_assert_str_eq(found(rt_rocm_folders, &error), "rocm", "%s", error.message);
    (void)snprintf(path, sizeof path, "%s/rocm/lib/%s", root, names[0]);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    cr_expect_not_null(library, "the library is unloaded");
    if (library)
        dlclose(library);
}
