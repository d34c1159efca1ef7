#!/usr/bin/env bash
# From nothing to a moving bridge: installs what is needed, builds, makes a mesh, reduces it, simulates it, draws it.
# Leaves the results in out/.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release
cmake --build --preset release --target quartic_command
quartic=build/release/quartic
mkdir -p out

"$quartic" make bridge --resolution 80 -o out/bridge.veg
"$quartic" reduce out/bridge.veg --fix out/bridge.bou -o out/bridge.qrt
# Gravity acts from the first moment on, and for a second the deck's edge at mid-span (vertex 2920) is pulled sideways.
"$quartic" simulate out/bridge.qrt --gravity 0,0,-9.81 --force 2920,0,120000,0,0,1 --rayleigh-mass 0.3 \
  --steps 150 --dt 0.04 --substeps 8 -o out/bridge.glb -o out/bridge.qtraj --plot out/bridge.svg
"$quartic" view out/bridge.qrt --motion out/bridge.qtraj --frames 9 --colour displacement --size 960x600 \
  --screenshot out/bridge.png

echo
echo "out/bridge.glb    the moving bridge, for any glTF viewer"
echo "out/bridge.qtraj  its reduced coordinates over time (safetensors)"
echo "out/bridge.png    the bridge after 0.36 s, coloured by displacement"
echo "out/bridge.svg    how one vertex moves"
