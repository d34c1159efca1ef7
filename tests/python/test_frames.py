"""Bodies that fly, and bodies on a base that the caller moves: against the same by NumPy."""

import numpy as np
import pytest

import quartic as qt

GRAVITY = np.array([0.0, 0.0, -9.81])


def flying(free, bodies=3):
    batch = qt.Batch(qt.BodyGroup(free, bodies, frame=qt.free_frame(free)), dtype="float64")
    rotation = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])  # a quarter turn about z
    np.asarray(batch.pose)[:, 3:] = rotation
    return batch


def test_world_twists_turn_the_angular_velocity(free_model):
    batch = flying(free_model)
    world = np.arange(18.0).reshape(3, 6)
    batch.set_world_twist(world)
    own = np.asarray(batch.twist)
    assert np.allclose(own[:, :3], world[:, :3], rtol=0, atol=0)
    assert np.allclose(own[:, 3:], np.stack([world[:, 4], -world[:, 3], world[:, 5]], axis=1), atol=1e-13)
    assert np.allclose(batch.world_twist(), world, atol=1e-13)
    with pytest.raises(qt.InputError, match="shape"):
        batch.set_world_twist(world[:, :5])


def test_gravity_is_a_weight_of_bodies_that_fly(free_model):
    batch = flying(free_model)
    mass = qt.frame_moments(free_model).mass
    batch.add_gravity(GRAVITY)
    assert np.allclose(np.asarray(batch.wrench)[:, :3], mass * GRAVITY, rtol=1e-14)
    start = np.array(batch.pose)[:, :3]
    batch.step(0.5, substeps=10)
    assert np.allclose(np.asarray(batch.pose)[:, :3], start + 0.5 * GRAVITY * 0.5**2, atol=1e-12)


def test_without_coupling_bodies_turn_as_at_rest(free_model):
    """Euler's equations of the inertia at rest, by Runge's and Kutta's method."""
    moments = qt.free_frame(free_model)
    rest = qt.rest_moments(moments)
    assert not rest.moment1.any() and not rest.moment2.any() and np.array_equal(rest.moment0, moments.moment0)
    batch = qt.Batch(qt.BodyGroup(free_model, frame=rest), dtype="float64", integrator="energy-conserving")
    w = np.array([0.3, 2.0, 0.1])
    np.asarray(batch.twist)[0, 3:] = w
    np.asarray(batch.velocity)[0] = 0.01
    batch.step(0.5, 1000)
    inertia = np.trace(rest.moment0) * np.eye(3) - rest.moment0
    rate = lambda x: np.linalg.solve(inertia, np.cross(inertia @ x, x))  # noqa: E731
    h = 0.5 / 1000
    for _ in range(1000):
        a = rate(w)
        b = rate(w + h / 2 * a)
        c = rate(w + h / 2 * b)
        w = w + h / 6 * (a + 2 * b + 2 * c + rate(w + h * c))
    assert np.allclose(np.asarray(batch.twist)[0, 3:], w, atol=1e-5)  # second order in h = 0.5 ms


def test_a_base_holds_what_is_on_it(model):
    group = qt.BodyGroup(model, 2, frame=qt.base_frame(model), motion="prescribed")
    batch = qt.Batch(group, dtype="float64", rayleigh_mass=200, integrator="backward-euler", newton_iterations=4)
    assert batch.frame_motion() == "prescribed"
    batch.add_gravity(GRAVITY)
    batch.step(20.0, substeps=400)  # until it is at rest
    force = np.asarray(batch.base_wrench())[:, :3]
    assert np.allclose(force, -qt.frame_moments(model).mass * GRAVITY, rtol=1e-6, atol=1e-6)


def test_frames_are_those_of_their_models(free_model, model):
    with pytest.raises(qt.InputError, match="held"):
        qt.BodyGroup(model, 1, frame=qt.free_frame(free_model))
    spoon = qt.reduce(qt.make_spoon(20)[0], [], modes=3, rank=5)
    with pytest.raises(qt.InputError, match="kg"):
        qt.BodyGroup(free_model, 1, frame=qt.free_frame(spoon))
    with pytest.raises(qt.InputError, match="prescribed"):
        qt.BodyGroup(free_model, 1, frame=qt.free_frame(free_model), motion="driven")


def test_trajectories_keep_flights(free_model, tmp_path):
    batch = flying(free_model)
    time, q = np.array([0.0, 0.1]), np.zeros((2, 3, 5))
    pose, twist = np.stack([np.array(batch.pose)] * 2), np.zeros((2, 3, 6))
    pose[1, :, 0] += 1
    motion = qt.Trajectory(time, q, pose=pose, twist=twist)
    qt.save_trajectory(motion, tmp_path / "flight.qtraj")
    again = qt.load_trajectory(tmp_path / "flight.qtraj")
    assert np.array_equal(again.pose, pose) and np.array_equal(again.twist, twist)
    assert qt.write_glb(free_model, again, tmp_path / "all.glb") == []
    qt.write_glb(free_model, again, tmp_path / "first.glb", bodies="first")
    assert (tmp_path / "first.glb").stat().st_size < (tmp_path / "all.glb").stat().st_size
    assert qt.Trajectory(time, q).pose.shape == (0, 3, 7)
    with pytest.raises(qt.InputError, match="pose"):
        qt.Trajectory(time, q, pose=pose[:1])
