"""Loads on faces beside NumPy, and a base that shakes beside gravity."""

import numpy as np
import pytest

import quartic as qt

RUBBER = qt.Material(1e6, 0.4, 1100)


def box():
    return qt.make_box(length=1.0, width=0.3, height=0.2, cells_x=4, cells_y=2, cells_z=2, material=RUBBER)


def on(mesh, axis, value):
    return np.flatnonzero(np.abs(mesh.vertices[:, axis] - value) < 1e-9)


def test_loads_have_the_totals_of_numpy():
    mesh, _ = box()
    end = on(mesh, 0, 1)
    area = 0.3 * 0.2
    assert qt.face_area(mesh, end) == pytest.approx(area, rel=1e-14)
    t = np.array([3.0, -5.0, 2.0])
    about = np.array([0.2, 0.1, -0.4])
    for force in (qt.traction_forces(mesh, end, t), qt.spread_force(mesh, end, area * t)):
        assert force.shape == (mesh.vertex_count, 3)
        assert np.allclose(force.sum(axis=0), area * t, rtol=1e-13)
        total, moment = qt.load_totals(mesh, force, about)
        assert np.allclose(total, force.sum(axis=0), rtol=1e-13)
        assert np.allclose(moment, np.cross(mesh.vertices - about, force).sum(axis=0), rtol=1e-12)
    # Bricks of equal size: a quarter of a face's force at each of its corners.
    shares = np.zeros(mesh.vertex_count)
    y, z = mesh.vertices[end, 1] / 0.3, mesh.vertices[end, 2] / 0.2
    shares[end] = np.where(np.abs(y - 0.5) < 0.1, 2, 1) * np.where(np.abs(z - 0.5) < 0.1, 2, 1)
    pressed = qt.pressure_forces(mesh, end, 7.0)
    assert np.allclose(pressed[:, 0], -7 * area * shares / shares.sum(), rtol=1e-13) and not pressed[:, 1:].any()
    with pytest.raises(ValueError, match="no face"):
        qt.pressure_forces(mesh, [0], 7.0)


def test_loads_are_read_from_decks(tmp_path):
    deck = tmp_path / "bar.inp"
    text = ("*NODE,NSET=N\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n"
            "*SOLID SECTION,ELSET=E,MATERIAL=M\n*MATERIAL,NAME=M\n*ELASTIC\n1e6,0.3\n*DENSITY\n10\n*EXPANSION\n2e-5\n"
            "*STEP\n*STATIC\n*CLOAD\n4,3,-2.\n*DLOAD\nE,GRAV,9.81,0,0,-1\n")
    deck.write_text(text + "*END STEP\n")
    forces, gravity, heat, left_out = qt.read_loads(deck, qt.read_mesh(deck))
    assert not left_out and heat is None
    deck.write_text(text + "*TEMPERATURE\nN,30\n*END STEP\n")
    temperature, expansion = qt.read_loads(deck, qt.read_mesh(deck))[2]
    assert np.array_equal(temperature, np.full(4, 30.0)) and np.array_equal(expansion, [2e-5])
    expected = np.zeros((4, 3))
    expected[3, 2] = -2
    assert np.array_equal(forces, expected) and np.allclose(gravity, [0, 0, -9.81])


def test_a_base_is_a_gravity_that_changes(tmp_path):
    file = tmp_path / "shake.csv"
    file.write_text("time,ax,ay,az\n0,0,0,0\n0.1,0,3,-1\n0.3,0,-3,1\n")
    base = qt.read_base_acceleration(file)
    times = np.linspace(-0.1, 0.4, 23)
    expected = np.stack([np.interp(times, base.times, np.array(base.accelerations)[:, c], left=0, right=0) for c in range(3)], 1)
    assert np.allclose([base.at(t) for t in times], expected, atol=1e-15)
    again = qt.BaseAcceleration(np.array(base.times), np.array(base.accelerations))
    assert again.at(0.2) == base.at(0.2)
    with pytest.raises(ValueError, match="ascend"):
        qt.BaseAcceleration(np.array([0.0, 0.0]), np.zeros((2, 3)))


