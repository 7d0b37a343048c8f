# Everlevel's commands. Each sets up all that it needs in .venv and target/; nothing is installed outside them.
#
#   make demo        encrypt a photograph, compute on it through two bootstraps, decrypt it, draw what happened
#   make test        the checks of every commit: formatter, lints, Rust tests, Rust docs, types, the site, Python tests
#   make test-secrets  no branch or address depends on secrets, by Valgrind (a part of `make test`)
#   make fuzz        fuzz every reader of bytes for an hour (FUZZ_ARGS="--help" says more), figures into out/fuzz.txt
#   make test-memory  Miri, and address sanitizer on Rust's and Python's tests, figures into out/memory.txt
#   make test-mutants  plant faults in what Python's tests decrypt, and list the files that don't notice, in out/mutants.txt
#   make test-slow   the tests that take minutes and gigabytes, their figures into out/test-slow.txt
#   make test-clones  each of these commands in a fresh clone of its own, for hours (CLONE_ARGS="--help" says more)
#   make bench       the tables of bootstraps and of gates: time, precision or failures, keys (BENCH_ARGS="--help" says more)
#   make tables      every measured table of the pages, beside other libraries, and their picture (TABLES_ARGS="--help")
#   make seeds       docs/seeds.md: every row that the founding documents publish, beside ours (SEEDS_ARGS="--help")
#   make docs        the documentation site, into build/site
#   make rtl-test    the accelerator in rtl/ beside the library (RTL_ARGS: --quick, not the real size; --ci, as make test)
#   make rtl-report  its clocks and cells, into out/rtl (RTL_ARGS="--help" says more)
#   make gpu-kernels  the kernels for GPUs by NVRTC, which is installed for it, and their registers, into out/gpu.txt
#   make gpu-report   their instructions, registers and occupancy beside ceilings, predicted times, into out/gpu-report.txt
#   make gpu-check    kernels, bootstraps and Python's tests on a GPU, beside the CPU, with times, into out/gpu-check.txt
#   make check-targets  compile all crates for ARM, macOS, Windows and WebAssembly, whose standard library rustup brings
#   make test-arm    the suites of kernels, a bootstrap and gates compiled for ARM and run by QEMU
#   make build       the release build of the Python package, into .venv
#   make wheel       a wheel for every CPython from 3.11 on, into build/wheels, tried in clean environments
#   make package     the crates as crates.io would get them, into target/package, each built from its package
#   make lint        the formatters and linters alone
#   make structure   circles of files, files that are too long, what is public, or there, without need

PYTHON ?= python3
VENV   ?= .venv
CARGO  ?= cargo

export VIRTUAL_ENV := $(abspath $(VENV))
export PIP_DISABLE_PIP_VERSION_CHECK := 1
BIN := $(VIRTUAL_ENV)/bin

.PHONY: help demo test lane-rust lane-python bench tables seeds docs build lint lint-rust lint-python structure test-rust test-simd test-secrets test-slow test-mutants test-memory test-clones fuzz test-python rtl-test rtl-report gpu-kernels gpu-report gpu-check check-targets test-arm test-install wheel package clean tools

help:
	@sed -n '3,29s/^# *//p' Makefile

tools:
	@PYTHON="$(PYTHON)" CARGO="$(CARGO)" sh scripts/check_tools.sh

$(BIN)/python: | tools
	$(PYTHON) -m venv $(VENV)

