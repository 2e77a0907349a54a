# The build of wavec. "make help" lists the targets; everything is built under $(BUILD), never beside a source.
# New .c files in src/*/, tests/unit/, tests/runner/, tests/ptxvm/ and tests/fuzz/ are picked up by themselves.
# Written for GNU make 3.81 and a POSIX shell, so that macOS can build it as it is.
# The order of the test steps is not here: see scripts/check.sh.

MAKEFLAGS += -r
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# --- What the user may set ------------------------------------------------------------------------------

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig

PKG_CONFIG ?= pkg-config
# Of several versions, the one the project is formatted and checked with: Debian 12's.
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
CLANG_TIDY ?= $(shell command -v clang-tidy-14 || echo clang-tidy)
CPPCHECK ?= cppcheck
FUZZ_CC ?= $(shell command -v clang-14 || echo clang)
SAN ?= 0
V ?= 0

ifneq ($(filter default undefined,$(origin CC)),)
CC := cc
endif
ifneq ($(filter default undefined,$(origin AR)),)
AR := ar
endif
ifneq ($(filter default undefined,$(origin CXX)),)
CXX := c++
endif

OS := $(shell uname -s)

# Warnings stop the build in a checkout on Linux, where the compilers are known. Elsewhere they are only
# shown: a newer compiler's new warning must not keep a user from building.
ifeq ($(OS)$(wildcard .git),Linux.git)
WERROR ?= 1
else
WERROR ?= 0
endif

# --- Flags ----------------------------------------------------------------------------------------------

# CFLAGS is the user's. What the code relies on is in MUST_CFLAGS and comes after it: the language, hidden
# symbols, and float arithmetic that the optimiser may neither contract nor reorder.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
MUST_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -Isrc -Iinclude $(WARNINGS)
MUST_CFLAGS += -fPIC -fvisibility=hidden -fno-fast-math -ffp-contract=off -fno-math-errno
# Apple's headers hide what POSIX does not have once POSIX is asked for: dladdr, mkdtemp of older SDKs.
ifeq ($(OS),Darwin)
MUST_CFLAGS += -D_DARWIN_C_SOURCE
endif
ifeq ($(WERROR),1)
MUST_CFLAGS += -Werror
endif
MUST_LDLIBS := -lm

# FUZZ=1 is set only by the fuzz rules below; FUZZ_LINK is what makes a program a libFuzzer program.
ifeq ($(FUZZ),1)
BUILD ?= build/fuzz
# Tracing comparisons takes two thirds of the time; dictionaries, seeds and mutators of our own find more with it.
SANITIZE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-sanitize-coverage=trace-cmp
else ifeq ($(SAN),1)
BUILD ?= build/san
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
else ifeq ($(SAN),thread)
BUILD ?= build/tsan
SANITIZE := -fsanitize=thread
endif
FUZZ_LINK := -fsanitize=fuzzer

BUILD ?= build
ifeq ($(origin CFLAGS),undefined)
ifdef SANITIZE
CFLAGS := -O1 -g -fno-omit-frame-pointer
else
CFLAGS := -O2 -g
# Extra flags for one folder of src/: CFLAGS_<folder>. The emulator's lane loops gain from vectorising.
CFLAGS_emu := -O3
endif
endif

# Flags of a source file, by the folder it stands in.
folder_cflags = $(CFLAGS_$(notdir $(patsubst %/,%,$(dir $<))))
compile = $(CC) $(CPPFLAGS) $(CFLAGS) $(folder_cflags) $(SANITIZE) $(MUST_CFLAGS) -MMD -MP
link = $(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS)

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-5s %s\n'
endif

# --- Sources --------------------------------------------------------------------------------------------

# The version stands in the public header only.
VERSION := $(shell sed -n 's/^.define WAVE_VERSION_TEXT *"\(.*\)".*/\1/p' include/wave/wave.h)
ABI := 0

