#!/usr/bin/env python3
"""One cantilever in quartic, MuJoCo and Newton: prints the second half of docs/accuracy.md as markdown.

    python3 -m venv venv && venv/bin/pip install mujoco==4.0.0 newton==1.8.0 numpy
    venv/bin/python scripts/side_by_side.py build/release/quartic [quartic|mujoco|newton|same-mesh]...

1 x 0.1 x 0.1 m, E = 5e6 Pa, nu = 0.3, 1000 kg/m^3, held at one end, let go under gravity, undamped, for a second of 5 ms
steps. Not run by CI, which hasn't these packages. Takes some minutes, most of them for the reference and for Newton's
compiler. Times are processor time, of the fastest step where steps are timed one by one.
"""
import datetime
import json
import os
import platform
import resource
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

LENGTH, WIDTH, E, NU, DENSITY, GRAVITY = 1.0, 0.1, 5e6, 0.3, 1000.0, 9.81
STEP, STEPS = 0.005, 200


class Row:
    def __init__(self, name, freedoms, motion, seconds, static=None):
        self.name, self.freedoms, self.motion, self.seconds, self.static = name, freedoms, motion, seconds, static


# ---- quartic ----------------------------------------------------------------------------------------------------


def quartic(*arguments):
    run = subprocess.run([QUARTIC, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"quartic {' '.join(map(str, arguments))}:\n{run.stderr}")
    return run.stdout


def tensors(path):
    """Of a safetensors file."""
    with open(path, "rb") as file:
        data = file.read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    types = {"F64": np.float64, "F32": np.float32, "I32": np.int32, "I64": np.int64}
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(data, types[t["dtype"]], int(np.prod(t["shape"])), start + t["data_offsets"][0]).reshape(t["shape"])
        for name, t in header.items()
    }


def write_deck(path, vertices, elements, kind, held):
    with open(path, "w") as deck:
        deck.write("*NODE\n")
        for n, x in enumerate(vertices):
            deck.write(f"{n + 1}, {x[0]:.17g}, {x[1]:.17g}, {x[2]:.17g}\n")
        deck.write(f"*ELEMENT, TYPE={kind}, ELSET=BODY\n")
        for n, element in enumerate(elements):
            numbers = [n + 1, *(v + 1 for v in element)]
            lines = [", ".join(map(str, numbers[i : i + 12])) for i in range(0, len(numbers), 12)]
            deck.write(",\n".join(lines) + "\n")
        deck.write("*NSET, NSET=HELD\n" + ",\n".join(str(v + 1) for v in held) + "\n")
        deck.write(f"*MATERIAL, NAME=M\n*ELASTIC\n{E}, {NU}\n*DENSITY\n{DENSITY}\n*SOLID SECTION, ELSET=BODY, MATERIAL=M\n")


def hexahedra(nx, ny, nz):
    """Vertices and elements of a box of hex8."""
    number = lambda i, j, k: (i * (ny + 1) + j) * (nz + 1) + k
    vertices = [
        (LENGTH * i / nx, WIDTH * (j / ny - 0.5), WIDTH * (k / nz - 0.5))
        for i in range(nx + 1) for j in range(ny + 1) for k in range(nz + 1)
    ]
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    elements = [
        [number(i + a, j + b, k + c) for a, b, c in corners] for i in range(nx) for j in range(ny) for k in range(nz)
    ]
    return np.array(vertices), elements


def tip_rows(vertices):
    return vertices[:, 0] > LENGTH - 1e-9


def held_rows(vertices):
    return np.flatnonzero(vertices[:, 0] < 1e-9)


BODY = ["beam.inp", "--quadratic", "--fix-set", "HELD"]
WEIGHT = ["--gravity", f"0,0,{-GRAVITY}"]


