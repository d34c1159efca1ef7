#!/usr/bin/env bash
# Feeds the readers with damaged files: fuzz.sh [SECONDS [READER...]], 10 seconds for each reader if nothing is said. What makes a reader
# crash, leak, hang or return nonsense is kept in build/fuzz/findings. Needs Clang 16 (Debian: clang-16, libclang-rt-16-dev).
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-10}
shift || true

cmake -S tests/fuzz -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER="${QUARTIC_FUZZ_CXX:-clang++-16}" >/dev/null
cmake --build build/fuzz
readers=("$@")
((${#readers[@]})) || mapfile -t readers < <(cd tests/fuzz/corpus && ls)

# One reader: what it learns stays in build/fuzz/corpus, the seeds in the repository are read only.
fuzz() {
  local reader=$1 seconds=$2 dictionary=tests/fuzz/$1.dict
  mkdir -p "build/fuzz/corpus/$reader" build/fuzz/findings
  local options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 -max_len=4096 -print_final_stats=1
    -artifact_prefix="build/fuzz/findings/$reader-")
  [[ -f "$dictionary" ]] && options+=(-dict="$dictionary")
  if "build/fuzz/fuzz_$reader" "${options[@]}" "build/fuzz/corpus/$reader" "tests/fuzz/corpus/$reader" >"build/fuzz/$reader.log" 2>&1; then
    echo "$reader: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$reader.log") inputs, nothing found"
  else
    tail -n 40 "build/fuzz/$reader.log"
    echo "$reader: FAILED, see build/fuzz/$reader.log and build/fuzz/findings"
    return 1
  fi
}
export -f fuzz
printf '%s\n' "${readers[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz "$@"' _ {} "$seconds"
