"""Where the library for CUDA is: the package quartic-cuda13 brings it, and NVIDIA's packages what it needs."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pathlib

from . import _core

# What libquartic_cuda opens by name on first use, as cuda-pathfinder calls it.
_LIBRARIES = ("cublas", "cusolver", "cusparse", "cudss")


def _load_libraries() -> None:
    """Loads NVIDIA's libraries from the packages that bring them, so that they are found by name later."""
    try:
        pathfinder = importlib.import_module("cuda.pathfinder")
    except ModuleNotFoundError:
        return
    for name in _LIBRARIES:
        try:
            pathfinder.load_nvidia_dynamic_lib(name)
        except pathfinder.DynamicLibNotFoundError:
            pass  # libquartic_cuda says so, where it needs it


@functools.cache
def prepare() -> None:
    """Before the library for CUDA is opened. Without quartic-cuda13 it is looked for beside the package."""
    package = importlib.util.find_spec("quartic_cuda13")
    if package is None or package.origin is None:
        return
    getattr(_core, "_set_cuda_folder")(pathlib.Path(package.origin).parent)  # not in the stubs
    _load_libraries()
