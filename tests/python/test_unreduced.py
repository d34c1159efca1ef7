"""Bodies of which every vertex moves, and equilibria, against batches on all fields and the equations themselves."""

import gc

import numpy as np
import pytest

import quartic as qt

RUBBER = qt.Material(1e5, 0.3, 1000)


@pytest.fixture(scope="module")
def block():
    """(mesh, fixed vertices, a model on the unit fields of all free vertices)"""
    mesh, fixed = qt.make_box(0.2, 0.1, 0.1, cells_x=1, cells_y=1, cells_z=1, material=RUBBER)
    free = np.setdiff1d(np.arange(mesh.vertex_count), fixed)
    fields = np.zeros((3 * len(free), mesh.vertex_count, 3))
    for n, vertex in enumerate(free):
        fields[3 * n : 3 * n + 3, vertex] = np.eye(3)
    return mesh, fixed, qt.reduce_with_basis(mesh, fixed, fields)


@pytest.mark.parametrize("integrator", ["newmark", "backward-euler"])
def test_it_steps_as_its_projection_does(block, integrator):
    mesh, fixed, model = block
    options = {"integrator": integrator, "rayleigh_mass": 0.5, "rayleigh_stiffness": 1e-3, "newton_iterations": 2}
    body, batch = qt.UnreducedBody(mesh, fixed, strain_damping=2e-3, **options), qt.Batch(model, dtype="float64", **options)
    batch.set_strain_damping(2e-3, qt.reduce_strains(model))
    force = qt.gravity_force(body.mass, [0, 0, -9.81])
    body.force[:] = force
    batch.force[0] = np.einsum("vc,rvc->r", force, model.basis)
    for _ in range(5):
        body.step(0.02, 4)
        batch.step(0.02, 4)
    moved = np.einsum("r,rvc->vc", np.asarray(batch.q)[0], model.basis)
    assert np.abs(moved).max() > 1e-3
    assert np.abs(np.asarray(body.displacement) - moved).max() < 1e-10 * np.abs(moved).max()
    assert np.isclose(body.elastic_energy(), np.asarray(batch.elastic_energy())[0], rtol=1e-9)
    assert np.isclose(body.kinetic_energy(), np.asarray(batch.kinetic_energy())[0], rtol=1e-9)
    assert body.status == qt.BodyStatus.ok and body.factorization_name


def test_strain_rates_of_a_displacement(block):
    mesh, _, model = block
    q = np.linspace(-0.01, 0.02, len(model.basis))
    forces, u = qt.InternalForces(mesh), np.einsum("r,rvc->vc", q, model.basis)
    viscous = forces.viscous_stiffness(u)
    basis = np.asarray(model.basis).reshape(len(q), -1)
    dense = np.zeros((basis.shape[1],) * 2)
    for row in range(len(dense)):
        part = slice(viscous.row_offsets[row], viscous.row_offsets[row + 1])
        dense[row, np.asarray(viscous.columns[part])] = np.asarray(viscous.values[part])
    expected = np.asarray(qt.reduce_strains(model).damping(q))
    assert np.allclose(basis @ dense @ basis.T, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    assert np.abs(np.asarray(forces.stiffness(u).values) - np.asarray(viscous.values)).max() > 0


def test_its_state_is_its_own_memory(block):
    mesh, fixed, _ = block
    body = qt.UnreducedBody(mesh, fixed)
    q = np.asarray(body.displacement)
    body.velocity[:] = 0.1
    body.step(0.01)
    assert np.abs(q).max() > 0 and (q[np.asarray(fixed)] == 0).all() and q.flags.writeable
    mass, expected = body.mass, qt.mass_matrix(mesh).values
    kept = q.copy()
    del body
    gc.collect()
    assert np.array_equal(q, kept) and np.array_equal(mass.values, expected)


def test_a_body_that_diverges_says_so(block):
    mesh, fixed, _ = block
    body = qt.UnreducedBody(mesh, fixed)
    body.force[:] = np.inf
    body.step(0.01)
    assert body.status == qt.BodyStatus.diverged and np.isfinite(np.asarray(body.displacement)).all()
    body.reset_status()
    assert body.status == qt.BodyStatus.ok


@pytest.mark.parametrize("options, words", [
    ({"integrator": "central-differences"}, "newmark"), ({"newton_iterations": 0}, "newton_iterations"),
    ({"temperature": 3.0}, "expansion"), ({"chambers": [1]}, "Chamber"), ({"factorization": "lu"}, "mumps"),
])
def test_wrong_options(block, options, words):
    mesh, fixed, _ = block
    with pytest.raises(qt.InputError, match=words):
        qt.UnreducedBody(mesh, fixed, **options)


def test_equilibria_balance_their_loads(block):
    mesh, fixed, model = block
    free = np.setdiff1d(np.arange(mesh.vertex_count), fixed)
    force = qt.gravity_force(qt.mass_matrix(mesh), [0, 0, -9.81])
    found = qt.StaticSolver(mesh, fixed).solve(force)
    assert found.converged and found.stable and found.load_factor == 1 and found.iterations > 0
    left = (qt.internal_force(mesh, found.solution) - force)[free]
    assert np.abs(left).max() < 1e-8 * np.abs(force).max()
    reduced = np.einsum("vc,rvc->r", force, model.basis)
    small = qt.reduced_equilibrium(model, reduced)
    assert np.abs(model.energy.evaluate(small.solution)[1] - reduced).max() < 1e-8 * np.abs(reduced).max()
    moved = np.einsum("r,rvc->vc", small.solution, model.basis)
    assert np.abs(moved - found.solution).max() < 1e-8 * np.abs(moved).max()
    both = qt.reduced_equilibria(model.energy, np.stack([0 * reduced, reduced]))
    assert (both[0].solution == 0).all() and np.allclose(both[1].solution, small.solution, rtol=1e-7, atol=1e-12)
    assert qt.inverted_elements(mesh, found.solution) == 0
    assert qt.inverted_elements(mesh, -2 * np.asarray(mesh.vertices)) == mesh.element_count


def test_what_can_t_be_reached_is_told(block):
    mesh, fixed, _ = block
    force = qt.gravity_force(qt.mass_matrix(mesh), [0, 0, -98.1])
    found = qt.StaticSolver(mesh, fixed, newton_iterations=1, halvings=1).solve(force)
    assert not found.converged and 0 <= found.load_factor < 1


def test_progress_and_wrong_loads(block):
    mesh, fixed, model = block
    stages = []
    qt.StaticSolver(mesh, fixed, progress=lambda stage, fraction: stages.append(stage)).solve(np.zeros((mesh.vertex_count, 3)))
    assert set(stages) == {"equilibrium"}
    with pytest.raises(qt.InputError, match="force"):
        qt.StaticSolver(mesh, fixed).solve(np.zeros(3))
    with pytest.raises(qt.InputError, match="pressure"):
        qt.reduced_equilibrium(model.energy, np.zeros(model.rank), pressure=np.ones(1))
