"""Steps as functions of a state: what goes in isn't changed, what comes out is all there is to know."""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import Any, Generic, NamedTuple, TypeVar

from . import _core

Values = TypeVar("Values")


class State(NamedTuple, Generic[Values]):
    """The motion of held bodies: arrays (B, r) each, of any library. Two steps from equal states are equal, bit by bit."""

    q: Values
    velocity: Values
    acceleration: Values


class Stepper:
    """Steps of one model with options of `Batch`. Makes a batch for each number of bodies, and keeps it.

    It lives as long as the model, which it doesn't keep itself.
    """

    def __init__(self, model: _core.ReducedModel, **options: Any) -> None:
        if "bodies" in options or "dtype" in options or "device" in options:
            raise _core.InputError("bodies, dtype and device are those of the state: leave them out of the options")
        self._model, self.options = weakref.ref(model), options
        self.handle = next(_handles)
        self._batches: dict[tuple[int, str, str], _core.Batch] = {}
        self._numbers: dict[tuple[int, str, str], int] = {}
        _steppers[self.handle] = self

    def batch(self, bodies: int, dtype: str, device: str = "cpu") -> _core.Batch:
        """The batch that such states are stepped in."""
        key = (bodies, dtype, device)
        with _lock:
            if key not in self._batches:
                model = self._model()
                assert model is not None  # which keeps this object
                self._batches[key] = _core.Batch(model, bodies=bodies, dtype=dtype, device=device, **self.options)
            return self._batches[key]

    def number(self, bodies: int, dtype: str, device: str) -> int:
        """By which programs that XLA compiles name such a batch."""
        batch, key = self.batch(bodies, dtype, device), (bodies, dtype, device)
        with _lock:
            if key not in self._numbers:
                number = getattr(_core, "_number_of_batch")  # of extensions that were built with JAX's headers
                self._numbers[key] = int(number(batch))
            return self._numbers[key]


_lock = threading.Lock()  # for what follows, and for what steppers keep
_handles = itertools.count(1)
_steppers: weakref.WeakValueDictionary[int, Stepper] = weakref.WeakValueDictionary()
_of_models: weakref.WeakKeyDictionary[_core.ReducedModel, dict[Any, Stepper]] = weakref.WeakKeyDictionary()


def with_handle(handle: int) -> Stepper:
    """The stepper of that number, by which compiled programs name it."""
    stepper = _steppers.get(handle)
    if stepper is None:
        raise _core.InputError("the model of this step is gone; keep it as long as what was compiled for it")
    return stepper


def _key_of(options: dict[str, Any]) -> frozenset[tuple[str, Any]]:
    for name, value in options.items():
        try:
            hash(value)
        except TypeError:
            raise _core.InputError(f"{name} is a {type(value).__name__}; options of a step are single numbers and words, as Batch has them") from None
    return frozenset(options.items())


def stepper_of(model: _core.ReducedModel, options: dict[str, Any]) -> Stepper:
    """One for each set of options, as long as the model lives. InputError for options that can't be told apart, such as arrays."""
    key = _key_of(options)
    with _lock:
        steppers = _of_models.setdefault(model, {})
        if key not in steppers:
            steppers[key] = Stepper(model, **options)
        return steppers[key]


def step(model: _core.ReducedModel, state: State[Any], force: Any, dt: float, substeps: int = 1, *,
         out: State[Any] | None = None, **options: Any) -> State[Any]:
    """The state behind `substeps` steps of dt / substeps [s] under a constant force (B, r), with the bits of Batch.step.

    Arrays in the memory of the CPU, of float32 or float64; without `out`, new ones of NumPy's. `options` are Batch's.
    """
    import numpy as np

    q = np.asarray(state.q)
    if q.ndim != 2 or q.dtype.name not in ("float32", "float64"):
        raise _core.InputError(f"q is an array of {q.dtype.name} with shape {q.shape}; float32 or float64 with shape (B, r) is needed")
    result = out if out is not None else State(*(np.empty(q.shape, q.dtype) for _ in State._fields))
    stepper_of(model, options).batch(len(q), q.dtype.name).advance(state, force, dt, substeps, out=result)
    return result
