"""Modal and rotation-strain warping against NumPy."""

import numpy as np
import pytest

import quartic as qt


@pytest.fixture(scope="module")
def bar():
    mesh, fixed = qt.make_box(cells_x=12, cells_y=2, cells_z=2, type="tet4")
    model = qt.reduce(mesh, fixed, modes=6, rank=6)
    return model, list(fixed)


def cross(w):
    zero = np.zeros(len(w))
    return np.stack([zero, -w[:, 2], w[:, 1], w[:, 2], zero, -w[:, 0], -w[:, 1], w[:, 0], zero], 1).reshape(-1, 3, 3)


def integrated(w):
    """The mean of exp(s w) over s by Gauss's rule, exp by its series."""
    total = np.zeros((len(w), 3, 3))
    for x, weight in zip(*np.polynomial.legendre.leggauss(16)):
        skew = cross(w) * (x + 1) / 2
        term = total_exp = np.tile(np.eye(3), (len(w), 1, 1))
        for n in range(1, 40):
            term = term @ skew / n
            total_exp = total_exp + term
        total += weight / 2 * total_exp
    return total


def some_coordinates(warp, bodies):
    q = np.random.default_rng(3).normal(size=(bodies, warp.rank))
    return q * 2 / warp.largest_rotations(q)[:, None]  # rotations of up to two radians


def test_displacements_are_those_of_the_map(bar):
    model, _ = bar
    warp = qt.ModalWarp(model.mesh, model.linear_modes)
    q = some_coordinates(warp, 3)
    modes, rotations = np.asarray(warp.modes), np.asarray(warp.rotations)
    shown = warp.displacements(q)
    assert shown.shape == (3, warp.vertex_count, 3)
    for body in range(3):
        p, w = np.tensordot(q[body], modes, 1), np.tensordot(q[body], rotations, 1)
        assert np.abs(shown[body] - np.einsum("vij,vj->vi", integrated(w), p)).max() < 1e-13 * np.abs(p).max()
    single = warp.displacements(q.astype(np.float32), vertices=[5, 7])
    assert single.dtype == np.float32 and np.abs(single - shown[:, [5, 7]]).max() < 1e-5 * np.abs(shown).max()
    assert np.array_equal(rotations, qt.modal_rotation(model.mesh, model.linear_modes))


def test_forces_are_the_derivative_of_work(bar):
    model, _ = bar
    warp = qt.ModalWarp(model.mesh, model.linear_modes)
    q = some_coordinates(warp, 1)
    force = np.random.default_rng(5).normal(size=(1, warp.vertex_count, 3))
    got = warp.forces(q, force)[0]
    h = 1e-6 * np.abs(q).max()
    for i, step in enumerate(np.eye(warp.rank) * h):
        work = [(force * warp.displacements(q + s * step)).sum() for s in (1, -1)]
        assert abs(got[i] - (work[0] - work[1]) / (2 * h)) < 1e-7 * np.abs(got).max()
    jacobian = warp.jacobian(q[0])
    assert np.abs(np.tensordot(jacobian, force[0], 2) - got).max() < 1e-12 * np.abs(got).max()
    assert np.abs(qt.ModalWarp(model.mesh, model.linear_modes, force_map="rotation").forces(q, force)[0] - got).max() > 0


