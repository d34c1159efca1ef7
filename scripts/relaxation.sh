#!/usr/bin/env bash
# Prints what relaxed strains gain, for docs/relaxation.md and docs/evaluation.md: the spoon's end at rest and let go
# (Figure 12 of Barbic & James 2005), then ten bodies under 21 loads each. Takes half an hour or so.
# relaxation.sh [spoon|bodies]...
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release -DQUARTIC_BENCH=ON
cmake --build --preset release --target quartic_command relaxation_tables
quartic=$PWD/build/release/quartic tables=$PWD/build/release/relaxation_tables
parts=${*:-spoon bodies}
mkdir -p out/relaxation
cd out/relaxation

if [[ " $parts " == *" spoon "* ]]; then
  "$quartic" make spoon -o spoon.veg > /dev/null
  for size in "6 12" "20 30"; do
    read -r modes rank <<< "$size"
    "$quartic" reduce spoon.veg --fix spoon.bou --modes "$modes" --rank "$rank" --relax 0.95 -o "spoon-$rank.qrt" > /dev/null
  done
  for force in 0.15 0.3 0.6; do
    echo "## $force N at the end, at rest"
    "$quartic" compare spoon-12.qrt spoon-30.qrt --static --force "2089,0,0,-$force" --relax 0,0.75,0.9,0.95
  done
  echo "## Figure 12"
  "$quartic" compare spoon-12.qrt spoon-30.qrt --relax 0,0.75,0.9,0.95 \
    --force 2089,0,0,-0.5,0,0.08 --dt 0.004 --substeps 2 --steps 250 --newton 3 --rayleigh-stiffness 0.001
fi
if [[ " $parts " == *" bodies "* ]]; then
  echo "## Ten bodies, 21 loads each"
  "$tables"
fi
