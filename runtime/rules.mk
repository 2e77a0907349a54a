# The runtime's part of the build, included by the Makefile: libwave_rt, its plug-ins, the simulated drivers of the
# tests, hwtest. Nothing here needs a vendor's tool chain; parts that need one are built only where it is
# installed.

RT_SRCS := $(sort $(wildcard runtime/*.c))
RT_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(RT_SRCS))
HWTEST_SRCS := $(sort $(wildcard hwtests/*.c))
HWTEST_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(HWTEST_SRCS))
SIM_SRCS := $(sort $(wildcard tests/simgpu/*.c))
SIM_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(SIM_SRCS))
ALL_OBJS += $(RT_OBJS) $(HWTEST_OBJS) $(SIM_OBJS)

RT_LIB := $(BUILD)/lib/libwave_rt.a
RT_LINK := $(subst libwave,libwave_rt,$(SHARED_LINK))
RT_ABI := $(subst libwave,libwave_rt,$(SHARED_ABI))
RT_NAME := $(subst libwave,libwave_rt,$(SHARED_NAME))
RT_SHARED := $(BUILD)/lib/$(RT_LINK)
RT_FLAGS = $(subst $(SHARED_ABI),$(RT_ABI),$(SHARED_FLAGS))
# libwave is in the same folder.
ifneq ($(OS),Darwin)
RT_FLAGS += -Wl,-rpath,'$$ORIGIN'
endif
PLUGINDIR ?= $(LIBDIR)/wave
ifeq ($(OS),Linux)
RT_LDLIBS := -ldl
endif

# The cache adds this to the version, so that a changed compiler finds no stale results: the emitted text depends on all of src, the
# machine code also on how the runtime calls the vendor's compiler.
BUILD_ID := $(BUILD)/gen/build_id.h
BUILD_ID_FILES := $(sort $(wildcard src/*/*.[ch] src/*/*.def src/*/*.inc src/*/*/*.txt include/wave/*.h runtime/*.[chm] runtime/*.cpp) \
	scripts/helpers.awk scripts/isa_names.awk)
$(BUILD_ID): $(BUILD_ID_FILES)
	@mkdir -p $(@D)
	@cat $(BUILD_ID_FILES) | cksum | sed 's/\([0-9]*\) .*/#define WAVE_BUILD_ID "\1"/' >$@.new
	@cmp -s $@.new $@ 2>/dev/null && rm -f $@.new && touch $@ || mv $@.new $@
$(BUILD)/obj/runtime/cache.o: $(BUILD_ID)

$(RT_OBJS): MUST_CFLAGS += -I$(BUILD)/gen
$(BUILD)/obj/runtime/plugin.o: MUST_CFLAGS += -DWAVE_PLUGIN_DIR='"$(PLUGINDIR)"'
$(HWTEST_OBJS): MUST_CFLAGS += -Iruntime -Itests
$(SIM_OBJS): MUST_CFLAGS += -Itests
$(BUILD)/obj/src/cli/wave_run.o $(BUILD)/obj/src/cli/run_options.o: MUST_CFLAGS += -Iruntime

all: $(RT_LIB) $(RT_SHARED)

$(RT_LIB): $(RT_OBJS) $(BUILD)/objects.stamp
	@mkdir -p $(@D)
	$(say) AR '$@'
	@rm -f $@
	$(Q)$(AR) qcs $@ $(RT_OBJS)

$(RT_SHARED): $(RT_OBJS) $(SHARED_LIB) $(BUILD)/objects.stamp
	@mkdir -p $(@D)
	$(say) LINK '$(@D)/$(RT_NAME)'
	$(Q)$(link) $(RT_FLAGS) -o $(@D)/$(RT_NAME) $(RT_OBJS) -L$(@D) -lwave $(LDLIBS) $(RT_LDLIBS) $(MUST_LDLIBS)
	@cd $(@D) && ln -sf $(RT_NAME) $(RT_ABI) && rm -f $(RT_LINK) && ln -s $(RT_NAME) $(RT_LINK)

# Programs that use the runtime link it statically, like the tools.
RT_LIBS = $(RT_LIB) $(STATIC_LIB) $(RT_LDLIBS)
RT_UNIT_TESTS := $(filter $(BUILD)/tests/test_rt%,$(UNIT_TESTS))
$(BUILD)/bin/wave-run $(RT_UNIT_TESTS): LDLIBS := $(RT_LIBS) $(LDLIBS) -lpthread
$(BUILD)/bin/wave-run $(RT_UNIT_TESTS): $(RT_LIB)
$(patsubst $(BUILD)/tests/%,$(BUILD)/obj/tests/unit/%.o,$(RT_UNIT_TESTS)): MUST_CFLAGS += -Iruntime

# The test of failing allocations is linked with the allocator of tests/harden.
ifneq ($(OS),Darwin)
RT_WRAP := -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free
endif
$(BUILD)/tests/test_rt_alloc: LDLIBS := $(RT_LIBS) $(LDLIBS) -lpthread $(RT_WRAP)
$(BUILD)/tests/test_rt_alloc: $(BUILD)/obj/tests/harden/alloc_hook.o

# The test of hwbench's figures links the file that prints them.
$(BUILD)/tests/test_rt_bench: $(BUILD)/obj/hwtests/bench_report.o

# --- Plug-ins: "make plugins" builds those that this machine supports --------------------------------------

PLUGINS := $(BUILD)/lib/wave
RT_SYCL_ROOT = $(shell sh scripts/find-sycl.sh)
SYCL_PLUGIN := $(PLUGINS)/libwave_rt_sycl.so
METAL_PLUGIN := $(PLUGINS)/libwave_rt_metal.dylib
# A plug-in that does not compile is skipped: hwtest must not fail because of it, and reports which devices are
# missing.
.PHONY: plugins sycl-syntax
ifeq ($(OS),Darwin)
plugins:
	$(Q)$(MAKE) --no-print-directory BUILD='$(BUILD)' $(METAL_PLUGIN) || { rm -f $(METAL_PLUGIN); \
		echo "plugins: Metal is left out: the plug-in does not compile"; }
else
plugins:
	$(Q)if root=$$(sh scripts/find-sycl.sh); then $(MAKE) --no-print-directory BUILD='$(BUILD)' $(SYCL_PLUGIN) $(TRIAL) || { rm -f $(SYCL_PLUGIN); \
		echo "plugins: SYCL is left out: the plug-in does not compile with the headers in $$root"; }; \
		else echo "plugins: SYCL is left out: Intel's run time is not installed; sh scripts/find-sycl.sh --install gets it"; fi
endif

# SYCL's run time has its own threads and cannot be unloaded safely. Plug-ins are built without sanitizers.
PLUGIN_CXXFLAGS := -std=c++17 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Iinclude -Iruntime
# 2025.0 keeps some of its headers in include/sycl.
sycl_includes = -isystem '$(1)' -isystem '$(1)/sycl'
SYCL_HEADERS ?= $(RT_SYCL_ROOT)/include
sycl-syntax:
	$(Q)$(CXX) $(PLUGIN_CXXFLAGS) -Werror -fsyntax-only $(call sycl_includes,$(SYCL_HEADERS)) runtime/sycl.cpp
$(SYCL_PLUGIN): runtime/sycl.cpp runtime/sycl_errors.h runtime/error.c runtime/rt.h runtime/wave_rt.h $(HEADERS)
	@mkdir -p $(@D) $(BUILD)/obj/plugins
	$(say) LINK '$@'
	$(Q)$(CC) -std=c11 -O2 -fPIC -fvisibility=hidden -Iinclude -c -o $(BUILD)/obj/plugins/error.o runtime/error.c
	$(Q)$(CXX) $(PLUGIN_CXXFLAGS) $(call sycl_includes,$(RT_SYCL_ROOT)/include) -shared -o $@ runtime/sycl.cpp \
		$(BUILD)/obj/plugins/error.o -L'$(RT_SYCL_ROOT)/lib' -Wl,-rpath,'$(RT_SYCL_ROOT)/lib' -Wl,-z,nodelete -lsycl
# The program that tries a plug-in's compiler.
TRIAL := $(PLUGINS)/wave-rt-trial
$(TRIAL): runtime/helper/wave_rt_trial.c runtime/rt.h runtime/wave_rt.h $(HEADERS)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(CC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -D_POSIX_C_SOURCE=200809L -Iinclude -Iruntime \
		-o $@ $< -ldl
$(METAL_PLUGIN): runtime/metal.m runtime/metal_archive.m runtime/metal_archive.h runtime/error.c runtime/rt.h runtime/wave_rt.h $(HEADERS)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(CC) -O2 -fobjc-arc -fvisibility=hidden -Wall -Wextra -Iinclude -Iruntime -dynamiclib -o $@ runtime/metal.m \
		runtime/metal_archive.m runtime/error.c -framework Foundation -framework Metal -framework CoreGraphics

# Checks the syntax and types of the Metal file where there is no macOS, against our own declarations (tests/metal_stub) of
# the SDKs of macOS 14 (Xcode 15) and 15. A compiler for macOS also reports features that an older system may lack.
.PHONY: metal-lint
metal-lint:
	$(Q)for file in runtime/metal.m runtime/metal_archive.m; do for sdk in 140000 150000; do \
		$(METAL_LINT_CC) $(METAL_LINT_MODE) -x objective-c -fobjc-arc -fblocks -fobjc-runtime=macosx-10.15 -Wall -Wextra -Werror \
			-Wunguarded-availability -DMETAL_STUB_SDK=$$sdk -Iinclude -Iruntime -Itests/metal_stub \
			$$file || exit 1; done; done
METAL_LINT_CC ?= clang
METAL_LINT_MODE ?= -fsyntax-only
lint: metal-lint

# --- Simulated drivers ------------------------------------------------------------------------------------

SIM_CUDA := $(BUILD)/tests/libsimcuda.so
SIM_SHARED := $(BUILD)/obj/tests/simgpu/driver.o $(BUILD)/obj/tests/simgpu/object_file.o $(BUILD)/obj/tests/simgpu/sim.o
ifneq ($(SIM_SRCS),)
SIM_LIBS := $(SIM_CUDA)
endif
$(SIM_CUDA): $(BUILD)/obj/tests/simgpu/cuda.o $(SIM_SHARED) $(PTXVM_LIB)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -shared -o $@ $(filter %.o,$^) $(PTXVM_LIB) $(LDLIBS) $(MUST_LDLIBS)
SIM_HIP := $(BUILD)/tests/libsimhip.so
ifeq ($(OS),Linux)
SIM_LIBS += $(SIM_HIP)
endif
$(SIM_HIP): $(BUILD)/obj/tests/simgpu/hip.o $(SIM_SHARED) $(SIMT_LIB)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -shared -o $@ $(filter %.o,$^) -Wl,--whole-archive $(SIMT_LIB) -Wl,--no-whole-archive \
		$(LDLIBS) $(MUST_LDLIBS) -ldl -lpthread
tests unit-tests: $(SIM_LIBS)

# --- hwtest and hwbench: see hwtests/README.md ------------------------------------------------------------

HW_SHARED := $(filter-out %/wave_hwtest.o %/wave_hwbench.o,$(HWTEST_OBJS)) $(RUNNER_OBJS)
HW_PROGRAMS := $(patsubst hwtests/wave_%.c,$(BUILD)/tests/wave-%,$(wildcard hwtests/wave_*.c))
$(HW_PROGRAMS): $(BUILD)/tests/wave-%: $(BUILD)/obj/hwtests/wave_%.o $(HW_SHARED) $(RT_LIB) $(STATIC_LIB) $(BUILD)/objects.stamp
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter %.o,$^) $(RT_LIBS) $(LDLIBS) $(MUST_LDLIBS)
tests runner: $(HW_PROGRAMS)
$(BUILD)/tests/test_hwchild: $(BUILD)/obj/hwtests/children.o $(BUILD)/obj/hwtests/helpers.o
$(BUILD)/obj/tests/unit/test_hwchild.o: MUST_CFLAGS += -I. -Iruntime

.PHONY: hwtest hwtest-quick hwbench
hwtest: all runner plugins
	$(Q)sh hwtests/hwtest.sh $(BUILD) hwtests $(HWTEST_FLAGS)
hwtest-quick: all runner plugins
	$(Q)sh hwtests/hwtest.sh $(BUILD) hwtests --quick $(HWTEST_FLAGS)
hwbench: all runner plugins
	$(Q)sh hwtests/hwbench.sh $(BUILD) $(HWBENCH_FLAGS)

# --- Form and installing ----------------------------------------------------------------------------------

RT_C_FILES := $(wildcard runtime/*.[ch] runtime/*.cpp hwtests/*.[ch] tests/simgpu/*.cpp)
$(patsubst %.c,build/lint/%.tidy,runtime/cache.c): $(BUILD_ID)

MANDIR ?= $(PREFIX)/share/man
CMAKEDIR ?= $(LIBDIR)/cmake/wave
MAN_PAGES := $(wildcard man/*.1)
fill_in = sed -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	-e 's|@BINDIR@|$(BINDIR)|' -e 's|@CMAKEDIR@|$(CMAKEDIR)|' -e 's|@VERSION@|$(VERSION)|'
.PHONY: install-rt uninstall-rt
install: install-rt
uninstall: uninstall-rt
# Plug-ins are installed from the build folder: run "make plugins" first.
install-rt: all
	mkdir -p '$(DESTDIR)$(LIBDIR)' '$(DESTDIR)$(INCLUDEDIR)/wave' '$(DESTDIR)$(PKGCONFIGDIR)' '$(DESTDIR)$(CMAKEDIR)' \
		'$(DESTDIR)$(MANDIR)/man1'
	install -m 644 runtime/wave_rt.h runtime/rt.hpp '$(DESTDIR)$(INCLUDEDIR)/wave'
	install -m 644 $(RT_LIB) '$(DESTDIR)$(LIBDIR)'
	install -m 755 $(BUILD)/lib/$(RT_NAME) '$(DESTDIR)$(LIBDIR)'
	ln -sf $(RT_NAME) '$(DESTDIR)$(LIBDIR)/$(RT_ABI)'
	ln -sf $(RT_ABI) '$(DESTDIR)$(LIBDIR)/$(RT_LINK)'
	$(fill_in_pc) wave_rt.pc.in >'$(DESTDIR)$(PKGCONFIGDIR)/wave_rt.pc'
	$(fill_in) cmake/wave-config.cmake.in >'$(DESTDIR)$(CMAKEDIR)/wave-config.cmake'
	$(fill_in) cmake/wave-config-version.cmake.in >'$(DESTDIR)$(CMAKEDIR)/wave-config-version.cmake'
	install -m 644 cmake/wave-embed.cmake '$(DESTDIR)$(CMAKEDIR)'
	install -m 644 $(MAN_PAGES) '$(DESTDIR)$(MANDIR)/man1'
	for plugin in $(PLUGINS)/libwave_rt_* $(TRIAL); do [ ! -e "$$plugin" ] || { mkdir -p '$(DESTDIR)$(PLUGINDIR)' && \
		install -m 755 "$$plugin" '$(DESTDIR)$(PLUGINDIR)'; } || exit 1; done
uninstall-rt:
	rm -f '$(DESTDIR)$(INCLUDEDIR)/wave/wave_rt.h' '$(DESTDIR)$(INCLUDEDIR)/wave/rt.hpp' '$(DESTDIR)$(PKGCONFIGDIR)/wave_rt.pc' \
		$(patsubst %,'$(DESTDIR)$(CMAKEDIR)/%',wave-config.cmake wave-config-version.cmake wave-embed.cmake) $(patsubst %,'$(DESTDIR)$(LIBDIR)/%',libwave_rt.a $(RT_NAME) $(RT_ABI) $(RT_LINK))
	rm -f $(patsubst man/%,'$(DESTDIR)$(MANDIR)/man1/%',$(MAN_PAGES)) '$(DESTDIR)$(PLUGINDIR)'/libwave_rt_* \
		'$(DESTDIR)$(PLUGINDIR)/wave-rt-trial'
	rmdir '$(DESTDIR)$(CMAKEDIR)' '$(DESTDIR)$(PLUGINDIR)' 2>/dev/null || :

# --- What a launch costs: bench/launch.sh -----------------------------------------------------------------

$(BUILD)/bench/launch: bench/launch.c $(RT_LIB) $(STATIC_LIB)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) $(MUST_CFLAGS) -Iruntime -o $@ $< $(RT_LIBS) $(LDLIBS) $(MUST_LDLIBS)
