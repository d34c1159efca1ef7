"""The solver for Newton against a batch."""

import numpy as np
import pytest

import quartic as qt
from conftest import needs

newton = needs("newton")
wp = needs("warp")
import quartic.newton as qn  # noqa: E402

WORLDS = 3


@pytest.fixture(scope="module", autouse=True)
def on_the_cpu():
    wp.config.log_level = wp.LOG_WARNING
    with wp.ScopedDevice("cpu"):
        yield


def worlds(model, xform=None):
    body = newton.ModelBuilder()
    qn.add_body(body, model, xform)
    builder = newton.ModelBuilder()
    builder.replicate(body, WORLDS, spacing=(2.0, 0.0, 0.0))
    return builder.finalize()


def turned():
    return wp.transform(wp.vec3(0.5, -1.0, 2.0), wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, 3.0)), 0.7))


def rotation_of(xform):
    return np.array(wp.quat_to_matrix(wp.transform_get_rotation(xform))).reshape(3, 3)


def pushes(model):
    return np.random.default_rng(3).normal(size=(WORLDS, model.mesh.vertex_count, 3)).astype(np.float32)


def test_bodies_move_as_a_batch_does(model):
    xform = turned()
    scene, rotation = worlds(model, xform), rotation_of(xform)
    solver = qn.SolverQuartic(scene, model, rayleigh_mass=1.0)
    a, b = scene.state(), scene.state()
    start = a.particle_q.numpy().reshape(WORLDS, -1, 3).copy()

    batch, points = qt.Batch(model, bodies=WORLDS, rayleigh_mass=1.0), qt.Embedding(model)
    forces = pushes(model)
    a.particle_f.assign(forces.reshape(-1, 3))
    b.particle_f.assign(forces.reshape(-1, 3))
    gravity = scene.gravity.numpy().reshape(-1, 3)[0] @ rotation  # in the body's axes
    for _ in range(10):
        solver.step(a, b, None, None, 0.01)
        a, b = b, a
        batch.force[:] = (gravity @ model.unit_acceleration).astype(np.float32)
        points.add_vertex_forces(np.ascontiguousarray(forces @ rotation.astype(np.float32)), batch.force)
        batch.step(0.01)
    moved = points.displacements(batch.q).numpy() @ rotation.T
    rates = points.displacements(batch.velocity).numpy() @ rotation.T
    got = a.particle_q.numpy().reshape(start.shape) - start
    assert np.abs(moved).max() > 1e-3
    assert np.abs(got - moved).max() < 1e-6 * np.abs(start).max()  # float positions
    assert np.abs(a.particle_qd.numpy().reshape(start.shape) - rates).max() < 1e-5 * np.abs(rates).max()


def test_masked_worlds_start_again(model):
    scene = worlds(model)
    solver = qn.SolverQuartic(scene, model)
    a, b = scene.state(), scene.state()
    start = a.particle_q.numpy().reshape(WORLDS, -1, 3).copy()
    for _ in range(3):
        solver.step(a, b, None, None, 0.01)
    moved = b.particle_q.numpy().reshape(start.shape).copy()
    solver.reset(b, wp.array([False, True, False, False], dtype=wp.bool))
    after = b.particle_q.numpy().reshape(start.shape)
    assert np.abs(after[1] - start[1]).max() < 1e-6 and np.array_equal(after[[0, 2]], moved[[0, 2]])
    solver.reset(b)
    assert np.abs(b.particle_q.numpy().reshape(start.shape) - start).max() < 1e-6 and not b.particle_qd.numpy().any()


def test_particles_have_the_mass_of_the_mesh(model):
    masses = qn.vertex_masses(model)
    assert np.isclose(masses.sum(), qt.frame_moments(model).mass, rtol=1e-12) and (masses > 0).all()
    scene = worlds(model)
    assert scene.particle_count == WORLDS * model.mesh.vertex_count and scene.tet_count == 0
    assert (scene.particle_flags.numpy().reshape(WORLDS, -1)[:, np.asarray(model.fixed_vertices)] == 0).all()


def test_particles_have_masses_that_are_attached(beam):
    mesh, fixed = beam
    loaded = qt.with_attachments(mesh, masses=[qt.PointMass(7, 2.5), qt.PointMass(7, 0.5)])
    added = qn.vertex_masses(qt.reduce(loaded, fixed, modes=3, rank=5)) - qn.vertex_masses(qt.reduce(mesh, fixed, modes=3, rank=5))
    assert np.isclose(added[7], 3) and np.count_nonzero(added) == 1


def test_bodies_may_be_held_without_fixed_vertices(beam):
    mesh, fixed = beam
    clamped = qt.Supports(constraints=[c for axis in np.eye(3).tolist() for c in qt.hold_along(fixed, axis)])
    sprung = qt.with_attachments(mesh, springs=qt.springs_to_ground(mesh, fixed, 1e5))
    for model in (qt.reduce(mesh, clamped, modes=3, rank=5), qt.reduce(sprung, [], modes=3, rank=5)):
        assert len(model.fixed_vertices) == 0
        assert qn.add_body(newton.ModelBuilder(), model) == 0


def test_a_mesh_of_newton_s_has_the_same_stiffness_at_rest():
    """Newton's own energy density at small strains, by differences, against the St. Venant-Kirchhoff one of the constants found."""
    k_mu, k_lambda = 3e5, 8e5
    mesh, fixed = qt.make_beam(6)
    mesh = qt.split_into_tetrahedra(mesh)
    tets = newton.TetMesh(np.asarray(mesh.vertices, np.float32), mesh.elements["tet4"].ravel(), k_mu=k_mu, k_lambda=k_lambda, density=900.0)
    model = qn.reduce_tetmesh(tets, fixed, modes=2, rank=2)
    material = model.mesh.regions[0].material

    def energy(f):  # Smith, de Goes and Kim 2018, equation 14, as newton's kernels have it
        alpha = 1 + k_mu / k_lambda - k_mu / (4 * k_lambda)
        ic, j = np.sum(f * f), np.linalg.det(f)
        return k_mu / 2 * (ic - 3) + k_lambda / 2 * (j - alpha) ** 2 - k_mu / 2 * np.log(ic + 1)

    h, identity = 1e-4, np.eye(3)
    for strain in (np.diag([1.0, 0, 0]), np.diag([1.0, -1, 0]), identity, np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]])):
        second = (energy(identity + h * strain) - 2 * energy(identity) + energy(identity - h * strain)) / h**2
        expected = material.lame_lambda * np.trace(strain) ** 2 + 2 * material.lame_mu * np.sum(strain * strain)
        assert np.isclose(second, expected, rtol=1e-5)
    assert np.isclose(material.density, 900)


def test_what_the_solver_refuses(model, free_model):
    with pytest.raises(qt.InputError, match="free"):
        qn.add_body(newton.ModelBuilder(), free_model)
    scene = worlds(model)
    with pytest.raises(qt.InputError, match="too few particles|aren't those of the model"):
        qn.SolverQuartic(scene, model, offset=1)
    soft = newton.TetMesh(np.eye(4, 3, dtype=np.float32), np.array([0, 1, 2, 3], np.int32), k_mu=1.0, k_lambda=-5.0, density=1.0)
    with pytest.raises(qt.InputError, match="isn't stable"):
        qn.reduce_tetmesh(soft, [0])
