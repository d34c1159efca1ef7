#!/usr/bin/env bash
# Everything for a machine with an NVIDIA GPU: build for its architecture, all tests, compute-sanitizer on those of the
# device, benchmarks. Results go to build/gpu-results: log files, bench.json, bench.md. Needs CUDA 13; installs
# what scripts/setup.sh finds missing, where it can. QUARTIC_GPU_STEPS names the steps to run, all by default.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
steps=${QUARTIC_GPU_STEPS:-build tests sanitizer benchmarks shares}
results=build/gpu-results
mkdir -p "$results"
failed=()

command -v nvidia-smi >/dev/null || { echo "verify-gpu.sh: no nvidia-smi, so no NVIDIA GPU here" >&2; exit 4; }
card=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
echo "card: $card (sm_$architecture), driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)" |
  tee "$results/card.txt"

run() {  # run STEP COMMAND...: if the step is wanted; its output is kept
  local step=$1
  shift
  [[ " $steps " == *" $step "* ]] || return 0
  printf '\n== %s: %s\n' "$step" "$*"
  "$@" 2>&1 | tee -a "$results/$step.log"
  ((PIPESTATUS[0] == 0)) || failed+=("$step: $*")
}

if [[ " $steps " == *" build "* ]]; then
  scripts/setup.sh --cudss || echo "verify-gpu.sh: going on with the packages that are there" >&2
fi
run build cmake --preset cuda -DCMAKE_CUDA_ARCHITECTURES="$architecture"
run build cmake --build --preset cuda

run tests ctest --preset cuda -L cuda
run tests ctest --preset cuda -j "$(nproc)" -LE 'cuda|package'

# On small tests of every kernel: the sanitizer takes a hundred times as long.
for tool in memcheck racecheck initcheck synccheck; do
  for test in "batch_device_test --gtest_filter=DeviceBatchTest*StepsInAStream*:DeviceBatchTest*CapturedSteps*" \
    "batch_device_test --gtest_filter=DeviceTensorTest*UnitsDoNotMatter*:DeviceTensorTest*ModelsAndEnergies*" \
    "batch_device_test --gtest_filter=FusedStepTest*EveryRank*:FusedStepTest*Events*" \
    "batch_device_test --gtest_filter=DeviceStrain*:DeviceLatencyTest*" embedding_device_test \
    algebra_device_inside_test "modes_device_test --gtest_filter=*AreTheSameBitsAgain*" \
    "reduction_device_test --gtest_filter=-*Models*:*LargerRank*"; do
    # shellcheck disable=SC2086  # program and filter are two words
    run sanitizer compute-sanitizer --tool "$tool" --error-exitcode 99 build/cuda/$test
  done
done

run benchmarks build/cuda/cuda_bench --benchmark_min_time=0.2 --benchmark_out="$results/bench.json" \
  --benchmark_out_format=json
run benchmarks build/cuda/cuda_reduce_bench --benchmark_out="$results/reduce_bench.json" --benchmark_out_format=json
if [[ -f "$results/bench.json" && " $steps " == *" benchmarks "* ]] && command -v python3 >/dev/null; then
  python3 scripts/bench-table.py "$results/bench.json" > "$results/bench.md" && cat "$results/bench.md"
fi

# What each kernel takes of a step: fused, in two kernels, on tensor cores; and in the baseline, which these entries
# compare themselves with.
if command -v ncu >/dev/null; then
  for rank in 12 20 30 60; do
    run shares ncu --clock-control none --metrics gpu__time_duration.sum --csv \
      build/cuda/cuda_bench --benchmark_filter="^(fused|unfused|tensor)_step/float/r:$rank/B:4096/" \
      --benchmark_min_time=0.001
  done
fi

printf '\n'
((${#failed[@]})) && printf 'failed: %s\n' "${failed[@]}"
echo "results: $results"
exit $((${#failed[@]} > 0))
