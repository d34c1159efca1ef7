"""Batches on a CUDA device: whose memory, whose stream, who waits. Needs a device, or its emulator around the process."""

import gc
import os
import sys
import types

import numpy as np
import pytest

import exchange
import quartic as qt
from device_memory import DeviceArray, Runtime, Stream, copy_to_device, strided

if not qt.cuda_available():
    pytest.skip("no CUDA device: " + qt.cuda_unavailable_reason(), allow_module_level=True)

BODIES, RANK = 7, 5


@pytest.fixture(autouse=True)
def free_everything():
    yield
    MEMORY.clear()
    gc.collect()


def forces(dtype="float64"):
    return (np.arange(BODIES * RANK).reshape(BODIES, RANK) / 8 - 2).astype(dtype)


def make(model, device="cuda", dtype="float64", **options):
    return qt.Batch(model, bodies=BODIES, dtype=dtype, device=device, **options)


def state_of(batch):
    return [getattr(batch, name).numpy() for name in ("q", "velocity", "acceleration", "force", "status", "flags")]


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b))


class Recorder:
    """A producer that notes what it is asked for, and knows only some keywords."""

    def __init__(self, array, knows=("stream", "max_version", "copy")):
        self.array, self.knows, self.asked = array, knows, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        if set(keywords) - set(self.knows):
            raise TypeError("unexpected keyword")
        return self.array.__dlpack__(**keywords)