def test_heat_is_a_force_of_the_tetrahedrons_gradients():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0.2, 1.1, 0], [0.1, 0.3, 0.9]])
    mesh = qt.VolumeMesh(vertices, {"tet4": np.array([[0, 1, 2, 3]], np.int32)}, material=RUBBER)
    gradients = np.linalg.inv(np.hstack([np.ones((4, 1)), vertices]))[1:].T
    volume = np.linalg.det(vertices[1:] - vertices[0]) / 6
    u = 0.1 * np.random.default_rng(3).standard_normal((4, 3))
    stress = 1e6 / (1 - 2 * 0.4) * 2e-4 * 30
    expected = -volume * stress * (gradients + gradients @ gradients.T @ u)
    assert np.allclose(qt.thermal_force(mesh, u, 30.0, 2e-4), expected, rtol=1e-12)
    warm = qt.thermal_force(mesh, u, np.array([20.0, 30, 40, 30]), np.array([2e-4]))  # 30 K on average
    assert np.allclose(warm, expected, rtol=1e-12)


def test_heated_energies_are_what_batches_take():
    mesh, fixed = box()
    model = qt.reduce(mesh, fixed, modes=3, rank=4)
    energy = qt.heated_energy(model, 40.0, 2e-4)
    q = np.array([0.02, -0.01, 0.015, 0.005])
    u = np.tensordot(q, model.basis, 1)
    cold, warm = model.energy.evaluate(q)[1], energy.evaluate(q)[1]
    added = np.tensordot(model.basis, qt.thermal_force(mesh, u, 40.0, 2e-4), ([1, 2], [0, 1]))
    assert np.allclose(warm - cold, added, rtol=1e-9)
    batch = qt.Batch(energy, bodies=2, dtype="float64")
    batch.step(0.01)
    assert np.from_dlpack(batch.q).any()


def test_relaxed_models_are_heated_where_nothing_is_relaxed():
    mesh, fixed = box()
    plain, known = (qt.reduce(mesh, fixed, modes=3, rank=4, relax=relax) for relax in (None, 0))
    expected = qt.heated_energy(plain, 40.0, 2e-4)
    assert known.relaxation is not None
    assert np.array_equal(qt.heated_energy(known, 40.0, 2e-4).coefficients, expected.coefficients)
    with pytest.raises(qt.InputError, match="know no heat"):
        qt.heated_energy(qt.reduce(mesh, fixed, modes=3, rank=4, relax=0.75), 40.0, 2e-4)


def test_moved_sets_are_coordinates_of_the_same_energy():
    mesh, fixed = box()
    end = np.flatnonzero(mesh.vertices[:, 0] > mesh.vertices[:, 0].max() - 1e-9).astype(np.int32)
    held = qt.Supports(fixed, qt.hold_along(end, [0.0, 0, 1]))
    model = qt.reduce(mesh, held, modes=3, rank=4)
    driven, c = qt.drive_sets(model, [(end, (0.0, 0, 1))])
    assert driven.rank == 5 and c.shape == (5, 1)
    at_rest = np.einsum("r,rnc->nc", c[:, 0], np.asarray(driven.basis))
    assert np.allclose(at_rest[end, 2], 1, atol=1e-12) and np.allclose(at_rest[fixed], 0, atol=1e-12)
    batch = qt.Batch(qt.BodyGroup(driven, 2, driven=1), dtype="float64")
    batch.force[:, -1] = 0.01 * c[-1, 0]
    batch.step(0.01)
    assert np.allclose(np.asarray(batch.q)[:, -1], 0.01 * c[-1, 0], rtol=1e-15)
    with pytest.raises(ValueError, match="held"):
        qt.drive_sets(qt.reduce(mesh, fixed, modes=3, rank=4), [(end, (0.0, 0, 1))])


