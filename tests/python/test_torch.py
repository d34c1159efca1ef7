"""Steps as an operator of PyTorch's."""

import gc

import numpy as np
import pytest

import quartic as qt
from conftest import needs

torch = needs("torch")
import quartic.torch as qtt  # noqa: E402
from quartic import functional  # noqa: E402


def forces(dtype=torch.float64):
    return torch.linspace(-1, 1, 35, dtype=dtype).reshape(7, 5)


@pytest.fixture(params=[torch.float32, torch.float64], ids=["float32", "float64"])
def dtype(request):
    return request.param


def batch_after(model, dtype, dt=0.02, substeps=3, **options):
    batch = qt.Batch(model, bodies=7, dtype=str(dtype).split(".")[1], **options)
    batch.step(dt, substeps, force=forces(dtype))
    return batch


def test_a_step_has_the_bits_of_a_batch(model, dtype):
    batch = batch_after(model, dtype)
    start = qtt.rest(model, 7, dtype)
    after = qtt.step(model, start, forces(dtype), 0.02, 3)
    for tensor, expected in zip(after, (batch.q, batch.velocity, batch.acceleration)):
        assert torch.equal(tensor, torch.from_dlpack(expected))
    assert all((tensor == 0).all() for tensor in start)
    transposed = qt.State(*(tensor.T.contiguous().T for tensor in start))
    assert torch.equal(qtt.step(model, transposed, forces(dtype).T.contiguous().T, 0.02, 3).q, after.q)


@pytest.mark.parametrize("integrator", ["newmark", "backward-euler", "central-differences", "energy-conserving"])
def test_a_rollout_is_step_after_step(model, integrator):
    state, motion = qtt.rollout(model, qtt.rest(model, 7, torch.float64), [forces(), -forces(), forces()], 0.01, 2, integrator=integrator)
    batch = qt.Batch(model, bodies=7, dtype="float64", integrator=integrator)
    for n, force in enumerate((forces(), -forces(), forces())):
        batch.step(0.01, 2, force=force)
        assert torch.equal(motion[n], torch.from_dlpack(batch.q))
    assert torch.equal(state.velocity, torch.from_dlpack(batch.velocity))
    assert qtt.rollout(model, state, [], 0.01)[1].shape == (0, 7, 5)


def test_the_operator_is_as_torch_wants_it(model, dtype):
    handle = functional.stepper_of(model, {}).handle
    torch.library.opcheck(torch.ops.quartic.step.default, (*qtt.rest(model, 7, dtype), forces(dtype), handle, 0.02, 3))


def test_compiled_programs_keep_it_whole(model):
    def program(state, force):
        after = qtt.step(model, state, 2 * force, 0.02, 3, rayleigh_mass=1.0)
        return qtt.step(model, after, force, 0.02, 3, rayleigh_mass=1.0).q + 1

    compiled = torch.compile(program, fullgraph=True, backend="aot_eager")
    start = qtt.rest(model, 7, torch.float64)
    assert torch.equal(compiled(start, forces()), program(start, forces()))


def test_who_wants_gradients_is_told(model):
    start, force = qtt.rest(model, 7, torch.float64), forces().requires_grad_()
    with pytest.raises(qt.InputError, match="no gradients yet.*detach"):
        qtt.step(model, start, force, 0.02)
    with torch.no_grad():
        qtt.step(model, start, force, 0.02)
    direct = torch.ops.quartic.step(*start, force, functional.stepper_of(model, {}).handle, 0.02, 1)
    with pytest.raises(NotImplementedError, match="no gradients"):
        direct[0].sum().backward()


@pytest.mark.parametrize("wrong, words", [
    (lambda: forces(torch.float32), "float32"), (lambda: forces()[:3], "shape \\(3, 5\\)"), (lambda: forces().T, "shape \\(5, 7\\)"),
])
def test_wrong_tensors(model, wrong, words):
    with pytest.raises(qt.InputError, match=words):
        qtt.step(model, qtt.rest(model, 7, torch.float64), wrong(), 0.02)
    with pytest.raises(qt.InputError, match="float16"):
        qtt.step(model, qtt.rest(model, 7, torch.float16), forces(torch.float16), 0.02)
    with pytest.raises(qt.InputError, match="leave them out"):
        qtt.step(model, qtt.rest(model, 7, torch.float64), forces(), 0.02, device="cuda")


def test_a_model_takes_its_batches_with_it(beam):
    model = qt.reduce(*beam, modes=3, rank=5)
    qtt.step(model, qtt.rest(model, 7), forces(torch.float32), 0.02)
    handle = functional.stepper_of(model, {}).handle
    del model
    gc.collect()
    with pytest.raises(qt.InputError, match="model of this step is gone"):
        functional.with_handle(handle)


def test_views_are_shared(model):
    batch = qt.Batch(model, bodies=7)
    q = torch.from_dlpack(batch.q)
    assert q.data_ptr() == np.asarray(batch.q).__array_interface__["data"][0]
    batch.step(0.01, force=forces(torch.float32))
    assert torch.equal(q, torch.tensor(np.asarray(batch.q)))
