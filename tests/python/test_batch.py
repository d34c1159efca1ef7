"""What a batch does besides stepping: resets, damping, status, ranges, edits, checkpoints, free bodies."""

import numpy as np
import pytest

import quartic as qt
from conftest import same_state, state_of


def test_undamped_oscillation_has_the_mode_s_period(model):
    """In the direction of the lowest eigenvector of K, small motions are q(t) = q(0) cos(omega t)."""
    stiffness = model.energy.evaluate(np.zeros(5))[2]
    eigenvalues, vectors = np.linalg.eigh(stiffness)
    omega = np.sqrt(eigenvalues[0])
    batch = qt.Batch(model, dtype="float64", newton_iterations=3)
    start = 1e-6 * vectors[:, :1].T.copy()
    batch.reset(q=start)
    batch.acceleration[:] = -(omega**2) * start  # by which Newmark's first step starts
    period = 2 * np.pi / omega
    for quarter in range(1, 5):
        batch.step(period / 4, 500)  # the phase is off by (omega h)^2 / 12 = 8.2e-7 of itself
        expected = start * np.cos(omega * quarter * period / 4)
        assert np.abs(np.asarray(batch.q) - expected).max() < 1e-6 * 2e-6 * quarter


def test_energy_is_conserved(model):
    batch = qt.Batch(model, bodies=3, dtype="float64", integrator="energy-conserving")
    batch.reset(velocity=np.linspace(-1, 1, 15).reshape(3, 5))
    start = np.asarray(batch.elastic_energy()) + np.asarray(batch.kinetic_energy())
    batch.step(1.0, 200)
    total = np.asarray(batch.elastic_energy()) + np.asarray(batch.kinetic_energy())
    assert np.allclose(total, start, rtol=1e-9, atol=0) and (start > 0).all()


def test_energies_are_the_polynomial_s(model, batch):
    for body, value in enumerate(np.asarray(batch.elastic_energy())):
        assert value == pytest.approx(model.energy.evaluate(np.asarray(batch.q)[body].copy())[0], rel=1e-12)
    velocity = np.asarray(batch.velocity)
    assert np.allclose(batch.kinetic_energy(), (velocity**2).sum(1) / 2, rtol=1e-14)


@pytest.mark.parametrize("which", [
    lambda chosen: chosen, lambda chosen: np.flatnonzero(chosen), lambda chosen: np.flatnonzero(chosen).tolist(),
    lambda chosen: np.flatnonzero(chosen).astype(np.int32), lambda chosen: np.repeat(chosen, 2)[::2],
])
def test_reset_takes_masks_and_numbers(batch, which):
    chosen = np.array([1, 0, 0, 1, 1, 0, 0], bool)
    q, velocity, force = (np.array(array) for array in (batch.q, batch.velocity, batch.force))
    batch.reset(which(chosen), q=q * 2)
    assert np.array_equal(batch.q, np.where(chosen[:, None], 2 * q, q))
    assert np.array_equal(batch.velocity, np.where(chosen[:, None], 0, velocity))
    assert np.array_equal(batch.force, force)
    batch.reset()
    assert not np.asarray(batch.q).any()


@pytest.mark.parametrize("arguments, words", [
    (((3, 7),), "no body 7"), (((-1,),), "no body -1"), ((np.zeros(6, bool),), "shape \\(6,\\)"),
    ((np.zeros(7),), "float64"), (("all",), "array is needed|str"), (([0.5],), "index|integer"),
    (([True, False],), "mask is an array of booleans"),
])
def test_wrong_resets_change_nothing(batch, arguments, words):
    before = state_of(batch)
    with pytest.raises((qt.InputError, TypeError), match=words):
        batch.reset(*arguments)
    for start in ({"q": np.zeros((7, 4))}, {"q": np.full((7, 5), np.nan)}, {"pose": np.zeros((7, 7))}):
        with pytest.raises(qt.InputError):
            batch.reset(**start)
    assert same_state(before, state_of(batch))


