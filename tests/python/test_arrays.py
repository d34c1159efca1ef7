"""Arrays both ways: who asks whom for what, where memory is, and who frees it."""

import array
import gc
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import exchange
import quartic as qt
from conftest import needs, same_state, state_of
from quartic import _core


class Producer:
    """A NumPy array behind a __dlpack__ that notes what it is asked for, and knows only some keywords."""

    def __init__(self, values, knows=("stream", "max_version", "dl_device", "copy"), device=(1, 0)):
        self.values, self.knows, self.device, self.asked = values, knows, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        unknown = set(keywords) - set(self.knows)
        if unknown:
            raise TypeError(f"unexpected keywords {unknown}")
        return self.values.__dlpack__(**keywords)


def forces(dtype=np.float64):
    return (np.arange(35).reshape(7, 5) / 8 - 2).astype(dtype)


@pytest.mark.parametrize("knows, asked", [
    (("max_version", "copy"), [{"max_version", "copy"}]),
    (("max_version",), [{"max_version", "copy"}, {"max_version"}]),
    ((), [{"max_version", "copy"}, {"max_version"}, set()]),
])
def test_producers_are_asked_with_fewer_keywords(batch, knows, asked):
    producer = Producer(forces(), knows)
    batch.step(0.01, force=producer)
    assert [set(keywords) for keywords in producer.asked] == asked  # never for a stream: there is none on the CPU
    assert all(keywords.get("copy") in (None, False) for keywords in producer.asked)
    assert np.array_equal(batch.force, forces())


def test_producer_on_another_device_is_refused_before_it_is_asked(batch):
    producer, before = Producer(forces(), device=(2, 1)), state_of(batch)
    with pytest.raises(qt.InputError, match="another device.*type 2, number 1"):
        batch.step(0.01, force=producer)
    assert producer.asked == [] and same_state(before, state_of(batch))


def test_what_a_buffer_refuses(batch):
    for wrong in (np.zeros((7, 5), "datetime64[s]"), np.zeros((7, 5), np.longdouble)):
        with pytest.raises(qt.InputError, match="can't be exchanged|type of number"):
            batch.step(0.01, force=wrong)


def test_what_a_producer_raises_is_told(batch):
    class Refuses(Producer):
        def __dlpack__(self, **keywords):
            raise BufferError("this tensor requires grad")

    with pytest.raises(qt.InputError, match="force, a Refuses, can't be exchanged: this tensor requires grad"):
        batch.step(0.01, force=Refuses(forces()))

    class Interrupted(Producer):
        def __dlpack__(self, **keywords):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.step(0.01, force=Interrupted(forces()))


def test_used_and_foreign_capsules_are_refused(batch):
    used = forces().__dlpack__()
    np.from_dlpack(type("Once", (), {"__dlpack__": lambda self, **k: used, "__dlpack_device__": lambda self: (1, 0)})())
    for returned in (used, object()):
        with pytest.raises(qt.InputError, match="no capsule"):
            batch.step(0.01, force=type("Odd", (), {"__dlpack__": lambda self, **k: returned})())


