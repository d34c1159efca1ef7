#!/usr/bin/env bash
# Repeats the evaluation of Barbic & James 2005 (figures 7, 9 to 12) on quartic's own shapes: prints the tables of
# docs/evaluation.md and leaves the pictures, models, recordings and snapshots in out/evaluation/. Takes ten minutes or so.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release -DQUARTIC_BENCH=ON
cmake --build --preset release --target quartic_command paper_evaluation
quartic=$PWD/build/release/quartic evaluation=$PWD/build/release/paper_evaluation
mkdir -p out/evaluation
cd out/evaluation

# Somebody pulls at a body for ten seconds, in all directions, sometimes more and sometimes less, wandering from one
# vertex to the next: recording VERTEX,VERTEX,... LARGEST_FORCE
recording() {
  awk -v list="$1" -v largest="$2" 'BEGIN {
    count = split(list, vertex, ","); print "time,vertex,fx,fy,fz"
    for (n = 0; n <= 2000; ++n) {
      t = n / 2000; place = t * (count - 1); k = int(place); if (k >= count - 1 && k > 0) k = count - 2
      size = largest * (0.55 + 0.45 * sin(2 * 3.14159265 * 3 * t)); angle = 2 * 3.14159265 * 11 * t
      x = 0.1 * size * sin(5 * angle / 11); y = 0.3 * size * sin(angle); z = size * cos(angle)
      share = count > 1 ? place - k : 0
      printf "%.4f,%d,%.6g,%.6g,%.6g\n", 10 * t, vertex[k + 1], (1 - share) * x, (1 - share) * y, (1 - share) * z
      if (count > 1) printf "%.4f,%d,%.6g,%.6g,%.6g\n", 10 * t, vertex[k + 2], share * x, share * y, share * z
    }
  }'
}

echo "## Figure 10: bases from sketches"
"$quartic" make spoon -o spoon.veg
recording 2025,2089,2150 0.4 > spoon-pulls.csv
"$quartic" sketch spoon.veg --fix spoon.bou --forces spoon-pulls.csv --load-separation 0.065 --separation 0.05 \
  --rank 12 -o spoon-sketch.qrt
"$quartic" make bridge -o bridge.veg
recording 2391,4611,6841 60000 > bridge-pulls.csv
"$quartic" sketch bridge.veg --fix bridge.bou --forces bridge-pulls.csv --load-separation 0.065 --separation 0.05 \
  --rank 15 -o bridge-sketch.qrt

echo "## Figure 12: a short pull at the spoon's end, unreduced and reduced"
impulse=(--force 2089,0,0,-0.5,0,0.08 --dt 0.004 --substeps 2 --steps 250 --newton 3 --rayleigh-stiffness 0.001)
"$quartic" reduce spoon.veg --fix spoon.bou --modes 6 --rank 12 -o spoon-derivatives.qrt
"$quartic" solve spoon.veg --fix spoon.bou "${impulse[@]}" -o spoon-impulse.qsnap
"$quartic" reduce spoon.veg --fix spoon.bou --snapshots spoon-impulse.qsnap --rank 12 -o spoon-pod.qrt
"$quartic" compare spoon-pod.qrt spoon-derivatives.qrt spoon-sketch.qrt "${impulse[@]}" --plot spoon-impulse.svg

echo "## Figure 9: a load of the recording, unreduced and in the space of its sketch"
"$quartic" compare spoon-sketch.qrt spoon-derivatives.qrt --static --force 2089,0,0.05,-0.35

"$evaluation" .