def test_diverged_bodies_start_again(model):
    batch = qt.Batch(model, bodies=4, integrator="central-differences")
    batch.q[1] = 100
    batch.step(1.0, 10)  # far beyond the stability limit for one that moves
    assert (batch.status == qt.BodyStatus.diverged).tolist() == [False, True, False, False]
    batch.reset(batch.status == qt.BodyStatus.diverged)
    assert (batch.status == qt.BodyStatus.ok).all() and not np.asarray(batch.q).any()
    batch.set_status([2, 0, 0, 1])
    assert batch.status[:].tolist() == [2, 0, 0, 1]
    batch.reset_status()
    for wrong in ([0, 0, 0], [0, 0, 0, 3]):
        with pytest.raises(qt.InputError):
            batch.set_status(wrong)


def test_damping(model):
    batch = qt.Batch(model, bodies=3)
    batch.set_rayleigh_damping(np.array([1.0, 2, 3], np.float32), 0.5)
    assert batch.rayleigh_mass[:].tolist() == [1, 2, 3] and batch.rayleigh_stiffness[:].tolist() == [0.5] * 3
    for wrong in (np.ones(2), -1.0, np.array([1, 2, np.inf]), "much"):
        with pytest.raises(qt.InputError):
            batch.set_rayleigh_damping(wrong, 0.0)
    assert batch.rayleigh_mass[:].tolist() == [1, 2, 3]


def test_groups_of_several_models(beam, model):
    small = qt.reduce(*beam, modes=2, rank=2)
    batch = qt.Batch([(model, 3), qt.BodyGroup(small, 2), small.energy], dtype="float64")
    assert (batch.bodies, batch.rank, len(batch), batch.group_count) == (6, 5, 6, 3)
    assert [batch.group(g) for g in range(3)] == [(0, 3, 5), (3, 2, 2), (5, 1, 2)]
    for wrong in ([], [(model,)], [(model, 0)], [model, 3], 5, "beam"):
        with pytest.raises(qt.InputError):
            qt.Batch(wrong)
    with pytest.raises(qt.InputError, match="leave out bodies"):
        qt.Batch([(model, 3)], bodies=2)


def test_range(model):
    points = qt.model_range(model, points=8, directions=32)
    batch = qt.Batch(qt.BodyGroup(model, 2, range=points), dtype="float64")
    batch.q[1] = 1000
    flags = np.asarray(batch.check_range())
    assert flags[0] == 0 and flags[1] & qt.BodyFlags.strained
    assert qt.range_flags(points, np.full(5, 1000.0)) == flags[1]
    assert np.array_equal(batch.flags, flags)
    batch.reset_flags()
    assert not np.asarray(batch.flags).any()


def test_a_stiffer_material_bends_less(editable):
    soft = editable.mesh.regions[0].material
    stiff = qt.Material(4 * soft.youngs_modulus, soft.poissons_ratio, soft.density)
    edit = qt.edit_materials(editable, [stiff])
    assert np.allclose(edit.energy.coefficients, 4 * editable.energy.coefficients, rtol=1e-12)
    assert np.array_equal(edit.transform, np.eye(5)) and edit.shift == [0, 0, 0]
    batch = qt.Batch(editable, dtype="float64", rayleigh_mass=30)
    qt.apply_edit(batch, edit)
    assert np.array_equal(qt.with_materials(editable, [stiff]).energy.coefficients, edit.energy.coefficients)
    batch.force[:] = 1e-3
    batch.step(20.0, 2000)
    equilibrium = np.linalg.solve(edit.energy.evaluate(np.zeros(5))[2], np.full(5, 1e-3))
    assert np.allclose(batch.q, equilibrium, rtol=1e-6)
    with pytest.raises(qt.InputError, match="material"):
        qt.edit_materials(editable, [stiff, stiff])


def test_checkpoints_go_on_to_the_bit(tmp_path, model, batch):
    batch.save_checkpoint(tmp_path / "batch.qstate")
    batch.step(0.1, 10)
    other = qt.Batch(model, bodies=7, dtype="float64", threads=1)
    view = np.asarray(other.q)
    assert other.load_checkpoint(tmp_path / "batch.qstate") == []
    assert not qt.checkpoint_has_poses(tmp_path / "batch.qstate")
    other.step(0.1, 10)
    assert same_state(state_of(other), state_of(batch)) and np.array_equal(view, batch.q)
    with pytest.raises(qt.InputError, match="float|precision|double"):
        qt.Batch(model, bodies=7).load_checkpoint(tmp_path / "batch.qstate")
    assert "integrator" in qt.Batch(model, bodies=7, dtype="float64", integrator="backward-euler").load_checkpoint(
        tmp_path / "batch.qstate")[0]