def test_rotation_strain_minimises_the_distance_of_gradients(bar):
    model, fixed = bar
    mesh = model.mesh
    warp = qt.RotationStrainWarp(mesh, fixed)
    modal = qt.ModalWarp(mesh, model.linear_modes)
    u = np.tensordot(some_coordinates(modal, 1)[0], np.asarray(model.linear_modes), 1)
    x, tets = np.asarray(mesh.vertices), np.asarray(mesh.elements["tet4"])
    edges = x[tets[:, 1:]] - x[tets[:, :1]]
    volumes = np.linalg.det(edges) / 6
    gradients = np.linalg.inv(edges)  # of the three later vertices, as columns
    gradients = np.concatenate([-gradients.sum(2, keepdims=True), gradients], 2).transpose(0, 2, 1)
    a = np.einsum("tai,taj->tij", u[tets], gradients)
    w = np.stack([a[:, 2, 1] - a[:, 1, 2], a[:, 0, 2] - a[:, 2, 0], a[:, 1, 0] - a[:, 0, 1]], 1) / 2
    angle = np.linalg.norm(w, axis=1)[:, None, None]
    skew = cross(w)
    turn = np.eye(3) + np.sinc(angle / np.pi) * skew + np.sinc(angle / 2 / np.pi) ** 2 / 2 * skew @ skew
    target = turn @ (np.eye(3) + (a + a.transpose(0, 2, 1)) / 2) - np.eye(3)
    right = np.zeros_like(x)
    np.add.at(right, tets, np.einsum("t,tij,taj->tai", volumes, target, gradients))
    laplacian = np.zeros((len(x), len(x)))
    blocks = np.einsum("t,tai,tbi->tab", volumes, gradients, gradients)
    np.add.at(laplacian, (tets[:, :, None], tets[:, None, :]), blocks)
    free = np.setdiff1d(np.arange(len(x)), fixed)
    expected = np.zeros_like(x)
    expected[free] = np.linalg.solve(laplacian[np.ix_(free, free)], right[free])
    assert np.abs(warp.warp(u[None])[0] - expected).max() < 1e-12 * np.abs(expected).max()
    stored = warp.laplacian
    assert abs(stored.values.sum()) < 1e-12 and stored.values.max() == pytest.approx(laplacian.max(), rel=1e-13)


def test_motions_keep_their_warp(bar, tmp_path):
    model, _ = bar
    q = np.zeros((2, 1, 6))
    motion = qt.Trajectory([0, 0.1], q, coordinates="linear-modes", warp="modal")
    qt.save_trajectory(motion, tmp_path / "m.qtraj")
    assert qt.load_trajectory(tmp_path / "m.qtraj").warp == "modal"
    assert qt.body_trajectory(motion, 0).warp == "modal"
    with pytest.raises(qt.InputError, match="--usd points"):
        qt.write_usd(qt.modal_model(model), motion, tmp_path / "m.usda")
    with pytest.raises(qt.InputError, match="linear modes"):
        qt.save_trajectory(qt.Trajectory([0, 0.1], q, warp="modal"), tmp_path / "m.qtraj")
    with pytest.raises(qt.InputError, match="isn't one of"):
        qt.Trajectory([0, 0.1], q, coordinates="linear-modes", warp="wobble")


def test_wrong_shapes_are_refused(bar):
    model, fixed = bar
    warp = qt.ModalWarp(model.mesh, model.linear_modes)
    with pytest.raises(qt.InputError):
        warp.displacements(np.zeros((1, 5)))
    with pytest.raises(qt.InputError):
        warp.displacements(np.zeros((1, 6)), vertices=[warp.vertex_count])
    with pytest.raises(qt.InputError):
        qt.RotationStrainWarp(model.mesh, [-1])


def test_vertices_are_held_where_they_are_wanted(bar):
    model, _ = bar
    warp = qt.ModalWarp(model.mesh, model.linear_modes)
    held = qt.HeldModes(model.eigenvalues, warp, bodies=2, rayleigh_mass=5)
    tip = [model.mesh.vertex_count - 1]
    wanted = 0.2 * some_coordinates(warp, 1)
    for n in range(400):
        target = warp.displacements(min(1, n / 50) * wanted, vertices=tip)[0]
        held.hold(1, tip, target)
        held.step(0.01)
    q = np.asarray(held.q)
    assert 0 < held.status[1].rank <= 3 and held.status[1].distance < 1e-12
    assert np.abs(warp.displacements(q, vertices=tip)[1] - target).max() < 1e-12 and not q[0].any()
    # At rest the modes' forces are those that hold the vertex.
    force = warp.forces(q[1:], held.hold_force(1)[None], vertices=tip)[0]
    assert np.abs(np.array(model.eigenvalues) * q[1] - force).max() < 1e-3 * np.abs(force).max()
    with pytest.raises(qt.InputError):
        held.hold(2, tip, target)
    held.let_go(1)
    held.step(0.01)
    assert held.hold_force(1).shape == (0, 3)