def unreduced(static):
    """The tip's height: at rest, or at the end of each step, from the unreduced body on shorter steps."""
    how = ["--static", "--load-steps", 4] if static else ["--dt", STEP, "--steps", STEPS, "--substeps", 10, "--newton", 3]
    quartic("solve", *BODY, *WEIGHT, *how, "-o", "reference.qsnap")
    quartic("reduce", *BODY, "--modes", 2, "--rank", 2, "-o", "mesh.qrt")
    rows = tip_rows(tensors("mesh.qrt")["vertices"])
    u = tensors("reference.qsnap")["displacements"]
    u = u.reshape(len(u), -1, 3)
    z = u[:, rows, 2].mean(1)
    return z[-1] if static else z[-STEPS:]


def quartic_rows():
    for modes, rank, relax in ((6, 12, 0), (6, 12, 0.9), (10, 20, 0), (10, 20, 0.9), (20, 30, 0), (20, 30, 0.9)):
        quartic("reduce", *BODY, "--modes", modes, "--rank", rank, "--relax", relax, "-o", "m.qrt")
        model = tensors("m.qrt")
        tip = model["basis"].reshape(rank, -1, 3)[:, tip_rows(model["vertices"]), 2].mean(1)
        run = [*WEIGHT, "--dt", STEP, "--steps", STEPS]
        quartic("simulate", "m.qrt", *run, "-o", "m.qtraj")
        motion = tensors("m.qtraj")["q"][-STEPS:, 0] @ tip
        seconds = step_seconds("m.qrt", run)
        quartic("simulate", "m.qrt", *WEIGHT, "--dt", 1, "--steps", 40, "--substeps", 100, "--rayleigh-mass", 5, "-o", "s.qtraj")
        static = tensors("s.qtraj")["q"][-1, 0] @ tip
        name = f"quartic, r = {rank}" + (f", {relax} relaxed" if relax else "")
        yield Row(name, rank, motion, seconds, static)


def step_seconds(model, run):
    """Of one body, from two runs, so that what they have besides steps cancels."""

    def processor_seconds(substeps):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        quartic("simulate", model, *run, "--substeps", substeps, "-o", "timed.qtraj")
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    few, many = 50, 250
    return min(processor_seconds(many) - processor_seconds(few) for _ in range(3)) / ((many - few) * STEPS)


# ---- MuJoCo -----------------------------------------------------------------------------------------------------


def mujoco_model(kind, count, cells=None, damping=0.0, step=STEP, gravity=GRAVITY):
    """A flexible grid whose first face is pinned. Contact is off."""
    import mujoco

    spacing = " ".join(str(size / (n - 1)) for size, n in zip((LENGTH, WIDTH, WIDTH), count))
    if kind == "full":
        pinned = count[1] * count[2]
    else:
        order = 1 if kind == "trilinear" else 2
        pinned = (cells[1] * order + 1) * (cells[2] * order + 1)
    grid = f'cellcount="{cells[0]} {cells[1]} {cells[2]}"' if cells else ""
    return mujoco.MjModel.from_xml_string(f"""
      <mujoco><option timestep="{step}" integrator="discrete" solver="Newton" gravity="0 0 {-gravity}">
      <flag contact="disable"/></option><worldbody>
      <flexcomp name="b" type="grid" dim="3" count="{count[0]} {count[1]} {count[2]}" spacing="{spacing}" radius="0"
                mass="{DENSITY * LENGTH * WIDTH**2}" dof="{kind}" {grid}>
      <elasticity young="{E}" poisson="{NU}" damping="{damping}"/>
      <contact selfcollide="none" contype="0" conaffinity="0"/>
      <pin id="{" ".join(map(str, range(pinned)))}"/></flexcomp></worldbody></mujoco>""")


def settle(model, data, still=1e-9, most=4000):
    """Steps a damped model until nothing moves."""
    import mujoco

    for _ in range(most):
        mujoco.mj_step(model, data)
        if np.abs(data.qvel).max() < still:
            break
    mujoco.mj_forward(model, data)
    return np.abs(data.qvel).max() < still


def tip_of(data):
    return data.flexvert_xpos[data_tip(data)].mean(0)


