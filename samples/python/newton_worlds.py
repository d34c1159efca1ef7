"""A reduced body in each of Newton's worlds, one batch for all of them. Needs newton.

prints:
  0.1 s: tips at 1.94 1.90 1.86 m
  0.2 s: tips at 1.80 1.68 1.59 m
  0.3 s: tips at 1.70 1.55 1.45 m
"""

import newton
import numpy as np
import warp as wp

import quartic as qt
import quartic.newton

wp.config.log_level = wp.LOG_WARNING
mesh, fixed = qt.make_beam(20)
model = qt.reduce(mesh, fixed, modes=4, rank=8)
tip = int(np.argmax(mesh.vertices[:, 0]))

body = newton.ModelBuilder()
quartic.newton.add_body(body, model, wp.transform((0.0, 0.0, 2.0), wp.quat_identity()))
builder = newton.ModelBuilder()
builder.replicate(body, 3, spacing=(0.0, 1.0, 0.0))
scene = builder.finalize(device="cpu")

solver = quartic.newton.SolverQuartic(scene, model, substeps=4, rayleigh_mass=1)
before, after = scene.state(), scene.state()
loads = np.zeros((3, mesh.vertex_count, 3), np.float32)
loads[:, tip, 2] = [0, -20, -40]  # [N], as contacts would put them into particle_f
for state in (before, after):
    state.particle_f.assign(loads.reshape(-1, 3))
for frame in range(1, 7):
    solver.step(before, after, None, None, 0.05)
    before, after = after, before
    heights = before.particle_q.numpy().reshape(3, -1, 3)[:, tip, 2]
    if frame % 2 == 0:
        print(f"{0.05 * frame:.1f} s: tips at", *(f"{height:.2f}" for height in heights), "m")