# The stamp follows pyproject.toml: its dependency lists are what the environment holds.
$(BIN)/.everlevel-ready: pyproject.toml scripts/venv_packages.py | $(BIN)/python
	$(BIN)/python scripts/venv_packages.py | xargs $(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python scripts/venv_packages.py --optional | xargs -L 1 $(BIN)/python -m pip install --quiet \
		|| echo "Not all that is optional is installed: engines of clusters, tables, simulators. Their tests are skipped."
	touch $@

# Tests of Python run GPUs' kernels on the CPU, where there is a compiler of C++.
HOST_DEVICE := $(if $(shell command -v $${CXX:-c++}),--features host-device)

build: tools $(BIN)/.everlevel-ready
	$(BIN)/maturin develop --release --quiet $(HOST_DEVICE)

demo: build
	$(BIN)/python examples/demo.py

bench: build
	$(BIN)/python benches/bench.py $(BENCH_ARGS)

# Go, for Lattigo, and Python 3.10, for OpenFHE, are needed by their rows alone.
tables: build
	CARGO="$(CARGO)" PYTHONPATH=benches $(BIN)/python -m tables $(TABLES_ARGS)

# Hours. A run that was ended goes on where it was; SEEDS_ARGS=--quick has small rings, and takes minutes.
seeds: build
	CARGO="$(CARGO)" PYTHONPATH=benches $(BIN)/python -m seeds $(SEEDS_ARGS)

# Warnings are errors. It loads nothing, and its pages load nothing from elsewhere.
docs: $(BIN)/.everlevel-ready
	$(BIN)/zensical build --strict --config-file mkdocs.yml

lint: lint-rust lint-python structure

lint-rust: tools
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

lint-python: build
	$(BIN)/python scripts/prose_width.py
	$(BIN)/python scripts/hidden_warnings.py
	$(BIN)/typos
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest everlevel._native --mypy-config-file pyproject.toml
	PYTHONPATH=benches $(BIN)/python -m tables --check

structure: tools $(BIN)/.everlevel-ready
	PYTHONPATH=scripts $(BIN)/python -m structure
	CARGO="$(CARGO)" $(BIN)/python scripts/needless.py

# The same cases of property tests every time: `make test-slow` draws new ones.
test-rust test-simd: export PROPTEST_RNG_SEED ?= 20261121

# What the PTX interpreter runs, where its compiler is installed; without it those tests are skipped.
test-rust: tools
	[ ! -x $(BIN)/python ] || $(BIN)/python scripts/gpu_kernels.py --ptx
	$(CARGO) test --workspace --quiet --tests
	MAKEFLAGS= $(CARGO) test --workspace --quiet --doc
	RUSTDOCFLAGS=-Dwarnings $(CARGO) doc --workspace --no-deps --quiet

# Modules of tests with the backends that this machine wouldn't choose: the results are the same to the bit. Those of
# the whole workspace were built by test-rust; fewer packages would have other features, and be built again. Suites of
# kernels that take each backend by themselves aren't among them.
SIMD_SUITES := definitions properties gadget half_product linear_transform representations golden gates messages \
	arithmetic rotation base2k limb_ring

test-simd: tools
	for simd in scalar avx2; do \
		EVERLEVEL_SIMD=$$simd $(CARGO) test --workspace --quiet --test suite -- \
			$(addsuffix ::,$(SIMD_SUITES)) || exit 1; \
	done

# Where there is no Valgrind it says so, and passes.
test-secrets: tools $(BIN)/.everlevel-ready
	CARGO="$(CARGO)" $(BIN)/python scripts/check_secrets.py

# Needs Rust's nightly and cargo-fuzz.
fuzz: tools $(BIN)/.everlevel-ready
	$(BIN)/python scripts/fuzz.py $(FUZZ_ARGS)

# Needs Rust's nightly with miri and rust-src.
test-memory: tools $(BIN)/.everlevel-ready
	$(BIN)/python scripts/check_memory.py $(MEMORY_ARGS)

# Fresh clones have everything to build.
test-clones:
	$(PYTHON) scripts/fresh_clones.py $(CLONE_ARGS)

test-slow: build
	CARGO="$(CARGO)" $(BIN)/python scripts/test_slow.py

# A run of the Python tests for each fault: an hour. MUTANTS_ARGS="--help" says more.
test-mutants: build
	PYTHONPATH=scripts:tests/python CARGO="$(CARGO)" $(BIN)/python -m mutants $(MUTANTS_ARGS)

test-python: build
	$(BIN)/python -m pytest $(PYTEST_ARGS)

rtl-test: tools $(BIN)/.everlevel-ready
	CARGO="$(CARGO)" $(BIN)/python rtl/tests/run.py $(RTL_ARGS)

rtl-report: tools $(BIN)/.everlevel-ready
	CARGO="$(CARGO)" $(BIN)/python rtl/report/run.py $(RTL_ARGS)

# Compilation for other systems; nothing is linked or run. Benchmarks read POSIX's clocks, the C interface
# allocates by C11, which Windows lacks, and Python has no modules for browsers.
CHECK_TARGETS := aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-pc-windows-msvc wasm32-unknown-unknown

check-targets: tools
	rustup target add $(CHECK_TARGETS)
	for target in $(CHECK_TARGETS); do \
		case $$target in wasm*) without="bench py spqlios" ;; *windows*) without="bench spqlios" ;; *) without= ;; esac; \
		without=$$(for crate in $$without; do echo --exclude everlevel-$$crate; done); \
		echo "$$target" && PYO3_NO_PYTHON=1 RUSTFLAGS=-Dwarnings $(CARGO) check --quiet --locked --workspace \
			$$without --features everlevel-io/pure-hash --target $$target || exit 1; \
	done

