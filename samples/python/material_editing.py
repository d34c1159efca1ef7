"""Another stiffness while bodies move, without the mesh; and a checkpoint to go back to.

prints:
  at rest: tip at -0.0438 m
  four times as stiff: tip at -0.0109 m
  back to the softer beam: the same 12 numbers, True
"""

import numpy as np

import quartic as qt

mesh, fixed = qt.make_box(0.5, 0.1, 0.1, cells_x=20, material=qt.Material(2e6, 0.3, 1000))
model = qt.reduce(mesh, fixed, modes=5, rank=12, region_parts=True)
tip = qt.Embedding(model, vertices=[mesh.vertex_count - 1])


def settle(batch: qt.Batch) -> float:
    """Steps until nothing moves. Returns the height of the tip."""
    batch.step(5.0, substeps=500)
    return float(tip.displacements(batch.q)[0, 0, 2])


batch = qt.Batch(model, dtype="float64", rayleigh_mass=20)
batch.force[:] = np.array([0, 0, -9.81]) @ model.unit_acceleration
print(f"at rest: tip at {settle(batch):.4f} m")
batch.save_checkpoint("soft.qstate")
soft = np.array(batch.q)

rubber = mesh.regions[0].material
assert rubber is not None
stiff = qt.Material(4 * rubber.youngs_modulus, rubber.poissons_ratio, rubber.density)
qt.apply_edit(batch, qt.edit_materials(model, [stiff]))
print(f"four times as stiff: tip at {settle(batch):.4f} m")

again = qt.Batch(model, dtype="float64", rayleigh_mass=20)
again.load_checkpoint("soft.qstate")
print(f"back to the softer beam: the same {model.rank} numbers, {np.array_equal(again.q, soft)}")
