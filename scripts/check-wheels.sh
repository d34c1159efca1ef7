#!/usr/bin/env bash
# check-wheels.sh [PYTHON...]: builds the wheels for python3, or the interpreters that are named, and tries them as users have
# them: in environments that know nothing of the checkout, where all tests of the package run, and, with
# QUARTIC_WHEEL_FRAMEWORKS=1, those with PyTorch (5 GB), JAX, Warp, Newton and Gymnasium, and the samples. Then builds the source
# distribution without a network. Where nvcc is, it builds quartic-cuda13, too; with QUARTIC_CUDA_EMULATOR (a folder) that is
# tried on an emulated device, for which it has the shared runtime.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD pythons=("${@:-python3}")
environment=$root/build/wheel-environment
export PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH

title() { printf '\n== %s\n' "$*"; }

# The wheel that an interpreter takes, if it is there: from 3.12 on the same for all.
wheel_for() {
  compgen -G "dist/quartic-*-$("$1" -c 'import sys; n = sys.version_info[1]; print("cp312-abi3" if n >= 12 else f"cp3{n}-cp3{n}")')-*.whl"
}

install() {
  "$1" -m venv --clear "$environment"
  "$environment/bin/pip" install --quiet numpy pytest "$(wheel_for "$1")"
}

# Run from elsewhere, so that nothing of the checkout is found by accident.
in_environment() { (cd / && PATH=$environment/bin:$PATH "$@"); }

try_package() {
  in_environment python -c 'import quartic; assert not quartic.cuda_available(); print(quartic.cuda_unavailable_reason())'
  in_environment quartic --version
  in_environment python -m quartic make beam -o "$environment/beam.veg"
  in_environment python -m pytest -q -p no:cacheprovider "$root/tests/python"
}

try_frameworks() {
  in_environment pip install --quiet torch jax warp-lang newton gymnasium rsl-rl-lib mypy nanobind
  in_environment env QUARTIC_PYTHON_NEEDS=all python -m pytest -q -p no:cacheprovider "$root/tests/python"
  local sample
  for sample in "$root"/samples/python/*.py; do
    in_environment python "$sample"
  done
}

# By tools that are there, in a network namespace of its own.
build_offline() {
  local offline=$root/build/offline
  rm -rf "$offline" && mkdir -p "$offline"
  "$tools/python" -m build --sdist --no-isolation --outdir "$offline" .
  TMPDIR=$offline unshare --map-root-user --net \
    "$tools/python" -m pip wheel --no-index --no-deps --no-build-isolation --wheel-dir "$offline" "$offline"/quartic-*.tar.gz
}

rm -f dist/quartic*.whl
for python in "${pythons[@]}"; do
  title "$("$python" --version)"
  wheel_for "$python" >/dev/null || scripts/build-wheel.sh "$python"
  install "$python"
  try_package
done
[[ -z "${QUARTIC_WHEEL_FRAMEWORKS:-}" ]] || { title "frameworks" && try_frameworks; }

title "source distribution, built offline"
source scripts/wheel-tools.sh "${pythons[0]}"
build_offline

if [[ -n "${QUARTIC_CUDA_EMULATOR:-}" ]] && command -v nvcc >/dev/null; then
  title "quartic-cuda13, emulated"
  CUDAARCHS=90-virtual CMAKE_ARGS=-DQUARTIC_CUDA_STATIC_RUNTIME=OFF scripts/build-cuda-wheel.sh "${pythons[0]}"
  install "${pythons[0]}"
  in_environment pip install --quiet --no-deps "$root"/dist/quartic_cuda13-*.whl
  in_environment env CUDAEMU_CHECK_SHARED_INIT=1 CUDAEMU_STATS=quiet QUARTIC_GPU_EMULATED=1 "$QUARTIC_CUDA_EMULATOR/cudaemu-run" \
    python -m pytest -q -p no:cacheprovider "$root/tests/python/test_cuda.py"
fi
python3 scripts/check-wheel.py dist/quartic-*.whl
