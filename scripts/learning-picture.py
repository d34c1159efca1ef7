#!/usr/bin/env python3
"""Draws docs/learning.png: how samples/python/learn_finger.py learns, and where the tips go then. Needs matplotlib.

learning-picture.py [FILE], with the package in PYTHONPATH (build/release/python).
"""

import pathlib
import runpy
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

ROOT = pathlib.Path(__file__).parents[1]


def paths(sample, bodies):
    """Tips over an episode (steps, bodies, 2) and targets (bodies, 2) [mm] under the learned policy."""
    env, policy = sample["make"](bodies), sample["policy"]
    seen, _ = env.reset(seed=5)
    total, tips = np.zeros((bodies, 2)), []
    for _ in range(sample["CONTROL_STEPS"]):
        total += 0.1 * (seen[:, 7:9] - seen[:, 1:3])
        inputs = np.concatenate([seen[:, :3], 0.1 * seen[:, 3:6], seen[:, 6:], total, np.ones((bodies, 1))], 1)
        seen, *_ = env.step((inputs @ policy.T).astype(np.float32))
        tips.append(seen[:, 1:3] * env.reach * 1000)
    return np.array(tips), seen[:, 7:9] * env.reach * 1000


def main() -> None:
    sample = runpy.run_path(str(ROOT / "samples/python/learn_finger.py"))
    tips, targets = paths(sample, 9)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), dpi=110)
    steps = list(sample["curve"])
    left.plot(steps, [1000 * sample["curve"][n] for n in steps], color="tab:blue")
    left.axhline(1000 * sample["best_constant"], color="0.5", linestyle="--", label="best constant action")
    left.set(xlabel="steps of the search", ylabel="tip off its target [mm]", ylim=(0, None))
    left.legend(frameon=False)
    for n in range(tips.shape[1]):
        colour = f"C{n}"
        right.plot(*tips[:, n].T, color=colour, linewidth=1)
        right.plot(*targets[n], "x", color=colour, markersize=9, markeredgewidth=2)
        right.plot(*tips[-1, n], "o", color=colour, markersize=4)
    right.set(xlabel="y [mm]", ylabel="z [mm]", aspect="equal", title="tips (dots at the end) and targets (crosses)")
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/learning.png")


if __name__ == "__main__":
    main()
