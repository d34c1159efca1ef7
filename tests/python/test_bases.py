"""Bases step by step, snapshots and recordings, against `reduce` and NumPy."""

import numpy as np
import pytest

import quartic as qt


@pytest.fixture(scope="module")
def steps(beam):
    """(system, modes, derivatives)"""
    mesh, fixed = beam
    system = qt.ElasticSystem(mesh, fixed)
    modes = qt.linear_modes(system, count=3)
    return system, modes, qt.modal_derivatives(mesh, system, modes)


def flat(fields):
    return np.reshape(fields, (len(fields), -1))


def test_derivatives_hold_their_equation(beam, steps):
    mesh, fixed = beam
    system, modes, derivatives = steps
    assert derivatives.pairs.tolist() == [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]
    right = -qt.force_hessian(mesh, modes.vectors, derivatives.pairs)
    forces = np.zeros_like(right)
    stiffness, free = qt.stiffness_matrix(mesh), np.setdiff1d(np.arange(mesh.vertex_count), fixed)
    rows = np.repeat(np.arange(stiffness.shape[0]), np.diff(stiffness.row_offsets))
    for n, field in enumerate(derivatives.vectors):
        forces[n] = np.bincount(rows, stiffness.values * field.ravel()[stiffness.columns], stiffness.shape[0]).reshape(-1, 3)
    assert np.abs((forces - right)[:, free]).max() < 1e-9 * np.abs(right).max()


def test_a_basis_step_by_step_is_that_of_reduce(beam, model, steps):
    mesh, fixed = beam
    system, modes, derivatives = steps
    fields = qt.scaled_fields(modes, derivatives, system.mass)
    basis = qt.mass_pca(fields, system.mass, 5)
    assert basis.vectors.shape == (5, mesh.vertex_count, 3) and (np.diff(basis.singular_values) <= 0).all()
    assert qt.orthonormality_error(basis.vectors, system.mass) < 1e-12
    both = np.concatenate([flat(basis.vectors), flat(model.basis)])
    assert np.linalg.matrix_rank(both, tol=1e-7 * np.linalg.norm(both, 2)) == 5
    largest = np.abs(model.energy.coefficients).max()  # of which round-off is set to zero where mirror planes allow nothing else
    assert np.allclose(qt.reduce_energy(mesh, model.basis).coefficients, model.energy.coefficients, rtol=1e-10, atol=1e-13 * largest)
    shares = qt.captured_energy(basis.singular_values)
    squares = np.cumsum(np.square(basis.singular_values))
    assert np.allclose(shares, squares / squares[-1], rtol=1e-13)


def test_low_ranks(steps):
    system, modes, _ = steps
    twice = np.concatenate([modes.vectors, modes.vectors])
    with pytest.raises(qt.InputError, match="rank"):
        qt.mass_pca(twice, system.mass, 5)
    assert qt.mass_pca_up_to(twice, system.mass, 5).vectors.shape[0] == 3
    with pytest.raises(qt.InputError):
        qt.mass_orthonormalize(twice, system.mass)
    own = qt.mass_orthonormalize(2 * modes.vectors[::-1].copy(), system.mass)
    assert qt.orthonormality_error(own, system.mass) < 1e-12


def test_snapshots(steps, beam, tmp_path):
    mesh, _ = beam
    system, modes, _ = steps
    fields = np.concatenate([modes.vectors, 0.1 * modes.vectors[:1], 0 * modes.vectors[:1]])
    snapshots = qt.Snapshots(fields, np.arange(5) / 4)
    qt.save_snapshots(snapshots, tmp_path / "a.qsnap")
    again = qt.load_snapshots(tmp_path / "a.qsnap")
    assert len(again) == 5 and np.array_equal(again.displacements, fields) and np.array_equal(again.time, np.arange(5) / 4)
    assert np.array_equal(qt.Snapshots(fields).time, np.arange(5.0))
    assert qt.select_separated(fields, system.mass, 0.5).tolist() == [0, 1, 2]  # orthonormal; the others near 0
    qt.write_pvd(mesh, snapshots, tmp_path / "a.pvd")
    assert (tmp_path / "a.pvd").read_text().count("<DataSet") == 5
    for wrong in ((fields[0], None), (fields, np.arange(4.0)), (fields.astype(np.float32), None)):
        with pytest.raises(qt.InputError):
            qt.Snapshots(*wrong)


def test_recordings(tmp_path, beam):
    mesh, fixed = beam
    tip = mesh.vertex_count - 1
    loads = [qt.RecordedLoad(0.1 * n, [tip], np.array([[0, 0, -0.1 * n]])) for n in range(1, 5)]
    qt.write_recorded_loads(loads, tmp_path / "pulls.csv")
    again = qt.read_recorded_loads(tmp_path / "pulls.csv", mesh.vertex_count)
    assert [(a.time, a.vertices.tolist(), a.forces.tolist()) for a in again] == [(b.time, b.vertices.tolist(), b.forces.tolist()) for b in loads]
    assert qt.select_loads(loads, 0.5) == [1, 3]  # by halves of the largest
    force = qt.force_vector(loads[0], mesh.vertex_count)
    assert force.shape == (mesh.vertex_count, 3) and force[tip].tolist() == [0, 0, -0.1] and np.abs(force).sum() == 0.1
    found = qt.follow_loads(qt.StaticSolver(mesh, fixed), loads)
    assert [number for number, _ in found] == [0, 1, 2, 3]
    alone = qt.StaticSolver(mesh, fixed).solve(qt.force_vector(loads[3], mesh.vertex_count))
    assert np.abs(found[3][1].solution - alone.solution).max() < 1e-8 * np.abs(alone.solution).max()
    with pytest.raises(qt.InputError):
        qt.RecordedLoad(0, [1, 2], np.zeros((1, 3)))
