"""Environments as rsl_rl steps them, and its own PPO on one."""

import pytest

import quartic as qt
from conftest import needs

torch = needs("torch")
gymnasium = needs("gymnasium")
runners = needs("rsl_rl.runners")
import quartic.rsl_rl as qr  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from quartic.gym import SoftReach  # noqa: E402

BODIES, EPISODE = 6, 5


def make(model, bodies=BODIES, **options):
    tip = model.mesh.vertex_count - 1
    options = {"arrays": "torch", "autoreset_mode": AutoresetMode.SAME_STEP, "max_episode_steps": EPISODE} | options
    return SoftReach(model, bodies, tip=tip, actuation=5 * model.basis[:, tip, 1:].T, targets=[[0, 0.1, -0.1], [0, -0.2, 0.1]],
                     reach=0.3, stiffness=(0.5, 2), **options)


def test_it_is_an_environment_of_rsl_rl_s(model):
    from rsl_rl.env import VecEnv

    env = qr.VecEnv(make(model), {"name": "reach"})
    assert isinstance(env, VecEnv) and env.cfg == {"name": "reach"}
    assert (env.num_envs, env.num_actions, env.max_episode_length, env.device) == (BODIES, 2, EPISODE, "cpu")
    seen = env.get_observations()
    assert seen.batch_size == (BODIES,) and seen["policy"].shape == (BODIES, 9) and seen["policy"].dtype == torch.float32
    assert torch.equal(env.reset()["policy"], env.get_observations()["policy"])


def test_steps_are_the_environment_s(model):
    inner = make(model)
    env, actions = qr.VecEnv(make(model)), torch.full((BODIES, 2), 0.5)
    for one in (inner, env.env):
        one.reset(seed=3)
    for n in range(EPISODE):
        expected, rewards, terminated, truncated, infos = inner.step(actions)
        seen, got, dones, extras = env.step(actions)
        assert torch.equal(seen["policy"], expected) and torch.equal(got, rewards)
        assert dones.shape == (BODIES,) and dones.dtype == torch.int64 and (dones == (n == EPISODE - 1)).all()
        assert torch.equal(extras["time_outs"], truncated)
    assert "final_obs" in infos and (env.episode_length_buf == 0).all()


def test_episodes_may_end_at_different_times(model):
    env = qr.VecEnv(make(model))
    env.episode_length_buf = torch.arange(BODIES) % EPISODE
    assert torch.equal(env.episode_length_buf, torch.arange(BODIES) % EPISODE)
    ends = torch.stack([env.step(torch.zeros(BODIES, 2))[2] for _ in range(EPISODE)])
    assert torch.equal(ends.argmax(0), EPISODE - 1 - torch.arange(BODIES) % EPISODE) and (ends.sum(0) == 1).all()


def test_who_diverged_didn_t_run_out_of_time(model):
    env = qr.VecEnv(make(model))
    torch.from_dlpack(env.env.batch.velocity)[2] = float("inf")
    _, _, dones, extras = env.step(torch.zeros(BODIES, 2))
    assert dones.tolist() == [0, 0, 1, 0, 0, 0] and not extras["time_outs"].any()
    assert torch.isfinite(env.get_observations()["policy"]).all()


@pytest.mark.parametrize("options, words", [({"arrays": "numpy"}, "torch"), ({"autoreset_mode": AutoresetMode.NEXT_STEP}, "SAME_STEP")])
def test_other_environments_are_refused(model, options, words):
    with pytest.raises(qt.InputError, match=words):
        qr.VecEnv(make(model, **options))


def test_ppo_runs_on_it(model):
    """rsl_rl's own runner takes the environment, with episodes that end at different times, and gets no NaN from it."""
    torch.manual_seed(1)
    network = {"class_name": "MLPModel", "hidden_dims": [16], "activation": "elu"}
    configuration = {
        "num_steps_per_env": 8, "save_interval": 1000, "obs_groups": {"actor": ["policy"], "critic": ["policy"]}, "check_for_nan": True,
        "actor": network | {"distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 0.5}}, "critic": network,
        "algorithm": {"class_name": "PPO", "learning_rate": 1e-3, "schedule": "fixed"},
    }
    env = qr.VecEnv(make(model, 16))
    runner = runners.OnPolicyRunner(env, configuration, log_dir=None, device="cpu")
    before = [parameter.detach().clone() for parameter in runner.alg.actor.parameters()]
    runner.learn(num_learning_iterations=2, init_at_random_ep_len=True)
    after = list(runner.alg.actor.parameters())
    assert all(torch.isfinite(p).all() for p in after) and any(not torch.equal(a, b) for a, b in zip(after, before))
    assert len(set(env.episode_length_buf.tolist())) > 1
