"""Learning environments of Gymnasium: many soft bodies, stepped together, each with numbers of its own.

Everything is an array over the bodies, NumPy's or torch's, in the memory where the batch is; no step looks at single bodies, and on a
CUDA device none waits for it.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from . import _core

Range = tuple[float, float]


class _NumPy:
    """What the environment needs of an array library, by NumPy."""

    def __init__(self, seed: int | None) -> None:
        self.random = np.random.default_rng(seed)

    def view(self, array: _core.Array) -> Any:
        return np.asarray(array)

    def array(self, values: Any) -> Any:
        return np.array(values, np.float32)

    def mask(self, values: Any) -> Any:
        return np.asarray(values, bool)

    def stream(self) -> Any:
        return None

    def uniform(self, low: float, high: float, *shape: int) -> Any:
        return self.random.uniform(low, high, shape).astype(np.float32)

    def values(self, array: Any) -> Any:
        return array

    where, concatenate = staticmethod(np.where), staticmethod(np.concatenate)
    contiguous, matmul = staticmethod(np.ascontiguousarray), staticmethod(np.matmul)


class _Torch:
    """The same by torch, on any device."""

    def __init__(self, seed: int | None, device: str) -> None:
        import torch

        self.torch, self.device = torch, device
        self.random = torch.Generator(device=device)
        if seed is None:
            self.random.seed()
        else:
            self.random.manual_seed(seed)
        self.where, self.concatenate, self.matmul = torch.where, torch.concatenate, torch.matmul

    def view(self, array: _core.Array) -> Any:
        return self.torch.from_dlpack(array)

    def array(self, values: Any) -> Any:
        return self.torch.tensor(np.asarray(values, np.float32), device=self.device)

    def contiguous(self, values: Any) -> Any:
        return values.contiguous()

    def values(self, array: Any) -> Any:
        return array.detach()

    def mask(self, values: Any) -> Any:
        return self.torch.as_tensor(values, dtype=self.torch.bool, device=self.device)

    def stream(self) -> Any:
        """In which torch works at present; the batch is to work there too."""
        return None if self.device == "cpu" else self.torch.cuda.current_stream(self.device)

    def uniform(self, low: float, high: float, *shape: int) -> Any:
        return low + (high - low) * self.torch.rand(*shape, generator=self.random, device=self.device)


class SoftReach(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """The tip of a soft finger is to be brought to a target and held there, by forces that bend the finger.

    Actions (B, k) in [-1, 1] are multiples of `actuation` (k, r), reduced forces. Observations (B, 9) are the tip's displacement, its
    velocity over one second, and the target's displacement, each over `reach` [m]. The reward is minus the distance over `reach`.
    Each episode has its own target, stiffness, damping and gravity, uniform in the given ranges, which the policy isn't told. An
    episode ends after `max_episode_steps`, or where the body diverges.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, model: _core.ReducedModel, num_envs: int, *, tip: int, actuation: Any, targets: Any, reach: float,
                 device: str = "cpu", arrays: str = "numpy", dt: float = 0.02, substeps: int = 2, max_episode_steps: int = 100,
                 stiffness: Range = (1, 1), damping: Range = (2, 2), gravity: Range = (9.81, 9.81),
                 autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP, **options: Any) -> None:
        """targets (t, 3): displacements [m] of the tip, of which one is drawn; stiffness: factors of E; damping: alpha [1/s];
        gravity [m/s^2] along -z. arrays: "numpy" or "torch", on a CUDA device always torch's. Further options are Batch's."""
        if arrays not in ("numpy", "torch"):
            raise _core.InputError(f'arrays="{arrays}" isn\'t one of "numpy", "torch"')
        self.uses_torch = arrays == "torch" or device != "cpu"
        self.metadata = {"autoreset_mode": AutoresetMode(autoreset_mode)}
        self.num_envs, self.reach, self.dt, self.substeps, self.max_episode_steps = num_envs, reach, dt, substeps, max_episode_steps
        self.batch = _core.Batch(model, bodies=num_envs, dtype="float32", device=device, **options)
        self._ranges = {"stiffness": stiffness, "damping": damping, "gravity": gravity}
        self._seed(None)
        # Bodies side by side in memory, as the batch has them: (r, B), and so everything below but what goes out.
        self._q, self._velocity, self._force = (self._lib.view(a).T for a in (self.batch.q, self.batch.velocity, self.batch.force))
        weight = -np.asarray(model.unit_acceleration)[2:3]  # (1, r): of 1 m/s^2 along -z
        self._drive = self._lib.array(np.concatenate([np.asarray(actuation), weight]).T)  # (r, k + 1)
        self._inputs = self._lib.array(np.zeros((self._drive.shape[1], num_envs)))  # actions, and gravity
        self._tip = self._lib.array(np.asarray(model.basis)[:, tip, :].T / reach)  # (3, r)
        self._choices = self._lib.array(np.asarray(targets).T / reach)  # (3, t)
        self._none = self._lib.array(np.zeros(num_envs)) > 0
        self._all = ~self._none
        self._ended, self._steps, self._target = self._none, self._lib.array(np.zeros(num_envs)), self._choices[:, :1] + 0 * (self._tip @ self._q)
        self._own = {name: self._lib.array(np.full(num_envs, low)) for name, (low, _) in self._ranges.items()}
        self._drawn = {name for name, (low, high) in self._ranges.items() if low != high}  # others stay as they are
        self._set_parameters(set(self._ranges))
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (9,), np.float32)
        self.single_action_space = gymnasium.spaces.Box(-1, 1, (len(actuation),), np.float32)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)

    @property
    def episode_steps(self) -> Any:
        """How many steps the present episode of each body has had, (B): a copy. May be set, so that episodes end at different times."""
        return 1 * self._steps

    @episode_steps.setter
    def episode_steps(self, steps: Any) -> None:
        self._steps = 0 * self._steps + steps

    def _seed(self, seed: int | None) -> None:
        device = self.batch.device
        self._lib: Any = _Torch(seed, device) if self.uses_torch else _NumPy(seed)

    def _observe(self) -> Any:
        """(9, B)"""
        return self._lib.concatenate([self._tip @ self._q, self._tip @ self._velocity, self._target])

    def _set_parameters(self, names: set[str]) -> None:
        """Lets these numbers of all bodies take effect."""
        stream = self._lib.stream()
        if "gravity" in names:
            self._inputs[-1] = self._own["gravity"]
        if "stiffness" in names:
            self.batch.set_stiffness_scale(self._own["stiffness"], stream=stream)
        if "damping" in names:
            self.batch.set_rayleigh_damping(self._own["damping"], 0 * self._own["damping"], stream=stream)

    def _restart(self, mask: Any) -> None:
        """New episodes of the bodies in the mask."""
        lib, count = self._lib, self.num_envs
        for name in sorted(self._drawn):
            self._own[name] = lib.where(mask, lib.uniform(*self._ranges[name], count), self._own[name])
        drawn = lib.uniform(0, self._choices.shape[1], count).clip(0, self._choices.shape[1] - 1)
        indices = drawn.long() if self.uses_torch else drawn.astype(np.int64)
        self._target = lib.where(mask, self._choices[:, indices], self._target)
        self._steps = lib.where(mask, 0 * self._steps, self._steps)
        self._set_parameters(self._drawn)
        self.batch.reset(mask, stream=lib.stream())

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """All bodies start again, or those of options["reset_mask"]."""
        if seed is not None:
            self._seed(seed)
        chosen = (options or {}).get("reset_mask")
        mask = self._all if chosen is None else self._lib.mask(chosen)
        self._restart(mask)
        self._ended = self._ended & ~mask
        return self._lib.contiguous(self._observe().T), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        mode, before = self.metadata["autoreset_mode"], self._ended
        restarts = mode == AutoresetMode.NEXT_STEP and (self.uses_torch or before.any())
        if restarts:
            self._restart(before)
        self._inputs[:-1] = self._lib.values(actions).T.clip(-1, 1)
        inputs = self._lib.where(before, 0, self._inputs) if restarts else self._inputs  # what restarts doesn't move yet
        self._lib.matmul(self._drive, inputs, out=self._force)
        self.batch.step(self.dt, self.substeps, stream=self._lib.stream())
        self._steps, observations = self._steps + 1, self._observe()
        away = observations[:3] - self._target
        rewards = -((away * away).sum(0) ** 0.5)
        terminated = self._lib.view(self.batch.status) == int(_core.BodyStatus.diverged)
        if restarts:
            self._steps, rewards = self._lib.where(before, 0, self._steps), self._lib.where(before, 0, rewards)
        truncated = self._steps >= self.max_episode_steps
        self._ended, infos = terminated | truncated, {}
        if mode == AutoresetMode.SAME_STEP and (self.uses_torch or self._ended.any()):
            infos = {"final_obs": self._lib.contiguous(observations.T), "_final_obs": self._ended}
            self._restart(self._ended)
            observations, self._ended = self._observe(), self._none
        return self._lib.contiguous(observations.T), rewards, terminated, truncated, infos