# The suites of every backend, bootstraps of small rings and gates, compiled for ARM and run by an emulator: no times.
# Rust's own linker and C library serve, so that no cross compiler is needed.
ARM := aarch64-unknown-linux-musl

test-arm: tools
	command -v qemu-aarch64 >/dev/null || apt-get install -y -q qemu-user || { \
		echo "qemu-aarch64 is missing: Debian and Ubuntu have it in 'apt install qemu-user'" >&2; exit 1; }
	rustup target add $(ARM)
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64 \
		$(CARGO) test --quiet --locked --target $(ARM) --features everlevel-io/pure-hash \
		$(addprefix -p everlevel-,io math ring rlwe limbs ckks bfv binfhe) --test suite -- \
		$(addsuffix ::,$(SIMD_SUITES) bootstrap)

# Where NVRTC can't be installed it says so, and passes.
gpu-kernels: tools $(BIN)/.everlevel-ready
	$(BIN)/python scripts/gpu_kernels.py --strict

gpu-report: tools $(BIN)/.everlevel-ready
	$(BIN)/python scripts/gpu_report.py

# Needs a GPU and its driver; GPU_ARGS="--device host" checks the script itself.
gpu-check: build
	CARGO="$(CARGO)" $(BIN)/python scripts/gpu_check.py $(GPU_ARGS)

# What a user gets from `pip install .`, in an environment of its own; with the features that `build` has, so that
# nothing is compiled twice.
test-install: tools $(BIN)/.everlevel-ready
	rm -rf build/install && $(PYTHON) -m venv build/install
	MATURIN_PEP517_ARGS="$(HOST_DEVICE)" build/install/bin/python -m pip install --quiet .
	cd build && install/bin/everlevel info

# For Linux on x86-64 with glibc 2.17 or later, which zig links it for: a build of its own, and so not in `make test`.
wheel: tools $(BIN)/.everlevel-ready
	rm -rf build/wheels
	$(BIN)/python scripts/gpu_kernels.py --quiet
	PATH="$(BIN):$$PATH" $(BIN)/maturin build --release --quiet --zig --compatibility manylinux2014 --out build/wheels
	$(BIN)/python scripts/check_wheel.py build/wheels/*.whl

# All but those that nobody needs from crates.io (`publish = false`).
package: tools
	$(CARGO) package --workspace --locked $(addprefix --exclude everlevel-,bench fuzz py testkit) $(PACKAGE_ARGS)

# Two lanes at once: neither keeps two cores busy by itself. Each step's output appears when the step ends.
test: tools $(BIN)/.everlevel-ready
	$(MAKE) -j2 --output-sync=target lane-rust lane-python

lane-rust:
	$(MAKE) lint-rust
	$(MAKE) test-rust
	$(MAKE) test-simd
	$(MAKE) test-secrets
	$(MAKE) rtl-test RTL_ARGS=--ci

lane-python:
	$(MAKE) lint-python
	$(MAKE) structure
	$(MAKE) docs
	$(MAKE) test-install
	$(MAKE) test-python

clean:
	rm -rf $(VENV) build out dist
	$(CARGO) clean
