"""Unreduced elements, sparse matrices and their factors, against NumPy and finite differences."""

import numpy as np
import pytest

import quartic as qt
from conftest import needs

RUBBER = qt.Material(1e6, 0.3, 1000)


@pytest.fixture(scope="module")
def mesh():
    return qt.make_box(0.3, 0.1, 0.1, cells_x=3, material=RUBBER)[0]


@pytest.fixture(scope="module")
def displacement(mesh):
    return 1e-3 * np.random.default_rng(1).normal(size=(mesh.vertex_count, 3))


def dense(matrix):
    result = np.zeros(matrix.shape)
    for row in range(matrix.shape[0]):
        entries = slice(matrix.row_offsets[row], matrix.row_offsets[row + 1])
        result[row, matrix.columns[entries]] = matrix.values[entries]
    return result


def test_forces_are_slopes_of_the_energy(mesh, displacement):
    along = np.random.default_rng(2).normal(size=displacement.shape)
    step = 1e-6
    slope = (qt.strain_energy(mesh, displacement + step * along) - qt.strain_energy(mesh, displacement - step * along)) / (2 * step)
    assert np.isclose(np.vdot(qt.internal_force(mesh, displacement), along), slope, rtol=1e-6)
    bent = (qt.internal_force(mesh, displacement + step * along) - qt.internal_force(mesh, displacement - step * along)) / (2 * step)
    product = dense(qt.tangent_stiffness(mesh, displacement)) @ along.ravel()
    assert np.abs(product - bent.ravel()).max() < 1e-7 * np.abs(product).max()


def test_the_hessian_is_the_slope_of_the_stiffness(mesh):
    fields = np.random.default_rng(3).normal(size=(2, mesh.vertex_count, 3))
    step = 1e-5
    rest = [dense(qt.tangent_stiffness(mesh, sign * step * fields[0])) for sign in (1, -1)]
    slope = (rest[0] - rest[1]) @ fields[1].ravel() / (2 * step)
    given = qt.force_hessian(mesh, fields, np.array([[0, 1], [1, 0]]))
    assert np.abs(given[0].ravel() - slope).max() < 1e-6 * np.abs(slope).max()
    assert np.abs(given[0] - given[1]).max() < 1e-12 * np.abs(slope).max()


def test_repeated_evaluation_has_the_same_bits(mesh, displacement):
    forces = qt.InternalForces(mesh)
    for u in (displacement, 2 * displacement):
        assert forces.energy(u) == qt.strain_energy(mesh, u) and np.array_equal(forces.force(u), qt.internal_force(mesh, u))
        assert np.array_equal(forces.stiffness(u).values, qt.tangent_stiffness(mesh, u).values)


def test_mass_and_rigid_motions(mesh):
    mass, stiffness = qt.mass_matrix(mesh), qt.stiffness_matrix(mesh)
    rigid = qt.rigid_modes(mesh, mass, [])
    assert rigid.shape == (6, mesh.vertex_count, 3)
    flat = rigid.reshape(6, -1)
    assert np.abs(flat @ dense(mass) @ flat.T - np.eye(6)).max() < 1e-12
    assert np.abs(dense(stiffness) @ flat.T).max() < 1e-10 * np.abs(stiffness.values).max() * np.abs(flat).max()
    for kind in ("consistent", "lumped"):
        assert np.isclose(dense(qt.mass_matrix(mesh, kind)).sum(), 3 * 1000 * 0.3 * 0.1 * 0.1, rtol=1e-13)
    field = qt.gravity_force(mass, [0, 0, -9.81])
    assert np.allclose(field.sum(0), [0, 0, -9.81 * 3], rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("right", [lambda n: np.arange(n, dtype=float), lambda n: np.arange(2.0 * n).reshape(n, 2),
                                   lambda n: np.asfortranarray(np.arange(2.0 * n).reshape(n, 2))[:, ::-1]])
def test_factors_solve(mesh, right):
    mass = qt.mass_matrix(mesh)
    factor = qt.Factorization(mass, updatable=True)
    b = right(factor.rows)
    x = factor.solve(b)
    assert x.shape == b.shape and np.abs(dense(mass) @ x - b).max() < 1e-12 * np.abs(b).max()
    heavier = qt.SparseMatrix(mass.shape, mass.row_offsets, mass.columns, 4 * mass.values)
    factor.update(heavier)
    assert np.allclose(factor.solve(b), x / 4, rtol=1e-13) and factor.name and factor.factor_nonzeros > 0


def test_indefinite_matrices_and_other_wrong_ones(mesh):
    with pytest.raises(qt.NumericalError):
        qt.Factorization(qt.SparseMatrix((2, 2), [0, 2, 4], [0, 1, 0, 1], np.array([1.0, 2, 2, 1])))
    with pytest.raises(qt.InputError, match="kind"):
        qt.mass_matrix(mesh, "heavy")
    with pytest.raises(qt.InputError, match="shape"):
        qt.Factorization(qt.mass_matrix(mesh)).solve(np.zeros(3))
    with pytest.raises(qt.InputError, match="displacement"):
        qt.internal_force(mesh, np.zeros((2, 3)))


@pytest.mark.parametrize("offsets, columns, words", [
    ([0, 1], [0], "entries"), ([0, 2, 1], [0], "ascend"), ([1, 1, 1], [0], "ascend"), ([0, 1, 1], [2], "row 0"),
    ([0, 2, 2], [1, 0], "row 0"), ([0, 0, 2], [0, 0], "row 1"), ([0, -1, 1], [0], "ascend"),
])
def test_what_is_no_matrix(offsets, columns, words):
    with pytest.raises(qt.InputError, match=words):
        qt.SparseMatrix((2, 2), offsets, columns, np.ones(len(columns)))


def test_scipy_sees_the_same_memory(mesh):
    needs("scipy")
    stiffness = qt.stiffness_matrix(mesh)
    theirs = stiffness.scipy()
    assert np.array_equal(theirs.toarray(), dense(stiffness)) and np.shares_memory(theirs.data, stiffness.values)


def test_systems_of_matrices_have_the_mesh_s_modes(mesh):
    held = [n for n, x in enumerate(np.asarray(mesh.vertices)) if x[0] == 0]
    own, given = qt.ElasticSystem(mesh, held), qt.ElasticSystem(qt.stiffness_matrix(mesh), qt.mass_matrix(mesh), held)
    assert np.allclose(*(qt.linear_modes(s, count=4).eigenvalues for s in (own, given)), rtol=1e-10)
    free = qt.ElasticSystem(qt.stiffness_matrix(mesh), own.mass, [], rigid_modes=qt.rigid_modes(mesh, own.mass, []))
    assert free.rigid_mode_count == 6
    assert np.allclose(*(qt.linear_modes(s, count=4).eigenvalues for s in (free, qt.ElasticSystem(mesh, []))), rtol=1e-9)