LAYOUTS = {
    "C order": lambda f: f,
    "Fortran order": np.asfortranarray,
    "every other": lambda f: np.repeat(np.repeat(f, 2, 0), 2, 1)[::2, ::2],
    "padded": lambda f: np.pad(f, ((0, 3), (0, 2)))[:7, :5],
    "backwards": lambda f: f[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda f: np.frombuffer(f.tobytes(), f.dtype).reshape(f.shape),
    "DLPack": lambda f: Producer(f),
    "legacy capsule": lambda f: Producer(f, ()),
    "memoryview": lambda f: memoryview(f.copy()),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_forces_of_any_layout_give_the_same_bits(model, layout, dtype):
    expected, batch = (qt.Batch(model, bodies=7, dtype=dtype) for _ in range(2))
    expected.force[:] = forces(dtype)
    expected.step(0.01, 4)
    batch.step(0.01, 4, force=LAYOUTS[layout](forces(dtype)))
    assert same_state(state_of(batch), state_of(expected))


def test_one_row_for_all_bodies(batch):
    row = np.array([1.0, 2, 3, 4, 5])
    batch.step(0.01, force=np.broadcast_to(row, (7, 5)))  # strides of 0
    assert np.array_equal(batch.force, np.tile(row, (7, 1)))


@pytest.mark.parametrize("wrong, words", [
    (lambda b: forces(np.float32), "array of float32.*float64 with shape \\(7, 5\\).*nothing is converted in silence"),
    (lambda b: forces().T, "shape \\(5, 7\\)"),
    (lambda b: forces()[:6], "shape \\(6, 5\\)"),
    (lambda b: forces().ravel(), "shape \\(35,\\)"),
    (lambda b: forces().astype(">f8"), "type of number"),
    (lambda b: forces().astype(complex), "number"),
    (lambda b: forces().tolist(), "force is a list; an array is needed"),
    (lambda b: np.asarray(b.force)[::-1], "overlaps"),
    (lambda b: np.frombuffer(b"\0" + forces().tobytes(), np.uint8)[1:].view(np.float64).reshape(7, 5), "multiple of its item size"),
])
def test_wrong_forces_change_nothing(batch, wrong, words):
    before = state_of(batch)
    with pytest.raises(ValueError, match=words) as error:
        batch.step(0.01, force=wrong(batch))
    assert isinstance(error.value, qt.InputError) and same_state(before, state_of(batch))


def test_a_wrong_step_leaves_the_old_force(batch):
    before = state_of(batch)
    for dt, substeps in ((0, 1), (-1, 1), (float("nan"), 1), (0.1, 0)):
        with pytest.raises(qt.InputError):
            batch.step(dt, substeps, force=forces() + 1)
    assert same_state(before, state_of(batch))


def pointer(values):
    return values.__array_interface__["data"][0]


def test_views_are_the_batch_s_own_memory(batch):
    for name in ("q", "velocity", "acceleration", "force"):
        first, second, third = np.asarray(getattr(batch, name)), np.from_dlpack(getattr(batch, name)), memoryview(getattr(batch, name))
        assert pointer(first) == pointer(second) == pointer(np.asarray(third))
        assert first.shape == (7, 5) and first.strides == getattr(batch, name).strides == (8, first.strides[1])
        assert first.flags.writeable
    np.asarray(batch.q)[2, 3] = 0.25
    assert batch.q[2, 3] == 0.25
    batch.step(0.01, force=batch.force)  # itself: nothing to copy


def test_output_goes_where_it_should(model, batch):
    embedding = qt.Embedding(model, [44, 45, 0])
    expected = np.einsum("bi,ivx->bvx", np.asarray(batch.q), model.basis[:, [44, 45, 0]])
    plain, strided = np.zeros((7, 3, 3)), np.full((14, 6, 6), 9.0)
    assert embedding.displacements(batch.q, out=plain) is plain
    assert embedding.displacements(batch.q, out=strided[::2, ::2, ::2]) is not strided
    assert np.allclose(plain, expected, rtol=0, atol=1e-15) and np.array_equal(strided[::2, ::2, ::2], plain)
    assert (strided[1::2] == 9).all() and (strided[:, 1::2] == 9).all()


@pytest.mark.parametrize("layout", [
    lambda f: f, np.asfortranarray, lambda f: np.repeat(f, 2, 1)[:, ::2], lambda f: f[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
    lambda f: f.transpose(2, 0, 1).copy().transpose(1, 2, 0), lambda f: Producer(f), exchange.producer,
])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_forces_on_vertices_of_any_layout(model, layout, dtype):
    vertices = [44, 45, 0, 44]
    forces = np.random.default_rng(3).normal(size=(7, 4, 3)).astype(dtype)
    reduced = np.ones((7, 5), dtype)
    qt.Embedding(model, vertices).add_vertex_forces(layout(forces), reduced)
    expected = 1 + np.einsum("bvx,ivx->bi", forces.astype(float), model.basis[:, vertices])
    assert np.abs(reduced - expected).max() <= 8 * np.finfo(dtype).eps * np.abs(expected).max()  # of twelve terms, summed in double


def test_one_force_for_all_vertices_of_all_bodies(model):
    reduced = np.zeros((7, 5))
    qt.Embedding(model).add_vertex_forces(np.broadcast_to([1.0, -2, 3], (7, model.mesh.vertex_count, 3)), reduced)  # strides of 0
    expected = np.einsum("x,ivx->i", [1.0, -2, 3], model.basis)
    assert np.allclose(reduced, expected, rtol=1e-13, atol=1e-13 * np.abs(model.basis).sum())


@pytest.mark.parametrize("out, words", [
    (lambda b: np.zeros((7, 3, 3), np.float32), "array of float32"),
    (lambda b: np.zeros((7, 3)), "shape"),
    (lambda b: np.frombuffer(bytes(7 * 9 * 8)).reshape(7, 3, 3), "read-only"),
    (lambda b: np.broadcast_to(np.zeros(3), (7, 3, 3)), "read-only|one place"),
    (lambda b: np.lib.stride_tricks.as_strided(np.zeros(3), (7, 3, 3), (0, 0, 8), writeable=True), "one place"),
    (lambda b: np.lib.stride_tricks.as_strided(np.zeros(99), (7, 3, 3), (72, 8, 8), writeable=True), "one place"),
    (lambda b: np.lib.stride_tricks.as_strided(np.zeros(99), (7, 3, 3), (64, 24, 8), writeable=True), "one place"),
])
def test_wrong_outputs(model, batch, out, words):
    given = out(batch)
    with pytest.raises(qt.InputError, match=words):
        qt.Embedding(model, [1, 2, 3]).displacements(batch.q, out=given)
    assert (np.asarray(given) == 0).all()


def test_read_only_arrays(model, batch):
    for values in (model.basis, model.unit_acceleration, model.energy.coefficients, model.mesh.vertices,
                   np.asarray(batch.status), np.asarray(batch.elastic_energy())):
        assert not values.flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        batch.status.__dlpack__(copy=False)  # nothing in a legacy capsule says so
    assert '"dltensor_versioned"' in repr(batch.status.__dlpack__(max_version=(1, 0)))
    assert not np.from_dlpack(batch.status).flags.writeable


@pytest.mark.parametrize("keywords, name", [
    ({}, "dltensor"), ({"max_version": None}, "dltensor"), ({"max_version": (0, 8)}, "dltensor"),
    ({"max_version": (1, 0)}, "dltensor_versioned"), ({"max_version": (2, 3)}, "dltensor_versioned"),
    ({"stream": None}, "dltensor"), ({"stream": -1}, "dltensor"), ({"dl_device": (1, 0)}, "dltensor"),
    ({"copy": True, "max_version": (1, 1)}, "dltensor_versioned"),
])
def test_consumers_get_what_they_ask_for(batch, keywords, name):
    before = _core._live_tensors()
    capsule = batch.q.__dlpack__(**keywords)
    assert f'"{name}"' in repr(capsule) and _core._live_tensors() == before + 1
    del capsule  # unconsumed: freed once
    assert _core._live_tensors() == before


@pytest.mark.parametrize("keywords", [{"stream": 1}, {"stream": 2}, {"stream": 0}, {"dl_device": (2, 0)}])
def test_consumers_on_devices_are_refused(batch, keywords):
    with pytest.raises(BufferError, match="memory of the CPU"):
        batch.q.__dlpack__(**keywords)


def test_copies_are_copies(batch):
    copied = np.from_dlpack(type("Copy", (), {"__dlpack__": lambda self, **k: batch.q.__dlpack__(max_version=(1, 0), copy=True),
                                              "__dlpack_device__": lambda self: (1, 0)})())
    before = copied.copy()
    assert np.array_equal(copied, batch.q) and pointer(copied) != pointer(np.asarray(batch.q))
    batch.step(0.01)
    assert np.array_equal(copied, before) and not np.array_equal(copied, batch.q)
    assert pointer(batch.q.__array__(copy=True)) != pointer(batch.q.__array__())
    assert batch.q.__array__(dtype="float32").dtype == np.float32


def test_views_outlive_the_batch(model):
    before = _core._live_tensors()
    batch = qt.Batch(model, bodies=1000, dtype="float64")
    batch.q[:] = 3
    views = [np.asarray(batch.q), np.from_dlpack(batch.q), memoryview(batch.q)]
    basis, expected = model.basis, model.basis.copy()
    del batch
    gc.collect()
    junk = [np.full((1000, 5), 7.0) for _ in range(50)]  # what would fill memory that had been freed
    assert all((np.asarray(view) == 3).all() for view in views) and np.array_equal(basis, expected) and junk
    del views
    gc.collect()
    assert _core._live_tensors() == before


def test_freed_on_another_thread(model):
    before = _core._live_tensors()
    held = [np.from_dlpack(qt.Batch(model, bodies=5, dtype="float64").q) for _ in range(20)]
    capsules = [qt.Batch(model, bodies=5, dtype="float64").q.__dlpack__() for _ in range(20)]
    thread = threading.Thread(target=lambda: (held.clear(), capsules.clear()))
    thread.start()
    thread.join()
    assert _core._live_tensors() == before


def test_a_hundred_thousand_tensors_leave_nothing():
    """In a process of its own, by what it holds now: a peak would hide what leaks below it."""
    program = """
import threading, numpy, exchange, quartic as qt
from quartic import _core
batch = qt.Batch(qt.reduce(*qt.make_beam(4), modes=2, rank=2), bodies=7)
held = []

def rounds(count):
    for _ in range(count):
        numpy.from_dlpack(batch.q)  # consumed
        batch.q.__dlpack__()  # dropped
        exchange.take(batch.q).free()
        held.append(batch.q.__dlpack__(max_version=(1, 0)))
        if len(held) == 1000:
            thread = threading.Thread(target=held.clear)
            thread.start()
            thread.join()

def resident():  # [bytes]
    return int(open("/proc/self/statm").read().split()[1]) * 4096

before = _core._live_tensors()
rounds(2000)
first = resident()
rounds(23_000)
held.clear()
print(_core._live_tensors() - before, resident() - first)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=pathlib.Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    left, growth = map(int, done.stdout.split())
    assert left == 0 and growth < 2_000_000  # 22 bytes for each


def test_deleter_without_the_gil(model):
    """A consumer in C calls the deleter on a thread that Python doesn't know: ctypes releases the GIL for it."""
    import ctypes

    before = _core._live_tensors()
    capsule = qt.Batch(model, bodies=5, dtype="float64").q.__dlpack__(max_version=(1, 0))
    ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
    ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name = b"dltensor_versioned"
    managed = ctypes.pythonapi.PyCapsule_GetPointer(capsule, name)
    used = ctypes.create_string_buffer(b"used_dltensor_versioned")
    ctypes.pythonapi.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    assert ctypes.pythonapi.PyCapsule_SetName(capsule, used) == 0
    # version (8 bytes), context, deleter
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.c_void_p.from_address(managed + 16).value)
    assert _core._live_tensors() == before + 1
    deleter(managed)  # CFUNCTYPE: without the GIL
    assert _core._live_tensors() == before
    del capsule
    assert _core._live_tensors() == before


def test_at_the_end_of_the_interpreter():
    """Capsules and views that are left are freed, or not, but nothing crashes."""
    program = """
import sys, numpy, quartic as qt
mesh, fixed = qt.make_beam(4)
model = qt.reduce(mesh, fixed, modes=2, rank=2)
batch = qt.Batch(model, bodies=100, threads=2)
batch.step(0.01)
sys.kept = [batch.q.__dlpack__(), numpy.from_dlpack(batch.velocity), memoryview(batch.force), model.basis, batch]
sys.modules["kept"] = sys.kept
print("done")
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-X", "dev", "-c", program], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout == "done\n", done.stderr
        assert "Fatal" not in done.stderr and "leaked" not in done.stderr, done.stderr


@pytest.fixture
def make_producer():
    """Makes producers with the C exchange API alone, of a class each."""
    return lambda values, **options: exchange.producer(values, **options)


def test_the_c_exchange_api_is_asked_before_python(batch, make_producer):
    producer = make_producer(forces(), dlpack=True)
    batch.step(0.01, force=producer)
    assert producer.calls == ["from_object", "freed"]  # on the CPU nobody asks for a stream
    assert np.array_equal(batch.force, forces())


@pytest.mark.parametrize("version", [(1, 0), (1, 3), (1, 9)])
def test_any_version_1_of_the_api_is_taken(batch, make_producer, version):
    producer = make_producer(forces(), version=version)
    batch.step(0.01, force=producer)
    assert producer.calls == ["from_object", "freed"] and np.array_equal(batch.force, forces())


def test_an_older_api_is_found_behind_a_newer_one(batch, make_producer):
    producer = make_producer(forces(), version=(2, 0), older=True)
    batch.step(0.01, force=producer)
    assert producer.calls == ["from_object", "freed"]
    newer = make_producer(forces(), version=(2, 0), dlpack=True)  # alone: Python's way
    batch.step(0.01, force=newer)
    assert newer.calls == ["__dlpack__"] and np.array_equal(batch.force, forces())


def test_strides_and_read_only_memory_come_through_the_api(model, make_producer):
    expected, batch = (qt.Batch(model, bodies=7, dtype="float64") for _ in range(2))
    expected.step(0.01, 2, force=forces())
    batch.step(0.01, 2, force=make_producer(np.asfortranarray(forces())))
    assert same_state(state_of(batch), state_of(expected))
    out = make_producer(np.zeros((7, 3, 3)), read_only=True)
    with pytest.raises(qt.InputError, match="read-only"):
        qt.Embedding(model, [1, 2, 3]).displacements(batch.q, out=out)
    assert out.calls == ["from_object", "freed"]
    out = make_producer(np.zeros((7, 3, 3)))
    qt.Embedding(model, [1, 2, 3]).displacements(batch.q, out=out)
    assert np.array_equal(out.values, qt.Embedding(model, [1, 2, 3]).displacements(batch.q))


@pytest.mark.parametrize("options, words", [
    ({"device": (2, 1)}, "another device.*type 2, number 1"), ({"requires_grad": True}, "requires grad.*detach"),
    ({"code": 5}, "type of number"),
])
def test_what_the_api_can_t_give(batch, make_producer, options, words):
    producer, before = make_producer(forces(), **options), state_of(batch)
    with pytest.raises(qt.InputError, match=words):
        batch.step(0.01, force=producer)
    assert same_state(before, state_of(batch))
    assert producer.calls.count("freed") == (0 if "requires_grad" in options else 1)


def test_the_api_of_quartic_s_arrays(batch):
    """What a consumer in C gets: the same memory, its shape and strides, read-only or not."""
    for array, read_only in ((batch.q, False), (batch.status, True)):
        before = _core._live_tensors()
        tensor = exchange.take(array)
        assert _core._live_tensors() == before + 1
        assert (tensor.data, tensor.device, tensor.read_only) == (pointer(np.asarray(array)), (1, 0), read_only)
        assert tensor.shape == array.shape and tuple(8 // 2 ** (array.dtype == "int32") * s for s in tensor.strides) == array.strides
        tensor.free()
        assert _core._live_tensors() == before
        if read_only:
            with pytest.raises(BufferError, match="read-only"):
                exchange.view(array)  # it has no flags that could say so
            continue
        view = exchange.view(array)
        assert (view.data, view.shape, view.strides) == (tensor.data, tensor.shape, tensor.strides)
    assert exchange.current_stream(1, 0) is None and exchange.current_stream(2, 3) is None


def test_the_api_gives_tensors_back_to_python(batch):
    before = _core._live_tensors()
    again = exchange.give_back(exchange.take(batch.q))
    assert isinstance(again, qt.Array) and np.array_equal(again, batch.q) and not again.read_only
    assert pointer(np.asarray(again)) == pointer(np.asarray(batch.q))
    assert exchange.give_back(exchange.take(batch.status)).read_only
    del again
    gc.collect()
    assert _core._live_tensors() == before
    producer = exchange.producer(forces())  # of somebody else
    theirs = exchange.give_back(exchange.take(producer))
    assert np.array_equal(theirs, forces()) and producer.calls == ["from_object"]
    del theirs
    assert producer.calls == ["from_object", "freed"]


def test_the_api_makes_arrays(batch):
    before = _core._live_tensors()
    made = exchange.give_back(exchange.allocate((4, 3), (2, 64)))
    assert made.shape == (4, 3) and made.dtype == "float64" and not made.read_only and _core._live_tensors() == before + 1
    del made
    assert _core._live_tensors() == before
    for shape, dtype, device, words in (((4,), (2, 16), (1, 0), "type of number"), ((4,), (2, 64), (7, 0), "DLPack's type 7")):
        with pytest.raises(BufferError, match=words):
            exchange.allocate(shape, dtype, device)
    assert exchange.give_back(exchange.allocate((), (2, 64))).shape == ()
    assert exchange.give_back(exchange.allocate((0, 2**40), (2, 64))).shape == (0, 2**40)


@pytest.mark.parametrize("shape, words", [
    ((3, -1), r"\(3, -1\): extents are 0 or more"), ((-2, -3), "0 or more"),
    ((2**62,), "more bytes"), ((2**32, 2**32), "more bytes"), ((0, 2**32, 2**32), "more bytes"), ((2**21,) * 3, "more bytes"),
])
def test_the_api_makes_no_arrays_of_impossible_shapes(shape, words):
    before = _core._live_tensors()
    with pytest.raises(BufferError, match=words):
        exchange.allocate(shape, (2, 64))
    with pytest.raises(BufferError, match="-1 dimensions"):
        exchange.allocate(shape, (2, 64), dimensions=-1)
    assert _core._live_tensors() == before


def test_the_api_refuses_other_objects(batch):
    with pytest.raises(BufferError, match="quartic.Array alone"):
        exchange.take(forces(), of=qt.Array)
    borrowed = type("Borrowed", (), {"__dlpack_c_exchange_api__": qt.Array.__dlpack_c_exchange_api__})()
    with pytest.raises(qt.InputError, match="force, a Borrowed, can't be exchanged: .* quartic.Array alone"):
        batch.step(0.01, force=borrowed)


def test_buffers_of_other_kinds(model):
    ids = array.array("i", [1, 3])
    batch = qt.Batch(model, bodies=4)
    batch.q[:] = 1
    batch.reset(ids)
    assert np.array_equal(np.asarray(batch.q)[:, 0], [1, 0, 1, 0])


def test_torch_takes_and_gives():
    torch = needs("torch")
    batch = qt.Batch(qt.reduce(*qt.make_beam(4), modes=2, rank=2), bodies=3)
    q = torch.from_dlpack(batch.q)
    assert q.data_ptr() == pointer(np.asarray(batch.q))
    batch.step(0.01, force=torch.ones(3, 2))
    assert torch.equal(q, torch.tensor(np.asarray(batch.q)))
    with pytest.raises(qt.InputError, match="grad"):
        batch.step(0.01, force=torch.ones(3, 2, requires_grad=True))
