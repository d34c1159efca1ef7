#!/usr/bin/env bash
# Makes the pictures of README.md and docs/gallery.md, each by one `quartic view` of a model that is made before. Needs a
# build with the viewer; draws without a display. Models stay in out/gallery.
set -euo pipefail
cd "$(dirname "$0")/.."
quartic=$PWD/build/release/quartic pictures=$PWD/docs
mkdir -p out/gallery
cd out/gallery

# A ring of tubes with bumps, 20,000 triangles: what a modelling program would save.
awk 'BEGIN {
  around = 200; across = 50; pi = atan2(0, -1)
  for (i = 0; i < around; i++) for (j = 0; j < across; j++) {
    phi = 2 * pi * i / around; theta = 2 * pi * j / across
    radius = 0.035 + 0.004 * sin(12 * phi) * sin(3 * theta); distance = 0.12 + radius * cos(theta)
    printf "v %.6f %.6f %.6f\n", distance * cos(phi), distance * sin(phi), radius * sin(theta)
  }
  for (i = 0; i < around; i++) for (j = 0; j < across; j++) {
    a = i * across; b = (i + 1) % around * across; k = (j + 1) % across
    printf "f %d %d %d %d\n", a + j + 1, b + j + 1, b + k + 1, a + k + 1
  }
}' > ring.obj

model() { # SHAPE [options of reduce]
  "$quartic" make "$1" -o "$1.veg" > /dev/null
  "$quartic" reduce "$1.veg" --fix "$1.bou" "${@:2}" -o "$1.qrt" > /dev/null
}
model bridge
model spoon --rank 20
model heart --region-parts
model beam --modes 8 --rank 16
"$quartic" reduce ring.obj --voxels 40 --youngs-modulus 2e5 --poissons-ratio 0.4 --density 1000 \
  --fix-box=-1,-1,-1,-0.13,1,1 --modes 12 --rank 20 -o ring.qrt > /dev/null
"$quartic" reduce ring.obj --voxels 40 --no-surface --youngs-modulus 2e5 --poissons-ratio 0.4 --density 1000 \
  --fix-box=-1,-1,-1,-0.13,1,1 --modes 12 --rank 20 -o cubes.qrt > /dev/null

picture() { # NAME MODEL [options of view]
  "$quartic" view "$2" --size 1000x625 --screenshot "$pictures/$1.png" "${@:3}"
}
