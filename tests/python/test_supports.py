"""Supports, joints, masses and springs: beside NumPy, and beside what other ways give."""

import numpy as np
import pytest

import quartic as qt

STEEL = qt.Material(2.1e11, 0.3, 7850)


def box(**options):
    mesh, fixed = qt.make_box(length=1.0, cells_x=6, cells_y=2, cells_z=2, material=STEEL, **options)
    return mesh, fixed


def dense(triple):
    (factors, (rows, columns)), shape = triple
    t = np.zeros(shape)
    t[rows, columns] = factors
    return t


def on(mesh, axis, value):
    return np.flatnonzero(np.abs(mesh.vertices[:, axis] - value) < 1e-9)


def test_a_direction_is_a_row_of_t():
    mesh, fixed = box()
    floor = on(mesh, 2, 0)
    t = dense(qt.freedom_map(mesh, qt.Supports(fixed, qt.hold_along(floor, [0, 0, 2.0]))))
    held = np.zeros((mesh.vertex_count, 3), bool)
    held[fixed] = True
    held[floor, 2] = True
    assert np.array_equal(t, np.eye(3 * mesh.vertex_count)[:, ~held.ravel()])
    slanted = dense(qt.freedom_map(mesh, qt.Supports(constraints=qt.hold_along([5], [1, 2, 2]))))
    assert np.abs(np.array([1, 2, 2]) @ slanted[15:18]).max() < 1e-15 and slanted.shape[1] == 3 * mesh.vertex_count - 1
    normals = qt.hold_normals(mesh, floor)
    assert len(normals) == len(floor) and tuple(normals[0].terms[0][1]) == (0, 0, -1)


def test_models_tell_what_holds_them():
    mesh, fixed = box()
    model = qt.reduce(mesh, qt.Supports(fixed, qt.hold_along(on(mesh, 0, 1), [0, 0, 1])), modes=2, rank=2)
    assert len(model.supports.constraints) == len(on(mesh, 0, 1)) and np.array_equal(model.fixed_vertices, np.sort(fixed))


def test_half_a_bar_has_modes_of_the_whole():
    whole, fixed = box(width=0.2)
    half, half_fixed = qt.make_box(length=1.0, width=0.1, cells_x=6, cells_y=1, cells_z=2, material=STEEL)
    all_modes = qt.linear_modes(qt.ElasticSystem(whole, fixed), count=10)
    cut = qt.Supports(half_fixed, qt.hold_along(on(half, 1, 0.1), [0, 1, 0]))
    some = qt.linear_modes(qt.ElasticSystem(half, cut), count=3)
    for value in some.eigenvalues:
        assert np.abs(all_modes.eigenvalues / value - 1).min() < 1e-11


def test_bodies_carry_what_is_attached():
    mesh, fixed = box()
    end = on(mesh, 0, 1)
    bare = qt.reduce(mesh, fixed, modes=4, rank=6)
    loaded = qt.with_attachments(mesh, joints=qt.link_rigidly(mesh, end), masses=qt.spread_mass(mesh, end, 20),
                                 springs=qt.springs_to_ground(mesh, end, 1e7))
    assert {point.vertex for point in loaded.masses} == set(end) and sum(point.mass for point in loaded.masses) == pytest.approx(20)
    model = qt.reduce(loaded, fixed, modes=4, rank=6)
    assert qt.frame_moments(model).mass == pytest.approx(qt.frame_moments(bare).mass + 20)
    basis = model.basis[:, end] - model.basis[:, end].mean(axis=1, keepdims=True)
    arms = mesh.vertices[end] - mesh.vertices[end].mean(axis=0)
    for field in basis:  # a turn: what is left is perpendicular to each vertex' arm
        assert np.abs((field * arms).sum(axis=1)).max() < 1e-10 * np.abs(field).max()
    with pytest.raises(ValueError, match="0 or more"):
        qt.spread_mass(mesh, end, -1)
    with pytest.raises(ValueError, match="from the surface"):
        qt.tie_vertices(mesh, fixed, end, 0.1)


def test_a_motor_has_its_kinetic_energy():
    mesh, fixed = box()
    end = on(mesh, 0, 1)
    centre, inertia = np.array([1.2, 0.3, 0.1]), np.array([[2, 0.5, -0.3], [0.5, 3, 0.4], [-0.3, 0.4, 4]])
    for link in ("rigid", "mean"):
        loaded = qt.with_rigid_mass(mesh, end, 30, centre, inertia=inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], link=link)
        assert loaded.vertex_count == mesh.vertex_count + 4
        points = np.array([point.vertex for point in loaded.masses])
        masses, arms = np.array([point.mass for point in loaded.masses]), loaded.vertices[points] - centre
        assert masses.sum() == pytest.approx(30) and np.abs(masses @ arms).max() < 1e-12
        second = np.einsum("n,ni,nj->ij", masses, arms, arms)
        assert np.allclose(np.trace(second) * np.eye(3) - second, inertia, rtol=0, atol=1e-12)
        assert qt.frame_moments(qt.reduce(loaded, fixed, modes=3, rank=4)).mass == pytest.approx(7850 * 0.01 + 30)
    with pytest.raises(ValueError, match="'rigid' or 'mean'"):
        qt.with_rigid_mass(mesh, end, 1, centre, link="soft")
    with pytest.raises(ValueError, match="no body has these"):
        qt.with_rigid_mass(mesh, end, 1, centre, inertia=[1, 1, 3, 0, 0, 0])


def test_sets_turn_are_coated_and_joined_by_springs():
    mesh, _ = box()
    a, b = on(mesh, 0, 0), on(mesh, 0, 1)
    omega = np.array([0.3, -0.2, 0.9])
    u = np.cross(omega, mesh.vertices) + [4, 5, 6]
    turn = sum(np.dot(factors, u[vertex]) for vertex, factors in qt.mean_rotation(mesh, b, [0, 0, 2]))
    assert turn == pytest.approx(0.9, abs=1e-12)
    width, height = np.ptp(mesh.vertices[:, 1]), np.ptp(mesh.vertices[:, 2])
    assert sum(point.mass for point in qt.spread_mass_per_area(mesh, a, 7)) == pytest.approx(7 * width * height)
    springs = qt.springs_between(mesh, a, b, 50)
    stretch = [sum(np.dot(factors, u[vertex]) for vertex, factors in spring.terms) for spring in springs]
    assert np.allclose(stretch, np.cross(omega, [-1, 0, 0]), rtol=0, atol=1e-12)  # between the faces' middles
    assert [spring.stiffness for spring in springs] == [50, 50, 50]
    with pytest.raises(ValueError, match="no boundary face"):
        qt.spread_mass_per_area(mesh, [0, 1], 7)


def test_participation_and_damping():
    mesh, fixed = box()
    model = qt.reduce(mesh, fixed, modes=12, energy=False)
    factors = qt.participation_factors(model)
    assert factors.shape == (12, 3)
    mass = 7850 * 0.01
    assert np.allclose(model.unit_acceleration, factors.T, rtol=0, atol=1e-12 * np.abs(factors).max())
    assert (0.5 * mass < (factors**2).sum(axis=0)).all() and ((factors**2).sum(axis=0) < mass).all()
    damping = qt.rayleigh_damping(10, 0.02, 40, 0.03)
    assert damping.ratio(10) == pytest.approx(0.02) and damping.ratio(40) == pytest.approx(0.03)
    omega = 2 * np.pi * np.array([10, 40])
    assert np.allclose([damping.mass, damping.stiffness], np.linalg.solve(np.stack([1 / omega, omega], 1), [0.04, 0.06]))
