#!/bin/sh
# Says what is missing, and where to get it, before anything is built.
fail() {
    printf '\n  everlevel: %s\n\n' "$1" >&2
    exit 1
}

CARGO=${CARGO:-cargo}
PYTHON=${PYTHON:-python3}

needed=$(sed -n 's/^rust-version = "1\.\(.*\)"/\1/p' Cargo.toml)
command -v "$CARGO" >/dev/null 2>&1 ||
    fail "cargo (Rust >= 1.$needed) is missing: install it from https://rustup.rs and open a new shell."
rust=$("$CARGO" --version | sed 's/^cargo \([0-9]*\)\.\([0-9]*\).*/\1 \2/')
set -- $rust
[ "$1" -gt 1 ] || [ "$2" -ge "$needed" ] ||
    fail "cargo is $1.$2 and Everlevel needs Rust >= 1.$needed: run 'rustup update stable'."
command -v cc >/dev/null 2>&1 ||
    fail "a C linker (cc) is missing: Debian and Ubuntu have it in 'apt install build-essential'."
command -v "$PYTHON" >/dev/null 2>&1 ||
    fail "$PYTHON is missing: install Python >= 3.11, or name one: make PYTHON=/path/to/python3.11"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$PYTHON is $("$PYTHON" -V 2>&1) and Everlevel needs >= 3.11: name another: make PYTHON=/path/to/python3.11"
"$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$PYTHON has no venv module: Debian and Ubuntu have it in 'apt install python3-venv'."
