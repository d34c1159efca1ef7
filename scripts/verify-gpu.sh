#!/usr/bin/env bash
# What an NVIDIA GPU says of the CUDA backend, in half an hour: whether it is right, then how fast it is. Each command has a time
# limit and each result is written as soon as it is there, so that whatever time was left is not lost.
#
#   scripts/verify-gpu.sh                                   # builds into build/cuda first, which takes long
#   QUARTIC_GPU_BUILD=folder scripts/verify-gpu.sh          # uses what was built there beforehand: needs no network
#   QUARTIC_GPU_STEPS="smoke short" scripts/verify-gpu.sh   # only these steps
#
# Results: bench/results/CARD-DATE/, a log per step, lines.jsonl with a line per measurement, table.md with measured times beside
# predicted and least possible ones. Status 0: all steps passed; 1: some didn't; 3: no card, or it fails the first test.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
steps=${QUARTIC_GPU_STEPS:-build smoke calibrate tests short all reduce sanitizer}
build=${QUARTIC_GPU_BUILD:-build/cuda}
[[ -n "${QUARTIC_GPU_BUILD:-}" ]] && steps=${steps/build/}
# On an emulated device, where QUARTIC_GPU_EMULATED is set, everything may take longer.
emulated=${QUARTIC_GPU_EMULATED:-}
if [[ -n "$emulated" ]]; then slower=60 kind=emulated tests_at_once=$(nproc); else slower=1 kind=card tests_at_once=4; fi
export QUARTIC_REQUIRE_CUDA=1
failed=()

wanted() { [[ " $steps " == *" $1 "* ]]; }

# run STEP SECONDS COMMAND...: if the step is wanted; its output is kept.
run() {
  local step=$1 seconds=$2 status
  shift 2
  wanted "$step" || return 0
  printf '\n== %s (%s s at most): %s\n' "$step" "$seconds" "$*"
  timeout --kill-after=10 $((slower * seconds)) "$@" 2>&1 | tee -a "$results/$step.log"
  status=${PIPESTATUS[0]}
  ((status == 0)) && return 0
  ((status == 124)) && failed+=("$step: took longer than $seconds s: $*") || failed+=("$step: $*")
  return 1
}

finish() {
  printf '\n'
  ((${#failed[@]})) && printf 'failed: %s\n' "${failed[@]}"
  echo "results: $results"
  exit "$1"
}

card=emulated
if [[ -z "$emulated" ]]; then
  command -v nvidia-smi >/dev/null || { echo "verify-gpu.sh: no nvidia-smi, so no NVIDIA GPU here" >&2; exit 3; }
  card=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 | tr -cs 'A-Za-z0-9\n' '-')
fi
results=${QUARTIC_GPU_RESULTS:-bench/results/$card-$(date -u +%Y-%m-%dT%H%M)}
mkdir -p "$results" && rm -f "$results"/*.log "$results/lines.jsonl"
[[ -z "$emulated" ]] && nvidia-smi --query-gpu=name,compute_cap,driver_version,memory.total,clocks.max.sm,power.limit \
  --format=csv | tee "$results/card.txt"
QUARTIC_BENCH_LINES=$(realpath "$results")/lines.jsonl
export QUARTIC_BENCH_LINES

if wanted build; then
  scripts/setup.sh --cudss || echo "verify-gpu.sh: going on with the packages that are there" >&2
  architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  run build 300 cmake --preset cuda -DCMAKE_CUDA_ARCHITECTURES="$architecture"
  run build 7200 cmake --build --preset cuda || finish 3
fi

run smoke 60 "$build/cuda_smoke" || finish 3
if run calibrate 60 "$build/cuda_calibrate" && wanted calibrate; then
  grep '^{' "$results/calibrate.log" >>"$QUARTIC_BENCH_LINES"
fi

# Those that need a device, and no others. A test that was skipped has shown nothing.
if wanted tests; then
  run tests 480 ctest --test-dir "$build" -L "^${QUARTIC_GPU_LABEL:-cuda}(_$kind)?\$" --timeout $((slower * 60)) -j "$tests_at_once" \
    --no-tests=error --output-on-failure
  skipped=$(grep -c '\*\*\*Skipped' "$results/tests.log")
  ((skipped == 0)) || failed+=("tests: $skipped were skipped")
fi

bench=$build/cuda_bench
precision='(float|double)'
short="^(pipeline|step|fused_step|unfused_step|tensor_step)/$precision/r:(12|20|30)/B:(4096|65536)/|^positions/.*r:20/B:4096/"
run short 240 "$bench" --benchmark_min_time=0.05 --benchmark_filter="$short"
run all 480 "$bench" --benchmark_min_time=0.05 --benchmark_filter="-$short"
run reduce 240 env QUARTIC_BENCH_TETRAHEDRA=100000 "$build/cuda_reduce_bench"
if wanted short || wanted all || wanted reduce || wanted calibrate; then
  if command -v python3 >/dev/null; then
    python3 scripts/bench-table.py "$QUARTIC_BENCH_LINES" >"$results/table.md" && cat "$results/table.md"
  fi
fi

# On small tests of every kernel: the sanitizer takes a hundred times as long. Errors of memory first.
if wanted sanitizer; then
  for tool in memcheck racecheck initcheck synccheck; do
    for test in "batch_device_test --gtest_filter=DeviceBatchTest*StepsInAStream*:DeviceBatchTest*CapturedSteps*" \
      "batch_device_test --gtest_filter=FusedStepTest*SomeRanks*:FusedStepTest*Events*" \
      "batch_device_test --gtest_filter=DeviceTensorTest*UnitsDoNotMatter*:DeviceTensorTest*ModelsAndEnergies*" \
      "batch_device_test --gtest_filter=DeviceStrain*:DeviceLatencyTest*" embedding_device_test \
      "contact_device_test --gtest_filter=*AgreesWithTheCpu*:*WhatDoesNotFit*:*CapturedSteps*" \
      algebra_device_inside_test "modes_device_test --gtest_filter=*AreTheSameBitsAgain*" \
      "reduction_device_test --gtest_filter=-*Models*:*LargerRank*"; do
      # shellcheck disable=SC2086  # program and filter are two words
      run sanitizer 120 compute-sanitizer --tool "$tool" --error-exitcode 99 "$build"/${test}
    done
  done
fi

finish $((${#failed[@]} > 0))
