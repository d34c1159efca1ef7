"""What functions of quartic take as arrays, for type checkers."""

from __future__ import annotations

import array
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Union

import numpy.typing

AnyArray = numpy.typing.NDArray[Any]


class SupportsDLPack(Protocol):
    """NumPy's arrays, tensors of torch, quartic.Array, ..."""

    def __dlpack__(self, *args: Any, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


class CudaStream(Protocol):
    """Of cuda.core, Warp, ..."""

    def __cuda_stream__(self) -> tuple[int, int]: ...


class TorchStream(Protocol):
    @property
    def cuda_stream(self) -> int: ...


class CupyStream(Protocol):
    @property
    def ptr(self) -> int: ...


ArrayLike = Union[SupportsDLPack, memoryview, "array.array[Any]"]
Stream = Union[int, CudaStream, TorchStream, CupyStream]
Indices = Union[ArrayLike, Sequence[int]]
Progress = Callable[[str, float], object]
