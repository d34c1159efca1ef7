"""Meshes, models and files: compared with closed forms, with the command, and with what other ways give."""

import os
import subprocess
import sys

import numpy as np
import pytest

import quartic as qt

RUBBER = qt.Material(1e6, 0.45, 1000)
CUBE = np.array([[x, y, z] for z in (0.0, 1) for y in (0.0, 1) for x in (0.0, 1)])[[0, 1, 3, 2, 4, 5, 7, 6]]


def command(*arguments, **keywords):
    return subprocess.run([sys.executable, "-m", "quartic", *map(str, arguments)], capture_output=True, text=True, **keywords)


def test_a_mesh_of_arrays():
    mesh = qt.VolumeMesh(CUBE, {"hex8": np.arange(8).reshape(1, 8)}, material=RUBBER, vertex_sets={"floor": [3, 1, 0, 2]})
    assert mesh.vertex_count == 8 and mesh.element_count == 1 and np.array_equal(mesh.vertices, CUBE)
    assert mesh.vertex_sets["floor"].tolist() == [0, 1, 2, 3] and mesh.regions[0].material == RUBBER
    report = qt.check_mesh(mesh)
    assert report.volume == pytest.approx(1) and report.mass == pytest.approx(1000) and report.warnings == []
    assert qt.boundary_triangles(mesh).shape == (12, 3)
    assert qt.select_in_box(mesh, [0, 0, 0, 1, 1, 0]).vertices.tolist() == [0, 1, 2, 3]
    assert qt.make_quadratic(mesh).vertex_count == 20 and qt.split_into_tetrahedra(mesh).element_count == 6


def test_meshes_don_t_change():
    tet = qt.VolumeMesh(CUBE[[0, 1, 3, 4]], {"tet4": np.array([[0, 2, 1, 3]])}, material=RUBBER)
    turned, count = qt.repair_orientation(tet)
    assert count == 1 and qt.check_mesh(tet).inverted == 1 and qt.check_mesh(turned).inverted == 0
    with pytest.raises(ValueError, match="read-only"):
        tet.vertices[0] = 1
    welded, removed = qt.weld_vertices(qt.VolumeMesh(
        np.concatenate([tet.vertices, tet.vertices]), {"tet4": np.array([[0, 1, 2, 3], [4, 5, 6, 7]])}, material=RUBBER), 1e-9)
    assert removed == 4 and welded.vertex_count == 4


@pytest.mark.parametrize("arguments, keywords, words", [
    ((CUBE.astype(np.float32), {}), {"material": RUBBER}, "float64 with shape \\(any, 3\\)"),
    ((CUBE, {"cube": [[0]]}), {"material": RUBBER}, 'elements="cube" isn\'t one of "tet4"'),
    ((CUBE, {"tet4": np.zeros((1, 8), int)}), {"material": RUBBER}, "shape \\(any, 4\\)"),
    ((CUBE, {"tet4": np.zeros((1, 4))}), {"material": RUBBER}, "int32 or int64"),
    ((CUBE, {}), {}, "either material="),
    ((CUBE, {"tet4": np.zeros((2, 4), int)}), {"regions": [qt.Region("a", RUBBER)], "element_region": [0]}, "2 elements"),
])
def test_wrong_meshes(arguments, keywords, words):
    with pytest.raises(qt.InputError, match=words):
        qt.VolumeMesh(*arguments, **keywords)


def test_wrong_materials():
    with pytest.raises(qt.InputError, match="0.5"):
        qt.Material(1e6, 0.5, 1000)


def test_files_round_trip(tmp_path, beam):
    mesh, fixed = beam
    assert any("aterial" in sentence for sentence in qt.write_mesh(mesh, tmp_path / "beam.msh", binary=True))
    back = qt.read_mesh(str(tmp_path / "beam.msh"))
    assert np.array_equal(back.vertices, mesh.vertices) and np.array_equal(back.elements["hex8"], mesh.elements["hex8"])
    qt.write_fixed_vertices(fixed, tmp_path / "beam.bou")
    assert np.array_equal(qt.read_fixed_vertices(tmp_path / "beam.bou", mesh.vertex_count), fixed)


def test_errors_of_files(tmp_path):
    with pytest.raises(qt.FileError, match="nowhere.msh") as error:
        qt.read_mesh(tmp_path / "nowhere.msh")
    assert isinstance(error.value, (OSError, ValueError)) and isinstance(error.value, qt.Error)
    broken = tmp_path / "broken.veg"
    broken.write_text("*VERTICES\n1 3\n1 0 0 zero\n")
    with pytest.raises(qt.ParseError) as error:
        qt.read_mesh(broken)
    assert error.value.filename == str(broken) and error.value.lineno == 3 and isinstance(error.value, qt.InputError)
    assert str(error.value).startswith(f"{broken}:3: ")
    model = tmp_path / "cut.qrt"
    model.write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    with pytest.raises(qt.ParseError) as error:
        qt.load_model(model)
    assert error.value.filename == str(model) and error.value.lineno == 0


