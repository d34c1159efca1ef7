"""A soft finger learns to bring its tip to a target, whatever its stiffness, damping and weight are.

The policy is linear: two forces at the tip from where tip and target are, how fast the tip moves and how far it has been off so far.
It is found by random search (Mania, Guy and Recht 2018, "Simple random search of static linear policies is competitive for
reinforcement learning", algorithm 2): try small changes in both directions, all at once, and go where it was better. Needs Gymnasium.

prints:
  the best constant action: 35 mm off
  after   0 steps: 36 mm off
  after  50 steps:  6 mm off
  after 300 steps:  6 mm off
"""

import numpy as np
import numpy.typing as npt

import quartic as qt
from quartic.gym import SoftReach

Floats = npt.NDArray[np.float64]

rubber = qt.Material(youngs_modulus=4e5, poissons_ratio=0.45, density=1100)
mesh, fixed = qt.make_box(0.12, 0.02, 0.02, cells_x=12, material=rubber)
model = qt.reduce(mesh, fixed, modes=5, rank=8)
tip = mesh.vertex_count - 1
reach = 0.05  # [m]

random = np.random.default_rng(2)
angle, radius = random.uniform(0, 2 * np.pi, 64), reach * np.sqrt(random.uniform(0.1, 1, 64))
targets = np.stack([0 * angle, radius * np.cos(angle), radius * np.sin(angle)], 1)
push = 0.8 * model.basis[:, tip, 1:].T  # 0.8 N along y, and along z

CONTROL_STEPS, INPUTS = 60, 12


def make(bodies: int) -> SoftReach:
    return SoftReach(model, bodies, tip=tip, actuation=push, targets=targets, reach=reach, max_episode_steps=CONTROL_STEPS + 1,
                     stiffness=(0.7, 1.4), damping=(3, 6), gravity=(7, 10))


def distances(env: SoftReach, policies: Floats, seed: int) -> Floats:
    """The mean distance of the tip from its target over the second half of an episode, of each policy (p, 2, INPUTS)."""
    count, total = len(policies), np.zeros((env.num_envs, 2))
    seen, _ = env.reset(seed=seed)
    sums = np.zeros(env.num_envs)
    for n in range(CONTROL_STEPS):
        total += 0.1 * (seen[:, 7:9] - seen[:, 1:3])
        inputs = np.concatenate([seen[:, :3], 0.1 * seen[:, 3:6], seen[:, 6:], total, np.ones((env.num_envs, 1))], 1)
        actions = np.einsum("pki,pni->pnk", policies, inputs.reshape(count, -1, INPUTS)).reshape(-1, 2)
        seen, rewards, *_ = env.step(actions.astype(np.float32))
        if n >= CONTROL_STEPS // 2:
            sums -= rewards
    return reach * sums.reshape(count, -1).mean(1) / (CONTROL_STEPS - CONTROL_STEPS // 2)


def constant(action: tuple[float, float]) -> Floats:
    policy = np.zeros((2, INPUTS))
    policy[:, -1] = action
    return policy


test, directions, used = make(256), 16, 8
grid = [constant((y, z)) for y in (-0.1, 0, 0.1) for z in np.linspace(-0.3, 0.6, 10)]
best_constant = min(distances(test, policy[None], 77)[0] for policy in grid)
print(f"the best constant action: {1000 * best_constant:.0f} mm off")

env, policy, steps, curve = make(2 * directions * 8), np.zeros((2, INPUTS)), 300, {}
for n in range(steps + 1):
    if n % 10 == 0:
        curve[n] = distances(test, policy[None], 77)[0]
    changes = random.normal(size=(directions, 2, INPUTS))
    size = 1 - 0.8 * n / steps
    plus, minus = distances(env, np.concatenate([policy + 0.1 * size * changes, policy - 0.1 * size * changes]), n).reshape(2, -1)
    chosen = np.argsort(np.minimum(plus, minus))[:used]
    spread = np.concatenate([plus[chosen], minus[chosen]]).std()
    policy -= 0.03 * size / (used * spread) * np.einsum("d,dki->ki", (plus - minus)[chosen], changes[chosen])

for n in (0, 50, steps):
    print(f"after {n:3} steps: {1000 * curve[n]:2.0f} mm off")
assert curve[steps] <= best_constant / 4
