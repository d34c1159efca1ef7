"""Memory of a CUDA device by ctypes, without any array library: what tests hand to quartic, and read back."""

import ctypes

import numpy as np

_TO_DEVICE, _TO_HOST = 1, 2


class Runtime:
    """The CUDA runtime's calls, checked."""

    def __init__(self):
        self._library = ctypes.CDLL("libcudart.so.13")

    def __getattr__(self, name):
        def call(*arguments):
            result = getattr(self._library, name)(*arguments)
            assert result == 0, f"{name}: {result}"

        return call


def copy_to_device(pointer, values):
    values = np.ascontiguousarray(values)
    Runtime().cudaMemcpy(ctypes.c_void_p(pointer), values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(values.nbytes), _TO_DEVICE)


class DeviceArray:
    """A copy of NumPy's array, shown by the CUDA array interface alone."""

    def __init__(self, values, strides=None, stream=None, read_only=False):
        self.values = np.ascontiguousarray(values)  # all of the memory
        self.shape, self.strides, self.stream, self.read_only = self.values.shape, strides, stream, read_only
        pointer = ctypes.c_void_p()
        Runtime().cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(max(self.values.nbytes, 1)))
        self.pointer = pointer.value
        copy_to_device(self.pointer, self.values)

    def __del__(self):
        Runtime().cudaFree(ctypes.c_void_p(self.pointer))

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.values.dtype.str, "data": (self.pointer, self.read_only),
                "strides": self.strides, "version": 3, "stream": self.stream}

    def numpy(self):
        Runtime().cudaDeviceSynchronize()
        result = np.empty_like(self.values)
        Runtime().cudaMemcpy(result.ctypes.data_as(ctypes.c_void_p), ctypes.c_void_p(self.pointer), ctypes.c_size_t(result.nbytes), _TO_HOST)
        return result


def strided(values, layout):
    """The same numbers in memory of another layout."""
    bodies, rank = values.shape
    item = values.itemsize
    if layout == "C order":
        return DeviceArray(values)
    if layout == "Fortran order":
        array = DeviceArray(values.T)
        array.shape, array.strides = values.shape, (item, bodies * item)
        return array
    padded = np.zeros((bodies, rank + 3), values.dtype)
    padded[:, :rank] = values
    array = DeviceArray(padded)
    array.shape, array.strides = values.shape, ((rank + 3) * item, item)
    return array


class Stream:
    """A stream that doesn't wait for the legacy default one, or, with flags=0, does."""

    def __init__(self, flags=1):
        handle = ctypes.c_void_p()
        Runtime().cudaStreamCreateWithFlags(ctypes.byref(handle), flags)
        self.handle = handle.value

    def __del__(self):
        Runtime().cudaStreamDestroy(ctypes.c_void_p(self.handle))

    def __cuda_stream__(self):
        return (0, self.handle)

    def copy_to(self, pointer, values):
        """Enqueues a copy of NumPy's array, which this keeps."""
        self.kept = np.ascontiguousarray(values)
        Runtime().cudaMemcpyAsync(ctypes.c_void_p(pointer), self.kept.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.kept.nbytes),
                                  _TO_DEVICE, ctypes.c_void_p(self.handle))

    def begin_capture(self):
        Runtime().cudaStreamBeginCapture(ctypes.c_void_p(self.handle), 0)  # global

    def end_capture(self):
        graph = ctypes.c_void_p()
        Runtime().cudaStreamEndCapture(ctypes.c_void_p(self.handle), ctypes.byref(graph))
        return graph

    def launch(self, graph, times=1):
        executable = ctypes.c_void_p()
        Runtime().cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
        for _ in range(times):
            Runtime().cudaGraphLaunch(executable, ctypes.c_void_p(self.handle))
        Runtime().cudaStreamSynchronize(ctypes.c_void_p(self.handle))
        Runtime().cudaGraphExecDestroy(executable)
        Runtime().cudaGraphDestroy(graph)