def data_tip(data):
    x = data.flexvert_xpos
    return np.flatnonzero(x[:, 0] > x[:, 0].max() - 1e-9)


def mujoco_rows():
    import mujoco

    cases = [("trilinear", (21, 3, 3), (20, 2, 2)), ("quadratic", (21, 3, 3), (4, 1, 1)),
             ("quadratic", (21, 3, 3), (8, 1, 1)), ("full", (21, 3, 3), None), ("full", (41, 5, 5), None)]
    for kind, count, cells in cases:
        still = mujoco_model(kind, count, cells, damping=0.2, step=0.02)
        data = mujoco.MjData(still)
        mujoco.mj_forward(still, data)
        tip = data_tip(data)
        rest = data.flexvert_xpos[tip, 2].mean()
        static = data.flexvert_xpos[tip, 2].mean() - rest if settle(still, data, 1e-6) else None
        model = mujoco_model(kind, count, cells)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        motion, best = [], np.inf
        for _ in range(STEPS):
            begun = time.process_time()
            mujoco.mj_step(model, data)
            best = min(best, time.process_time() - begun)
            motion.append(data.flexvert_xpos[tip, 2].mean() - rest)
        cells_text = f", {' x '.join(map(str, cells or [n - 1 for n in count]))} cells"
        yield Row(f"MuJoCo, {kind}{cells_text}", model.nv, np.array(motion), best, static)


# ---- Newton -----------------------------------------------------------------------------------------------------


def newton_rows(iterations=10):
    import warp as wp

    wp.config.quiet = True
    import newton

    wp.set_device("cpu")
    mu, lam = E / 2 / (1 + NU), E * NU / (1 + NU) / (1 - 2 * NU)
    for cells, substeps in (((20, 2, 2), 1), ((20, 2, 2), 5), ((40, 4, 4), 5)):
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, -GRAVITY))
        builder.add_soft_grid(
            pos=wp.vec3(0, 0, 0), rot=wp.quat_identity(), vel=wp.vec3(0, 0, 0), dim_x=cells[0], dim_y=cells[1],
            dim_z=cells[2], cell_x=LENGTH / cells[0], cell_y=WIDTH / cells[1], cell_z=WIDTH / cells[2], density=DENSITY,
            k_mu=mu, k_lambda=lam, k_damp=0.0, fix_left=True)
        builder.color()
        model = builder.finalize()
        rest = model.particle_q.numpy().copy()
        set_masses(model, rest, model.tet_indices.numpy().reshape(-1, 4))
        tip = rest[:, 0] > LENGTH - 1e-6
        states, control = [model.state(), model.state()], model.control()
        solver = newton.solvers.SolverVBD(model, iterations=iterations)
        motion, best = [], np.inf
        for frame in range(STEPS):
            begun = time.process_time()
            for _ in range(substeps):
                states[0].clear_forces()
                solver.step(states[0], states[1], control, None, STEP / substeps)
                states.reverse()
            if frame > 2:
                best = min(best, time.process_time() - begun)
            motion.append(states[0].particle_q.numpy()[tip, 2].mean() - rest[tip, 2].mean())
        name = f"Newton, VBD, {iterations} iterations, {' x '.join(map(str, cells))} cells" + (f", {substeps} substeps" if substeps > 1 else "")
        yield Row(name, 3 * int((model.particle_inv_mass.numpy() > 0).sum()), np.array(motion), best)


def set_masses(model, rest, tetrahedra):
    """A quarter of each tetrahedron's mass to each corner: the builder gives every vertex that of a whole cell."""
    edges = rest[tetrahedra[:, 1:]] - rest[tetrahedra[:, :1]]
    share = DENSITY * np.abs(np.linalg.det(edges)) / 24
    mass = np.zeros(len(rest))
    np.add.at(mass, tetrahedra.ravel(), np.repeat(share, 4))
    assert abs(mass.sum() - DENSITY * LENGTH * WIDTH**2) < 1e-3
    free = model.particle_inv_mass.numpy() > 0
    model.particle_mass.assign(np.where(free, mass, 0).astype(np.float32))
    model.particle_inv_mass.assign(np.where(free, 1 / mass, 0).astype(np.float32))


