#!/usr/bin/env bash
# Installs what is needed, builds, and runs all tests. Arguments go to the configure step, for example -DQUARTIC_WERROR=ON.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
cmake --preset release "$@"
cmake --build --preset release
ctest --preset release -j "$(nproc)"
