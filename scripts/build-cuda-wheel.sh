#!/usr/bin/env bash
# Builds the wheel quartic-cuda13 into dist/: libquartic_cuda alone, with CUDA's static runtime; NVIDIA's other libraries come
# from NVIDIA's packages. For the interpreter that is named, or python3, and the cards that CUDAARCHS names, or else all that
# cmake/cuda.cmake does. Needs nvcc 13; with auditwheel it gets the tag that says on which systems it works.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}

if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
fi
rm -rf build/wheel-cuda
"$python" -m pip wheel --no-deps --wheel-dir build/wheel-cuda python/cuda13
mkdir -p dist
if "$python" -m auditwheel --version >/dev/null 2>&1; then
  "$python" -m auditwheel repair --wheel-dir dist --exclude 'libquartic.so.*' --exclude 'libcu*.so.*' build/wheel-cuda/quartic_cuda13-*.whl
else
  cp build/wheel-cuda/quartic_cuda13-*.whl dist
fi
ls -l dist
