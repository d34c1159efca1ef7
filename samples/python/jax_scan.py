"""Steps inside a program that JAX compiles: a push that runs along a beam. Needs jax.

prints:
  pushed at 0.25 m: the tip rises by 0.0221 m at most
  pushed at 0.50 m: the tip rises by 0.0785 m at most
  pushed at 1.00 m: the tip rises by 0.2310 m at most
"""

import jax
import jax.numpy as jnp

import quartic as qt
import quartic.jax

jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]
mesh, fixed = qt.make_beam(20)
model = qt.reduce(mesh, fixed, modes=4, rank=8)
basis, rest = jnp.array(model.basis), jnp.array(mesh.vertices)
tip = int(jnp.argmax(rest[:, 0]))


@jax.jit
def highest(vertex: jax.Array) -> jax.Array:
    """How high the tip gets while 20 N push a vertex up for a second: three bodies, one for each vertex."""
    force = 20 * basis[:, vertex, 2].T  # U^T f, shape (3, r)

    def step(state: qt.State[jax.Array], _: None) -> tuple[qt.State[jax.Array], jax.Array]:
        after = quartic.jax.step(model, state, force, 0.01, substeps=2, rayleigh_mass=1.0)
        return after, after.q @ basis[:, tip, 2]

    start = qt.State(*(jnp.zeros((3, model.rank)) for _ in range(3)))
    return jax.lax.scan(step, start, None, length=100)[1].max(0)


places = jnp.array([0.25, 0.5, 1.0])
vertices = jnp.argmin(jnp.abs(rest[:, 0, None] - places), axis=0)
for place, height in zip(places, highest(vertices)):
    print(f"pushed at {place:.2f} m: the tip rises by {height:.4f} m at most")