def test_the_command_s_model(tmp_path, beam, model):
    """The same numbers as `quartic reduce` writes, and files both ways."""
    mesh, fixed = beam
    qt.write_mesh(mesh, tmp_path / "beam.veg")
    qt.write_fixed_vertices(fixed, tmp_path / "beam.bou")
    done = command("reduce", "beam.veg", "--fix", "beam.bou", "--modes", 3, "--rank", 5, "-o", "beam.qrt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    theirs = qt.load_model(tmp_path / "beam.qrt")
    assert theirs.rank == 5 and np.array_equal(theirs.fixed_vertices, fixed)
    scale = np.abs(model.energy.coefficients).max()
    assert np.allclose(theirs.energy.coefficients, model.energy.coefficients, rtol=0, atol=1e-9 * scale)
    assert np.allclose(theirs.frequencies, model.frequencies, rtol=1e-10)
    qt.save_model(model, tmp_path / "mine.qrt")
    back = qt.load_model(tmp_path / "mine.qrt")
    for name in ("basis", "unit_acceleration", "linear_modes", "eigenvalues"):
        assert np.array_equal(getattr(back, name), getattr(model, name))
    assert np.array_equal(back.energy.coefficients, model.energy.coefficients)
    assert command("info", tmp_path / "mine.qrt").returncode == 0


def test_frequencies_of_a_cantilever():
    """Bending of a slender beam: f = (1.8751^2 / 2 pi) sqrt(E I / (rho A L^4)); without shear 1 % too high at most here."""
    mesh, fixed = qt.make_box(1, 0.05, 0.04, cells_x=20, cells_y=1, cells_z=1, material=qt.Material(1e7, 0, 1000))
    quadratic = qt.make_quadratic(mesh)
    held = qt.select_in_box(quadratic, [0, 0, 0, 0, 1, 1]).vertices
    modes = qt.linear_modes(qt.ElasticSystem(quadratic, held), count=2)
    expected = [1.8751040687**2 / (2 * np.pi) * np.sqrt(1e7 / 1000 * side**2 / 12) for side in (0.04, 0.05)]
    assert np.allclose(modes.frequencies, expected, rtol=0.01) and modes.vectors.shape == (2, quadratic.vertex_count, 3)
    assert len(fixed) == 4 and (modes.residuals < 1e-12).all() and not modes.vectors[:, held].any()


def test_the_energy_is_the_derivative_s_integral(model):
    rng = np.random.default_rng(1)
    q, d = rng.normal(size=(2, 5)) / 100
    _, force, stiffness = model.energy.evaluate(q)
    h = 1e-4
    energies = [model.energy.evaluate(q + s * h * d)[0] for s in (-2, -1, 1, 2)]
    slope = (energies[0] - 8 * energies[1] + 8 * energies[2] - energies[3]) / (12 * h)  # exact for quartics
    assert slope == pytest.approx(force @ d, rel=1e-8) and np.array_equal(stiffness, stiffness.T)
    strains = qt.reduce_strains(model)
    assert strains.evaluate(q)[0] == pytest.approx(model.energy.evaluate(q)[0], rel=1e-10)


def test_own_basis(beam, model):
    again = qt.reduce_with_basis(*beam, model.basis[:3] * 2)
    assert np.allclose(again.basis, model.basis[:3], atol=1e-10 * np.abs(model.basis).max())
    kept = qt.keep_basis_vectors(model, [0, 1, 2])
    assert np.allclose(again.energy.coefficients, kept.energy.coefficients, rtol=1e-8, atol=1e-10 * np.abs(kept.energy.coefficients).max())
    with pytest.raises(qt.InputError, match="basis is an array of float32"):
        qt.reduce_with_basis(*beam, model.basis.astype(np.float32))


def test_unit_acceleration_is_the_mass_of_the_fields(beam, model):
    """Sum over a uniform field: with a body that isn't held, mass times nothing; here compared with the frame's moments."""
    moments = qt.frame_moments(model)
    assert np.array_equal(moments.unit_acceleration, model.unit_acceleration)
    assert moments.mass == pytest.approx(1 * 0.1 * 0.08 * 1000) and np.allclose(moments.origin, [0.5, 0.05, 0.04], atol=1e-12)
    inertia = 8 / 12 * np.array([0.1**2 + 0.08**2, 1 + 0.08**2, 1 + 0.1**2])
    assert np.allclose(qt.principal_inertia(moments), np.sort(inertia), rtol=1e-10)
    trace = np.trace(np.asarray(moments.moment0))
    assert trace == pytest.approx(inertia.sum() / 2) and moments.moment1.shape == (5, 3, 3) and moments.moment2.shape == (15, 3, 3)


def test_reports_and_progress(beam):
    seen = []
    model, report = qt.reduce(*beam, modes=3, rank=5, report=True, progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert model.rank == 5 and len(report.residuals) == 3 and report.factorization
    assert [name for name, seconds in report.stages] and all(0 <= fraction <= 1 for _, fraction in seen) and len({s for s, _ in seen}) > 2
    assert repr(model) == f"ReducedModel(rank=5, {model.mesh.vertex_count} vertices)"


def test_progress_can_cancel(beam):
    class Enough(Exception):
        pass

    def stop(stage, fraction):
        raise Enough(stage)

    with pytest.raises(Enough):
        qt.reduce(*beam, progress=stop)


def test_embeddings(model):
    rng = np.random.default_rng(2)
    q, f = rng.normal(size=(4, 5)), rng.normal(size=(4, model.mesh.vertex_count, 3))
    everywhere = qt.Embedding(model)
    moved = everywhere.displacements(q)
    assert np.allclose(moved, np.einsum("bi,inx->bnx", q, model.basis), rtol=0, atol=1e-13 * np.abs(moved[:]).max())
    assert np.allclose(everywhere.positions(q), model.mesh.vertices + moved[:], rtol=1e-14)
    reduced = np.ones((4, 5))
    everywhere.add_vertex_forces(f, reduced)
    assert np.allclose(reduced - 1, np.einsum("bnx,inx->bi", f, model.basis), rtol=1e-12, atol=1e-12)
    surface = qt.Embedding(model, surface=True)
    assert surface.triangles.max() < surface.vertex_count < model.mesh.vertex_count
    corners = surface.rest_positions[surface.triangles]
    volume = np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume == pytest.approx(0.008)
    for wrong in ([-1], [model.mesh.vertex_count], [2**40], ["a"]):
        with pytest.raises((qt.InputError, TypeError)):
            qt.Embedding(model, wrong)


def test_trajectories(tmp_path, model):
    time, q = [0.0, 0.1, 0.3], np.arange(30.0).reshape(3, 2, 5) / 1000
    motion = qt.Trajectory(time, q, status=[0, 2])
    qt.save_trajectory(motion, tmp_path / "motion.qtraj")
    back = qt.load_trajectory(tmp_path / "motion.qtraj")
    assert np.array_equal(back.q, q) and back.time.tolist() == time and back.status.tolist() == [0, 2]
    second = qt.body_trajectory(motion, 1)
    assert np.array_equal(second.q, q[:, 1:])
    qt.write_csv(second, tmp_path / "second.csv")
    assert np.array_equal(np.loadtxt(tmp_path / "second.csv", delimiter=",", skiprows=1)[:, 1:], q[:, 1])
    qt.write_glb(model, motion, tmp_path / "motion.glb")
    qt.write_pvd(model, motion, tmp_path / "motion.pvd")
    qt.write_vtu(model, tmp_path / "model.vtu")
    assert qt.write_usd(model, motion, tmp_path / "motion.usda", motion="points") == []
    assert qt.write_mdd(model, motion, tmp_path / "motion.mdd") == []
    frames = int.from_bytes((tmp_path / "motion.mdd").read_bytes()[:4], "big")
    assert frames == 3 and (tmp_path / "motion.glb").read_bytes()[:4] == b"glTF"
    with pytest.raises(qt.InputError, match="spaced"):
        qt.write_pc2(model, motion, tmp_path / "motion.pc2")
    with pytest.raises(qt.InputError, match="2 entries for 3 frames"):
        qt.Trajectory([0.0, 1.0], q)


def test_simulate_moves_as_python_does(tmp_path, model):
    """`quartic simulate` and the same steps here: the same numbers in its trajectory."""
    qt.save_model(model, tmp_path / "beam.qrt")
    done = command("simulate", "beam.qrt", "--gravity", "0,0,-9.81", "--steps", 20, "--dt", 0.01, "-o", "out.qtraj", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    theirs = qt.load_trajectory(tmp_path / "out.qtraj")
    batch = qt.Batch(qt.load_model(tmp_path / "beam.qrt"), dtype="float64")
    batch.force[:] = np.array([0, 0, -9.81]) @ model.unit_acceleration
    step = theirs.time[1] - theirs.time[0]
    mine = [np.array(batch.q)]
    for _ in range(theirs.frames - 1):
        batch.step(step)
        mine.append(np.array(batch.q))
    assert np.allclose(theirs.q[:, 0], np.array(mine)[:, 0], rtol=1e-9, atol=1e-12) and np.abs(theirs.q).max() > 1e-3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
def test_the_command_gives_its_exit_code():
    assert command("--version").stdout.split()[-1] == qt.__version__
    assert command("info", "nowhere.qrt").returncode == 1
