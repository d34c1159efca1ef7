"""Steps for PyTorch: an operator that torch.compile keeps whole, on the CPU and on CUDA devices.

Forward only: a tensor that wants gradients is refused, and none is ever left out in silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from . import functional
from ._core import InputError, ReducedModel
from .functional import State

Tensor = torch.Tensor
_DTYPES = {torch.float32: "float32", torch.float64: "float64"}


def _outputs(q: Tensor) -> list[Tensor]:
    return [torch.empty(q.shape, dtype=q.dtype, device=q.device) for _ in State._fields]


@torch.library.custom_op("quartic::step", mutates_args=())
def _step(q: Tensor, velocity: Tensor, acceleration: Tensor, force: Tensor, handle: int, dt: float,
          substeps: int) -> list[Tensor]:
    if q.dtype not in _DTYPES or q.dim() != 2:
        raise InputError(f"q is a tensor of {q.dtype} with shape {tuple(q.shape)}; float32 or float64 with shape (B, r) is needed")
    after = _outputs(q)
    device = str(q.device) if q.is_cuda else "cpu"
    stream = torch.cuda.current_stream(q.device) if q.is_cuda else None
    batch = functional.with_handle(handle).batch(len(q), _DTYPES[q.dtype], device)
    with torch.no_grad():
        batch.advance([t.detach() for t in (q, velocity, acceleration)], force.detach(), dt, substeps, out=after,
                      stream=stream)
    return after


@_step.register_fake
def _(q: Tensor, velocity: Tensor, acceleration: Tensor, force: Tensor, handle: int, dt: float, substeps: int) -> list[Tensor]:
    return _outputs(q)


def _refuse(context: Any, *gradients: Any) -> Any:
    raise NotImplementedError("quartic's steps have no gradients yet")


_step.register_autograd(_refuse)


@torch.compiler.assume_constant_result
def _handle(model: ReducedModel, options: tuple[tuple[str, Any], ...]) -> int:
    return functional.stepper_of(model, dict(options)).handle


def step(model: ReducedModel, state: State[Tensor], force: Tensor, dt: float, substeps: int = 1, **options: Any) -> State[Tensor]:
    """The state behind `substeps` steps of dt / substeps [s] under a constant force (B, r): see quartic.step.

    On a CUDA device the work is enqueued in torch's current stream. `options` are Batch's.
    """
    inputs = (*state, force)
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in inputs):
        raise InputError("a tensor requires grad, but quartic's steps have no gradients yet; detach() it, or use torch.no_grad()")
    handle = _handle(model, tuple(sorted(options.items())))
    return State(*torch.ops.quartic.step(*inputs, handle, float(dt), substeps))


def rollout(model: ReducedModel, state: State[Tensor], forces: Sequence[Tensor] | Tensor, dt: float, substeps: int = 1,
            **options: Any) -> tuple[State[Tensor], Tensor]:
    """Steps under one force after the other: the last state, and q behind each, (len(forces), B, r)."""
    motion = []
    for force in forces:
        state = step(model, state, force, dt, substeps, **options)
        motion.append(state.q)
    return state, torch.stack(motion) if motion else state.q.new_empty((0, *state.q.shape))


def rest(model: ReducedModel, bodies: int, dtype: torch.dtype = torch.float32, device: str = "cpu") -> State[Tensor]:
    """The state of bodies at rest."""
    return State(*(torch.zeros(bodies, model.rank, dtype=dtype, device=device) for _ in State._fields))