def test_free_bodies_fall_and_spin(free_model):
    moments = qt.free_frame(free_model)
    batch = qt.Batch(qt.BodyGroup(free_model, 2, frame=moments), dtype="float64", newton_iterations=2)
    assert batch.has_frame() and np.array_equal(batch.pose, [[0, 0, 0, 0, 0, 0, 1]] * 2)
    batch.wrench[0, 2] = -9.81 * moments.mass
    twist = np.zeros((2, 6))
    twist[1, 3:] = 0.5, 0.25, 2
    batch.reset([1], twist=twist)
    momentum = np.array(batch.angular_momentum())
    batch.step(0.5, 100)
    assert np.allclose(batch.pose[0, :3], [0, 0, -9.81 * 0.25 / 2], rtol=1e-12, atol=1e-12)
    assert np.allclose(batch.twist[0, :3], [0, 0, -9.81 / 2], rtol=1e-12, atol=1e-12)
    assert np.allclose(batch.linear_momentum()[0], [0, 0, -9.81 / 2 * moments.mass], rtol=1e-12, atol=1e-12)
    assert np.allclose(batch.angular_momentum(), momentum, rtol=1e-9, atol=1e-12) and np.linalg.norm(momentum[1]) > 0
    with pytest.raises(qt.InputError, match="no group of this batch has a frame"):
        qt.Batch(free_model).pose


def rotation(axis, angle):
    """Rodrigues' formula, and the same rotation as a quaternion x y z w."""
    axis = np.array(axis) / np.linalg.norm(axis)
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross, [*(np.sin(angle / 2) * axis), np.cos(angle / 2)]


@pytest.mark.parametrize("dtype, accuracy", [("float32", 1e-6), ("float64", 1e-14)])
def test_vertices_of_free_bodies_go_where_their_poses_take_them(free_model, model, dtype, accuracy):
    q = (np.arange(10).reshape(2, 5) / 100).astype(dtype)
    turns = [rotation([1, 2, 3], 0.7), rotation([0, -1, 1], 3.0)]
    pose = np.array([[1, 2, 3, *turns[0][1]], [0, 0, -1, *turns[1][1]]], dtype)
    points = qt.Embedding(free_model)
    local = free_model.mesh.vertices - [0.5, 0.05, 0.04] + np.asarray(points.displacements(q))
    expected = [pose[b, :3] + local[b] @ turns[b][0].T for b in range(2)]
    assert np.allclose(points.positions(q, pose=pose), expected, rtol=0, atol=4 * accuracy)
    with pytest.raises(qt.InputError, match="held"):
        qt.Embedding(model).positions(q, pose=pose)
    with pytest.raises(qt.InputError, match="pose is an array.*\\(2, 7\\)"):
        points.positions(q, pose=pose[:, :6])


@pytest.mark.parametrize("keywords, words", [
    ({"dtype": "float16"}, 'dtype="float16" isn\'t one of "float32", "float64"'),
    ({"integrator": "euler"}, '"newmark", "backward-euler"'), ({"evaluation": "fast"}, '"strict", "latency"'),
    ({"bodies": 0}, "bod"), ({"newmark_beta": 0.0}, "beta"), ({"device": "tpu"}, 'there are "cpu", "cuda"'),
    ({"evaluation": "accurate"}, "strain"), ({"threads": -1}, "thread"),
])
def test_wrong_options(model, keywords, words):
    with pytest.raises(qt.InputError, match=words):
        qt.Batch(model, **keywords)


@pytest.mark.skipif(qt.cuda_available(), reason="there is a CUDA device")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_without_cuda_the_reason_is_told(beam, model, device):
    assert "'cuda'" in qt.cuda_unavailable_reason()
    for attempt in (lambda: qt.Batch(model, device=device), lambda: qt.reduce(*beam, backend=device),
                    lambda: qt.Embedding(model, device=device)):
        with pytest.raises(qt.BackendUnavailable) as error:
            attempt()
        assert isinstance(error.value, RuntimeError) and str(error.value) == qt.cuda_unavailable_reason()


