"""Bodies that nothing holds: two rods fly, turn, and bend, and keep their momenta.

prints:
  falling: 1.226 m in 0.5 s
  spinning: turned by 286 degrees
  angular momentum kept to 1e-09: True
"""

import numpy as np

import quartic as qt

mesh, _ = qt.make_box(1, 0.05, 0.05, cells_x=16, cells_y=1, cells_z=1, material=qt.Material(5e6, 0.3, 1000))
model = qt.reduce(mesh, [], modes=5, rank=10)  # nothing fixed
frame = qt.free_frame(model)
batch = qt.Batch(qt.BodyGroup(model, 2, frame=frame), dtype="float64", newton_iterations=2)

batch.wrench[0, 2] = -9.81 * frame.mass  # gravity, on the first one
twist = np.zeros((2, 6))
twist[1, 3:] = 0, 0, 10  # the second one turns about its z axis [rad/s]
batch.reset(twist=twist)

momentum = np.array(batch.angular_momentum())
batch.step(0.5, substeps=500)
print(f"falling: {-batch.pose[0, 2]:.3f} m in 0.5 s")
z, w = batch.pose[1, 5:]
angle = np.degrees(2 * np.arctan2(z, w)) % 360
print(f"spinning: turned by {angle:.0f} degrees")
drift = np.abs(np.asarray(batch.angular_momentum()) - momentum).max() / np.abs(momentum).max()
print(f"angular momentum kept to 1e-09: {drift < 1e-9}")
