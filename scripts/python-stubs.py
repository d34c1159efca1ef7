#!/usr/bin/env python3
"""Writes what type checkers read of the extension module, python/quartic/_core.pyi, from the module itself.

python-stubs.py FILE            writes the file
python-stubs.py --check FILE    fails if the file isn't what would be written
Needs nanobind, and the package in PYTHONPATH (build/release/python).
"""

import re
import sys

import quartic
from nanobind.stubgen import StubGen
from quartic import _core


def stubs() -> str:
    # The package shows the module's classes as its own; the stubs are of the module.
    for name in dir(_core):
        value = getattr(_core, name)
        if isinstance(value, type) and value.__module__ == quartic.__name__:
            value.__module__ = _core.__name__
    generator = StubGen(module=_core)
    generator.put(_core)
    text = generator.get().replace("os.PathLike", "os.PathLike[str]").replace("[str][str]", "[str]")
    text = text.replace(": PyCapsule = ...", ": Any")  # a name that typing doesn't have
    # What a class with buffers shows from Python 3.12 on.
    text = re.sub(r"    def __(?:release_)?buffer__\(self, \w+, /\):\n        \"\"\".*?\"\"\"\n\n", "", text, flags=re.DOTALL)
    # What enumerations inherit, which differs between versions of Python.
    return re.sub(r"\n    __str__ = __repr__\n\n    def __repr__\(self, /\):\n        \"\"\".*\"\"\"\n", "", text)


def main() -> None:
    path = sys.argv[-1]
    text = stubs()
    if sys.argv[1] != "--check":
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(path, encoding="utf-8") as file:
        if file.read() != text:
            sys.exit(f"{path} isn't what the module says: build the target update_python_stubs")


if __name__ == "__main__":
    main()
