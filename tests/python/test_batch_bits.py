"""Trajectories have the bits that C++ gives them: the motions that `quartic bench --hash` hashes, set up and hashed here
anew (src/measure/trajectory_hash.hpp), through views, strided forces and resets of Python's."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

import quartic as qt

STEP, STEPS, PER_FRAME = 1 / 64, 1000, 10
DTYPES = {"float": np.float32, "double": np.float64}


def odd_numbers(seed):
    state = (seed * 2654435769 + 1) % 2**32
    while True:
        state = (state * 1664525 + 1013904223) % 2**32
        yield 2 * (state >> 29) - 7


def strain_rows(rank, buckles):
    """L, as a full matrix of exact numbers."""
    count = rank * (rank + 3) // 2
    rows = np.zeros((count, count))
    numbers = odd_numbers(rank)
    for row in range(count):
        for column in range(row, count):
            number = next(numbers)
            spring = row == column and row < rank
            rows[row, column] = 8 + row % 5 if spring else number / (16 if column < rank else 4)
    if buckles:
        rows[0, 0], rows[0, rank] = -256, 128
    return rows


def coefficients(rank, rows):
    """S of 1/2 |L m|^2: exact sums of integers over powers of two, in any order."""
    pairs = list(itertools.combinations_with_replacement(range(1, rank + 1), 2))
    forms = np.zeros((len(rows), rank + 1, rank + 1))
    for i in range(1, rank + 1):
        forms[:, 0, i] = forms[:, i, 0] = rows[:, i - 1]
    for (i, j), column in zip(pairs, rows.T[rank:]):
        forms[:, i, j] = forms[:, j, i] = 2 * column if i == j else column
    products = np.einsum("nab,ncd->abcd", forms, forms)
    tensor = products + products.transpose(0, 2, 1, 3) + products.transpose(0, 2, 3, 1)
    return np.array([tensor[index] for index in itertools.combinations_with_replacement(range(rank + 1), 4)])


def fnv1a(data, value=14695981039346656037):
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def make_batch(dtype, evaluation, integrator, rank, buckles):
    rows = strain_rows(rank, buckles)
    energy = qt.QuarticEnergy(rank, coefficients(rank, rows))
    form = qt.StrainForm(rank, rows[np.triu_indices(len(rows))])
    iterates = rank == 4
    return qt.Batch(qt.BodyGroup(energy, 3, strain_form=form), dtype=np.dtype(DTYPES[dtype]).name, integrator=integrator,
                    evaluation=evaluation, newton_iterations=3 if iterates else 1,
                    newton_tolerance=1 / 64 if iterates else 0)


def start(batch, buckles):
    """As the hashed motions start. Returns the force, in every other row and column of a larger array."""
    force = np.zeros((6, 2 * batch.rank), batch.dtype)[::2, ::2]
    q, velocity = np.zeros((2, 3, batch.rank), batch.dtype)
    for body in range(3):
        numbers = odd_numbers(body)
        for i in range(batch.rank):
            q[body, i] = next(numbers) / 32
            velocity[body, i] = next(numbers) / 4
            force[body, i] = 4 * next(numbers) if body % 2 == 0 else 0
        if buckles:
            q[body, 0] += 1
    batch.reset(q=q, velocity=velocity)
    batch.set_rayleigh_damping(np.array([0.25, 0, 0.25]), np.array([1 / 1024, 0, 1 / 1024]))
    batch.set_load_curves([qt.LoadCurve([0, 2, 2, 8, 12], [0, 1, -0.5, 0.75, 0.25])], [0, -1, 0])
    return force


def trajectory_hash(dtype, evaluation, integrator, rank, buckles):
    batch = make_batch(dtype, evaluation, integrator, rank, buckles)
    force = start(batch, buckles)
    bodies = [b""] * 3
    views = [np.asarray(array) for array in (batch.q, batch.velocity, batch.acceleration)]
    for _ in range(STEPS // PER_FRAME):
        batch.step(PER_FRAME * STEP, PER_FRAME, force=force)
        bodies = [data + b"".join(view[body].tobytes() for view in views) for body, data in enumerate(bodies)]
    status = np.asarray(batch.status)
    hashes = [fnv1a(status[body].tobytes(), fnv1a(data)) for body, data in enumerate(bodies)]
    return "%016x" % fnv1a(b"".join(value.to_bytes(8, "little") for value in hashes))


@pytest.fixture(scope="module")
def command_hashes():
    printed = subprocess.run([sys.executable, "-m", "quartic", "bench", "--hash", "--json"], capture_output=True, check=True)
    return json.loads(printed.stdout)["trajectory_hashes"]


MOTIONS = [(*words, rank, buckles)
           for words in itertools.product(DTYPES, ("strict", "latency", "accurate"),
                                          ("newmark", "backward-euler", "central-differences", "energy-conserving"))
           for rank, buckles in ((1, False), (4, False), (4, True))]


@pytest.mark.parametrize("dtype, evaluation, integrator, rank, buckles", MOTIONS)
def test_bits_are_those_of_cpp(command_hashes, dtype, evaluation, integrator, rank, buckles):
    name = f"{dtype} {evaluation} {integrator} {rank}" + (" buckling" if buckles else "")
    assert trajectory_hash(dtype, evaluation, integrator, rank, buckles) == command_hashes[name]
