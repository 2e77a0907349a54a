# The build of wavec. "make help" lists the targets; everything is built under $(BUILD), never next to a source.
# New .c files in src/*/, tests/unit/, tests/runner/, tests/ptxvm/ and tests/fuzz/ are picked up automatically.
# Written for GNU make 3.81 and a POSIX shell, so that macOS can build it as it is.
# For the order of the test steps see scripts/check.sh.

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
# If several versions are installed, the one that formats and checks this project: Debian 12's.
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

# Warnings are errors in a checkout on Linux, where the compilers are known. Elsewhere they are only
# shown: a new warning of a newer compiler must not keep a user from building.
ifeq ($(OS)$(wildcard .git),Linux.git)
WERROR ?= 1
else
WERROR ?= 0
endif

# --- Flags ----------------------------------------------------------------------------------------------

# CFLAGS belongs to the user. MUST_CFLAGS has the flags that the code relies on and comes after it: the
# language, hidden symbols, and float arithmetic that the optimiser may neither contract nor reorder.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
MUST_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -Isrc -Iinclude $(WARNINGS)
MUST_CFLAGS += -fPIC -fvisibility=hidden -fno-fast-math -ffp-contract=off -fno-math-errno
# Apple's headers hide functions outside POSIX once POSIX is requested: dladdr, mkdtemp in older SDKs.
ifeq ($(OS),Darwin)
MUST_CFLAGS += -D_DARWIN_C_SOURCE
endif
ifeq ($(WERROR),1)
MUST_CFLAGS += -Werror
endif
MUST_LDLIBS := -lm -lpthread
# Not every distribution's linker drops unused libraries by default. wavec uses nothing of libm, and loading it would take a tenth
# of wavec's start-up time.
ifeq ($(OS),Linux)
MUST_LDLIBS := -Wl,--as-needed $(MUST_LDLIBS)
endif
# WebAssembly has no process clock.
ifeq ($(OS),Wasm)
MUST_CFLAGS += -D_WASI_EMULATED_PROCESS_CLOCKS
MUST_LDLIBS := -lwasi-emulated-process-clocks
endif

# FUZZ=1 is set only by the fuzz rules below; FUZZ_LINK turns a program into a libFuzzer program.
ifeq ($(FUZZ),1)
BUILD ?= build/fuzz
# Comparison tracing takes two thirds of the time; our own dictionaries, seeds and mutators find more in that time.
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
# Extra flags for one folder of src/: CFLAGS_<folder>. The emulator's lane loops benefit from vectorisation.
CFLAGS_emu := -O3
endif
endif

# Flags of a source file, by its folder.
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

# The version is defined only in the public header.
VERSION := $(shell sed -n 's/^.define WAVE_VERSION_TEXT *"\(.*\)".*/\1/p' include/wave/wave.h)
ABI := 0

