# shellcheck shell=bash
# Sourced by .ci/run and .ci/nightly: steps with a title, a time and a verdict, and the checks that several steps use.

# Reference data and the emulated CUDA runtime are kept beside the checkout, not in it; tests that need them are skipped
# where they are absent.
if [[ -d ../shared/data ]]; then QUARTIC_TEST_DATA=$(cd ../shared/data && pwd); export QUARTIC_TEST_DATA; fi
if [[ -d ../shared/cudaemu ]]; then QUARTIC_CUDA_EMULATOR=$(cd ../shared/cudaemu && pwd); export QUARTIC_CUDA_EMULATOR; fi
# A checkout that belongs to another user is read all the same.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$PWD
# Where ccache is, it serves checkouts in any folder.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi

passed=0 failed=0 failed_steps=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs a command as one step. Its tests are counted one by one where it ran ctest, else the step counts as one check.
step() {
  local title=$1 start=$SECONDS status=0 run_failed run_total
  shift
  printf '\n== %s\n' "$title"
  "$@" 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  read -r run_failed run_total < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$log")
  if [[ -n "${run_total:-}" ]]; then
    passed=$((passed + run_total - run_failed)) failed=$((failed + run_failed))
  elif ((status == 0)); then
    passed=$((passed + 1))
  fi
  if ((status != 0)); then
    failed_steps+=("$title")
    [[ "${run_failed:-0}" == 0 ]] && failed=$((failed + 1))
  fi
  printf '== %s: %s, %d s\n' "$title" "$( ((status == 0)) && echo ok || echo "FAILED ($status)")" $((SECONDS - start))
}

finish() {
  printf '\n'
  ((${#failed_steps[@]})) && printf 'failed: %s\n' "${failed_steps[@]}"
  printf '%d passed, %d failed\n' "$passed" "$failed"
  exit $((${#failed_steps[@]} > 0))
}

# build PRESET [configure arguments]; a -B among them names another build folder.
build() {
  local folder=build/$1
  [[ "${2:-}" == -B ]] && folder=$3
  cmake --preset "$@" && cmake --build "$folder"
}

check_format() {
  git ls-files -z '*.hpp' '*.cpp' '*.h' '*.cu' '*.cuh' | xargs -0 clang-format --dry-run -Werror
}

# check_tidy all|changed. Changed: against the main branch, or the last commit where this is the main branch; the newest
# three files, so that a large change stays within minutes and the rest is the nightly's.
check_tidy() {
  local base files
  mapfile -t files < <(git ls-files 'src/*.cpp')
  if [[ $1 == changed ]]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
    [[ "$base" == "$(git rev-parse HEAD)" ]] && base=$(git rev-parse -q --verify HEAD~1 || echo "$base")
    mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp')
    if ((${#files[@]} > 3)); then
      echo "${#files[@]} changed files: the 3 changed last are checked here, the others at night"
      mapfile -t files < <(for f in "${files[@]}"; do echo "$(git log -1 --format=%ct -- "$f") $f"; done |
        sort -rn | head -n 3 | cut -d' ' -f2-)
    fi
  fi
  ((${#files[@]})) || { echo "no source changed"; return 0; }
  # Clang can't read the precompiled headers that GCC made.
  mkdir -p build/tidy
  sed -E 's/-Winvalid-pch//g; s/-include [^ ]*cmake_pch\.hxx//g' build/release/compile_commands.json \
    > build/tidy/compile_commands.json
  printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 clang-tidy --quiet -p build/tidy \
    --extra-arg=-Wno-unknown-warning-option  # GCC's own warnings
}

# on_emulated_device LABEL [variables]: the tests of the CUDA backend on an emulated device, which ends with status 99
# after any finding. The variables describe a device.
on_emulated_device() {
  local label=$1
  shift
  [[ -n "${QUARTIC_CUDA_EMULATOR:-}" ]] || { echo "QUARTIC_CUDA_EMULATOR isn't set: skipped"; return 0; }
  env CUDAEMU_CHECK_SHARED_INIT=1 CUDAEMU_STATS=quiet "$@" "$QUARTIC_CUDA_EMULATOR/cudaemu-run" \
    ctest --preset release -L "^$label\$" -j "$(nproc)"
}

# ThreadSanitizer on the kernels' logic, for which fibers of the host stand in for a device's threads.
check_threads() {
  cmake --preset tsan -DQUARTIC_WERROR=ON && cmake --build --preset tsan --target cuda_on_host_test &&
    build/tsan/cuda_on_host_test
}

run_benchmarks() {
  local bench status=0
  for bench in build/release/*_bench; do
    [[ -x "$bench" ]] || continue
    echo "-- $bench"
    "$bench" || status=1
  done
  return $status
}
