"""A soft finger with an air chamber over a stiff floor curls as it is inflated: its equilibria at a few pressures, a reduced
model of these and of vibration modes, a puff of air, and air that is shut in.

prints:
  a chamber of 10.0 ml
  at 14 kPa the tip of the unreduced finger is at -3.5 mm
  0.00 s: tips at  +0.0,  +0.0 and  +0.0 mm
  0.48 s: tips at  -3.5,  -0.1 and  -0.7 mm
  0.96 s: tips at  -3.5,  -0.0 and  -0.7 mm
  the air that was shut in at 14.0 kPa pushes with 4.1 kPa
"""

import numpy as np

import quartic as qt

# 12 x 4 x 5 bricks of 1 cm x 5 mm x 5 mm with a chamber of 10 x 2 x 2 in them; the floor, two bricks thick, is stiff.
corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
cells = np.array([(i, j, k) for i, j, k in np.ndindex(12, 4, 5) if not (0 < i < 11 and 0 < j < 3 and 1 < k < 4)])
places = (cells[:, None] + corners).reshape(-1, 3)
numbers = np.ravel_multi_index(tuple(places.T), (13, 5, 6))
used, bricks = np.unique(numbers, return_inverse=True)
vertices = np.stack(np.unravel_index(used, (13, 5, 6)), axis=1) * [0.01, 0.005, 0.005]
regions = [qt.Region("floor", qt.Material(2e6, 0.4, 1100)), qt.Region("rubber", qt.Material(2e5, 0.4, 1100))]
mesh = qt.make_quadratic(
    qt.VolumeMesh(vertices, {"hex8": bricks.reshape(-1, 8)}, regions=regions, element_region=(cells[:, 2] >= 2).astype(int))
)
fixed = qt.vertices_in_box(mesh, [0, 0, 0, 0, 1, 1])
(air,) = qt.find_cavities(mesh)
print(f"a chamber of {1e6 * qt.enclosed_volume(mesh, air):.1f} ml")

# The fields: four vibration modes, and equilibria of the unreduced body up to 20 kPa.
solver = qt.StaticSolver(mesh, fixed, chambers=[air])
no_force = np.zeros((mesh.vertex_count, 3))
states = [no_force]
for pressure in (400.0, 4e3, 8e3, 12e3, 16e3, 20e3):
    states.append(solver.solve(no_force, states[-1], np.array([pressure])).solution)
modes = qt.reduce(mesh, fixed, modes=4, energy=False).linear_modes
model = qt.add_chamber(qt.reduce_with_basis(mesh, fixed, np.concatenate([modes, states[1:]])), air)

# At a pressure that no field was made of: the unreduced finger beside reduced ones.
tip = qt.vertices_in_box(mesh, [0.12, 0, 0, 0.12, 0, 0])
whole = solver.solve(no_force, pressure=np.array([14e3])).solution
print(f"at 14 kPa the tip of the unreduced finger is at {1e3 * whole[tip[0], 2]:+.1f} mm")

# One finger is inflated and held, the second gets a puff, and in the third the air is shut in at that pressure.
batch = qt.Batch(model, bodies=3, dtype="float64", rayleigh_mass=20, newton_iterations=3)
tips = qt.Embedding(model, vertices=tip)
inside = np.asarray(batch.enclosed_volume())
batch.set_gas((14e3 + 101325) * inside * [0, 0, 1])
for frame in range(49):
    if frame > 0:
        batch.step(0.02, substeps=10)
    batch.set_pressure(np.array([14e3, 14e3 if frame < 5 else 0, 0.0]))
    if frame % 24 == 0:
        heights = 1e3 * np.asarray(tips.displacements(batch.q))[:, 0, 2]
        print("{:.2f} s: tips at {:+5.1f}, {:+5.1f} and {:+5.1f} mm".format(0.02 * frame, *heights))
print(f"the air that was shut in at 14.0 kPa pushes with {1e-3 * np.asarray(batch.gas_pressure())[2]:.1f} kPa")
