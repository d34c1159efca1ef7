#!/usr/bin/env bash
# Installs what building and testing quartic needs on Debian 12 or Ubuntu 24.04 and later. Asks nothing; does nothing
# where everything is there.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cuda=false
if command -v nvcc >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]]; then cuda=true; fi

packages=(
  g++ cmake ninja-build                                      # build
  libeigen3-dev libopenblas-dev libmumps-seq-dev gfortran    # linear algebra; gfortran: MUMPS' run-time library
  nlohmann-json3-dev libcli11-dev                            # file headers, command line
  libpugixml-dev zlib1g-dev libtinygltf-dev                  # VTK's XML files, glTF
  libgtest-dev libbenchmark-dev                              # tests and benchmarks
  libglfw3-dev libimgui-dev libepoxy-dev libstb-dev libegl-dev  # the viewer
  libsdl2-dev                                                # sound through a device
  libegl-mesa0 libgl1-mesa-dri                               # OpenGL in software, for its pictures without a graphics card
)
# For samples that share buffers with OpenGL and Vulkan, where there is a CUDA toolkit.
if $cuda; then packages+=(libgl-dev libegl-dev libvulkan-dev); fi
[[ "${1:-}" == --checks ]] && packages+=(git ccache xvfb xauth clang-format clang-tidy clang-16 libclang-rt-16-dev)  # what .ci/run needs on top

# cuDSS isn't in the CUDA toolkit; what is compiled depends on its headers. No loss where pip can't have it.
# cmake/cudss.cmake looks there.
cudss=$root/build/cudss
if $cuda && [[ "${1:-}" == --checks || "${1:-}" == --cudss ]] && [[ ! -e "$cudss/nvidia/cu13/include/cudss.h" ]]; then
  python3 -m pip install --quiet --retries 1 --no-deps --target "$cudss" nvidia-cudss-cu13==1.0.0.35 ||
    echo "setup.sh: going on without cuDSS" >&2
fi

# nvdisasm, by which tests look into compiled kernels; it isn't in every toolkit.
nvdisasm=$root/build/nvdisasm
if $cuda && [[ "${1:-}" == --checks && ! -e "$nvdisasm/nvidia/cu13/bin/nvdisasm" ]] && ! command -v nvdisasm >/dev/null; then
  python3 -m pip install --quiet --retries 1 --no-deps --target "$nvdisasm" nvidia-cuda-nvdisasm==13.2.51 ||
    echo "setup.sh: going on without nvdisasm" >&2
fi

# An interpreter with what the Python package is built and tested with; cmake/python.cmake looks there.
python=$root/build/python
if [[ "${1:-}" == --checks && ! -e "$python/bin/pytest" ]]; then
  { python3 -m venv "$python" &&
    "$python/bin/python" -m pip install --quiet --retries 1 nanobind==3.1.0 numpy pytest mypy; } ||
    { rm -rf "$python"; echo "setup.sh: going on without the Python package" >&2; }
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || { echo "setup.sh: missing ${missing[*]}; run it as root or install sudo" >&2; exit 1; }
  as_root=(sudo)
fi
echo "setup.sh: installing ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
