# Included by the Makefile: tests with failing allocations and with threads; targets that measure coverage and plant
# defects.

comma := ,
HARDEN_OBJS := $(call object,$(sort $(wildcard tests/harden/*.c)))
ALL_OBJS += $(HARDEN_OBJS)
$(HARDEN_OBJS): MUST_CFLAGS += -Itests
HARDEN_LINKS := $(BUILD)/obj/tests/harden/actions.o $(RUNNER_OBJS)
HARDEN_TESTS := $(BUILD)/tests/wave-fail-alloc $(BUILD)/tests/wave-threads

.PHONY: harden-tests coverage mutants
harden-tests: $(HARDEN_TESTS)

# Every call of the allocator goes through tests/harden/alloc_hook.c: a feature of the GNU and LLVM linkers.
$(BUILD)/tests/wave-fail-alloc: HARDEN_FLAGS := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc free)
$(BUILD)/tests/wave-fail-alloc: $(BUILD)/obj/tests/harden/alloc_hook.o $(BUILD)/obj/tests/harden/fail_alloc.o
$(BUILD)/tests/wave-threads: HARDEN_FLAGS := -pthread
$(BUILD)/tests/wave-threads: $(BUILD)/obj/tests/harden/threads.o
$(HARDEN_TESTS): $(HARDEN_LINKS) $(STATIC_LIB) $(BUILD)/objects.stamp
	@mkdir -p $(@D)
	$(say) LINK '$@'
	$(Q)$(link) $(HARDEN_FLAGS) -o $@ $(filter %.o,$^) $(STATIC_LIB) $(LDLIBS) $(MUST_LDLIBS)

coverage:
	$(run_script) scripts/coverage.sh

# The planted defects, and mechanical ones selected by MUTANT_SEED.
mutants:
	$(run_script) tests/mutants/run.sh