# The main function of a tool is in the file of its name; everything else in src/cli is shared by the tools.
TOOL_NAMES := wave_asm wave_cc wave_dis wave_emu wave_run wave_test wavec
TOOL_SRCS := $(wildcard $(patsubst %,src/cli/%.c,$(TOOL_NAMES)))
CLI_SRCS := $(filter-out $(TOOL_SRCS),$(sort $(wildcard src/cli/*.c)))
# The reader of the test format: linked into the tools and the test runners, not part of the library.
TESTFILE_SRCS := $(sort $(wildcard src/testfile/*.c))
LIB_SRCS := $(filter-out src/cli/% $(TESTFILE_SRCS),$(sort $(wildcard src/*/*.c)))
RUNNER_SRCS := $(sort $(wildcard tests/runner/*.c))
SUPPORT_SRCS := $(sort $(wildcard tests/support/*.c))
PTXVM_SRCS := $(sort $(wildcard tests/ptxvm/*.c)) tests/weakmem/weakmem.c
PTXRUN_SRCS := $(sort $(wildcard tests/ptxrun/*.c))
SYCLRUN_SRCS := $(sort $(wildcard tests/syclrun/*.c))
CLRUN_SRCS := $(sort $(wildcard tests/clrun/*.c))
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
CLRUN_OBJS := $(call object,$(CLRUN_SRCS))
UNIT_OBJS := $(call object,$(UNIT_SRCS))
TEST_TOOL_OBJS := $(call object,$(TEST_TOOL_SRCS))
FUZZ_OBJS := $(call object,$(FUZZ_SRCS))
ALL_OBJS := $(LIB_OBJS) $(CLI_OBJS) $(TOOL_OBJS)
ALL_OBJS += $(RUNNER_OBJS) $(SUPPORT_OBJS) $(PTXVM_OBJS) $(PTXRUN_OBJS) $(SYCLRUN_OBJS) $(CLRUN_OBJS) $(UNIT_OBJS) $(TEST_TOOL_OBJS) $(FUZZ_OBJS)

TOOLS := $(addprefix $(BUILD)/bin/,$(subst _,-,$(notdir $(basename $(TOOL_SRCS)))))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_SRCS))
TEST_TOOLS := $(patsubst tests/tools/%.c,$(BUILD)/tests/%,$(TEST_TOOL_SRCS))
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(FUZZ_SRCS))
ifneq ($(RUNNER_SRCS),)
RUNNER := $(BUILD)/bin/wave-test $(BUILD)/tests/wave-ptx-test $(BUILD)/tests/opencl-judge
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
# Every symbol must resolve at link time, except with a sanitizer, whose run time comes with the program.
ifndef SANITIZE
SHARED_FLAGS += -Wl,-z,defs
endif
endif
SHARED_LIB := $(BUILD)/lib/$(SHARED_LINK)

include tests/harden/rules.mk

include tests/simt/rules.mk

include tests/gen/rules.mk

include tests/clmath/rules.mk

include runtime/rules.mk

include web/rules.mk

# --- Building -------------------------------------------------------------------------------------------

.PHONY: all tests unit-tests runner fuzzers
all: $(TOOLS) $(STATIC_LIB) $(SHARED_LIB)
tests: unit-tests runner $(TEST_TOOLS)
unit-tests: $(UNIT_TESTS)
runner: $(RUNNER)
fuzzers: $(FUZZERS)

# A stamp is a file with one line of text that is rewritten only when the text changes. Objects depend on the
# stamp of the flags, and linked files on the stamp of their list of objects, so that a new flag or a deleted
# source file rebuilds exactly what depends on it.
quoted = $(subst ','\'',$(strip $(1)))
flags_text := $(strip $(CC) $(CPPFLAGS) $(CFLAGS) $(foreach v,$(filter CFLAGS_%,$(.VARIABLES)),$(v)=$($(v))) \
	$(SANITIZE) $(MUST_CFLAGS) $(LDFLAGS))
# Without $(BUILD), which callers may give as a relative or an absolute path.
objects_text := $(strip $(patsubst $(BUILD)/%,%,$(LIB_OBJS) $(CLI_OBJS) $(RUNNER_OBJS) $(SUPPORT_OBJS) $(PTXVM_OBJS) $(PTXRUN_OBJS) $(CLRUN_OBJS) \
	$(SYCLRUN_OBJS) $(RT_OBJS) $(HWTEST_OBJS) $(SIM_OBJS) $(SIMT_OBJS) $(GEN_OBJS) $(CLMATH_OBJS) $(HARDEN_OBJS)))
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
$(RUNNER_OBJS) $(PTXVM_OBJS) $(PTXRUN_OBJS) $(SYCLRUN_OBJS) $(CLRUN_OBJS) $(TEST_TOOL_OBJS) $(FUZZ_OBJS): MUST_CFLAGS += -Itests

$(ALL_OBJS): $(BUILD)/obj/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(say) CC '$<'
	$(Q)$(compile) -c -o $@ $<

# The lines of the OpenCL prelude as a string.
PRELUDE := $(BUILD)/gen/opencl_prelude.inc
$(PRELUDE): src/opencl/prelude.h
	@mkdir -p $(@D)
	$(Q)sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/' $< >$@
$(BUILD)/obj/src/cli/prelude.o: $(PRELUDE)
$(BUILD)/obj/src/cli/prelude.o: MUST_CFLAGS += -I$(BUILD)/gen

# The hash index of the mnemonics.
ISA_NAMES := $(BUILD)/gen/isa_names.inc
$(ISA_NAMES): src/isa/isa.def scripts/isa_names.awk
	@mkdir -p $(@D)
	$(Q)awk -f scripts/isa_names.awk $< >$@
$(BUILD)/obj/src/isa/isa.o: $(ISA_NAMES)
$(BUILD)/obj/src/isa/isa.o: MUST_CFLAGS += -I$(BUILD)/gen

# The texts of helpers as rows of tables.
HELPERS := $(patsubst src/emit/helpers/%.txt,$(BUILD)/gen/%_helpers.inc,$(wildcard src/emit/helpers/*.txt))
$(HELPERS): $(BUILD)/gen/%_helpers.inc: src/emit/helpers/%.txt scripts/helpers.awk
	@mkdir -p $(@D)
	$(Q)awk -f scripts/helpers.awk -v first=$(if $(filter common,$*),,C_HELPERS) $< >$@
HELPER_OBJS := $(BUILD)/obj/src/emit/c_helpers.o $(foreach t,hip sycl msl,$(BUILD)/obj/src/emit_$t/$t_wave.o)
$(HELPER_OBJS): $(HELPERS)
$(HELPER_OBJS): MUST_CFLAGS += -I$(BUILD)/gen

# The archive is rewritten each time, so that no object of a deleted source stays in it; q rather than r,
# because files of the same name in two folders are two members.
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

# What the tools share, as an archive: each tool gets only the objects that it uses.
CLI_LIB := $(BUILD)/obj/cli.a
$(CLI_LIB): $(CLI_OBJS) $(TESTFILE_OBJS) $(OBJECTS_STAMP)
	$(say) AR '$@'
	@rm -f $@
	$(Q)$(AR) qcs $@ $(CLI_OBJS) $(TESTFILE_OBJS)

# The tools link the library statically, so that build/bin runs from anywhere.
tool_object = $(BUILD)/obj/src/cli/$(subst -,_,$(notdir $@)).o
.SECONDEXPANSION:
$(TOOLS): $(BUILD)/bin/%: $(BUILD)/obj/src/cli/$$(subst -,_,$$*).o $(CLI_LIB) $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(tool_object) $(CLI_LIB) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS)

$(UNIT_TESTS): $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(SUPPORT_OBJS) $(PTXVM_LIB) $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter %.o,$^) $(PTXVM_LIB) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS) $(criterion_libs)
$(BUILD)/tests/test_testfile: $(TESTFILE_OBJS)
$(BUILD)/tests/test_reference: $(RUNNER_OBJS)
criterion_libs = $(shell $(PKG_CONFIG) --libs criterion 2>/dev/null || echo -lcriterion)

# The test files through the PTX back end and the interpreter.
PTXRUN_LINKS := $(PTXRUN_OBJS) $(RUNNER_OBJS)
$(BUILD)/tests/wave-ptx-test: $(PTXRUN_LINKS) $(PTXVM_LIB) $(STATIC_LIB) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(PTXRUN_LINKS) $(PTXVM_LIB) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS)

# The kernels of tests/opencl on a real OpenCL implementation, which is loaded at run time.
$(BUILD)/tests/opencl-judge: $(CLRUN_OBJS) $(TESTFILE_OBJS) $(OBJECTS_STAMP)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter %.o,$^) $(LDLIBS) $(MUST_LDLIBS) -ldl

# The test files through the SYCL back end, Intel's device compiler and its CPU device: only where that is installed.
# The programs have its path built in; the checksum of the driver tells old results from new ones.
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

# One program per file: long measurements that are started by hand.
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
# The scripts call make themselves, for several builds: they get its name, and a clean set of flags. "make -n" would also execute
# a recipe with a + or the word MAKE in it.
SELF := $(MAKE)
run_script = $(Q)MAKE='$(SELF)' FUZZ_CC='$(FUZZ_CC)' MAKEFLAGS= MFLAGS= MAKELEVEL= sh

# The steps are in scripts/check.py. check-rest runs the steps of check-all that check lacks.
check:
	$(run_script) scripts/check.sh check

check-all:
	$(run_script) scripts/check.sh all

check-rest:
	$(run_script) scripts/check.sh rest

# Selects the programs that make check passes to vendors' compilers: rerun this after a change to the emitters or the programs.
representative: all
	$(Q)MAKE='$(SELF)' FUZZ_CC='$(FUZZ_CC)' python3 tests/tools/representative.py

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

C_FILES := $(sort $(wildcard src/*/*.[ch] src/opencl/*.cl src/opencl/*.inc include/wave/*.h web/*.c examples/*.c examples/build/*.[ch] tests/*/*.[ch] bench/*.[ch]) $(RT_C_FILES))
TIDY_FILES := $(LIB_SRCS) $(TESTFILE_SRCS) $(CLI_SRCS) $(TOOL_SRCS) $(RT_SRCS) $(HWTEST_SRCS) $(SIM_SRCS)
TIDY_FLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -Isrc -Iinclude -Iruntime -Itests -I$(BUILD)/gen

.PHONY: format format-check lint tidy cppcheck
format:
	$(Q)$(CLANG_FORMAT) -i $(C_FILES)

format-check:
	$(Q)$(CLANG_FORMAT) --dry-run -Werror $(C_FILES)

lint: tidy cppcheck
tidy: $(BUILD_ID) $(PRELUDE) $(ISA_NAMES) $(HELPERS)
	$(say) TIDY 'src runtime hwtests tests/simgpu'
	$(Q)python3 scripts/tidy.py $(TIDY_ONLY) '$(CLANG_TIDY)' $(TIDY_FLAGS) -- $(TIDY_FILES)

cppcheck: $(PRELUDE) $(ISA_NAMES) $(HELPERS)
	@mkdir -p build/lint/cppcheck
	$(say) CHECK 'src include'
	$(Q)$(CPPCHECK) --quiet --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,performance,portability \
		--suppressions-list=scripts/cppcheck.txt --cppcheck-build-dir=build/lint/cppcheck \
		-Isrc -Iinclude -Iruntime -I$(BUILD)/gen src include runtime

# --- Installing -----------------------------------------------------------------------------------------

# Highlighting for VS Code and Vim, from the instruction tables.
.PHONY: editors
editors:
	$(Q)python3 editors/generate.py $(BUILD)/editors
	@echo 'editors: $(BUILD)/editors/vscode and $(BUILD)/editors/vim'

.PHONY: deb dist
deb: all
	$(run_script) scripts/deb.sh $(BUILD) $(BUILD)/deb
# The files in git, at the last commit.
dist:
	@mkdir -p $(BUILD)
	$(Q)git archive --format=tar.gz --prefix=wavec-$(VERSION)/ -o $(BUILD)/wavec-$(VERSION).tar.gz HEAD
	@echo 'dist: $(BUILD)/wavec-$(VERSION).tar.gz'

# pkg-config's files name folders relative to the prefix, so that --define-prefix works for a moved installation.
below_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
fill_in_pc = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call below_prefix,$(LIBDIR))|' \
	-e 's|@INCLUDEDIR@|$(call below_prefix,$(INCLUDEDIR))|' -e 's|@VERSION@|$(VERSION)|'
.PHONY: install uninstall clean help
install: all
	mkdir -p '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)' '$(DESTDIR)$(INCLUDEDIR)/wave' '$(DESTDIR)$(PKGCONFIGDIR)'
	install -m 755 $(TOOLS) '$(DESTDIR)$(BINDIR)'
	install -m 644 $(HEADERS) '$(DESTDIR)$(INCLUDEDIR)/wave'
	install -m 644 $(STATIC_LIB) '$(DESTDIR)$(LIBDIR)'
	install -m 755 $(BUILD)/lib/$(SHARED_NAME) '$(DESTDIR)$(LIBDIR)'
	ln -sf $(SHARED_NAME) '$(DESTDIR)$(LIBDIR)/$(SHARED_ABI)'
	ln -sf $(SHARED_ABI) '$(DESTDIR)$(LIBDIR)/$(SHARED_LINK)'
	$(fill_in_pc) wave.pc.in >'$(DESTDIR)$(PKGCONFIGDIR)/wave.pc'
	sh scripts/completions.sh install '$(DESTDIR)$(PREFIX)/share' $(TOOLS)

uninstall:
	rm -f $(patsubst %,'$(DESTDIR)$(BINDIR)/%',$(notdir $(TOOLS)))
	rm -f $(patsubst %,'$(DESTDIR)$(INCLUDEDIR)/wave/%',$(notdir $(HEADERS)))
	rm -f $(patsubst %,'$(DESTDIR)$(LIBDIR)/%',libwave.a $(SHARED_NAME) $(SHARED_ABI) $(SHARED_LINK))
	rm -f '$(DESTDIR)$(PKGCONFIGDIR)/wave.pc'
	sh scripts/completions.sh uninstall '$(DESTDIR)$(PREFIX)/share' $(TOOLS)
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
	@echo 'make playground    one HTML file: kernels compiled and run in a browser, no server needed'
	@echo 'make playground-pictures   test the playground, and take README'"'"'s pictures of it'
	@echo 'make editors       highlighting for VS Code and Vim, below build/editors'
	@echo 'make plugins       what only some machines can build: SYCL, Metal'
	@echo 'make fuzz          fuzz until interrupted; FUZZER=fuzz_X for one target'
	@echo 'make soak          random programs on every target until interrupted; SEED=N is the first seed'
	@echo 'make mutants       plant defects and show which test finds which (long)'
	@echo 'make coverage      lines and branches of src/ that the tests execute'
	@echo 'make lint          clang-tidy and cppcheck'
	@echo 'make format        clang-format over all C files'
	@echo 'make install       PREFIX=/usr/local DESTDIR=; make uninstall removes it'
	@echo 'make deb           Debian packages, below build/deb; make dist: the source as an archive'
	@echo 'make clean         remove build/; make clean-cache: the cached output of vendors'"'"' compilers'
	@echo 'make opencl-library   recompile OpenCL'"'"'s functions (needs clang 22)'
	@echo 'make representative   reselect the programs that make check passes to vendors'"'"' compilers'
	@echo
	@echo 'Variables: CC, CFLAGS, LDFLAGS, SAN=1 (ASan and UBSan, in build/san), SAN=thread, WERROR=0|1, BUILD=dir, V=1'
