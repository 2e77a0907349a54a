# Included by the Makefile: OpenCL's functions (src/opencl) as a SPIR-V module, and compiled as C for measurements and
# tests.

CLMATH_OBJS := $(call object,$(sort $(wildcard tests/clmath/*.c)))
ALL_OBJS += $(CLMATH_OBJS)
$(CLMATH_OBJS): MUST_CFLAGS += -Itests

# "make opencl-library" needs clang 22; its output is kept in the repository.
.PHONY: opencl-library
opencl-library:
	$(Q)python3 scripts/opencl-library.py

runner: $(BUILD)/tests/clmath
$(BUILD)/tests/clmath: $(CLMATH_OBJS) $(STATIC_LIB) $(BUILD)/objects.stamp
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter %.o,$^) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS)

CLMATH_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_opencl_*.c))
$(CLMATH_TESTS): $(filter-out %/measure.o,$(CLMATH_OBJS))
