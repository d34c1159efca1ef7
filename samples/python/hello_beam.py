"""Cantilevers under one to three times their weight: how far do the free ends of the first and the last one sink?

prints:
  0.1 s: -0.0622 -0.1882 m
  0.2 s: -0.2037 -0.5661 m
  0.3 s: -0.3218 -0.7585 m
  0.4 s: -0.3475 -0.7119 m
  0.5 s: -0.2833 -0.4903 m
  0 of 512 diverged
"""

import numpy as np

import quartic as qt

# A cantilever of 1 m, held at one end; or qt.read_mesh("finger.msh") and qt.read_fixed_vertices(...).
mesh, fixed = qt.make_beam()
model = qt.reduce(mesh, fixed, modes=6, rank=12)  # once: qt.save_model(model, "finger.qrt")
tip = mesh.vertex_count - 1

batch = qt.Batch(model, bodies=512, rayleigh_mass=2)

# The state is yours: arrays on the batch's own memory, no copy. torch.from_dlpack(batch.q) does the same.
q, force = np.asarray(batch.q), np.asarray(batch.force)  # shape (512, 12) each
gravity = np.array([0, 0, -9.81]) @ model.unit_acceleration
force[:] = np.linspace(1, 3, 512)[:, None] * gravity

ends = qt.Embedding(model, vertices=[tip])
moved = np.empty((512, 1, 3), np.float32)
for frame in range(1, 6):
    batch.step(0.1, substeps=20)
    ends.displacements(q, out=moved)
    print(f"{0.1 * frame:.1f} s: {moved[0, 0, 2]:7.4f} {moved[-1, 0, 2]:7.4f} m")

# Bodies that diverged start again, the others go on.
diverged = batch.status == qt.BodyStatus.diverged
batch.reset(diverged)
print(f"{diverged.sum()} of {batch.bodies} diverged")
