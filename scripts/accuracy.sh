#!/usr/bin/env bash
# Prints the tables of docs/accuracy.md: published equilibria beside ours, unreduced and reduced, with machine and date.
# accuracy.sh [CASE]...; without a case, all of them, in ten minutes or so.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release -DQUARTIC_BENCH=ON
cmake --build --preset release --target published_values
echo "$(date -u +%F), $(build/release/quartic --version 2>/dev/null || git describe --always), $(nproc) cores of $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
echo
build/release/published_values "$@"
