"""Tensors of PyTorch on a batch's own memory, and steps as a function that torch.compile keeps whole. Needs torch.

prints:
  0.1 s: -0.0622 -0.1882 m
  0.2 s: -0.2037 -0.5661 m
  0.3 s: -0.3218 -0.7585 m
  0.4 s: -0.3475 -0.7119 m
  0.5 s: -0.2833 -0.4903 m
  the function's bits are the batch's: True
"""

import torch

import quartic as qt
import quartic.torch

# A cantilever of 1 m, held at one end; 512 of them, on the GPU if there is one.
mesh, fixed = qt.make_beam()
model = qt.reduce(mesh, fixed, modes=6, rank=12)
tip = mesh.vertex_count - 1
device = "cuda" if qt.cuda_available() else "cpu"
batch = qt.Batch(model, bodies=512, device=device, rayleigh_mass=2)

# Tensors on the batch's own memory, no copy.
q, force = torch.from_dlpack(batch.q), torch.from_dlpack(batch.force)  # shape (512, 12) each
gravity = torch.tensor([0, 0, -9.81]) @ torch.tensor(model.unit_acceleration).float()
force[:] = torch.linspace(1, 3, 512, device=q.device)[:, None] * gravity.to(q.device)

# How far do the free ends of the first and the last body sink?
ends = qt.Embedding(model, vertices=[tip], device=device)
moved = torch.empty(512, 1, 3, device=q.device)
for frame in range(1, 6):
    batch.step(0.1, substeps=20)  # on a GPU: queued in the stream, nothing waits
    ends.displacements(batch.q, out=moved)
    print(f"{0.1 * frame:.1f} s: {moved[0, 0, 2]:7.4f} {moved[-1, 0, 2]:7.4f} m")

# Bodies that diverged start again, the others go on.
before = q.clone()
batch.reset(torch.from_dlpack(batch.status) == int(qt.BodyStatus.diverged))

# The same motion as a function of the state: nothing is changed in place.
step = torch.compile(lambda state: quartic.torch.step(model, state, force, 0.1, 20, rayleigh_mass=2.0), fullgraph=True, backend="aot_eager")
state = quartic.torch.rest(model, 512, device=q.device.type)
for _ in range(5):
    state = step(state)
print(f"the function's bits are the batch's: {torch.equal(state.q, before)}")
