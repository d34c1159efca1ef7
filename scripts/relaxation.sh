#!/usr/bin/env bash
# Prints what relaxed strains gain, for docs/relaxation.md and docs/evaluation.md: the spoon's end at rest and let go
# (Figure 12 of Barbic & James 2005), the same with the last vectors by energy, beside a heavy beam, then ten bodies
# under 21 loads each. Takes half an hour or so.
# relaxation.sh [spoon|stiff|bodies]...
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release -DQUARTIC_BENCH=ON
cmake --build --preset release --target quartic_command relaxation_tables
quartic=$PWD/build/release/quartic tables=$PWD/build/release/relaxation_tables
parts=${*:-spoon stiff bodies}
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
if [[ " $parts " == *" stiff "* ]]; then
  for body in "beam --gravity 0,0,-39.24" "spoon --force 2089,0,0,-0.3"; do
    read -r shape option load <<< "$body"
    "$quartic" make "$shape" -o "stiff-$shape.veg" > /dev/null
    for share in 0 0.17; do
      "$quartic" reduce "stiff-$shape.veg" --fix "stiff-$shape.bou" --modes 20 --rank 30 --relax 0.95 \
        --stiff-share "$share" -o "$shape-by-energy-$share.qrt" > /dev/null
    done
    echo "## $shape, 0 and 0.17 of the vectors by energy"
    "$quartic" compare "$shape-by-energy-0.qrt" "$shape-by-energy-0.17.qrt" --static "$option" "$load" \
      --relax 0,0.75,0.9,0.95
  done
fi
if [[ " $parts " == *" bodies "* ]]; then
  echo "## Ten bodies, 21 loads each"
  "$tables"
fi
