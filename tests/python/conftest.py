"""What tests share: a small model, made once."""

import importlib
import os

import numpy as np
import pytest

import quartic as qt


def needs(package):
    """The package; without it the test is skipped, but fails where QUARTIC_PYTHON_NEEDS (its name, or "all") says that it is there."""
    if {package, "all"} & set(os.environ.get("QUARTIC_PYTHON_NEEDS", "").split()):
        return importlib.import_module(package)
    return pytest.importorskip(package)



@pytest.fixture(scope="session")
def beam():
    """(mesh, fixed vertices)"""
    return qt.make_beam(10)


@pytest.fixture(scope="session")
def model(beam):
    return qt.reduce(*beam, modes=3, rank=5)


@pytest.fixture(scope="session")
def editable(beam):
    return qt.reduce(*beam, modes=3, rank=5, region_parts=True)


@pytest.fixture(scope="session")
def free_model(beam):
    return qt.reduce(beam[0], [], modes=3, rank=5)


@pytest.fixture
def batch(model):
    """Seven bodies in motion, in double."""
    made = qt.Batch(model, bodies=7, dtype="float64")
    made.force[:] = np.linspace(-1, 1, 35).reshape(7, 5)
    made.step(0.01, 3)
    return made


def state_of(batch):
    """A copy of all that a step changes."""
    arrays = (batch.q, batch.velocity, batch.acceleration, batch.force, batch.status, batch.flags)
    return [np.array(array) for array in arrays] + [batch.time]


def same_state(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b))
