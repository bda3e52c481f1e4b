# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
# The front door. Every target sets up what it needs: a virtual environment in .venv, pinned packages, the build.

PYTHON ?= python3
# ON builds the CUDA module; AUTO where there are nvcc and an NVIDIA driver.
SKERRY_CUDA ?= AUTO
SKERRY_DTYPES ?= all
# What is built here is for this machine; all: for any, as the CMake build by itself has it, and so packages.
SKERRY_CPU_TARGETS ?= native
# ON: the CUDA module holds PTX, which an emulated GPU executes, in place of machine code for a real one.
SKERRY_EMULATION ?= OFF
ifneq ($(filter emulate,$(MAKECMDGOALS)),)
SKERRY_CUDA := ON
SKERRY_EMULATION := ON
endif
# More -Ccmake.define.NAME=VALUE options for the build, such as -Ccmake.define.CMAKE_CUDA_ARCHITECTURES=native.
BUILD_OPTIONS ?=
# Such as --quick: tests that loop over dtypes and shapes try a few; --full: those that walk everything do so at full size
PYTEST_OPTIONS ?=
# --full: all tools of compute-sanitizer
GPU_CHECK_OPTIONS ?=
# Such as --max-examples 100 --seeds 0,1,2 --devices cuda:0
CONFORMANCE_OPTIONS ?=

VENV := .venv
BUILD := build/python
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
PIP := python -m pip --disable-pip-version-check

.PHONY: help build test test-full test-cpp test-python emulator test-emulator emulate gpu-estimate guard demo bench bench-kernels accuracy working-memory fuzz fuzz-programs fuzz-failures exits numba-suite cupy-suite stumpy-suite recipes paths sweep gpu-check test-pythons test-free-threaded device-suite cai-suite test-aarch64 wheels lint format conformance docs clean

help:
	@echo "make demo         k-means over two devices, rehearsed ones where there is no GPU"
	@echo "make test         C++ and Python tests, those over dtypes and shapes by a few of them; minutes"
	@echo "make test-full    all of them"
	@echo "make build        builds and installs skerry into .venv; SKERRY_CUDA=ON, with its CUDA module; nvcc from PyPI if need be"
	@echo "make emulator     builds and installs skerry-emulator, an emulated GPU, into .venv"
	@echo "make test-emulator  its tests"
	@echo "make emulate      the CUDA kernels on an emulated GPU"
	@echo "make gpu-estimate  what an H100 would do with bench/gpu/rows.py, from counts of the emulated GPU"
	@echo "make guard        the Python tests with memory that ends where arrays do; GUARD_OPTIONS= for all dtypes and shapes"
	@echo "make bench        speed against NumPy; figures go to bench/results"
	@echo "make bench-kernels  the kernels of each family from C++, on the CPU and a GPU; KERNEL_BENCHMARK_OPTIONS=--benchmark_filter=sort"
	@echo "make sweep        every function beside NumPy by dtype, size, layout and threads; SWEEP_OPTIONS=--quick"
	@echo "make accuracy     the largest error of every function, for the documentation's tables"
	@echo "make working-memory  what every function takes of memory, for the documentation's table"
	@echo "make fuzz         10^6 random arrays of other libraries by each protocol, in a child process"
	@echo "make fuzz-programs  10,000 random programs over streams, devices and views, against their order"
	@echo "make fuzz-failures  50,000 random programs in which a CUDA call fails: an error or the right values"
	@echo "make exits        1,000 processes that exit while their threads are in calls"
	@echo "make paths        is every branch of the CPU kernels and of fusion taken by some test?"
	@echo "make numba-suite  the tests of numba-cuda on the emulated GPU"
	@echo "make cupy-suite   those of CuPy: CUPY_DIR=<checkout of cupy/cupy>"
	@echo "make stumpy-suite  those of stumpy, a program with kernels of Numba"
	@echo "make recipes      the documentation's workflows for GitHub Actions, in new environments"
	@echo "make test-pythons  tests under the oldest Python and NumPy and the newest; PYTHONS_OPTIONS=--all: under all"
	@echo "make test-free-threaded  tests under Python 3.13 without the GIL, built from Debian's source"
	@echo "make test-aarch64  cross-compiled for aarch64, run by qemu; needs g++-aarch64-linux-gnu, qemu-user-static"
	@echo "make wheels       packages for PyPI in dist: wheels for glibc 2.28, the source distribution; WHEELS_OPTIONS=--help"
	@echo "make lint         formatting, static checks, types, spelling"
	@echo "make gpu-check    tests and figures on a real GPU"
	@echo "make conformance  the official suite: ARRAY_API_TESTS_DIR=<checkout of data-apis/array-api-tests>"
	@echo "make device-suite  the standard's device recommendations for skerry and other libraries, for the documentation's tables"
	@echo "make cai-suite    the CUDA Array Interface of skerry and of models of other consumers, for the documentation's tables"
	@echo "make docs         HTML documentation in build/docs/html"
	@echo "make clean        removes build and .venv"

