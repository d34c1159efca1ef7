"""Steps for JAX: a function that jax.jit compiles into a call of quartic, on the CPU and on CUDA devices.

Forward only: jax.grad of it raises. jax.vmap makes more bodies.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_batching import custom_vmap

from . import _core, functional
from .functional import State

if not hasattr(_core, "_xla_targets"):
    raise ImportError("this quartic was built without JAX's headers: build it where jax is installed (jax.ffi.include_dir())")


def _name(dtype: str) -> str:
    return f"quartic_step_{dtype}"


for _dtype, _platform, _capsule in _core._xla_targets():
    jax.ffi.register_ffi_target(_name(_dtype), _capsule, platform=_platform)

def _device_of(q: Any) -> str:
    """Where a concrete array is; of a traced one, where JAX computes."""
    try:
        device = next(iter(q.devices()))
    except jax.errors.ConcretizationTypeError:
        device = getattr(jax.config, "jax_default_device") or jax.devices()[0]  # no stub of every version has it
        if isinstance(device, str):  # of a platform
            device = jax.local_devices(backend=device)[0]
    return "cpu" if device.platform == "cpu" else f"cuda:{device.local_hardware_id}"


def step(model: _core.ReducedModel, state: State[Any], force: Any, dt: float, substeps: int = 1, *, device: str | None = None,
         **options: Any) -> State[Any]:
    """The state behind `substeps` steps of dt / substeps [s] under a constant force (B, r): see quartic.step.

    float64 needs JAX's option jax_enable_x64. dt, substeps and `options`, those of Batch, are constants of what is compiled; `device`
    is "cpu" or "cuda:0", by default where q is.
    """
    q = jnp.asarray(state.q)
    if q.ndim != 2 or q.dtype.name not in ("float32", "float64"):
        raise _core.InputError(f"q is an array of {q.dtype.name} with shape {q.shape}; float32 or float64 with shape (B, r) is needed")
    for name, values in zip(("velocity", "acceleration", "force"), (state.velocity, state.acceleration, force)):
        if values.shape != q.shape or values.dtype != q.dtype:
            raise _core.InputError(f"{name} is an array of {values.dtype} with shape {values.shape}, but q of {q.dtype} with shape {q.shape}")
    stepper, place = functional.stepper_of(model, options), device or _device_of(q)

    @custom_vmap
    def call(q: Any, velocity: Any, acceleration: Any, force: Any) -> Any:
        shape_and_type: Any = jax.ShapeDtypeStruct  # untyped in some versions
        after = (shape_and_type(q.shape, q.dtype),) * 3
        number = stepper.number(q.shape[0], q.dtype.name, place)
        return jax.ffi.ffi_call(_name(q.dtype.name), after)(q, velocity, acceleration, force, batch=np.int64(number), dt=np.float64(dt),
                                                            substeps=np.int64(substeps))

    @call.def_vmap
    def more_bodies(size: int, batched: Any, *arrays: Any) -> Any:
        whole = [a if is_batched else jnp.broadcast_to(a, (size, *a.shape)) for a, is_batched in zip(arrays, batched)]
        after = call(*(a.reshape(-1, a.shape[-1]) for a in whole))
        return tuple(a.reshape(size, -1, a.shape[-1]) for a in after), (True,) * 3

    return State(*call(q, state.velocity, state.acceleration, force))
