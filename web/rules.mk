# The playground's part of the build, included by the Makefile. zig compiles it for WebAssembly in a separate build folder:
# scripts/playground.sh calls make again with OS=Wasm.

WASM_SRCS := web/playground.c src/cli/emu_trace.c src/cli/emu_texts.c src/cli/emu_types.c src/cli/emu_float.c $(TESTFILE_SRCS)
WASM_OBJS := $(call object,$(WASM_SRCS))
WASM := $(BUILD)/wave.wasm

# OpenCL's functions as bytes: in the playground, and for the test that unpacks them.
PACKED_LIBRARY := $(BUILD)/gen/library_packed.inc
$(PACKED_LIBRARY): src/spirv/library.inc web/pack_library.py
	@mkdir -p $(@D)
	$(Q)python3 web/pack_library.py $< >$@
$(BUILD)/obj/tests/unit/test_opencl_library.o: $(PACKED_LIBRARY)
$(BUILD)/obj/tests/unit/test_opencl_library.o: MUST_CFLAGS += -I$(BUILD)/gen

ifeq ($(OS),Wasm)
$(BUILD)/obj/src/spirv/library.o: $(PACKED_LIBRARY)
$(BUILD)/obj/src/spirv/library.o: MUST_CFLAGS += -DWAVE_PACKED_LIBRARY -I$(BUILD)/gen
ALL_OBJS += $(call object,web/playground.c)
$(WASM): $(WASM_OBJS) $(STATIC_LIB) $(OBJECTS_STAMP)
	$(say) LINK '$@'
	$(Q)$(link) -mexec-model=reactor -Wl,--no-entry,--gc-sections,-z,stack-size=1048576 -s -o $@ $(WASM_OBJS) $(STATIC_LIB) $(MUST_LDLIBS)
endif

.PHONY: playground playground-pictures
playground:
	$(run_script) scripts/playground.sh $(BUILD)/playground/wavec.html

# The pictures in README.md, as taken by the browser test.
playground-pictures: all
	$(run_script) scripts/check-playground.sh $(BUILD)
	$(Q)cp $(BUILD)/playground/playground.png $(BUILD)/playground/profile.png docs/images