# A tool has its main in the file of its name; everything else in src/cli is shared by the tools.
TOOL_NAMES := wave_asm wave_dis wave_emu wave_run wave_test wavec
TOOL_SRCS := $(wildcard $(patsubst %,src/cli/%.c,$(TOOL_NAMES)))
CLI_SRCS := $(filter-out $(TOOL_SRCS),$(sort $(wildcard src/cli/*.c)))
# The reader of the test format: linked into the tools and the runners of the tests, no part of the library.
TESTFILE_SRCS := $(sort $(wildcard src/testfile/*.c))
LIB_SRCS := $(filter-out src/cli/% $(TESTFILE_SRCS),$(sort $(wildcard src/*/*.c)))
RUNNER_SRCS := $(sort $(wildcard tests/runner/*.c))
SUPPORT_SRCS := $(sort $(wildcard tests/support/*.c))
PTXVM_SRCS := $(sort $(wildcard tests/ptxvm/*.c)) tests/weakmem/weakmem.c
PTXRUN_SRCS := $(sort $(wildcard tests/ptxrun/*.c))
SYCLRUN_SRCS := $(sort $(wildcard tests/syclrun/*.c))
UNIT_SRCS := $(sort $(wildcard tests/unit/test_*.c))
TEST_TOOL_SRCS := $(sort $(wildcard tests/tools/*.c))
FUZZ_SRCS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
HEADERS := $(sort $(wildcard include/wave/*.h))

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB_OBJS := $(call object,$(LIB_SRCS))
CLI_OBJS := $(call object,$(CLI_SRCS))
TOOL_OBJS := $(call object,$(TOOL_SRCS))
TESTFILE_OBJS := $(call object,$(TESTFILE_SRCS))
RUNNER_OBJS := $(call object,$(RUNNER_SRCS)) $(TESTFILE_OBJS)
SUPPORT_OBJS := $(call object,$(SUPPORT_SRCS))
PTXVM_OBJS := $(call object,$(PTXVM_SRCS))
PTXRUN_OBJS := $(call object,$(PTXRUN_SRCS))
SYCLRUN_OBJS := $(call object,$(SYCLRUN_SRCS))
UNIT_OBJS := $(call object,$(UNIT_SRCS))
TEST_TOOL_OBJS := $(call object,$(TEST_TOOL_SRCS))
FUZZ_OBJS := $(call object,$(FUZZ_SRCS))
ALL_OBJS := $(LIB_OBJS) $(CLI_OBJS) $(TOOL_OBJS)
ALL_OBJS += $(RUNNER_OBJS) $(SUPPORT_OBJS) $(PTXVM_OBJS) $(PTXRUN_OBJS) $(SYCLRUN_OBJS) $(UNIT_OBJS) $(TEST_TOOL_OBJS) $(FUZZ_OBJS)

TOOLS := $(addprefix $(BUILD)/bin/,$(subst _,-,$(notdir $(basename $(TOOL_SRCS)))))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_SRCS))
TEST_TOOLS := $(patsubst tests/tools/%.c,$(BUILD)/tests/%,$(TEST_TOOL_SRCS))
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(FUZZ_SRCS))
ifneq ($(RUNNER_SRCS),)
RUNNER := $(BUILD)/bin/wave-test $(BUILD)/tests/wave-ptx-test
endif

STATIC_LIB := $(BUILD)/lib/libwave.a
# The PTX interpreter of the tests.
PTXVM_LIB := $(BUILD)/tests/libptxvm.a
ifeq ($(OS),Darwin)
SHARED_NAME := libwave.$(VERSION).dylib
SHARED_ABI := libwave.$(ABI).dylib
SHARED_LINK := libwave.dylib
SHARED_FLAGS = -dynamiclib -install_name $(LIBDIR)/$(SHARED_ABI) -compatibility_version $(ABI) -current_version $(VERSION)
else
SHARED_NAME := libwave.so.$(VERSION)
SHARED_ABI := libwave.so.$(ABI)
SHARED_LINK := libwave.so
SHARED_FLAGS = -shared -Wl,-soname,$(SHARED_ABI)
# Every symbol must be found at link time, except that a sanitizer's run time comes with the program.
ifndef SANITIZE
SHARED_FLAGS += -Wl,-z,defs
endif
endif
SHARED_LIB := $(BUILD)/lib/$(SHARED_LINK)

include tests/harden/rules.mk

include tests/simt/rules.mk

include tests/gen/rules.mk

include runtime/rules.mk

# --- Building -------------------------------------------------------------------------------------------

.PHONY: all tests unit-tests runner fuzzers
all: $(TOOLS) $(STATIC_LIB) $(SHARED_LIB)
tests: unit-tests runner $(TEST_TOOLS)
unit-tests: $(UNIT_TESTS)
runner: $(RUNNER)
fuzzers: $(FUZZERS)

# A stamp is a file that holds a line of text and is rewritten only when the text changes: objects depend on
# the stamp of the flags, and what is linked on the stamp of the list of its objects, so that a new flag or a
# deleted source file rebuilds exactly what it must.
quoted = $(subst ','\'',$(strip $(1)))
flags_text := $(strip $(CC) $(CPPFLAGS) $(CFLAGS) $(foreach v,$(filter CFLAGS_%,$(.VARIABLES)),$(v)=$($(v))) \
	$(SANITIZE) $(MUST_CFLAGS) $(LDFLAGS))
objects_text := $(strip $(LIB_OBJS) $(CLI_OBJS) $(RUNNER_OBJS) $(SUPPORT_OBJS) $(PTXVM_OBJS) $(PTXRUN_OBJS) $(RT_OBJS) $(HWTEST_OBJS) $(SIM_OBJS) $(SIMT_OBJS))
FLAGS_STAMP := $(BUILD)/flags.stamp
OBJECTS_STAMP := $(BUILD)/objects.stamp

ifneq ($(flags_text),$(strip $(shell cat $(FLAGS_STAMP) 2>/dev/null)))
.PHONY: $(FLAGS_STAMP)
endif
ifneq ($(objects_text),$(strip $(shell cat $(OBJECTS_STAMP) 2>/dev/null)))
.PHONY: $(OBJECTS_STAMP)
endif
$(FLAGS_STAMP):
	@mkdir -p $(@D)
	@printf '%s\n' '$(call quoted,$(flags_text))' >$@
$(OBJECTS_STAMP):
	@mkdir -p $(@D)
	@printf '%s\n' '$(call quoted,$(objects_text))' >$@

$(UNIT_OBJS) $(SUPPORT_OBJS): MUST_CFLAGS += -Itests $(shell $(PKG_CONFIG) --cflags criterion 2>/dev/null)
$(RUNNER_OBJS) $(PTXVM_OBJS) $(PTXRUN_OBJS) $(SYCLRUN_OBJS) $(TEST_TOOL_OBJS) $(FUZZ_OBJS): MUST_CFLAGS += -Itests

$(ALL_OBJS): $(BUILD)/obj/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(say) CC '$<'
	$(Q)$(compile) -c -o $@ $<

# The archive is written anew each time, so that no object of a deleted source stays in it; q and not r, because
# files of the same name in two folders are two members.
$(STATIC_LIB): $(LIB_OBJS) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) AR '$@'
	@rm -f $@
	$(Q)$(AR) qcs $@ $(LIB_OBJS)

$(PTXVM_LIB): $(PTXVM_OBJS) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) AR '$@'
	@rm -f $@
	$(Q)$(AR) qcs $@ $(PTXVM_OBJS)

$(SHARED_LIB): $(LIB_OBJS) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$(@D)/$(SHARED_NAME)'
	$(Q)$(link) $(SHARED_FLAGS) -o $(@D)/$(SHARED_NAME) $(LIB_OBJS) $(LDLIBS) $(MUST_LDLIBS)
	@cd $(@D) && ln -sf $(SHARED_NAME) $(SHARED_ABI) && rm -f $(SHARED_LINK) && ln -s $(SHARED_NAME) $(SHARED_LINK)

# The tools hold the library in themselves, so that build/bin runs from anywhere.
tool_object = $(BUILD)/obj/src/cli/$(subst -,_,$(notdir $@)).o
.SECONDEXPANSION:
$(TOOLS): $(BUILD)/bin/%: $(BUILD)/obj/src/cli/$$(subst -,_,$$*).o $(CLI_OBJS) $(TESTFILE_OBJS) $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(tool_object) $(CLI_OBJS) $(TESTFILE_OBJS) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS)

$(UNIT_TESTS): $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(SUPPORT_OBJS) $(PTXVM_LIB) $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter %.o,$^) $(PTXVM_LIB) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS) $(criterion_libs)
criterion_libs = $(shell $(PKG_CONFIG) --libs criterion 2>/dev/null || echo -lcriterion)

# The test files through the PTX back end and the interpreter.
PTXRUN_LINKS := $(PTXRUN_OBJS) $(RUNNER_OBJS)
$(BUILD)/tests/wave-ptx-test: $(PTXRUN_LINKS) $(PTXVM_LIB) $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(PTXRUN_LINKS) $(PTXVM_LIB) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS)

# The test files through the SYCL back end, Intel's device compiler and its CPU device: only where that is installed.
# The programs know where; the checksum of the driver tells old results from new ones.
SYCL_ROOT := $(shell sh scripts/find-sycl.sh --cpu)
SYCL_TESTS := $(BUILD)/tests/wave-sycl-test $(BUILD)/tests/wave-sycl-selftest
SYCLRUN_LIBRARY := $(BUILD)/tests/libsyclrun.so
SYCLRUN_LINKS := $(filter-out %test.o,$(SYCLRUN_OBJS) $(RUNNER_OBJS))
$(SYCLRUN_OBJS): MUST_CFLAGS += -DSYCL_ROOT='"$(SYCL_ROOT)"' -DSYCLRUN_LIBRARY='"$(abspath $(SYCLRUN_LIBRARY))"' \
	-DSYCL_DRIVER='"$(shell cat tests/syclrun/device.cpp tests/syclrun/source.c | cksum)"'
SYCL_STAMP := $(BUILD)/sycl.stamp
ifneq ($(SYCL_ROOT),$(strip $(shell cat $(SYCL_STAMP) 2>/dev/null)))
.PHONY: $(SYCL_STAMP)
endif
$(SYCL_STAMP):
	@mkdir -p $(@D)
	@printf '%s\n' '$(SYCL_ROOT)' >$@
$(SYCLRUN_OBJS) $(SYCLRUN_LIBRARY): $(SYCL_STAMP)
.PHONY: sycl-tests
sycl-tests: $(SYCL_TESTS) $(SYCLRUN_LIBRARY)
$(SYCLRUN_LIBRARY): tests/syclrun/device.cpp tests/syclrun/device.h tests/syclrun/syclrun.h $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(say) CXX '$@'
	$(Q)$(CXX) -std=c++17 -O1 -Wall -Wextra -Werror -fPIC -shared -Itests -Iinclude -isystem '$(SYCL_ROOT)/include' -o $@ $< \
		-L'$(SYCL_ROOT)/lib' -Wl,-rpath,'$(SYCL_ROOT)/lib' -lsycl
$(SYCL_TESTS): $(BUILD)/tests/wave-sycl-%: $(BUILD)/obj/tests/syclrun/wave_sycl_%.o $(SYCLRUN_LINKS) $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter %.o,$^) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS) -ldl

# One program a file: long measurements that are started by hand.
$(TEST_TOOLS): $(BUILD)/tests/%: $(BUILD)/obj/tests/tools/%.o $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter %.o,$^) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS)

$(FUZZERS): $(BUILD)/tests/%: $(BUILD)/obj/tests/fuzz/%.o $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) $(FUZZ_LINK) -o $@ $(filter %.o,$^) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS)

-include $(ALL_OBJS:.o=.d)

# --- Testing, measuring, showing ------------------------------------------------------------------------

.PHONY: check check-all check-rest test demo bench fuzz representative clean-cache
# The scripts call make themselves, for several builds: they get its name, and a clean set of flags.
run_script = +$(Q)MAKE='$(MAKE)' FUZZ_CC='$(FUZZ_CC)' MAKEFLAGS= MFLAGS= MAKELEVEL= sh

# The steps are in scripts/check.py. check-rest is what check-all has beyond check.
check:
	$(run_script) scripts/check.sh check

check-all:
	$(run_script) scripts/check.sh all

check-rest:
	$(run_script) scripts/check.sh rest

# The programs that make check gives to vendors' compilers: chosen again after the emitters or the programs changed.
representative: all
	$(Q)MAKE='$(MAKE)' FUZZ_CC='$(FUZZ_CC)' python3 tests/tools/representative.py

clean-cache:
	$(Q)python3 tests/tools/cache.py clean

test: all tests
	$(Q)sh scripts/run-tests.sh $(BUILD)

demo:
	$(run_script) scripts/demo.sh

bench:
	$(run_script) bench/bench.sh

# Open ended; "make fuzz FUZZER=fuzz_X" runs one target only.
fuzz:
	$(run_script) scripts/fuzz.sh forever $(FUZZER)

# --- Form -----------------------------------------------------------------------------------------------

C_FILES := $(sort $(wildcard src/*/*.[ch] include/wave/*.h tests/*/*.[ch] bench/*.[ch]) $(RT_C_FILES))
TIDY_FILES := $(LIB_SRCS) $(TESTFILE_SRCS) $(CLI_SRCS) $(TOOL_SRCS) $(RT_SRCS) $(HWTEST_SRCS) $(SIM_SRCS)
TIDY_FLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -Isrc -Iinclude -Iruntime -Itests -I$(BUILD)/gen

.PHONY: format format-check lint tidy cppcheck
format:
	$(Q)$(CLANG_FORMAT) -i $(C_FILES)

format-check:
	$(Q)$(CLANG_FORMAT) --dry-run -Werror $(C_FILES)

lint: tidy cppcheck
tidy: $(BUILD_ID)
	$(say) TIDY 'src runtime hwtests tests/simgpu'
	$(Q)python3 scripts/tidy.py $(TIDY_ONLY) '$(CLANG_TIDY)' $(TIDY_FLAGS) -- $(TIDY_FILES)

cppcheck:
	@mkdir -p build/lint/cppcheck
	$(say) CHECK 'src include'
	$(Q)$(CPPCHECK) --quiet --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,performance,portability \
		--suppressions-list=scripts/cppcheck.txt --cppcheck-build-dir=build/lint/cppcheck \
		-Isrc -Iinclude -Iruntime src include runtime

# --- Installing -----------------------------------------------------------------------------------------

.PHONY: install uninstall clean help
install: all
	mkdir -p '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)' '$(DESTDIR)$(INCLUDEDIR)/wave' '$(DESTDIR)$(PKGCONFIGDIR)'
	install -m 755 $(TOOLS) '$(DESTDIR)$(BINDIR)'
	install -m 644 $(HEADERS) '$(DESTDIR)$(INCLUDEDIR)/wave'
	install -m 644 $(STATIC_LIB) '$(DESTDIR)$(LIBDIR)'
	install -m 755 $(BUILD)/lib/$(SHARED_NAME) '$(DESTDIR)$(LIBDIR)'
	ln -sf $(SHARED_NAME) '$(DESTDIR)$(LIBDIR)/$(SHARED_ABI)'
	ln -sf $(SHARED_ABI) '$(DESTDIR)$(LIBDIR)/$(SHARED_LINK)'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' wave.pc.in >'$(DESTDIR)$(PKGCONFIGDIR)/wave.pc'

uninstall:
	rm -f $(patsubst %,'$(DESTDIR)$(BINDIR)/%',$(notdir $(TOOLS)))
	rm -f $(patsubst %,'$(DESTDIR)$(INCLUDEDIR)/wave/%',$(notdir $(HEADERS)))
	rm -f $(patsubst %,'$(DESTDIR)$(LIBDIR)/%',libwave.a $(SHARED_NAME) $(SHARED_ABI) $(SHARED_LINK))
	rm -f '$(DESTDIR)$(PKGCONFIGDIR)/wave.pc'
	rmdir '$(DESTDIR)$(INCLUDEDIR)/wave' 2>/dev/null || :

clean:
	rm -rf build

help:
	@echo 'make               build the tools (build/bin) and libraries (build/lib)'
	@echo 'make demo          build, then assemble, check, disassemble and run an example'
	@echo 'make test          after an edit: unit tests, tools, programs on the emulator (also with SAN=1 or CC=clang)'
	@echo 'make check         before a commit: every program on every target, and a sample of everything else'
	@echo 'make check-all     everything, with every GPU, width and size: what CI runs'
	@echo 'make bench         print the speed figures'
	@echo 'make hwtest        every test on every device of this machine; make hwbench times the examples'
	@echo 'make hwtest-quick  the examples and what is most likely to differ on hardware, in a few minutes'
	@echo 'make plugins       what only some machines can build: SYCL, Metal'
	@echo 'make fuzz          fuzz until interrupted; FUZZER=fuzz_X for one target'
	@echo 'make soak          random programs on every target until interrupted; SEED=N to begin with'
	@echo 'make mutants       plant defects and show which test finds which (long)'
	@echo 'make coverage      lines and branches of src/ that the tests execute'
	@echo 'make lint          clang-tidy and cppcheck'
	@echo 'make format        clang-format over all C files'
	@echo 'make install       PREFIX=/usr/local DESTDIR=; make uninstall takes it back'
	@echo 'make clean         remove build/; make clean-cache: what the tests remember of vendors'"'"' compilers'
	@echo 'make representative   choose again which programs make check gives to vendors'"'"' compilers'
	@echo
	@echo 'Variables: CC, CFLAGS, LDFLAGS, SAN=1 (ASan and UBSan, in build/san), SAN=thread, WERROR=0|1, BUILD=dir, V=1'
