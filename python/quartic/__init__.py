"""Reduced-order simulation of deformable bodies. Start at docs/python.md."""

from . import _core
from ._core import *
from ._core import version as __version__
from .functional import State as State, step as step  # said twice, so that type checkers take them as the package's

# What users see of a class is where they get it.
for _name in dir(_core):
    _value = getattr(_core, _name)
    if isinstance(_value, type):
        _value.__module__ = __name__
del _name, _value

__all__ = [_name for _name in dir(_core) if not _name.startswith("_")] + ["State", "step"]
