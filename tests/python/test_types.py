"""What type checkers read is what the module is, and the samples are typed."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

import quartic as qt

ROOT = pathlib.Path(__file__).parents[2]


def test_stubs_are_the_module_s():
    pytest.importorskip("nanobind.stubgen")
    if sys.version_info < (3, 11):
        pytest.skip("enumerations look otherwise before Python 3.11")
    done = subprocess.run([sys.executable, str(ROOT / "scripts/python-stubs.py"), "--check", str(ROOT / "python/quartic/_core.pyi")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_mypy_is_content():
    pytest.importorskip("mypy")
    needed = {"gym": "gymnasium", "jax": "jax", "jax_scan": "jax", "learn_finger": "gymnasium", "newton": "newton",
              "newton_worlds": "newton", "rsl_rl": "rsl_rl", "torch": "torch", "torch_tensors": "torch"}  # by file
    files = [file for folder in ("python/quartic", "samples/python") for file in (ROOT / folder).glob("*.py")
             if importlib.util.find_spec(needed.get(file.stem, "quartic"))]
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null",
                           *map(str, sorted(files))], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_classes_are_shown_as_the_package_s():
    assert qt.Batch.__module__ == qt.InputError.__module__ == "quartic"
    assert {"reduce", "Batch", "Array", "InputError", "make_beam"} <= set(qt.__all__)
