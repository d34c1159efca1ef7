"""Pressure in closed chambers, against formulas in NumPy."""

import numpy as np
import pytest

import quartic as qt

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])


@pytest.fixture(scope="module")
def hollow():
    """A cube of 3 x 3 x 3 bricks without the middle one; (mesh, vertices outside)"""
    number = lambda at: int((at[2] * 4 + at[1]) * 4 + at[0])
    cells = [c for c in np.ndindex(3, 3, 3) if c != (1, 1, 1)]
    elements = np.array([[number(np.array(c) + corner) for corner in CORNERS] for c in cells], dtype=np.int32)
    vertices = np.array([[i, j, k] for k in range(4) for j in range(4) for i in range(4)], dtype=float) * 0.1
    material = qt.Material(youngs_modulus=1e5, poissons_ratio=0.3, density=1000)
    inside = np.all((vertices > 0.05) & (vertices < 0.25), axis=1)
    mesh = qt.VolumeMesh(vertices, {"hex8": elements}, material=material, vertex_sets={"air": np.flatnonzero(inside)})
    return mesh, np.flatnonzero(~inside)


@pytest.fixture(scope="module")
def model(hollow):
    mesh, outside = hollow
    made = qt.reduce(mesh, outside, modes=4, rank=8)
    return qt.add_chamber(made, qt.find_chamber(made.mesh, "air"))


def test_volume_of_a_moved_chamber(hollow):
    mesh, _ = hollow
    (cavity,) = qt.find_cavities(mesh)
    assert cavity.name == "cavity-1" and cavity.faces.shape == (6, 8)
    assert qt.enclosed_volume(mesh, cavity) == pytest.approx(1e-3, rel=1e-12)
    stretch = np.array([[1.5, 0.2, 0], [0, 0.8, 0.1], [0.3, 0, 1.2]])
    u = mesh.vertices @ (stretch - np.eye(3)).T
    assert qt.enclosed_volume(mesh, cavity, u) == pytest.approx(1e-3 * np.linalg.det(stretch), rel=1e-12)
    force = qt.enclosed_volume_gradient(mesh, cavity)
    assert np.abs(force.sum(axis=0)).max() < 1e-16
    assert (force * mesh.vertices).sum() == pytest.approx(3e-3, rel=1e-12)  # V is of degree 3


def test_pressure_moves_bodies(model):
    batch = qt.Batch(model, bodies=3, dtype="float64", integrator="energy-conserving")
    assert batch.chamber_count == 1 and [c.name for c in model.chambers] == ["air"]
    batch.set_pressure(np.array([0, 2e3, -1e3]))
    assert list(batch.pressure()) == [0, 2e3, -1e3]
    before = np.asarray(batch.enclosed_volume()).copy()
    batch.step(1e-3, 50)
    volume, energy = np.asarray(batch.enclosed_volume()), np.asarray(batch.elastic_energy()) + np.asarray(batch.kinetic_energy())
    assert volume[0] == before[0] and volume[1] > before[1] and volume[2] < before[2]
    assert energy == pytest.approx(np.array([0, 2e3, -1e3]) * (volume - before), rel=1e-9)
    u = np.tensordot(np.asarray(batch.q)[1], model.basis, 1)
    assert volume[1] == pytest.approx(qt.enclosed_volume(model.mesh, model.chambers[0], u), rel=1e-12)


def test_a_gas_keeps_p_v(model):
    batch = qt.Batch(model, bodies=2, dtype="float64", integrator="energy-conserving")
    rest = np.asarray(batch.enclosed_volume()).copy()
    amount = np.array([103e3, 0]) * rest
    batch.set_gas(amount, atmosphere=100e3)
    assert np.array_equal(batch.gas_amount(), amount)
    assert np.asarray(batch.gas_pressure()) == pytest.approx([3e3, 0], rel=1e-9)
    batch.step(1e-3, 50)
    volume = np.asarray(batch.enclosed_volume())
    assert volume[0] > rest[0] and volume[1] == rest[1]
    assert np.asarray(batch.gas_pressure())[0] == pytest.approx(amount[0] / volume[0] - 100e3, rel=1e-12)
    energy = 100e3 * (volume - rest) - amount * np.log(volume / rest)
    assert np.asarray(batch.gas_energy()) == pytest.approx(energy, rel=1e-12)
    moved = np.asarray(batch.elastic_energy()) + np.asarray(batch.kinetic_energy())
    assert moved == pytest.approx(-energy, rel=1e-8)
    assert batch.gas_atmosphere() == 100e3
    with pytest.raises(qt.InputError, match="amount of gas"):
        batch.set_gas(-1.0)


def test_equilibria_balance_a_gas(model):
    (rest,) = qt.Batch(model, dtype="float64").enclosed_volume()
    force = 10 * np.arange(1.0, model.rank + 1)
    end = qt.reduced_equilibrium(model, force, gas=np.array([103e3 * rest]), atmosphere=100e3)
    assert end.converged and end.stable
    batch = qt.Batch(model, dtype="float64", integrator="central-differences")
    batch.set_gas(103e3 * rest, atmosphere=100e3)
    batch.q[:], batch.force[:] = end.solution, force
    batch.step(1e-6)  # its acceleration is what forces leave
    assert np.abs(np.asarray(batch.acceleration)).max() < 1e-6 * np.abs(force).max()
    with pytest.raises(qt.InputError, match="models with chambers"):
        qt.reduced_equilibrium(model.energy, force, gas=np.array([1.0]))


def test_models_without_and_files(model, tmp_path):
    qt.save_model(model, tmp_path / "a.qrt")
    assert [c.name for c in qt.load_model(tmp_path / "a.qrt").chambers] == ["air"]
    plain = qt.Batch([qt.BodyGroup(model, 2, chambers=False)])
    assert plain.chamber_count == 0
    with pytest.raises(qt.InputError, match="there is no chamber 0"):
        plain.set_pressure(1.0)
    with pytest.raises(qt.InputError, match="isn't closed"):
        qt.find_chamber(model.mesh, qt.find_vertex_set(model.mesh, "air")[1:], "torn")
    with pytest.raises(qt.InputError, match="needs a name"):
        qt.find_chamber(model.mesh, [0, 1])


def test_checkpoints_tell_of_pressure(model, tmp_path):
    batch = qt.Batch(model)
    batch.save_checkpoint(tmp_path / "flat.qstate")
    batch.set_pressure(1e3)
    batch.save_checkpoint(tmp_path / "full.qstate")
    assert not qt.checkpoint_has_pressures(tmp_path / "flat.qstate")
    assert qt.checkpoint_has_pressures(tmp_path / "full.qstate")
