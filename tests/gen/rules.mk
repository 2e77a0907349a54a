# Random programs, read by the Makefile: wave-gen, wave-diff, wave-reduce. A tool has its main in the file of its
# name; the rest of the folder is shared by them.

GEN_TOOL_SRCS := $(wildcard tests/gen/wave_*.c)
GEN_SRCS := $(filter-out $(GEN_TOOL_SRCS),$(sort $(wildcard tests/gen/*.c)))
GEN_OBJS := $(call object,$(GEN_SRCS))
GEN_TOOL_OBJS := $(call object,$(GEN_TOOL_SRCS))
GEN_TOOLS := $(addprefix $(BUILD)/tests/,$(subst _,-,$(notdir $(basename $(GEN_TOOL_SRCS)))))
GEN_LIB := $(BUILD)/tests/libgen.a
ALL_OBJS += $(GEN_OBJS) $(GEN_TOOL_OBJS)
$(GEN_OBJS) $(GEN_TOOL_OBJS): MUST_CFLAGS += -Itests

runner: $(GEN_TOOLS)

$(GEN_LIB): $(GEN_OBJS) $(filter-out %/wave_test.o,$(RUNNER_OBJS))
	@mkdir -p $(@D)
	$(say) AR '$@'
	@rm -f $@
	$(Q)$(AR) qcs $@ $^

$(GEN_TOOLS): $(BUILD)/tests/wave-%: $(BUILD)/obj/tests/gen/wave_%.o $(GEN_LIB) $(PTXVM_LIB) $(STATIC_LIB)
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) -o $@ $^ $(LDLIBS) $(MUST_LDLIBS)

$(BUILD)/tests/test_gen: $(GEN_OBJS) $(filter-out %/wave_test.o,$(RUNNER_OBJS))
