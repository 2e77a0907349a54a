# Included by the Makefile: the tools for random programs, wave-gen, wave-diff and wave-reduce. The main function of a
# tool is in the file of its name; the tools share the rest of the folder.

GEN_TOOL_SRCS := $(wildcard tests/gen/wave_*.c)
GEN_SRCS := $(filter-out $(GEN_TOOL_SRCS),$(sort $(wildcard tests/gen/*.c)))
GEN_OBJS := $(call object,$(GEN_SRCS))
GEN_TOOL_OBJS := $(call object,$(GEN_TOOL_SRCS))
GEN_TOOLS := $(addprefix $(BUILD)/tests/,$(subst _,-,$(notdir $(basename $(GEN_TOOL_SRCS)))))
ALL_OBJS += $(GEN_OBJS) $(GEN_TOOL_OBJS)
$(GEN_OBJS) $(GEN_TOOL_OBJS): MUST_CFLAGS += -Itests
# HIP and MSL run where tests/simt does, SYCL where its run time is found at start-up.
ifeq ($(OS),Linux)
GEN_LINKS := $(SIMT_LIB) $(filter-out %test.o,$(SYCLRUN_OBJS))
GEN_LDLIBS := $(SIMT_LINK)
$(BUILD)/obj/tests/gen/diff_simt.o: MUST_CFLAGS += -DGEN_SIMT
$(BUILD)/obj/tests/gen/diff_sycl.o: MUST_CFLAGS += -DGEN_SYCL_LIBRARY='"$(abspath $(BUILD)/tests/libsyclrun.so)"'
endif

runner: $(GEN_TOOLS)

# Random programs until interrupted; "make soak SEED=1" sets the first seed.
.PHONY: soak
soak: runner
	$(run_script) scripts/random.sh soak $(BUILD) $(SEED)

# Objects before archives: each archive is searched once.
GEN_ALL := $(GEN_OBJS) $(RUNNER_OBJS) $(GEN_LINKS) $(PTXVM_LIB) $(STATIC_LIB)
$(GEN_TOOLS): $(BUILD)/tests/wave-%: $(BUILD)/obj/tests/gen/wave_%.o $(GEN_ALL)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(MUST_LDLIBS) $(GEN_LDLIBS)

# The generator alone, without the code that runs its programs.
$(BUILD)/tests/test_gen: $(filter-out %/reduce.o %/diff.o $(BUILD)/obj/tests/gen/diff_%,$(GEN_OBJS)) $(RUNNER_OBJS)
