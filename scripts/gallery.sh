#!/usr/bin/env bash
# Makes the pictures of docs/gallery.md (but the bridge, which the main job makes), each by one `quartic view` of a model
# that is made before. Needs a build with the viewer and the samples; draws without a display. Models stay in out/gallery.
set -euo pipefail
cd "$(dirname "$0")/.."
quartic=$PWD/build/release/quartic samples=$PWD/build/release pictures=$PWD/docs
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
for shape in spoon bridge tower heart; do model "$shape" --region-parts; done
model beam --modes 8 --rank 16
ring() { # NAME [options of reduce]
  "$quartic" reduce ring.obj --voxels 40 --youngs-modulus 2e5 --poissons-ratio 0.4 --density 1000 \
    --fix-box=-1,-1,-1,-0.13,1,1 --modes 12 --rank 20 -o "$1.qrt" "${@:2}" > /dev/null
}
ring ring
ring cubes --no-surface
"$samples/relaxed_plate" > /dev/null  # leaves plate-locked.qrt and plate-free.qrt
"$samples/pneumatic_finger" > /dev/null  # leaves pneumatic_finger.qrt
"$quartic" simulate pneumatic_finger.qrt --pressure cavity-1=20e3 --ramp 0.5 --rayleigh-mass 20 --steps 60 --dt 0.02 -o finger.qtraj > /dev/null

"$samples/sliding_blocks" > /dev/null && mv sliding_blocks.svg "$pictures/sliding-blocks.svg"
"$samples/warp_compare" > /dev/null && mv warp_compare.svg "$pictures/warp-compare.svg"

"$samples/strike" > /dev/null && mv strike.svg "$pictures/strike.svg"

picture() { # NAME MODEL [options of view]
  "$quartic" view "$2.qrt" --size "${size:-800x500}" --screenshot "$pictures/$1.png" "${@:3}"
}
picture ring ring --gravity 0,0,-9.81 --frames 40
picture cubes cubes --gravity 0,0,-9.81 --frames 40
picture crowd beam --bodies 60 --spread 0.9 --gravity 0,0,-9.81 --frames 60 --colour displacement
picture bent-spoon spoon --force 5,0,0,0.5,0,1 --frames 28 --camera=-50,15
picture finger pneumatic_finger --motion finger.qtraj --frames 60 --colour displacement --camera=-70,8
for plate in locked free; do
  size=400x300 picture "plate-$plate" "plate-$plate" --gravity 0,0,-40 --rayleigh-mass 8 --frames 150 --dt 0.02 --camera=-60,10
done
size=1000x625 picture viewer heart --gravity 0,0,-9.81 --frames 50 --panel
for shape in spoon bridge tower heart; do size=400x300 picture "shape-$shape" "$shape" --frames 0; done