def test_modal_damping_has_its_ratios_as_eigenvalues():
    mesh, fixed = box()
    model = qt.reduce(mesh, fixed, modes=3, rank=4)
    damping = qt.modal_damping(model.energy, np.array([0.02, 0.1]))
    stiffness = np.asarray(model.energy.evaluate(np.zeros(4))[2])
    squares, shapes = np.linalg.eigh(stiffness)
    expected = np.diag(2 * np.array([0.02, 0.1, 0.1, 0.1]) * np.sqrt(squares))
    assert np.allclose(shapes.T @ damping @ shapes, expected, atol=1e-9 * expected.max())
    batch = qt.Batch(qt.BodyGroup(model, damping=damping), dtype="float64")
    batch.step(0.01)
    with pytest.raises(ValueError, match="symmetric"):
        qt.Batch(qt.BodyGroup(model, damping=np.triu(np.ones((4, 4)))))


def test_the_damping_by_strain_rates_is_that_of_numpy(tmp_path):
    mesh, fixed = box()
    model = qt.reduce(mesh, fixed, modes=3, rank=4)
    form = qt.reduce_strains(model)
    r, p = form.rank, len(form.factor)
    n = int(np.sqrt(2 * p))
    triangle = np.zeros((n, n))
    triangle[np.triu_indices(n)] = form.factor

    def strains(q):
        return triangle @ np.concatenate([q, np.outer(q, q)[np.triu_indices(r)]])

    q, v = np.array([3.0, -2, 1, 2]), np.array([1.0, 2, -3, 0.5])
    rates = (strains(q + v) - strains(q - v)) / 2  # exact for quadratic strains
    damping = form.damping(q)
    assert damping.shape == (r, r) and np.allclose(damping, damping.T, rtol=1e-14)
    assert v @ damping @ v == pytest.approx(rates @ rates, rel=1e-10)
    assert np.allclose(form.damping(np.zeros(r)), model.energy.evaluate(np.zeros(r))[2], rtol=1e-9, atol=1e-6)

    batch = qt.Batch(model.energy, bodies=2, dtype="float64", integrator="energy-conserving")
    assert np.array_equal(batch.strain_damping, [0, 0])
    with pytest.raises(ValueError, match="reduce_strains"):
        batch.set_strain_damping(0.01)
    batch.set_strain_damping(np.array([0.0, 0.002]), form)
    assert np.array_equal(batch.strain_damping, [0, 0.002])
    batch.velocity[:] = v
    before = np.asarray(batch.kinetic_energy()) + np.asarray(batch.elastic_energy())
    dt = 1e-3
    batch.step(dt)
    after = np.asarray(batch.kinetic_energy()) + np.asarray(batch.elastic_energy())
    end = np.asarray(batch.q)[1]
    rate = strains(end) / dt
    assert after[0] == pytest.approx(before[0], rel=1e-9)
    assert before[1] - after[1] == pytest.approx(dt * 0.002 * rate @ rate, rel=1e-8)
    batch.save_checkpoint(tmp_path / "damped.qstate")
    assert qt.checkpoint_has_strain_damping(tmp_path / "damped.qstate")
    batch.set_strain_damping(np.array([0.001, 0]), [None])
    batch.load_checkpoint(tmp_path / "damped.qstate")
    assert np.array_equal(batch.strain_damping, [0, 0.002])


def test_coordinates_are_held_exactly():
    mesh, fixed = box()
    energy = qt.reduce(mesh, fixed, modes=3, rank=4).energy
    part = qt.hold_coordinates(energy, np.array([0.5, -0.25]))
    q = np.array([0.3, 0.1])
    value, force, stiffness = part.evaluate(q)
    whole = energy.evaluate(np.concatenate([q, [0.5, -0.25]]))
    assert part.rank == 2 and value == pytest.approx(whole[0], rel=1e-11)
    assert np.allclose(force, whole[1][:2], rtol=1e-10) and np.allclose(stiffness, whole[2][:2, :2], rtol=1e-10)
    with pytest.raises(ValueError):
        qt.hold_coordinates(energy, np.zeros(4))
