#!/usr/bin/env python3
"""What Python costs: calls and a learning loop beside the same in C++, in the same run, in processor time on one thread.

python_bench.py [BASELINE], with the package in PYTHONPATH (build/release/python); BASELINE is build/release/python_baseline. Torch's
line is left out without torch.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import quartic as qt
from quartic.gym import SoftReach

BASELINE = pathlib.Path(__file__).parents[1] / "build/release/python_baseline"
BODIES, EPISODE, ROUNDS = 4096, 100, 3


def seconds_per_call(call, count):
    start = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - start) / count


class Best(dict):
    """The least seconds of each name."""

    def add(self, name, seconds):
        self[name] = min(self.get(name, seconds), seconds)


def make_env(model, tip):
    random = np.random.default_rng(1)
    return SoftReach(model, BODIES, tip=tip, actuation=0.8 * model.basis[:, tip, 1:].T, targets=random.uniform(-0.05, 0.05, (64, 3)),
                     reach=0.05, max_episode_steps=EPISODE, stiffness=(0.7, 1.4), damping=(3, 6), gravity=(7, 10), threads=1)


def torch_force(rank):
    try:
        import torch
    except ModuleNotFoundError:
        return None
    return torch.zeros(1, rank)


def main() -> None:
    baseline = sys.argv[1] if len(sys.argv) > 1 else BASELINE
    mesh, fixed = qt.make_beam()
    model = qt.reduce(mesh, fixed, modes=6, rank=12)
    tip = mesh.vertex_count - 1
    file = pathlib.Path(tempfile.mkdtemp()) / "beam.qrt"
    qt.save_model(model, file)

    single = qt.Batch(model, bodies=1, rayleigh_mass=2, threads=1)
    many = qt.Batch(model, bodies=BODIES, rayleigh_mass=2, threads=1)
    mask = np.arange(BODIES) % 50 == 0
    tensor, array = torch_force(model.rank), np.zeros((1, model.rank), np.float32)
    env = make_env(model, tip)
    actions = np.random.default_rng(2).uniform(-1, 1, (BODIES, 2)).astype(np.float32)
    env.reset(seed=1)

    best = Best()
    for _ in range(ROUNDS):  # in turns, so that what slows the machine down slows both
        cpp = json.loads(subprocess.run([baseline, file, str(tip), str(BODIES)], capture_output=True, text=True, check=True).stdout)
        for name, seconds in cpp.items():
            best.add("C++ " + name, seconds)
        for _ in range(100):
            best.add("step", seconds_per_call(lambda: single.step(0.02), 1000))
            best.add("array", seconds_per_call(lambda: single.step(0.02, 1, array), 1000))
            if tensor is not None:
                best.add("tensor", seconds_per_call(lambda: single.step(0.02, 1, tensor), 1000))
            best.add("empty", seconds_per_call(lambda: None, 1000))
        for _ in range(40):
            best.add("loop", seconds_per_call(lambda: env.step(actions), 10))
        for _ in range(40):
            best.add("many", seconds_per_call(lambda: many.step(0.02), 1))
            best.add("reset", seconds_per_call(lambda: many.reset(mask), 20))

    over = {name: 1e6 * (best[name] - best["empty"] - best["C++ single_step"]) for name in ("step", "array", "tensor") if name in best}
    print(f"one body's step in C++: {1e6 * best['C++ single_step']:.2f} us; over that")
    print(f"  batch.step(dt): {over['step']:.2f} us (aim 0.5)")
    print(f"  with a NumPy force: {over['array']:.2f} us")
    if "tensor" in over:
        print(f"  with a torch force: {over['tensor']:.2f} us (aim 1.5)")
    print(f"learning loop of {BODIES} bodies: {1e3 * best['loop']:.2f} ms, in C++ {1e3 * best['C++ loop']:.2f} ms: "
          f"{100 * best['C++ loop'] / best['loop']:.0f} % of its rate (aim 95)")
    print(f"reset by a mask: {100 * best['reset'] / best['many']:.1f} % of a step (aim 5)")


if __name__ == "__main__":
    main()
