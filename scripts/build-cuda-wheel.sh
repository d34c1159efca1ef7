#!/usr/bin/env bash
# build-cuda-wheel.sh [PYTHON]: builds the wheel quartic-cuda13 into dist/: libquartic_cuda alone, with CUDA's static runtime;
# NVIDIA's other libraries come from NVIDIA's packages. For the interpreter that is named, or python3, and the cards that
# CUDAARCHS names, or else all that cmake/cuda.cmake does. Arguments for CMake are taken from CMAKE_ARGS. Needs nvcc 13.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/wheel-tools.sh "${1:-python3}"

rm -rf build/wheel-cuda && mkdir -p dist
"$tools/python" -m pip wheel --no-deps --no-build-isolation --wheel-dir build/wheel-cuda python/cuda13
"$tools/python" -m auditwheel repair --wheel-dir dist --exclude 'libquartic.so.*' --exclude 'libcu*.so.*' build/wheel-cuda/quartic_cuda13-*.whl
ls -l dist