# .venv/.group-NAME: the packages of that dependency group are installed.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "skerry needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet "pip==26.3"

$(VENV)/.group-%: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --group $*
	@touch $@

# numba-cuda takes the place of numba.cuda where it is installed: in a folder of its own, tests choose it. So is CuPy.
$(addprefix $(VENV)/.group-,numba-cuda numba-cuda-mlir cupy): $(VENV)/.group-%: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --upgrade --no-deps --target $(VENV)/$* --group $*
	@touch $@

# nvcc comes from PyPI where none is installed. An empty CUDACXX counts as none.
ifeq ($(SKERRY_CUDA),ON)
NVCC := $(CUDACXX)$(shell command -v nvcc)
CUDA_GROUP := $(if $(NVCC),,$(VENV)/.group-cuda)
endif

# Only these need GoogleTest, which is downloaded where it is not installed.
WITH_TESTS := $(if $(filter test test-full test-cpp emulate,$(MAKECMDGOALS)),ON,OFF)
# And these Google Benchmark.
WITH_BENCH := $(if $(filter bench-kernels,$(MAKECMDGOALS)),ON,OFF)

build: $(VENV)/.group-build $(CUDA_GROUP)
	$(PIP) install --verbose --no-build-isolation --no-deps --force-reinstall \
	  -Ccmake.define.SKERRY_CUDA=$(SKERRY_CUDA) -Ccmake.define.SKERRY_DTYPES="$(SKERRY_DTYPES)" \
	  -Ccmake.define.SKERRY_CPU_TARGETS="$(SKERRY_CPU_TARGETS)" \
	  -Ccmake.define.SKERRY_EMULATION=$(SKERRY_EMULATION) -Ccmake.define.SKERRY_TESTS=$(WITH_TESTS) \
	  -Ccmake.define.SKERRY_BENCH=$(WITH_BENCH) $(BUILD_OPTIONS) .

# The Python tests hold for every function and device here, and for all dtypes, shapes and layouts by test-full.
test: PYTEST_OPTIONS += --quick
test test-full: test-cpp test-python

test-cpp: build
	cmake --build $(BUILD) --target cpp_tests
	ctest --test-dir $(BUILD) --output-on-failure

CONSUMERS := $(VENV)/.group-test $(VENV)/.group-demo $(VENV)/.group-consumers $(VENV)/.group-numba-cuda

test-python: build $(CONSUMERS)
	python -m pytest -n auto --dist loadfile $(PYTEST_OPTIONS)

# The emulated GPU, a package of its own; its stand-ins for cuBLAS, cuSOLVER and cuFFT take skerry's routines.
EMULATOR_BUILD := build/emulator
# More -Ccmake.define.NAME=VALUE options for it.
EMULATOR_OPTIONS ?=
emulator: build
	$(PIP) install --verbose --no-build-isolation --no-deps --force-reinstall \
	  -Ccmake.define.SKERRY_LIBRARY=$(CURDIR)/$(BUILD)/libskerry.a \
	  -Ccmake.define.SKERRY_EMULATOR_TESTS=$(if $(filter test-emulator emulate,$(MAKECMDGOALS)),ON,OFF) $(EMULATOR_OPTIONS) \
	  ./device/emulator

test-emulator: emulator $(CONSUMERS) $(VENV)/.group-cupy $(VENV)/.group-numba-cuda-mlir
	cmake --build $(EMULATOR_BUILD) --target emulator_tests
	ctest --test-dir $(EMULATOR_BUILD) --output-on-failure
	python -m pytest -n auto --dist loadfile $(PYTEST_OPTIONS) tests/emulator

# skerry's kernels on it. Such as EMULATE_OPTIONS="--targets 90 tests/python/scan/test_scan.py -k float32";
# python tests/emulator/run.py --help
EMULATE_OPTIONS ?=
emulate: emulator $(VENV)/.group-test $(VENV)/.group-demo $(if $(ARRAY_API_TESTS_DIR),$(VENV)/.group-conformance)
	cmake --build $(EMULATOR_BUILD) --target emulator_libraries emulator_cudart
	cmake --build $(BUILD) --target skerry_emulated
	python tests/emulator/run.py $(EMULATE_OPTIONS)

