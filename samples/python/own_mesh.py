"""A mesh of arrays, checked, made quadratic, reduced, and simulated: frames become an animated surface.

prints:
  2 cubes, 2.00e-03 m^3, 2.40 kg
  32 vertices with quadratic elements, lowest frequency 1.6 Hz
  swing.glb written, 31 frames
"""

import numpy as np

import quartic as qt

# Two cubes of 0.1 m in a row, in VTK's order of corners; the lower one is of a softer material.
x, y, z = np.meshgrid([0, 0.1], [0, 0.1], [0, 0.1, 0.2], indexing="ij")
vertices = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
number = np.arange(12).reshape(2, 2, 3)
cubes = np.array([[number[i, j, k + h] for h in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))] for k in (0, 1)])
regions = [qt.Region("soft", qt.Material(2e4, 0.4, 1000)), qt.Region("firm", qt.Material(1e5, 0.4, 1400))]
mesh = qt.VolumeMesh(vertices, {"hex8": cubes}, regions=regions, element_region=[0, 1])
report = qt.check_mesh(mesh)
print(f"{mesh.element_count} cubes, {report.volume:.2e} m^3, {report.mass:.2f} kg")

# Held at the floor. A free choice of the basis' size: 4 modes and what their derivatives add, 10 coordinates.
fine = qt.make_quadratic(mesh)
floor = qt.select_in_box(fine, [0, 0, 0, 0.1, 0.1, 0]).vertices
model = qt.reduce(fine, floor, modes=4, rank=10)
print(f"{fine.vertex_count} vertices with quadratic elements, lowest frequency {model.frequencies[0]:.1f} Hz")

# A push at the top, and let go.
batch = qt.Batch(model, dtype="float64", rayleigh_mass=1)
top = qt.Embedding(model, vertices=qt.select_in_box(fine, [0, 0, 0.2, 0.1, 0.1, 0.2]).vertices)
push = np.zeros((1, top.vertex_count, 3))
push[..., 0] = 2 / top.vertex_count  # [N]
top.add_vertex_forces(push, batch.force)
frames = [np.array(batch.q)]
for frame in range(30):
    if frame == 10:
        batch.force[:] = 0
    batch.step(0.01, substeps=5)
    frames.append(np.array(batch.q))
motion = qt.Trajectory(0.01 * np.arange(31), np.array(frames))
qt.write_glb(model, motion, "swing.glb")
print(f"swing.glb written, {motion.frames} frames")