# ---- tables -----------------------------------------------------------------------------------------------------


def motion_table(families):
    static, motion = unreduced(True), unreduced(False)
    amplitude = np.abs(motion).max()
    print("| | degrees of freedom | tip at rest | error | error of the motion | per 5 ms step |")
    print("|---|---|---|---|---|---|")
    print(f"| unreduced, 80 hex20, steps of 0.5 ms | | {static:.5f} m | | | |")
    for family in families:
        for row in family():
            rms = np.sqrt(np.mean((row.motion - motion) ** 2)) / amplitude
            rest = "- | -" if row.static is None else f"{row.static:.5f} m | {100 * abs(row.static / static - 1):.2g} %"
            time_text = f"{1e6 * row.seconds:,.3g}" if row.seconds < 1e-4 else f"{1e6 * row.seconds:,.0f}"
            print(f"| {row.name} | {row.freedoms:,} | {rest} | {100 * rms:.2g} % | {time_text} us |", flush=True)
    print()


def same_mesh():
    """One mesh of tetrahedra, pulled down at its end."""
    import mujoco

    pull = -20.0
    model = mujoco_model("full", (9, 3, 3), damping=0.2, step=0.02, gravity=0)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    vertices = data.flexvert_xpos.copy()
    tetrahedra = model.flex_elem.reshape(-1, 4)
    tip = data_tip(data)
    for v in tip:
        data.xfrc_applied[model.flex_vertbodyid[v], 2] = pull
    settle(model, data)
    theirs = (data.flexvert_xpos - vertices)[tip].mean(0)
    write_deck("same.inp", vertices, tetrahedra, "C3D4", held_rows(vertices - vertices.min(0)))
    forces = [text for v in tip for text in ("--force", f"{v},0,0,{pull}")]
    quartic("solve", "same.inp", "--fix-set", "HELD", "--static", *forces, "-o", "same.qsnap")
    ours = tensors("same.qsnap")["displacements"][-1].reshape(-1, 3)[tip].mean(0)
    print("| the same tetrahedra, 9 x 20 N at the end | u_x | u_y | u_z |\n|---|---|---|---|")
    for name, u in (("MuJoCo, `full`, damped until it rests", theirs), ("`quartic solve --static`", ours)):
        print(f"| {name} | " + " | ".join(f"{x:.8f}" for x in u) + " |")
    print(f"\nApart by {np.linalg.norm(ours - theirs) / np.linalg.norm(ours):.1e} of the displacement.\n")


def versions(packages):
    from importlib.metadata import PackageNotFoundError, version

    texts = [quartic("--version").strip()]
    for package in packages:
        try:
            texts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            sys.exit(f"{package} isn't installed here: {__doc__.split('1 x 0.1')[0]}")
    with open("/proc/cpuinfo") as info:
        processor = next((line.split(": ")[1].strip() for line in info if line.startswith("model name")), platform.machine())
    return f"{datetime.date.today()}, {os.cpu_count()} cores of {processor}; {', '.join(texts)}."


def main():
    parts = sys.argv[2:] or ["quartic", "mujoco", "newton", "same-mesh"]
    families = {"quartic": quartic_rows, "mujoco": mujoco_rows, "newton": newton_rows}
    packages = [*(["mujoco"] if {"mujoco", "same-mesh"} & set(parts) else []), *(["newton", "warp-lang"] if "newton" in parts else [])]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(versions(packages) + "\n")
        vertices, elements = hexahedra(20, 2, 2)
        write_deck("beam.inp", vertices, elements, "C3D8", held_rows(vertices))
        if set(parts) & set(families):
            motion_table([families[part] for part in parts if part in families])
        if "same-mesh" in parts:
            same_mesh()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    QUARTIC = os.path.abspath(sys.argv[1])
    main()