# After `make emulate`, whose module it runs, or one that ESTIMATE_OPTIONS="--module FILE" names; --check compares.
ESTIMATE_OPTIONS ?=
gpu-estimate: $(VENV)/.group-test
	python -m bench.gpu.estimate $(ESTIMATE_OPTIONS)

# As make test, or as make test-full: GUARD_OPTIONS=
GUARD_OPTIONS ?= --quick
guard: build $(CONSUMERS)
	SKERRY_ALLOCATOR=guard python -m pytest -n auto --dist loadfile $(GUARD_OPTIONS)

demo: build $(VENV)/.group-demo
	python -m skerry demo

# With the kernels of all levels: valgrind, which counts instructions, executes no AVX-512.
bench: SKERRY_CPU_TARGETS := all
bench: build $(VENV)/.group-bench
	python -m bench.peers.run
	python -m bench.fragmentation
	python -m bench.call_instructions

# Such as KERNEL_BENCHMARK_OPTIONS="--benchmark_filter=sort/.*float32"
KERNEL_BENCHMARK_OPTIONS ?=
bench-kernels: build
	cmake --build $(BUILD) --target kernel_benchmarks
	SKERRY_CUDA_MODULE=$(CURDIR)/$(BUILD)/device/skerry_cuda.so \
	  SKERRY_OPENBLAS=$$(python -c "import scipy_openblas32 as b; print(b.get_lib_dir())")/libscipy_openblas.so \
	  $(BUILD)/bench/kernels/kernel_benchmarks $(KERNEL_BENCHMARK_OPTIONS)

# Such as SWEEP_OPTIONS="--quick --compare build/sweep.jsonl --output build/after.jsonl"
SWEEP_OPTIONS ?=
sweep: build
	python -m bench.peers.sweep $(SWEEP_OPTIONS)

# Such as ACCURACY_OPTIONS="sin cos", which prints and writes nothing
ACCURACY_OPTIONS ?= --write
accuracy: build $(VENV)/.group-test
	python -m bench.accuracy $(ACCURACY_OPTIONS)

# Such as WORKING_MEMORY_OPTIONS="--only sort", which prints and writes nothing
WORKING_MEMORY_OPTIONS ?= --write
working-memory: build
	python -m bench.working_memory $(WORKING_MEMORY_OPTIONS)

# Such as FUZZ_OPTIONS="--seed 7 --count 100000"
FUZZ_OPTIONS ?=
fuzz: build
	python -m tests.fuzz.interchange $(FUZZ_OPTIONS)
fuzz-programs: emulator $(CONSUMERS)
	python -m tests.fuzz.programs $(FUZZ_OPTIONS)
	python -m tests.fuzz.programs --kernels $(FUZZ_OPTIONS)
fuzz-failures: build
	python -m tests.fuzz.failures $(FUZZ_OPTIONS)

# Such as EXITS_OPTIONS="--seed 7 --count 100"
EXITS_OPTIONS ?=
exits: build
	python -m tests.fuzz.exits $(EXITS_OPTIONS)

# Such as NUMBA_SUITE_OPTIONS="cudapy/test_atomics.py --limit 900"
NUMBA_SUITE_OPTIONS ?=
# Tests of numba-cuda-mlir are in its repository alone: NUMBA_CUDA_MLIR_DIR=<checkout> runs them, too.
numba-suite: emulator $(CONSUMERS) $(VENV)/.group-numba-suite $(if $(NUMBA_CUDA_MLIR_DIR),$(VENV)/.group-numba-cuda-mlir)
	python tests/emulator/suites/run.py $(NUMBA_SUITE_OPTIONS)
ifneq ($(NUMBA_CUDA_MLIR_DIR),)
	python tests/emulator/suites/run.py --mlir $(NUMBA_CUDA_MLIR_DIR) $(NUMBA_SUITE_OPTIONS)
endif

# Such as CUPY_SUITE_OPTIONS="--sample 4 math_tests fft_tests/test_fft.py"
CUPY_SUITE_OPTIONS ?=
cupy-suite: emulator $(CONSUMERS) $(VENV)/.group-cupy
	python tests/emulator/suites/run.py --cupy "$(CUPY_DIR)" $(CUPY_SUITE_OPTIONS)

