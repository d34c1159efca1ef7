"""Steps as a function that JAX compiles."""

import gc

import numpy as np
import pytest

import quartic as qt
from conftest import needs

jax = needs("jax")
jnp = jax.numpy
jax.config.update("jax_enable_x64", True)
if not hasattr(qt._core, "_xla_targets"):
    pytest.skip("quartic was built without JAX's headers", allow_module_level=True)
import quartic.jax as qj  # noqa: E402


def forces(dtype="float64"):
    return jnp.linspace(-1, 1, 35, dtype=dtype).reshape(7, 5)


def rest(dtype="float64"):
    return qt.State(*(jnp.zeros((7, 5), dtype) for _ in range(3)))


def batch_after(model, dtype="float64", **options):
    batch = qt.Batch(model, bodies=7, dtype=dtype, **options)
    batch.step(0.02, 3, force=np.asarray(forces(dtype)))
    return batch


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("integrator", ["newmark", "backward-euler", "central-differences", "energy-conserving"])
def test_a_step_has_the_bits_of_a_batch(model, dtype, integrator):
    batch = batch_after(model, dtype, integrator=integrator)
    eager = qj.step(model, rest(dtype), forces(dtype), 0.02, 3, integrator=integrator)
    compiled = jax.jit(lambda state, force: qj.step(model, state, force, 0.02, 3, integrator=integrator))(rest(dtype), forces(dtype))
    for after in (eager, compiled):
        for values, expected in zip(after, (batch.q, batch.velocity, batch.acceleration)):
            assert values.dtype == dtype and np.array_equal(values, np.asarray(expected))


def test_a_mapped_step_has_more_bodies(model):
    expected = np.asarray(batch_after(model).q)
    pushes = jnp.stack([forces(), -forces(), forces()])
    mapped = jax.vmap(lambda force: qj.step(model, rest(), force, 0.02, 3).q)(pushes)
    assert mapped.shape == (3, 7, 5) and np.array_equal(mapped[0], expected) and np.array_equal(mapped[2], expected)
    assert np.array_equal(mapped[1], qj.step(model, rest(), -forces(), 0.02, 3).q)


def test_loops_are_compiled(model):
    def body(state, force):
        after = qj.step(model, state, force, 0.01, 2)
        return after, after.q

    last, motion = jax.jit(lambda pushes: jax.lax.scan(body, rest(), pushes))(jnp.stack([forces()] * 5))
    batch = qt.Batch(model, bodies=7, dtype="float64")
    for n in range(5):
        batch.step(0.01, 2, force=np.asarray(forces()))
        assert np.array_equal(motion[n], np.asarray(batch.q))
    assert np.array_equal(last.velocity, np.asarray(batch.velocity))


def test_who_wants_gradients_is_told(model):
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.grad(lambda force: qj.step(model, rest(), force, 0.02).q.sum())(forces())


@pytest.mark.parametrize("force, words", [
    (lambda: forces("float32"), "force is an array of float32"), (lambda: forces()[:3], "shape \\(3, 5\\)"),
])
def test_wrong_arrays(model, force, words):
    with pytest.raises(qt.InputError, match=words):
        qj.step(model, rest(), force(), 0.02)
    with pytest.raises(qt.InputError, match="int64"):
        qj.step(model, qt.State(*(jnp.zeros((7, 5), "int64") for _ in range(3))), forces(), 0.02)
    with pytest.raises(Exception, match="time step dt"):  # XLA's own exception, with our words
        jax.block_until_ready(qj.step(model, rest(), forces(), -1.0))


def test_the_default_device_may_be_a_platform(model):
    with jax.default_device("cpu"):
        after = jax.jit(lambda force: qj.step(model, rest(), force, 0.02, 3).q)(forces())
    assert np.array_equal(after, np.asarray(batch_after(model).q))


@pytest.mark.skipif(not qt.cuda_available(), reason="no CUDA device")
def test_programs_run_where_they_were_made_for(model):
    with pytest.raises(Exception, match="made for cuda:0, but XLA runs it on the CPU"):
        jax.block_until_ready(qj.step(model, jax.device_put(rest(), jax.devices("cpu")[0]), forces(), 0.02, device="cuda:0"))


def test_a_program_that_outlives_its_model_says_so(beam):
    model = qt.reduce(*beam, modes=3, rank=5)
    lowered = jax.jit(lambda force: qj.step(model, rest(), force, 0.02).q).lower(forces()).compile()
    lowered(forces())
    del model
    gc.collect()
    jax.clear_caches()
    gc.collect()
    with pytest.raises(Exception, match="model of this step is gone"):
        jax.block_until_ready(lowered(forces()))