@pytest.mark.parametrize("layout", ["C order", "Fortran order", "padded"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_are_the_cpu_s(model, layout, dtype):
    on_cpu, on_gpu = make(model, "cpu", dtype), make(model, "cuda", dtype)
    on_cpu.step(0.02, 3, force=forces(dtype))
    on_gpu.step(0.02, 3, force=strided(forces(dtype), layout))
    tolerance = 300 * np.finfo(dtype).eps  # of sums in other orders, over three steps
    for one, other in zip(state_of(on_cpu), state_of(on_gpu)):
        assert np.abs(one - other).max() <= tolerance * max(1, np.abs(one).max())
    assert on_gpu.time == on_cpu.time and on_gpu.device == "cuda:0"


def test_arrays_are_the_device_s_own_memory(model):
    batch = make(model)
    q = batch.q
    interface = q.__cuda_array_interface__
    assert q.device == "cuda:0" and q.__dlpack_device__() == (2, 0)
    assert interface["shape"] == (BODIES, RANK) and interface["typestr"] == "<f8" and interface["stream"] == 1
    assert interface["strides"] == q.strides and interface["data"][1] is False
    assert batch.status.__cuda_array_interface__["data"][1] is True  # read-only
    copy_to_device(interface["data"][0], np.full(BODIES, 0.25))  # the first coordinate of all bodies, side by side
    assert (q.numpy()[:, 0] == 0.25).all() and (batch.q.numpy()[:, 1:] == 0).all()
    for wrong in (lambda: np.asarray(q), lambda: q[0, 0], lambda: q == 0):
        with pytest.raises(TypeError, match="cuda:0.*numpy"):
            wrong()
    with pytest.raises(BufferError, match="numpy"):
        memoryview(q)


def test_the_cpu_gets_copies(model):
    batch = make(model)
    batch.step(0.01, force=DeviceArray(forces()))
    copied = np.from_dlpack(Recorder(batch.q, ("stream", "max_version", "copy", "dl_device")), device="cpu", copy=True)
    assert np.array_equal(copied, batch.q.numpy())
    with pytest.raises(BufferError, match="copy=False"):
        batch.q.__dlpack__(dl_device=(1, 0), copy=False)
    assert '"dltensor"' in repr(batch.q.__dlpack__(copy=True))  # on the device


@pytest.mark.parametrize("keyword, wanted", [
    (lambda s: None, lambda s: 1), (lambda s: 0, lambda s: 1), (lambda s: 1, lambda s: 1), (lambda s: 2, lambda s: 2),
    (lambda s: s.handle, lambda s: s.handle), (lambda s: s, lambda s: s.handle),
    (lambda s: types.SimpleNamespace(__cuda_stream__=(0, s.handle)), lambda s: s.handle),
    (lambda s: types.SimpleNamespace(cuda_stream=s.handle), lambda s: s.handle),
    (lambda s: types.SimpleNamespace(cuda_stream=0), lambda s: 1),
    (lambda s: types.SimpleNamespace(ptr=s.handle), lambda s: s.handle),
])
@pytest.mark.parametrize("of_batch", [True, False])
def test_producers_are_told_our_stream(model, keyword, wanted, of_batch):
    stream = Stream()
    given = {"stream": keyword(stream)}
    batch = make(model, **(given if of_batch else {}))
    producer = Recorder(make(model).q)
    batch.step(0.01, force=producer, **({} if of_batch else given))
    assert producer.asked == [{"stream": wanted(stream), "max_version": (1, 3), "copy": False}]
    assert batch.stream == (wanted(stream) if of_batch else 1)
    batch.q.numpy()


@pytest.mark.parametrize("knows, asked", [
    (("stream", "max_version"), [{"stream", "max_version", "copy"}, {"stream", "max_version"}]),
    (("stream",), [{"stream", "max_version", "copy"}, {"stream", "max_version"}, {"stream"}]),  # Warp
    ((), [{"stream", "max_version", "copy"}, {"stream", "max_version"}, {"stream"}, set()]),
])
def test_producers_are_asked_with_fewer_keywords(model, knows, asked):
    batch, producer = make(model), Recorder(make(model).q, knows)
    batch.step(0.01, force=producer)
    assert [set(keywords) for keywords in producer.asked] == asked


def test_nobody_is_told_a_stream_during_a_capture(model):
    stream = Stream()
    batch, plain = make(model, stream=stream), make(model)
    batch.q.numpy()
    producer = Recorder(plain.force)
    stream.begin_capture()
    batch.step(0.01, 2, force=producer)
    graph = stream.end_capture()
    assert producer.asked[0]["stream"] == -1
    stream.launch(graph, times=3)
    for _ in range(3):
        plain.step(0.01, 2)
    assert same(state_of(batch), state_of(plain))


@pytest.mark.parametrize("of_batch", [True, False])
def test_the_c_exchange_api_names_the_producer_s_stream(model, of_batch):
    """Our stream comes behind the producer's current one: what is in it is there before the step reads it."""
    stream, values = Stream(), DeviceArray(np.zeros((BODIES, RANK)))
    batch, expected = make(model, **({"stream": stream} if of_batch else {})), make(model)
    expected.step(0.01, 2, force=DeviceArray(forces()))
    theirs = Stream()
    producer = exchange.producer(values.values, device=(2, 0), pointer=values.pointer, stream=theirs.handle)
    theirs.copy_to(values.pointer, forces())  # enqueued, and nobody waits
    batch.step(0.01, 2, force=producer)
    assert producer.calls == ["from_object", "stream of 2, 0", "freed"]
    assert same(state_of(batch), state_of(expected))


def test_the_c_exchange_api_names_no_stream_during_a_capture(model):
    stream, plain = Stream(), make(model)
    batch = make(model, stream=stream)
    batch.q.numpy()
    values = DeviceArray(forces())
    producer = exchange.producer(values.values, device=(2, 0), pointer=values.pointer, stream=Stream().handle)
    stream.begin_capture()
    batch.step(0.01, 2, force=producer)
    graph = stream.end_capture()
    assert producer.calls == ["from_object", "freed"]
    stream.launch(graph)
    plain.step(0.01, 2, force=values)
    assert same(state_of(batch), state_of(plain))


def test_the_api_of_quartic_s_arrays(model):
    """A consumer in the legacy default stream, the one that the API names, sees what another stream of ours has done."""
    batch = make(model, stream=Stream())
    batch.step(0.01, force=DeviceArray(forces()))
    tensor = exchange.take(batch.q)
    assert (tensor.device, tensor.data) == ((2, 0), batch.q.__cuda_array_interface__["data"][0])
    again = exchange.give_back(tensor)
    assert again.device == "cuda:0" and np.array_equal(again.numpy(), batch.q.numpy())
    made = exchange.give_back(exchange.allocate((3, 2), (2, 32), (2, 0)))
    assert made.device == "cuda:0" and made.numpy().shape == (3, 2)


def by_api(values, stream=None, **place):
    """A copy of NumPy's array on the device, behind an object whose type has the C exchange API alone."""
    memory = DeviceArray(values)
    made = exchange.producer(memory.values, stream=stream, **{"device": (2, 0), "pointer": memory.pointer, "code": CODES[values.dtype.kind], **place})
    MEMORY[id(made)] = memory
    return made


MEMORY = {}  # of such objects, which themselves stay as long as the process
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # DLPack's, by NumPy's kind
ORDERED = ["from_object", "stream of 2, 0", "freed"]


# Where a mask, a start or a parameter lies is asked of __dlpack_device__ or __cuda_array_interface__, which PyTorch's and CuPy's arrays have;
# one that had the exchange API alone would be taken for the CPU's.
known_to_be_missing = pytest.mark.xfail(strict=True, raises=qt.InputError, reason="the exchange API alone doesn't tell the place")


@known_to_be_missing
@pytest.mark.parametrize("which", [np.array([0, 1, 0, 0, 1, 0, 0], np.uint8), np.array([0, 1, 0, 0, 1, 0, 0], bool), np.array([4, 1], np.int32)])
def test_the_api_brings_masks_and_starts(model, which):
    batch, plain = moving(model), moving(model)
    given, start = by_api(which), by_api(np.full((BODIES, RANK), 0.5))
    batch.reset(given, q=start)
    plain.reset(DeviceArray(which), q=DeviceArray(np.full((BODIES, RANK), 0.5)))
    assert given.calls == start.calls == ORDERED and same(state_of(batch), state_of(plain))


@known_to_be_missing
def test_the_api_brings_parameters_outputs_and_forces_on_vertices(model):
    first, plain, points = make(model), make(model), qt.Embedding(model, [44, 3, 20], device="cuda")
    values = np.linspace(0.5, 3, BODIES)
    for batch, kind in ((first, by_api), (plain, DeviceArray)):
        batch.set_stiffness_scale(kind(values))
        batch.set_rayleigh_damping(kind(values), kind(values / 100))
        points.add_vertex_forces(kind(np.full((BODIES, 3, 3), 0.25, np.float32)), batch.force)
        batch.step(0.02, 2)
    assert same(state_of(first), state_of(plain))
    out = by_api(np.zeros((BODIES, 3, 3), np.float32))
    assert points.displacements(first.q, out=out) is out and out.calls == ORDERED
    assert np.array_equal(MEMORY[id(out)].numpy(), points.displacements(plain.q).numpy())


def test_the_api_brings_states_of_pure_steps(model):
    batch, pure = make(model), make(model)
    batch.step(0.02, 3, force=DeviceArray(forces()))
    state = [by_api(np.zeros((BODIES, RANK))) for _ in range(3)]
    pure.advance(state, by_api(forces()), 0.02, 3, out=state)
    assert all(np.array_equal(MEMORY[id(array)].numpy(), expected) for array, expected in zip(state, state_of(batch)))


@pytest.mark.parametrize("wrong, words", [
    (lambda: by_api(forces("float32")), "array of float32.*float64"), (lambda: by_api(forces().T), "shape \\(5, 7\\)"),
    (lambda: by_api(forces(), device=(2, 1)), "force is on cuda:1, but the work is on cuda:0"),
    (lambda: by_api(forces(), device=(1, 0)), "force is on cpu"), (lambda: by_api(forces(), code=5), "type of number"),
    (lambda: by_api(forces(), requires_grad=True), "requires grad"),
])
def test_what_the_api_brings_wrongly_changes_nothing(model, wrong, words):
    batch, producer = moving(model), wrong()
    before = state_of(batch)
    with pytest.raises(qt.InputError, match=words):
        batch.step(0.01, force=producer)
    assert same(before, state_of(batch)) and producer.calls.count("freed") == producer.calls.count("from_object")


def test_the_api_tells_status_and_views_where_they_are(model):
    batch = make(model)
    wild = forces()
    wild[3] = np.inf
    batch.step(0.01, 2, force=by_api(wild))
    status, view = exchange.take(batch.status), exchange.view(batch.velocity)
    assert status.read_only and (status.device, status.shape) == ((2, 0), (BODIES,))
    assert (view.device, view.data) == ((2, 0), batch.velocity.__cuda_array_interface__["data"][0])
    numbers = exchange.give_back(status)
    assert numbers.read_only and list(np.flatnonzero(numbers.numpy())) == [3]
    with pytest.raises(BufferError, match="read-only"):
        exchange.view(batch.status)
    assert exchange.current_stream(2, 0) is None  # the legacy default one


def test_the_cuda_array_interface_names_the_producer_s_stream(model):
    batch, expected, theirs = make(model, stream=Stream()), make(model), Stream()
    values = DeviceArray(np.zeros((BODIES, RANK)), stream=theirs.handle)
    theirs.copy_to(values.pointer, forces())
    batch.step(0.01, 2, force=values)
    expected.step(0.01, 2, force=DeviceArray(forces()))
    assert same(state_of(batch), state_of(expected))


def test_new_arrays_name_the_stream_of_their_call(model):
    batch, stream, points = moving(model), Stream(), qt.Embedding(model, device="cuda")
    assert points.displacements(batch.q).__cuda_array_interface__["stream"] == 1
    made = points.displacements(batch.q, stream=stream)
    assert made.__cuda_array_interface__["stream"] == stream.handle
    assert np.array_equal(made.numpy(), points.displacements(batch.q).numpy())
    del made  # freed in the stream, which is still there


def test_step_reset_and_status_go_into_one_graph(model):
    stream = Stream()
    batch, plain = make(model, stream=stream), make(model)
    wild = forces()
    wild[3] = np.inf
    given, mask = DeviceArray(wild), DeviceArray(np.array([0, 0, 0, 1, 0, 0, 0], np.uint8))
    for b in (batch, plain):
        b.step(0.02, 2, force=DeviceArray(forces()))
        b.step(0.02, 2)
        b.reset()
    status = batch.status
    stream.begin_capture()
    batch.step(0.02, 2, force=given)
    batch.reset(mask)
    graph = stream.end_capture()
    stream.launch(graph, times=2)
    for _ in range(2):
        plain.step(0.02, 2, force=given)
        plain.reset(mask)
    assert same(state_of(batch), state_of(plain)) and (status.numpy() == 0).all()


@pytest.mark.parametrize("give", [
    lambda values, stream: exchange.producer(values.values, device=(2, 0), pointer=values.pointer, stream=stream),
    lambda values, stream: DeviceArray(values.values, stream=stream),
])
def test_what_is_from_a_captured_stream_is_for_that_stream(model, give):
    stream, batch = Stream(), moving(model)
    before = state_of(batch)
    producer = give(DeviceArray(forces()), stream.handle)
    stream.begin_capture()
    with pytest.raises(qt.InputError, match=f"captured in stream {stream.handle}, .* goes into stream 1"):
        batch.step(0.01, force=producer)
    Runtime().cudaGraphDestroy(stream.end_capture())
    assert same(before, state_of(batch))


def test_work_without_a_stream_is_refused_while_torch_captures(model, monkeypatch):
    batch, points, capturing, stream = moving(model), qt.Embedding(model, device="cuda"), [True], Stream()
    before = state_of(batch)
    cuda = types.SimpleNamespace(is_current_stream_capturing=lambda: capturing[0])
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    for call in (lambda: batch.step(0.01), lambda: batch.reset(), lambda: points.displacements(batch.q),
                 lambda: batch.set_stiffness_scale(DeviceArray(np.ones(BODIES)))):
        with pytest.raises(qt.InputError, match="captured in PyTorch's current stream.*stream=torch.cuda.current_stream"):
            call()
    assert same(before, state_of(batch))
    batch.step(0.01, stream=stream)  # which may be the one
    capturing[0] = False
    batch.step(0.01)


def test_a_capture_in_a_stream_that_the_default_one_waits_for_is_named(model):
    if os.environ.get("QUARTIC_GPU_EMULATED"):
        pytest.skip("the emulated device doesn't tell of it")
    stream, batch = Stream(flags=0), moving(model)
    before = state_of(batch)
    stream.begin_capture()
    with pytest.raises(qt.InputError, match="another stream.*legacy default"):
        batch.step(0.01)
    Runtime().cudaGraphDestroy(stream.end_capture())
    assert same(before, state_of(batch))


@pytest.mark.parametrize("stream, words", [(-1, "negative"), ("default", "str.*__cuda_stream__"), (True, "bool")])
def test_what_is_no_stream(model, stream, words):
    with pytest.raises(qt.InputError, match=words):
        make(model, stream=stream)
    with pytest.raises(qt.InputError, match="on the CPU|device=\"cpu\""):
        make(model, "cpu", stream=1)
    with pytest.raises(qt.InputError, match="on the CPU"):
        make(model, "cpu").step(0.01, stream=1)


@pytest.mark.parametrize("stream", [None, -1, 1, 2])
def test_consumers_may_ask_for_any_stream(model, stream):
    assert '"dltensor"' in repr(make(model).q.__dlpack__(stream=stream))


def test_stream_0_is_no_consumer_s(model):
    with pytest.raises(BufferError, match="legacy default"):
        make(model).q.__dlpack__(stream=0)


@pytest.mark.parametrize("wrong, words", [
    (lambda: forces(), "force is on cpu, but the work is on cuda:0"),
    (lambda: forces().tolist(), "force is on cpu"),
    (lambda: DeviceArray(forces("float32")), "array of float32.*float64"),
    (lambda: DeviceArray(forces().T), "shape \\(5, 7\\)"),
    (lambda: DeviceArray(forces().astype(complex)), "type of number"),
])
def test_wrong_forces_change_nothing(model, wrong, words):
    batch = make(model)
    batch.step(0.01, force=DeviceArray(forces()))
    before = state_of(batch)
    with pytest.raises(qt.InputError, match=words):
        batch.step(0.01, force=wrong())
    assert same(before, state_of(batch))


def test_pointers_of_the_host_are_refused(model):
    values = forces()
    interface = {"shape": values.shape, "typestr": "<f8", "data": (values.ctypes.data, False), "version": 3}
    with pytest.raises(qt.InputError, match="force is on cpu"):
        make(model).step(0.01, force=types.SimpleNamespace(__cuda_array_interface__=interface))


def test_arrays_of_the_device_are_refused_by_the_cpu(model):
    for array in (make(model).q, Recorder(make(model).q), DeviceArray(forces())):
        with pytest.raises(qt.InputError, match="device|array is needed|on cuda:0"):
            make(model, "cpu").step(0.01, force=array)


@pytest.mark.parametrize("device, words", [("gpu", "no device"), ("cuda:", "no device"), ("cuda:-1", "no device"), ("cuda:9", "9")])
def test_what_is_no_device(model, device, words):
    with pytest.raises(qt.InputError, match=words):
        make(model, device)


def moving(model, **options):
    batch = make(model, **options)
    batch.step(0.01, 2, force=DeviceArray(forces()))
    return batch


@pytest.mark.parametrize("which", [
    lambda: DeviceArray(np.array([0, 1, 0, 0, 1, 0, 0], np.uint8)), lambda: DeviceArray(np.array([0, 1, 0, 0, 1, 0, 0], bool)),
    lambda: DeviceArray(np.array([4, 1], np.int32)), lambda: DeviceArray(np.array([4, 1, 99, -1], np.int32)),
    lambda: [1, 4], lambda: np.array([4, 1]), lambda: np.array([0, 1, 0, 0, 1, 0, 0], bool),
])
def test_some_bodies_start_again(model, which):
    batch = moving(model)
    before, start = state_of(batch), np.full((BODIES, RANK), 0.5)
    batch.reset(which(), q=DeviceArray(start))
    q, velocity = batch.q.numpy(), batch.velocity.numpy()
    chosen = np.array([0, 1, 0, 0, 1, 0, 0], bool)
    assert (q[chosen] == 0.5).all() and (velocity[chosen] == 0).all()
    assert np.array_equal(q[~chosen], before[0][~chosen]) and np.array_equal(velocity[~chosen], before[1][~chosen])
    batch.reset()
    assert (batch.q.numpy() == 0).all() and np.array_equal(batch.force.numpy(), before[3])


@pytest.mark.parametrize("which, words", [
    (lambda: DeviceArray(np.zeros(6, np.uint8)), "shape \\(6,\\)"), (lambda: DeviceArray(np.zeros(2, np.int64)), "int32"),
    (lambda: DeviceArray(np.zeros(7, np.float32)), "int32"), (lambda: [7], "no body 7"),
])
def test_wrong_masks(model, which, words):
    batch = moving(model)
    before = state_of(batch)
    with pytest.raises(qt.InputError, match=words):
        batch.reset(which())
    assert same(before, state_of(batch))


def test_diverged_bodies_are_seen_where_they_are(model):
    batch = make(model)
    wild = forces()
    wild[3] = np.inf
    batch.step(0.01, 2, force=DeviceArray(wild))
    status = batch.status.numpy()
    assert status.dtype == np.int32 and list(np.flatnonzero(status)) == [3] and status[3] == qt.BodyStatus.diverged
    batch.reset(DeviceArray((status == qt.BodyStatus.diverged).astype(np.uint8)))
    assert (batch.status.numpy() == qt.BodyStatus.ok).all()


def test_parameters_of_bodies_come_from_the_device(model):
    mass, stiffness, scale = np.linspace(0, 2, BODIES), np.linspace(0, 0.01, BODIES), np.linspace(0.5, 3, BODIES)
    by_host, by_device = make(model), make(model)
    by_host.set_rayleigh_damping(mass, stiffness)
    by_host.set_stiffness_scale(scale)
    by_device.set_rayleigh_damping(DeviceArray(mass), DeviceArray(stiffness))
    by_device.set_stiffness_scale(DeviceArray(scale))
    for batch in (by_host, by_device):
        batch.step(0.02, 2, force=DeviceArray(forces()))
    assert same(state_of(by_host), state_of(by_device))
    assert np.array_equal(by_device.stiffness_scale, scale) and np.array_equal(by_device.rayleigh_mass, mass)
    by_device.set_rayleigh_damping(0.5, DeviceArray(stiffness))
    assert (np.asarray(by_device.rayleigh_mass) == 0.5).all()
    with pytest.raises(qt.InputError, match="stiffness_scale of body 2"):
        by_host.set_stiffness_scale(np.array([1, 1, 0, 1, 1, 1, 1.0]))


def test_checkpoints_go_on(model, tmp_path):
    batch, resumed = moving(model), make(model)
    for target in ("a", "b"):  # the second time there are copies on the host already
        batch.step(0.01)
        batch.save_checkpoint(tmp_path / target)
        resumed.step(0.03)
        resumed.load_checkpoint(tmp_path / target)
        assert same(state_of(batch), state_of(resumed)) and batch.time == resumed.time
    assert np.allclose(batch.elastic_energy(), resumed.elastic_energy(), rtol=0, atol=0)


def test_embeddings_are_the_cpu_s(model):
    batch = moving(model)
    vertices = [44, 3, 20]
    on_gpu, on_cpu = qt.Embedding(model, vertices, device="cuda"), qt.Embedding(model, vertices)
    expected = on_cpu.displacements(batch.q.numpy()).numpy()
    out = DeviceArray(np.zeros((BODIES, 3, 3), np.float32))
    assert on_gpu.displacements(batch.q, out=out) is out
    assert np.abs(out.numpy() - expected).max() < 1e-6 * np.abs(expected).max()
    assert np.array_equal(on_gpu.displacements(batch.q).numpy(), out.numpy())
    rest = on_cpu.positions(batch.q.numpy()).numpy()
    assert np.abs(on_gpu.positions(batch.q).numpy() - rest).max() < 1e-6 * np.abs(rest).max()

    pushes = np.random.default_rng(1).normal(size=(BODIES, 3, 3)).astype(np.float32)
    reduced = np.array(batch.force.numpy())
    on_cpu.add_vertex_forces(pushes.astype(np.float64), reduced)
    on_gpu.add_vertex_forces(DeviceArray(pushes), batch.force)
    assert np.abs(batch.force.numpy() - reduced).max() < 1e-5 * np.abs(reduced).max()


def test_pure_steps_have_the_same_bits(model):
    batch, pure = make(model), make(model)
    batch.step(0.02, 3, force=DeviceArray(forces()))
    state = [DeviceArray(np.zeros((BODIES, RANK))) for _ in range(3)]
    pure.advance(state, DeviceArray(forces()), 0.02, 3, out=state)
    assert all(np.array_equal(array.numpy(), expected) for array, expected in zip(state, state_of(batch)))


def test_pure_steps_of_several_streams_take_turns(model):
    batch, pure = make(model), make(model)
    batch.step(0.02, 3, force=DeviceArray(forces()))
    streams = [Stream() for _ in range(3)]
    outs = [[DeviceArray(np.zeros((BODIES, RANK))) for _ in range(3)] for _ in streams]
    rest, force = [DeviceArray(np.zeros((BODIES, RANK))) for _ in range(3)], DeviceArray(forces())
    for stream, out in zip(streams, outs):
        pure.advance(rest, force, 0.02, 3, out=out, stream=stream)
    for out in outs:
        assert all(np.array_equal(array.numpy(), expected) for array, expected in zip(out, state_of(batch)))
    Runtime().cudaDeviceSynchronize()
    del streams, stream  # may be gone before the batch is
    gc.collect()
    del pure


def test_embeddings_may_go_while_their_work_is_under_way(model):
    batch = moving(model)
    expected = qt.Embedding(model).displacements(batch.q.numpy()).numpy()
    out, stream = DeviceArray(np.zeros(expected.shape, np.float32)), Stream()
    points = qt.Embedding(model, device="cuda")
    points.displacements(batch.q, out=out, stream=stream)
    reduced = DeviceArray(np.zeros((BODIES, RANK)))
    points.add_vertex_forces(out, reduced, stream=stream)
    del points
    assert np.abs(out.numpy() - expected).max() < 1e-6 * np.abs(expected).max()
    Runtime().cudaDeviceSynchronize()


def test_views_outlive_the_batch(model):
    batch = moving(model)
    expected, q = batch.q.numpy(), batch.q
    del batch
    gc.collect()
    assert np.array_equal(q.numpy(), expected)