# The package from PyPI has no tests, its source distribution has.
$(VENV)/.group-stumpy: pyproject.toml | $(VENV)/bin/python
	rm -rf $(VENV)/stumpy
	$(PIP) download --quiet --no-deps --no-binary stumpy --dest $(VENV)/stumpy --group stumpy
	tar -x -f $(VENV)/stumpy/stumpy-*.tar.gz -C $(VENV)/stumpy --strip-components 1
	@touch $@

# STUMPY_SUITE_OPTIONS=--simulator: on Numba's simulator
STUMPY_SUITE_OPTIONS ?=
stumpy-suite: emulator $(CONSUMERS) $(VENV)/.group-stumpy
	python tests/emulator/suites/run.py --stumpy $(STUMPY_SUITE_OPTIONS)

# Such as RECIPES_OPTIONS="cupy --wheels dist"
RECIPES_OPTIONS ?=
recipes: emulator $(CONSUMERS)
	python tests/emulator/recipes/run.py $(RECIPES_OPTIONS)

# Such as PATHS_OPTIONS="--no-build tests/python/reduce"
PATHS_OPTIONS ?=
paths: $(VENV)/.group-build $(CONSUMERS)
	python tests/paths/run.py $(PATHS_OPTIONS)

# Builds by itself, with what is installed: the machine may have no network.
gpu-check:
	$(PYTHON) -m bench.gpu.check $(GPU_CHECK_OPTIONS)

# Such as PYTHONS_OPTIONS="--python 3.13 tests/python/fuse -k sum"; python tests/pythons/run.py --help
PYTHONS_OPTIONS ?= --quick
test-pythons: build $(VENV)/.group-pythons
	python tests/pythons/run.py $(PYTHONS_OPTIONS)

# Such as FREE_THREADED_OPTIONS="--jobs 8 tests/python/fuse -k sum"; python tests/free_threaded/run.py --help
FREE_THREADED_OPTIONS ?=
test-free-threaded: build
	python tests/free_threaded/run.py $(FREE_THREADED_OPTIONS)

# Such as AARCH64_OPTIONS="--all --part cpp", or "--all --part python tests/python/move"; python tests/aarch64/run.py --help
AARCH64_OPTIONS ?=
test-aarch64: build $(VENV)/.group-test
	python tests/aarch64/run.py $(AARCH64_OPTIONS)

# Builds by itself, against an older C library than this machine's; nothing is installed into .venv.
WHEELS_OPTIONS ?=
wheels: $(VENV)/.group-build $(VENV)/.group-wheels
	python python/wheels/build.py $(WHEELS_OPTIONS)

conformance: build $(VENV)/.group-conformance
	python tests/conformance/run.py "$(ARRAY_API_TESTS_DIR)" $(CONFORMANCE_OPTIONS)

# Such as DEVICE_SUITE_OPTIONS="skerry jax", which prints and writes nothing
DEVICE_SUITE_OPTIONS ?= --write
device-suite: emulator $(CONSUMERS) $(VENV)/.group-cupy
	python -m tests.device_suite.run $(DEVICE_SUITE_OPTIONS)

# CAI_SUITE_OPTIONS= writes nothing
CAI_SUITE_OPTIONS ?= --write
cai-suite: emulator $(CONSUMERS) $(VENV)/.group-cupy
	python -m tests.cai_suite.run $(CAI_SUITE_OPTIONS)

# The gallery takes what its programs import.
docs: emulator $(VENV)/.group-docs $(VENV)/.group-demo $(VENV)/.group-consumers
	python python/docs/build.py build/docs

# clang-tidy reads a CPU-only configuration; nothing is compiled for it. Two dtypes and two levels show it every kernel.
lint: $(VENV)/.group-build $(VENV)/.group-lint
	python tests/format_cpp.py
	ruff check .
	ruff format --check .
	codespell
	mypy
	python tests/lint_names.py
	python tests/lint_commits.py
	python tests/lint_file_sizes.py
	check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	check-jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml
	cmake -S . -B build/lint -G Ninja -DSKERRY_CUDA=OFF -DSKERRY_TESTS=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
	  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DSKERRY_DTYPES="float32;int32" -DSKERRY_CPU_TARGETS="v3;v4" >/dev/null
	cmake -S device/emulator -B build/lint_emulator -G Ninja >/dev/null
	python tests/lint_cpp.py build/lint build/lint_emulator

format: $(VENV)/.group-lint
	python tests/format_cpp.py --fix
	ruff check --fix .
	ruff format .

clean:
	rm -rf build $(VENV)
