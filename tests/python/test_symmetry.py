"""Mirror planes, and the zeros that they leave in the tensor."""

import itertools

import numpy as np
import pytest

import quartic as qt


@pytest.fixture(scope="module")
def brick():
    return qt.make_box(length=1, width=0.15, height=0.1, cells_x=8, cells_y=2, cells_z=2)


def parity_of(model, plane):
    """U^T M S U, with S from the vertices alone."""
    x = np.asarray(model.mesh.vertices)
    normal = np.array(plane.normal)
    images = x - 2 * (x @ normal - plane.offset)[:, None] * normal
    image = np.argmin(np.linalg.norm(images[:, None] - x[None], axis=2), axis=1)
    reflection = np.eye(3) - 2 * np.outer(normal, normal)
    fields = np.asarray(model.basis)
    mirrored = np.empty_like(fields)
    mirrored[:, image] = fields @ reflection
    flat, other = fields.reshape(len(fields), -1), mirrored.reshape(len(fields), -1)
    mass = qt.mass_matrix(model.mesh)
    rows = np.repeat(np.arange(len(mass.row_offsets) - 1), np.diff(mass.row_offsets))
    product = np.zeros_like(other)
    np.add.at(product.T, rows, mass.values[:, None] * other.T[mass.columns])
    return flat @ product.T


def test_vectors_are_even_or_odd_and_zeros_follow(brick):
    mesh, fixed = brick
    model, report = qt.reduce(mesh, fixed, modes=6, rank=9, report=True)
    planes = qt.mirror_planes(mesh, fixed)
    assert len(planes) == len(report.mirror_planes) == 2
    parities = []
    for plane in planes:
        p = parity_of(model, plane)
        assert np.abs(np.abs(p) - np.eye(9)).max() < 1e-10
        parities.append(np.concatenate([[0], (np.diag(p) < 0).astype(int)]))
    symmetry = qt.tensor_symmetry(model.energy)
    assert symmetry.parities == 2 and 0.25 <= symmetry.work_share < 0.35
    for value, index in zip(model.energy.coefficients, itertools.combinations_with_replacement(range(10), 4)):
        if any(p[list(index)].sum() % 2 for p in parities):
            assert value == 0


def test_without_planes(brick):
    mesh, fixed = brick
    model = qt.reduce(mesh, fixed, modes=6, rank=9, mirror_planes=False)
    assert qt.tensor_symmetry(model.energy).parities == 0
    assert qt.mirror_planes(mesh, list(fixed)[:-1]) == []
