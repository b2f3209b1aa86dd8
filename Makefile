# `make demo` and `make test` need only Python 3.11+, make and a C++ compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := pyproject.toml CMakeLists.txt $(wildcard core/*.hpp src/bindings/*)
SANITIZED := .venv-sanitize

.PHONY: demo test bench lint types sanitize clean help

help:
	@echo "make demo      the permutations of the papers, in the terminal"
	@echo "make test      all tests"
	@echo "make lint      ruff, clang-format;  make types  mypy --strict"
	@echo "make sanitize  the tests of the core under AddressSanitizer and UBSan"
	@echo "make bench     speed, beside other software"
	@echo "make clean     remove what the others made"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Hyperbaton needs Python 3.11 or newer, not " + sys.version)'
	$(PYTHON) -m venv $(VENV)

# Editable: only the C++ core has to be installed again when it changes.
$(VENV)/.installed: $(BIN)/python $(NATIVE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch $@

$(VENV)/.lint: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[lint,test]"
	@touch $@

$(VENV)/.bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[bench]"
	@touch $@

demo: $(VENV)/.installed
	@echo "Stanojević & Sima'an 2014, figure 1:" && $(BIN)/hyperbaton permutation 2 4 5 6 1 3
	@echo && echo "The same paper, figure 3; a chain of two ⟨2,1⟩, flattened as in their paper of 2016:" \
	  && $(BIN)/hyperbaton permutation 5 7 4 6 3 1 2 --flat
	@echo && echo "Both papers: five trees, packed in one forest:" \
	  && $(BIN)/hyperbaton permutation 4 3 2 1

test: $(VENV)/.test
	$(BIN)/python -m pytest

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror core/*.hpp src/bindings/*

types: $(VENV)/.lint
	$(BIN)/mypy

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.order

# The whole core, called through its bindings: the extension is built with the sanitizers and the
# runtime of AddressSanitizer is loaded first. Leaks are not looked for: Python itself has some.
$(SANITIZED)/.installed: $(NATIVE)
	$(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/python -m pip install --quiet --disable-pip-version-check \
	  -Cbuild-dir=build/sanitize -Ccmake.define.HYPERBATON_SANITIZE=ON -e ".[test]"
	@touch $@

sanitize: $(SANITIZED)/.installed
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	  $(SANITIZED)/bin/python -m pytest tests/order

clean:
	rm -rf $(VENV) $(SANITIZED) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