def test_stiffness_scale_is_a_factor_of_the_energy(model):
    scale, rest = [0.5, 1, 4], [np.zeros((3, 5)) for _ in range(3)]
    batch = qt.Batch(model, bodies=3, dtype="float64")
    batch.set_stiffness_scale(np.array(scale))
    batch.advance(rest, np.full((3, 5), 0.01), 0.1, 10, out=rest)
    plain = qt.Batch(model, bodies=3, dtype="float64")
    plain.q[:] = np.asarray(batch.q)
    assert np.allclose(batch.elastic_energy(), scale * np.asarray(plain.elastic_energy()), rtol=1e-14)
    assert list(np.asarray(batch.stiffness_scale)) == scale
    batch.set_stiffness_scale(2)
    assert (np.asarray(batch.stiffness_scale) == 2).all()
    for wrong in (0, -1.0, np.zeros(3), np.ones(2), np.ones(3, np.float32)):
        with pytest.raises(qt.InputError, match="scale"):
            batch.set_stiffness_scale(wrong)
    assert (np.asarray(batch.stiffness_scale) == 2).all()


def test_pure_steps_have_the_bits_of_a_batch(model):
    start = [np.random.default_rng(n).normal(size=(4, 5)) / 100 for n in range(4)]
    batch = qt.Batch(model, bodies=4, dtype="float64", rayleigh_mass=1.0)
    for view, values in zip((batch.q, batch.velocity, batch.acceleration, batch.force), start):
        view[:] = values
    batch.step(0.02, 3)
    kept = [values.copy() for values in start]
    state = qt.State(*start[:3])
    after = qt.step(model, state, start[3], 0.02, 3, rayleigh_mass=1.0)
    assert all(np.array_equal(x, y) for x, y in zip(after, (batch.q, batch.velocity, batch.acceleration)))
    assert all(np.array_equal(x, y) for x, y in zip(start, kept))
    strided = qt.State(*(np.asfortranarray(values) for values in start[:3]))
    again = qt.step(model, strided, np.repeat(start[3], 2, 1)[:, ::2], 0.02, 3, out=strided, rayleigh_mass=1.0)
    assert again is strided and all(np.array_equal(x, y) for x, y in zip(again, after))
    wild = start[3].copy()
    wild[1] = np.inf
    qt.step(model, qt.State(*kept[:3]), wild, 0.02, 3, rayleigh_mass=1.0)  # a body diverges, and is forgotten
    repeated = qt.step(model, qt.State(*kept[:3]), start[3], 0.02, 3, rayleigh_mass=1.0)
    assert all(np.array_equal(x, y) for x, y in zip(repeated, after))


def test_options_of_a_step_are_named(model):
    rest = np.zeros((4, 5))
    with pytest.raises(qt.InputError, match="rayleigh_mass is a list"):
        qt.step(model, qt.State(rest, rest, rest), rest, 0.02, rayleigh_mass=[1.0])


@pytest.mark.parametrize("change, words", [
    (lambda s, f: (s, f[:3]), "force.*shape \\(3, 5\\)"), (lambda s, f: (s, f.astype(np.float32)), "force is an array of float32"),
    (lambda s, f: (s[:2], f), "q, velocity and acceleration"), (lambda s, f: ([s[0], s[1][:, :4], s[2]], f), "velocity"),
])
def test_wrong_pure_steps(model, change, words):
    batch, out = qt.Batch(model, bodies=4, dtype="float64"), [np.full((4, 5), 7.0) for _ in range(3)]
    state, force = change([np.zeros((4, 5)) for _ in range(3)], np.ones((4, 5)))
    with pytest.raises(qt.InputError, match=words):
        batch.advance(state, force, 0.1, out=out)
    with pytest.raises(qt.InputError, match="overlap"):
        batch.advance([np.zeros((4, 5)) for _ in range(3)], np.ones((4, 5)), 0.1, out=[out[0], out[0], out[1]])
    assert all((values == 7).all() for values in out)
