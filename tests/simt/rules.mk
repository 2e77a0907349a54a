# The CPU harness for emitted HIP, MSL and SYCL, read by the Makefile: libsimt.a, wave-simt-test, wave-simt-samples.
# Kernels are loaded at run time and look for the harness in the program that loads them, hence -rdynamic: a program
# that links $(SIMT_LIB) adds $(SIMT_LINK). Linux only: it needs ELF sections and mappings that are not backed by memory.

SIMT_SRCS := $(sort $(wildcard tests/simt/*.c))
SIMT_OBJS := $(call object,$(SIMT_SRCS))
# Also in libptxvm.a: a program that links both archives takes it from the first.
WEAKMEM_OBJ := $(call object,tests/weakmem/weakmem.c)
SIMT_LIB := $(BUILD)/tests/libsimt.a
SIMT_LINK := -rdynamic -ldl
SIMT_TESTS := $(BUILD)/tests/wave-simt-test $(BUILD)/tests/wave-simt-samples
ALL_OBJS += $(SIMT_OBJS)
$(SIMT_OBJS): MUST_CFLAGS += -Itests -D_DEFAULT_SOURCE

.PHONY: simt-tests
simt-tests: $(SIMT_TESTS)
ifeq ($(OS),Linux)
runner: simt-tests
endif

$(SIMT_LIB): $(filter-out %/wave_simt_test.o %/wave_simt_samples.o,$(SIMT_OBJS)) $(WEAKMEM_OBJ) $(BUILD)/objects.stamp
	@mkdir -p $(@D)
	$(say) AR '$@'
	@rm -f $@
	$(Q)$(AR) qcs $@ $(filter %.o,$^)

SIMT_LINKS := $(RUNNER_OBJS) $(SIMT_LIB) $(STATIC_LIB)
$(SIMT_TESTS): $(BUILD)/tests/wave-simt-%: $(BUILD)/obj/tests/simt/wave_simt_%.o $(SIMT_LINKS) $(BUILD)/objects.stamp
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter-out %.stamp,$^) $(LDLIBS) $(MUST_LDLIBS) $(SIMT_LINK)
