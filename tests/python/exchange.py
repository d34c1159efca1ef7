"""DLPack's C exchange API by ctypes, from both sides: producers whose type has it, and a consumer of anybody's."""

import ctypes

import numpy as np

NAME = b"dlpack_exchange_api"
POINTER, SIZE = ctypes.c_void_p, ctypes.sizeof(ctypes.c_void_p)
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [POINTER, ctypes.c_char_p, POINTER]
api.PyCapsule_GetPointer.restype = POINTER
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", POINTER), ("device", ctypes.c_int32 * 2), ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", POINTER), ("deleter", POINTER), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


# PYFUNCTYPE: with the GIL, and what is raised goes on; CFUNCTYPE: on any thread.
FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(Managed)))
TO_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(Managed), ctypes.POINTER(ctypes.py_object))
VIEW_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
CURRENT_STREAM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(POINTER))
SET_ERROR = ctypes.CFUNCTYPE(None, POINTER, ctypes.c_char_p, ctypes.c_char_p)
ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(DLTensor), ctypes.POINTER(ctypes.POINTER(Managed)), POINTER, SET_ERROR)
DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))


class Api(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("previous", POINTER), ("allocate", POINTER), ("from_object", POINTER),
                ("to_object", POINTER), ("view_object", POINTER), ("current_stream", POINTER)]


KEPT = []  # functions and tables have to stay as long as the process


def tensor_of(values, device=(1, 0), pointer=None, code=2):
    """NumPy's array of floats as DLPack has it, and what its pointers lead to."""
    shape = (ctypes.c_int64 * values.ndim)(*values.shape)
    strides = (ctypes.c_int64 * values.ndim)(*(s // values.itemsize for s in values.strides))
    data = values.ctypes.data if pointer is None else pointer
    return DLTensor(data, device, values.ndim, code, 8 * values.itemsize, 1, shape, strides, 0), (shape, strides, values)


def producer(values, version=(1, 3), older=False, dlpack=False, read_only=False, requires_grad=None, stream=None, **place):
    """An object whose type has the API, for NumPy's array; it notes what is called. `older`: behind the first table, which has no
    functions, is one of version 1. `place`: as tensor_of."""

    class Producer:
        def __init__(self):
            self.values, self.calls = values, []
            if requires_grad is not None:
                self.requires_grad = requires_grad

        if dlpack:
            def __dlpack__(self, **keywords):
                self.calls.append("__dlpack__")
                return self.values.__dlpack__(**keywords)

    made = Producer()

    def from_object(taken, out):
        made.calls.append("from_object")
        assert taken is made
        tensor, parts = tensor_of(values, **place)
        deleter = DELETER(lambda _: made.calls.append("freed"))
        managed = Managed((1, 3), None, ctypes.cast(deleter, POINTER), int(read_only), tensor)
        KEPT.append((parts, deleter, managed))
        out[0] = ctypes.pointer(managed)
        return 0

    def current_stream(device_type, device, out):
        made.calls.append(f"stream of {device_type}, {device}")
        out[0] = stream
        return 0

    functions = (FROM_OBJECT(from_object), CURRENT_STREAM(current_stream))
    table = Api((1, 3) if older else version, None, None, *(ctypes.cast(functions[0], POINTER), None, None, ctypes.cast(functions[1], POINTER)))
    newer = Api(version, ctypes.addressof(table))
    KEPT.append((functions, table, newer))
    Producer.__dlpack_c_exchange_api__ = api.PyCapsule_New(ctypes.addressof(newer if older else table), NAME, None)
    return made


def table_of(kind):
    return Api.from_address(api.PyCapsule_GetPointer(kind.__dlpack_c_exchange_api__, NAME))


class Taken:
    """What a consumer holds."""

    def __init__(self, managed):
        self.managed, tensor = managed, managed.contents.tensor
        self.data, self.device = tensor.data, tuple(tensor.device)
        self.shape, self.strides = (tuple(numbers[:tensor.dimensions]) for numbers in (tensor.shape, tensor.strides))
        self.read_only = bool(managed.contents.flags & 1)

    def free(self):
        DELETER(self.managed.contents.deleter)(self.managed)


def take(array, of=None):
    managed = ctypes.POINTER(Managed)()
    FROM_OBJECT(table_of(of or type(array)).from_object)(array, ctypes.byref(managed))
    return Taken(managed)


def view(array):
    tensor = DLTensor()
    assert VIEW_OBJECT(table_of(type(array)).view_object)(array, ctypes.byref(tensor)) == 0  # else its error is raised
    return Taken(ctypes.pointer(Managed((1, 3), None, None, 0, tensor)))


def give_back(taken, kind=None):
    import quartic

    result = ctypes.py_object()
    assert TO_OBJECT(table_of(kind or quartic.Array).to_object)(taken.managed, ctypes.byref(result)) == 0
    value = result.value
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(value))  # the reference that the function returned
    return value


def current_stream(device_type, device):
    import quartic

    stream = POINTER(7)
    assert CURRENT_STREAM(table_of(quartic.Array).current_stream)(device_type, device, ctypes.byref(stream)) == 0
    return stream.value


def allocate(shape, dtype, device=(1, 0), dimensions=None):
    import quartic

    errors, managed = [], ctypes.POINTER(Managed)()
    prototype = DLTensor(None, device, len(shape) if dimensions is None else dimensions, dtype[0], dtype[1], 1, (ctypes.c_int64 * len(shape))(*shape), None, 0)
    set_error = SET_ERROR(lambda context, kind, message: errors.append((context, kind.decode(), message.decode())))
    result = ALLOCATE(table_of(quartic.Array).allocate)(ctypes.byref(prototype), ctypes.byref(managed), 7, set_error)
    if result == 0:
        assert not errors
        return Taken(managed)
    [(context, kind, message)] = errors
    assert result == -1 and context == 7
    raise {"BufferError": BufferError, "MemoryError": MemoryError}[kind](message)
