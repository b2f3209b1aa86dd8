# `make portable`: compiles the core without extensions and without warnings, and runs its algorithms on the
# systems for which a compiler is installed. All systems must print the same bits. Debian's packages:
#   clang; g++-12-multilib (32 bits); g++-aarch64-linux-gnu and qemu-user; g++-mingw-w64-x86-64-posix and wine64.
# Systems without a compiler are skipped with a message.
OUT := build/portable
HEADERS := $(filter-out %.inc.hpp,$(wildcard core/*/*.hpp))
BINDINGS := $(wildcard src/bindings/*.cpp src/bindings/*/*.cpp)
STRICT := -std=c++20 -Wall -Wextra -Werror -pedantic -Wno-psabi -ffp-contract=off
INCLUDES := -Icore -Ibenchmarks
PROGRAM := tests/core/check_core.cpp
CASES := tests/core/cases.tsv
PYTHON ?= .venv/bin/python

GCC := g++
CLANG := clang++
# The older floating-point registers of 32-bit x86 would round differently.
BITS32 := g++ -m32 -msse2 -mfpmath=sse -idirafter /usr/include/$(shell g++ -print-multiarch 2> /dev/null)
ARM := aarch64-linux-gnu-g++
WINDOWS := x86_64-w64-mingw32-g++-posix
export WINEPREFIX ?= $(abspath $(OUT))/wine
export WINEDEBUG ?= -all

has = $(shell echo 'int main() {}' | $(1) -x c++ -c - -o /dev/null 2> /dev/null && echo yes)
first = $(firstword $(foreach name,$(1),$(shell command -v $(name))))

SYSTEMS := gcc plain
SYSTEMS += $(if $(call has,$(CLANG)),clang)
SYSTEMS += $(if $(call has,$(BITS32) -include thread -std=c++20),bits32)
SYSTEMS += $(if $(and $(call has,$(ARM)),$(call first,qemu-aarch64)),aarch64)
WINE := $(call first,wine64 wine /usr/lib/wine/wine64)
SYSTEMS += $(if $(and $(call has,$(WINDOWS)),$(WINE)),windows)
ALL := gcc plain clang bits32 aarch64 windows

# `plain` is GCC with the loops that compilers without GNU's vectors get, such as that of Microsoft.
COMPILE_gcc := $(GCC) -pthread
COMPILE_plain := $(GCC) -pthread -DHYPERBATON_PLAIN_LOOPS
COMPILE_clang := $(CLANG) -pthread
COMPILE_bits32 := $(BITS32) -pthread
COMPILE_aarch64 := $(ARM) -static
COMPILE_windows := $(WINDOWS) -static
RUN_aarch64 := qemu-aarch64
RUN_windows := $(WINE)
COMPILERS := gcc $(filter clang,$(SYSTEMS))

all: headers bindings $(SYSTEMS:%=$(OUT)/%.same)
	@echo "compiled and run on: $(strip $(SYSTEMS))"
	@for system in $(filter-out $(SYSTEMS),$(ALL)); do echo "$$system: skipped, its compiler or emulator is not installed"; done

# Each header on its own, and all of them together, so that no name is defined twice.
headers: $(foreach compiler,$(COMPILERS),$(HEADERS:core/%.hpp=$(OUT)/$(compiler)/%.checked) $(OUT)/$(compiler)/all.checked)

define header_rules
$(OUT)/$(1)/%.checked: core/%.hpp $(wildcard core/*/*.hpp)
	@mkdir -p $$(@D)
	echo '#include "$$*.hpp"' | $$(COMPILE_$(1)) $(STRICT) $(INCLUDES) -fsyntax-only -x c++ -
	@touch $$@
$(OUT)/$(1)/all.checked: $(HEADERS)
	@mkdir -p $$(@D)
	for header in $(HEADERS:core/%=%); do echo "#include \"$$$$header\""; done \
	  | $$(COMPILE_$(1)) $(STRICT) $(INCLUDES) -fsyntax-only -x c++ -
	@touch $$@
endef
$(foreach compiler,$(COMPILERS),$(eval $(call header_rules,$(compiler))))

# The headers of Python and nanobind are not ours to change, so their warnings do not count. nanobind hides the
# names of modules, too.
bindings: $(foreach compiler,$(COMPILERS),$(BINDINGS:src/%.cpp=$(OUT)/$(compiler)/%.checked))

$(OUT)/python-includes:
	@mkdir -p $(@D)
	$(PYTHON) -c 'import nanobind, sysconfig; print("-isystem", sysconfig.get_path("include"), "-isystem", nanobind.include_dir())' > $@

define binding_rules
$(OUT)/$(1)/bindings/%.checked: src/bindings/%.cpp $(OUT)/python-includes $(wildcard src/bindings/*.hpp src/bindings/*/*.hpp core/*/*.hpp)
	@mkdir -p $$(@D)
	$$(COMPILE_$(1)) $(STRICT) $(INCLUDES) -Isrc $$$$(cat $(OUT)/python-includes) -fvisibility=hidden -fsyntax-only $$<
	@touch $$@
endef
$(foreach compiler,$(COMPILERS),$(eval $(call binding_rules,$(compiler))))

define system_rules
$(OUT)/check_$(1).exe: $(PROGRAM) benchmarks/cyk.hpp $(wildcard core/*/*.hpp)
	@mkdir -p $$(@D)
	$$(COMPILE_$(1)) $(STRICT) $(INCLUDES) -O2 $(PROGRAM) -o $$@
$(OUT)/$(1).txt: $(OUT)/check_$(1).exe $(CASES)
	$$(RUN_$(1)) $$< $(CASES) > $$@.raw
	tr -d '\r' < $$@.raw > $$@
endef
$(foreach system,$(ALL),$(eval $(call system_rules,$(system))))

$(OUT)/%.same: $(OUT)/%.txt $(OUT)/gcc.txt
	cmp $< $(OUT)/gcc.txt
	@touch $@
