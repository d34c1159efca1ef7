"""Learning environments: episodes, their ends, and numbers of their own."""

import numpy as np
import pytest

import quartic as qt
from conftest import needs

gymnasium = needs("gymnasium")
from gymnasium.vector import AutoresetMode  # noqa: E402

from quartic.gym import SoftReach  # noqa: E402

BODIES, LENGTH = 6, 1.0


def tip_of(model):
    return int(np.argmax(np.asarray(model.mesh.vertices)[:, 0]))


@pytest.fixture(params=["numpy", "torch"])
def arrays(request):
    if request.param == "torch":
        needs("torch")
    return request.param


def make(model, arrays="numpy", **options):
    push = np.asarray(model.basis)[:, tip_of(model), 1:].T * 5.0  # 5 N on the tip along y and z
    options = {"max_episode_steps": 4, "targets": np.array([[0, 0.1, -0.1], [0, -0.2, 0.1]]), **options}
    return SoftReach(model, BODIES, tip=tip_of(model), actuation=push, reach=0.3, arrays=arrays, **options)


def actions(arrays, value=0.5):
    values = np.full((BODIES, 2), value, np.float32)
    if arrays == "numpy":
        return values
    import torch

    return torch.from_numpy(values)


def numbers(values):
    return np.asarray(values)


def test_observations_are_of_the_tip(model, arrays):
    env = make(model, arrays)
    first, _ = env.reset(seed=1)
    assert env.observation_space.contains(numbers(first)) and (numbers(first)[:, :6] == 0).all()
    seen, rewards, terminated, truncated, _ = env.step(actions(arrays))
    tip = qt.Embedding(model, [tip_of(model)]).displacements(env.batch.q).numpy()[:, 0]
    assert np.allclose(numbers(seen)[:, :3] * 0.3, tip, atol=1e-7) and np.abs(tip).max() > 1e-4
    target = numbers(seen)[:, 6:] * 0.3
    assert np.allclose(numbers(rewards), -np.linalg.norm(tip - target, axis=1) / 0.3, atol=1e-6)
    assert not numbers(terminated).any() and not numbers(truncated).any()


def test_next_step_restarts_bodies_that_have_ended(model, arrays):
    env = make(model, arrays)
    env.reset(seed=1)
    for _ in range(4):
        _, _, _, truncated, _ = env.step(actions(arrays))
    assert numbers(truncated).all()
    seen, rewards, terminated, truncated, _ = env.step(actions(arrays))
    assert (numbers(seen)[:, :6] == 0).all() and (numbers(rewards) == 0).all() and not numbers(truncated).any()
    for n in range(4):
        _, _, _, truncated, _ = env.step(actions(arrays))
        assert numbers(truncated).all() == (n == 3)


def test_same_step_tells_the_last_observation(model, arrays):
    env = make(model, arrays, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=1)
    for _ in range(3):
        env.step(actions(arrays))
    seen, _, _, truncated, infos = env.step(actions(arrays))
    assert numbers(truncated).all() and (numbers(seen)[:, :6] == 0).all()
    assert (np.abs(numbers(infos["final_obs"])[:, :6]).max(1) > 0).all() and numbers(infos["_final_obs"]).all()


def test_without_autoreset_the_mask_is_the_caller_s(model, arrays):
    env = make(model, arrays, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    for _ in range(5):
        before, _, _, truncated, _ = env.step(actions(arrays))
    assert numbers(truncated).all()
    mask = actions(arrays)[:, 0] > 1
    mask[2] = True
    seen, _ = env.reset(options={"reset_mask": mask})
    others = [0, 1, 3, 4, 5]
    assert (numbers(seen)[2, :6] == 0).all() and np.array_equal(numbers(seen)[others], numbers(before)[others])


def test_masks_may_be_numpy_s(model, arrays):
    env = make(model, arrays, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    before, *_ = env.step(actions(arrays))
    mask = np.arange(BODIES) == 2
    seen, _ = env.reset(options={"reset_mask": mask})
    assert (numbers(seen)[mask, :6] == 0).all() and np.array_equal(numbers(seen)[~mask], numbers(before)[~mask])


def test_parameters_that_are_not_drawn_stay(model, arrays):
    env = make(model, arrays, stiffness=(2.0, 2.0), damping=(1.5, 1.5), gravity=(3.0, 3.0))
    assert (np.asarray(env.batch.stiffness_scale) == 2).all() and (np.asarray(env.batch.rayleigh_mass) == 1.5).all()
    env.batch.set_stiffness_scale(4.0)  # by which a restart would be seen to set it
    env.reset(seed=1)
    assert (np.asarray(env.batch.stiffness_scale) == 4).all() and (numbers(env._own["gravity"]) == 3).all()


def test_a_diverged_body_ends_its_episode(model, arrays):
    env = make(model, arrays)
    env.reset(seed=1)
    np.asarray(env.batch.q)[3] = np.nan
    _, _, terminated, _, _ = env.step(actions(arrays))
    assert list(np.flatnonzero(numbers(terminated))) == [3]
    seen, _, terminated, _, _ = env.step(actions(arrays))
    assert np.isfinite(numbers(seen)).all() and not numbers(terminated).any()


def test_bodies_have_numbers_of_their_own(model, arrays):
    env = make(model, arrays, stiffness=(0.5, 2.0), damping=(6.0, 10.0), gravity=(0.0, 9.81), max_episode_steps=100)
    env.reset(seed=7)
    scale, mass = np.asarray(env.batch.stiffness_scale), np.asarray(env.batch.rayleigh_mass)
    assert (scale >= 0.5).all() and (scale <= 2).all() and len(set(scale)) == BODIES
    assert (mass >= 6).all() and (mass <= 10).all() and len(set(mass)) == BODIES
    for _ in range(100):  # until they are at rest, but for exp(-6)
        seen, *_ = env.step(actions(arrays, 0.0))
    weights = numbers(env._own["gravity"])
    sunk = -numbers(seen)[:, 2] * 0.3
    order = np.argsort(weights / scale)  # what decides how far a body sinks
    assert (np.diff(sunk[order]) > 0).all()


def test_a_seed_repeats_an_episode(model, arrays):
    runs = []
    for _ in range(2):
        env = make(model, arrays, stiffness=(0.5, 2.0))
        env.reset(seed=3)
        runs.append(np.stack([numbers(env.step(actions(arrays))[0]) for _ in range(6)]))
    assert np.array_equal(*runs)


def test_gymnasium_is_content(model):
    env = make(model)
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert env.single_action_space.shape == (2,) and env.action_space.shape == (BODIES, 2)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped.reset(seed=1)
    for _ in range(4):
        *_, infos = wrapped.step(wrapped.action_space.sample())
    assert (infos["episode"]["l"] == 4).all()


def test_wrong_words(model):
    with pytest.raises(qt.InputError, match='"numpy", "torch"'):
        make(model, "cupy")
