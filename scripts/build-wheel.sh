#!/usr/bin/env bash
# build-wheel.sh [PYTHON [LICENCES]]: builds the wheel of the Python package into dist/, for the interpreter that is named,
# or python3. It brings OpenBLAS and the other libraries that quartic needs, and their licences, so that it works on machines
# without them. LICENCES is a folder of their texts; without one they are those of Debian's packages. Arguments for CMake are
# taken from CMAKE_ARGS.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/wheel-tools.sh "${1:-python3}"

rm -rf build/wheel && mkdir -p dist
"$tools/python" -m pip wheel --no-deps --no-build-isolation --wheel-dir build/wheel .
"$tools/python" -m auditwheel repair --wheel-dir build/wheel/repaired build/wheel/quartic-*.whl
"$tools/python" scripts/wheel-licences.py build/wheel/repaired/quartic-*.whl ${2:+"$2"}
mv build/wheel/repaired/quartic-*.whl dist
ls -l dist
