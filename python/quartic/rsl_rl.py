"""Environments of `quartic.gym` for rsl_rl, the learning library of ETH Zurich and NVIDIA: version 5, as its VecEnv has been since 3.

    env = SoftReach(model, 4096, ..., arrays="torch", autoreset_mode=AutoresetMode.SAME_STEP)
    runner = rsl_rl.runners.OnPolicyRunner(quartic.rsl_rl.VecEnv(env), configuration, device=env.batch.device)
"""

from __future__ import annotations

from typing import Any

import torch
from gymnasium.vector import AutoresetMode
from rsl_rl.env import VecEnv as _VecEnv
from tensordict import TensorDict

from ._core import InputError
from .gym import SoftReach


class VecEnv(_VecEnv):
    """A `SoftReach` as rsl_rl steps it: bodies whose episode is over start again in the same step, and `time_outs` says which of them
    only ran out of time. Observations are a TensorDict with one group, "policy", (B, 9)."""

    def __init__(self, env: SoftReach, cfg: dict[str, Any] | None = None) -> None:
        """cfg: what loggers are to know of the environment."""
        if not env.uses_torch:
            raise InputError('rsl_rl works on tensors: make the environment with arrays="torch"')
        if env.metadata["autoreset_mode"] != AutoresetMode.SAME_STEP:
            raise InputError("rsl_rl wants bodies to start again in the step that ends their episode: make the environment with "
                             "autoreset_mode=AutoresetMode.SAME_STEP")
        self.env, self.cfg = env, cfg or {}
        self.num_envs, self.num_actions = env.num_envs, env.single_action_space.shape[0]
        self.max_episode_length, self.device = env.max_episode_steps, env.batch.device
        self._seen, _ = env.reset()

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """How many steps each body's episode has had, (B) int64. Runners write to it, so that episodes end at different times."""
        steps: torch.Tensor = self.env.episode_steps
        return steps.long()

    @episode_length_buf.setter
    def episode_length_buf(self, steps: torch.Tensor) -> None:
        self.env.episode_steps = steps

    def get_observations(self) -> TensorDict:
        """What the last step or reset showed."""
        return TensorDict({"policy": self._seen}, batch_size=[self.num_envs], device=self.device)

    def reset(self) -> TensorDict:
        """Starts all bodies again."""
        self._seen, _ = self.env.reset()
        return self.get_observations()

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Observations of the next state, or of the new episode's first; rewards (B); whether the episode is over (B); extras."""
        self._seen, rewards, terminated, truncated, _ = self.env.step(actions)
        return self.get_observations(), rewards, (terminated | truncated).long(), {"time_outs": truncated & ~terminated}
