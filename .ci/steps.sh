# shellcheck shell=bash
# Sourced by .ci/run and .ci/nightly: steps with a title, a time and a verdict, and the checks that several steps use.

# Reference data and the emulated CUDA runtime are kept beside the checkout, not in it; tests that need them are skipped
# where they are absent.
if [[ -d ../shared/data ]]; then QUARTIC_TEST_DATA=$(cd ../shared/data && pwd); export QUARTIC_TEST_DATA; fi
if [[ -d ../shared/cudaemu ]]; then QUARTIC_CUDA_EMULATOR=$(cd ../shared/cudaemu && pwd); export QUARTIC_CUDA_EMULATOR; fi
# A checkout that belongs to another user is read all the same.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$PWD

passed=0 failed=0 failed_steps=() times=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Where ccache is, it serves checkouts in any folder, precompiled headers included.
use_ccache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
  # GCC tells by a header's bytes whether a precompiled header has it: an old one must not come back where comments or spaces
  # changed alone, so what the preprocessor makes of a source is not compared.
  export CCACHE_DEPEND=1
}

# Runs a command as one step. Its tests are counted one by one where it ran ctest, else the step counts as one check.
step() {
  local title=$1 start=$SECONDS status=0 verdict=ok run_failed run_total
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
    failed_steps+=("$title") verdict="FAILED ($status)"
    [[ "${run_failed:-0}" == 0 ]] && failed=$((failed + 1))
  fi
  times+=("$(printf '%6d s  %-11s %s' $((SECONDS - start)) "$verdict" "$title")")
  printf '== %s: %s, %d s\n' "$title" "$verdict" $((SECONDS - start))
}

# within SECONDS TITLE COMMAND...: a step that is left to the nightly if it isn't through so long after the beginning, which is told.
within() {
  local deadline=$1 title=$2 left
  shift 2
  left=$((deadline - SECONDS))
  if ((left <= 0)); then
    times+=("$(printf '%6d s  %-11s %s' 0 "NO TIME" "$title")")
    return
  fi
  step "$title" in_time "$left" "$@"
  [[ -e "$log.late" ]] || return 0
  rm "$log.late"
  times[-1]=${times[-1]/ok         /NO TIME    } passed=$((passed - 1))
}

# in_time SECONDS COMMAND...: the command's status; 0 where it took longer.
in_time() {
  local status=0
  export -f build build_and_test
  timeout --kill-after=10 "$1" bash -c '"$@"' bash "${@:2}" || status=$?
  ((status == 124)) || return "$status"
  touch "$log.late"
  echo "not through after $1 s: left to the nightly"
}

finish() {
  printf '\n'
  printf '%s\n' "${times[@]}"
  printf '%6d s  in all\n' "$SECONDS"
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

# build_and_test PRESET [configure arguments]: the fast tests.
build_and_test() {
  build "$@" && ctest --preset "$1" -j "$(nproc)" -LE slow
}

check_format() {
  git ls-files -z '*.hpp' '*.cpp' '*.h' '*.cu' '*.cuh' | xargs -0 clang-format --dry-run -Werror
}

# check_tidy all|changed [SECONDS]. Changed: against the main branch, or the last commit where this is the main branch. Files
# changed last come first; where there is a limit of time, those whose turn comes too late are the nightly's.
check_tidy() {
  local base files left=build/tidy/left
  mapfile -t files < <(git ls-files 'src/*.cpp')
  if [[ $1 == changed ]]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
    [[ "$base" == "$(git rev-parse HEAD)" ]] && base=$(git rev-parse -q --verify HEAD~1 || echo "$base")
    mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' |
      while read -r file; do echo "$(git log -1 --format=%ct -- "$file") $file"; done | sort -rn | cut -d' ' -f2-)
  fi
  # clang-tidy looks at files one by one, and can't read the precompiled headers that GCC makes. Nothing is built for it.
  cmake --preset release -B build/tidy -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DQUARTIC_TESTS=OFF \
    -DQUARTIC_SAMPLES=OFF -DQUARTIC_BENCH=OFF >/dev/null || return 1
  # What isn't compiled here can't be looked through: the Python package needs nanobind, and a part of it JAX's headers.
  mapfile -t files < <(for file in "${files[@]}"; do
    grep -qF "/$file\"" build/tidy/compile_commands.json && echo "$file"
  done)
  ((${#files[@]})) || { echo "no source changed"; return 0; }
  : >"$left"
  local status=0 deadline=$(($(date +%s) + ${2:-1000000}))
  printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c '
    if (($(date +%s) >= $1)); then echo "$3" >>"$2"; exit; fi
    clang-tidy --quiet -p build/tidy --extra-arg=-Wno-unknown-warning-option "$3"' tidy "$deadline" "$left" || status=1
  echo "$((${#files[@]} - $(wc -l <"$left"))) of ${#files[@]} files looked through in time"
  return "$status"
}

# on_emulated_device LABEL [variables]: the first steps of what a card is tested by, on an emulated device, which ends with status
# 99 after any finding. The variables describe a device.
on_emulated_device() {
  local label=$1
  shift
  [[ -n "${QUARTIC_CUDA_EMULATOR:-}" ]] || { echo "QUARTIC_CUDA_EMULATOR isn't set: skipped"; return 0; }
  env CUDAEMU_CHECK_SHARED_INIT=1 CUDAEMU_STATS=quiet QUARTIC_GPU_EMULATED=1 QUARTIC_GPU_BUILD=build/release \
    QUARTIC_GPU_RESULTS=build/gpu-results QUARTIC_GPU_STEPS="smoke tests" QUARTIC_GPU_LABEL="$label" "$@" \
    "$QUARTIC_CUDA_EMULATOR/cudaemu-run" scripts/verify-gpu.sh
}

# ThreadSanitizer on the kernels' logic, for which fibers of the host stand in for a device's threads.
check_threads() {
  cmake --preset tsan -DQUARTIC_WERROR=ON && cmake --build --preset tsan --target cuda_on_host_test &&
    build/tsan/cuda_on_host_test
}

# The Python package as its users have it, for every interpreter of pyenv's from 3.11 on, or else python3; PyTorch and other
# frameworks with the last of them.
check_wheels() {
  local pythons=()
  mapfile -t pythons < <(compgen -G "$HOME/.pyenv/versions/3.1[1-9].*/bin/python3" | sort -V)
  QUARTIC_WHEEL_FRAMEWORKS=1 scripts/check-wheels.sh "${pythons[@]}"
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
