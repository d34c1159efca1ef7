"""Contacts with shapes, against formulas in NumPy."""

import gc
import json

import numpy as np
import pytest

import quartic as qt

GRAVITY = 9.81


@pytest.fixture(scope="module")
def block():
    """0.3 x 0.2 x 0.15 m of rubber, free to fly."""
    material = qt.Material(youngs_modulus=5e4, poissons_ratio=0.4, density=1000)
    mesh, _ = qt.make_box(0.3, 0.2, 0.15, 4, 3, 2, material=material)
    return qt.reduce(mesh, [], modes=4, rank=8)


@pytest.fixture(scope="module")
def tree(block):
    return qt.bound_tree(block, spacing=0.03)


def turned(quaternion, x):
    """R x of quaternions (..., 4), x y z w, and vectors (..., 3)."""
    v, w = quaternion[..., None, :3], quaternion[..., None, 3:]
    return x + 2 * np.cross(v, np.cross(v, x) + w * x)


def places(block, tree, q, pose):
    """Of all contact points of all bodies, (B, p, 3)."""
    own = tree.positions + np.tensordot(q, tree.basis, 1) - qt.free_frame(block).origin
    return pose[:, None, :3] + turned(pose[:, 3:], own)


GAPS = {
    "plane": (qt.PlaneShape([0, 0, 2], 0.1), lambda x: x[..., 2] - 0.1),
    "sphere": (qt.SphereShape(0.2), lambda x: np.linalg.norm(x, axis=-1) - 0.2),
    "capsule": (qt.CapsuleShape(0.1, 0.15),
                lambda x: np.linalg.norm(x - np.clip(x[..., 2:], -0.15, 0.15) * [0, 0, 1], axis=-1) - 0.1),
    "box": (qt.BoxShape([0.1, 0.2, 0.15]),
            lambda x: np.linalg.norm(np.maximum(np.abs(x) - [0.1, 0.2, 0.15], 0), axis=-1)
            + np.minimum(np.max(np.abs(x) - [0.1, 0.2, 0.15], axis=-1), 0)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", GAPS)
def test_contacts_are_those_of_all_points(block, tree, name, dtype):
    geometry, gap_of = GAPS[name]
    rng = np.random.default_rng(3)
    q = rng.normal(size=(5, 8)) * 0.02 / np.abs(tree.basis).max(axis=(1, 2))
    pose = np.concatenate([rng.uniform(-0.2, 0.2, (5, 3)), rng.normal(size=(5, 4))], axis=1)
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1)[:, None]
    q, pose = q.astype(dtype), pose.astype(dtype)
    own = np.array([0.05, -0.03, 0.1, *np.array([0.5, -0.1, 0.7, 0.4]) / np.linalg.norm([0.5, -0.1, 0.7, 0.4])])
    frame = qt.free_frame(block)
    far = qt.Collider(qt.SphereShape(0.1), pose=[9, 0, 0, 0, 0, 0, 1])
    margin = rng.uniform(0, 0.02, 5)
    found = qt.find_contacts(tree, q, [far, qt.Collider(geometry, pose=own)], pose=pose, frame=frame, margin=margin)

    unit = pose.astype(float)
    unit[:, 3:] /= np.linalg.norm(unit[:, 3:], axis=1)[:, None]
    x = places(block, tree, q.astype(float), unit)
    back = own[3:] * [-1, -1, -1, 1]
    gap = gap_of(turned(np.broadcast_to(back, (5, 4)), x - own[:3]))
    body, point = np.nonzero(gap < margin[:, None])
    assert len(found) == len(body) > 20 and np.all(found.shape == 1)
    order = np.lexsort((found.point, found.body))
    assert np.array_equal(found.body[order], body) and np.array_equal(found.point[order], point)
    assert np.allclose(found.gap[order], gap[body, point], rtol=0, atol=1e-14)
    assert np.allclose(found.position[order], x[body, point], rtol=0, atol=1e-14)
    assert np.array_equal(found.area, tree.areas[found.point])
    assert not found.force.any() and not found.gap.flags.writeable
    # The normal is the gap's gradient.
    _, normals = qt.Shape(geometry).distance(turned(back[None], found.position - own[:3])[0])
    assert np.allclose(turned(own[None, 3:], normals)[0], found.normal, atol=1e-9)

    leaves = qt.touching_leaves(tree, tree.spheres(q), q, [far, qt.Collider(geometry, pose=own)], pose=pose,
                                frame=frame, margin=margin)
    assert set(leaves[:, 1]) == {1} and not tree.nodes[leaves[:, 2], 1].any()
    staged = qt.leaf_contacts(tree, leaves, q, [far, qt.Collider(geometry, pose=own)], pose=pose, frame=frame, margin=margin)
    assert np.array_equal(staged.gap, found.gap) and np.array_equal(staged.point, found.point)


def test_spheres_hold_their_points(tree):
    rng = np.random.default_rng(5)
    q = rng.normal(size=(4, 8)) * 0.1 / np.abs(tree.basis).max(axis=(1, 2))
    x = tree.positions + np.tensordot(q, tree.basis, 1)
    for numbers in (q, q.astype(np.float32), np.asfortranarray(q)):
        spheres = tree.spheres(numbers)
        assert spheres.dtype == numbers.dtype and spheres.shape == (4, tree.node_count, 4)
        for node, (_, children, first, count) in enumerate(tree.nodes):
            distance = np.linalg.norm(x[:, first:first + count] - spheres[:, node, None, :3], axis=-1)
            assert np.all(distance.max(axis=1) <= spheres[:, node, 3])
    assert tree.areas.sum() == pytest.approx(2 * (0.3 * 0.2 + 0.3 * 0.15 + 0.2 * 0.15), rel=1e-12)
    qt.require_sound(tree)


def test_a_model_keeps_its_tree(block, tree, tmp_path):
    assert qt.stored_bound_tree(block) is None
    qt.save_model(qt.add_bound_tree(block, tree), tmp_path / "a.qrt")
    stored = qt.stored_bound_tree(qt.load_model(tmp_path / "a.qrt"))
    assert stored.point_count == tree.point_count and np.array_equal(stored.nodes, tree.nodes)
    assert np.array_equal(qt.refitted(tree, block).rest_spheres, tree.rest_spheres)


def test_views_keep_their_memory(block):
    def parts():
        own = qt.bound_tree(block)
        found = qt.find_contacts(own, np.zeros((1, 8)), [qt.Collider(qt.PlaneShape(offset=0.01))])
        return own.positions, own.nodes, own.areas, found.gap, found.position, found.body

    arrays = parts()
    copies = [np.array(a) for a in parts()]
    gc.collect()
    np.ones(1 << 16)  # would take the place of what was freed
    assert all(np.array_equal(a, b) for a, b in zip(arrays, copies))
    nothing = qt.find_contacts(qt.bound_tree(block), np.zeros((1, 8)), [])
    assert len(nothing) == 0 and nothing.gap.shape == (0,) and nothing.force.shape == (0, 3)


def test_shapes(tmp_path):
    box = qt.Shape(qt.BoxShape([0.5, 0.4, 0.3]))
    points = np.random.default_rng(1).uniform(-0.6, 0.6, (200, 3))
    gap, _ = box.distance(points)
    grid = qt.distance_grid(box, [-0.8, -0.8, -0.8], [0.8, 0.8, 0.8], 0.05)
    assert np.abs(qt.Shape(grid).distance(points)[0] - gap).max() < 0.05 and grid.values.min() < -0.25
    again = qt.DistanceGrid(grid.origin, grid.spacing, grid.values)
    assert np.array_equal(qt.Shape(again).distance(points)[0], qt.Shape(grid).distance(points)[0])
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.3, 0.3)])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = np.array([t for a, b, c, d in faces for t in ([a, b, c], [a, c, d])], dtype=np.int32)
    mesh = qt.Shape(qt.TriangleMesh(corners, triangles))
    assert np.allclose(mesh.distance(points)[0], gap, atol=1e-14)
    with pytest.raises(qt.InputError, match="closed"):
        qt.Shape(qt.TriangleMesh(corners, triangles[1:]))
    with pytest.raises(qt.InputError):
        qt.Shape(qt.SphereShape(-1))
    with pytest.raises(qt.InputError, match="not of a int"):
        qt.Shape(3)


def test_colliders_move():
    start = qt.Collider(qt.SphereShape(1), pose=[1, 2, 3, 0, 0, np.sin(0.3), np.cos(0.3)])
    there = [0, 1, -1, np.sin(0.4), 0, 0, np.cos(0.4)]
    end = qt.moved(qt.moving_to(start, there, 0.5), 0.5)
    assert np.allclose(end.pose, there, atol=1e-14)
    with pytest.raises(AttributeError):
        start.pose = there  # they don't change: a world's would be a copy


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_ground_bears_the_weight(block, tree, dtype):
    frame = qt.free_frame(block)
    batch = qt.Batch([qt.BodyGroup(block, 2, frame=frame)], dtype=dtype, integrator="backward-euler", rayleigh_mass=40,
                     rayleigh_stiffness=2e-3)
    world = qt.World(batch, tree, stiffness=1e6, friction=0, dissipation=5)
    assert world.batch is batch and world.colliders == ()
    world.colliders = [qt.Collider(qt.PlaneShape())]
    np.asarray(batch.pose)[:, 2] = [frame.origin[2], 50]
    batch.add_gravity([0, 0, -GRAVITY])
    world.step(1, 200)
    contacts, weight = world.contacts(), frame.mass * GRAVITY
    assert set(contacts.body) == {0} and set(contacts.shape) == {0}
    wrench = world.contact_wrench()
    tolerance = 1e-5 if dtype == "float64" else 1e-3
    assert wrench[0, 2] == pytest.approx(weight, rel=tolerance) and not wrench[1].any()
    assert contacts.force.sum(axis=0)[2] == pytest.approx(wrench[0, 2], rel=1e-12)
    assert np.allclose(contacts.force[:, 2], -1e6 * contacts.area * contacts.gap, rtol=tolerance)
    # Momentum that came with gravity went to the ground.
    momentum = batch.linear_momentum()[0, 2] + weight * 1
    assert world.contact_impulse()[0, 2] == pytest.approx(momentum, rel=1e-10 if dtype == "float64" else 1e-5)
    assert list(batch.flags) == [0, 0]
    before = np.array(contacts.gap)
    world.step(0.01)
    assert np.array_equal(contacts.gap, before)  # what was read out stays


def test_belts_take_bodies_along(block, tree):
    frame = qt.free_frame(block)
    batch = qt.Batch(qt.BodyGroup(block, frame=frame), dtype="float64", integrator="backward-euler", rayleigh_stiffness=2e-3)
    world = qt.World(batch, [tree], stiffness=1e6)
    world.colliders = [qt.Collider(qt.PlaneShape(), twist=[0.2, 0, 0, 0, 0, 0])]
    np.asarray(batch.pose)[:, 2] = frame.origin[2]
    batch.add_gravity([0, 0, -GRAVITY])
    for _ in range(40):
        world.step(0.02, 4)
    assert np.asarray(batch.twist)[0, 0] == pytest.approx(0.2, rel=1e-2)
    assert world.colliders[0].pose[0] == pytest.approx(0.16, rel=1e-12)


def test_what_contacts_did_is_recorded(block, tree):
    frame = qt.free_frame(block)
    batch = qt.Batch(qt.BodyGroup(block, frame=frame), dtype="float64", integrator="backward-euler", rayleigh_stiffness=2e-3)
    world = qt.World(batch, tree, stiffness=1e6, friction=0)
    world.colliders = [qt.Collider(qt.PlaneShape())]
    np.asarray(batch.pose)[:, 2] = frame.origin[2] + 0.01
    np.asarray(batch.twist)[:, 2] = -2
    before, recorder = batch.linear_momentum()[0].copy(), qt.ContactRecorder()
    for _ in range(60):
        world.step(1e-3)
        recorder.record(world, 1e-3)
    assert not len(world.contacts()) and len(recorder.records) == len(recorder.all_records()) > 3
    gained = np.sum([r.impulse for r in recorder.records], axis=0)
    change = batch.linear_momentum()[0] - before
    assert np.allclose(gained, change, rtol=0, atol=1e-2 * np.abs(change).max())  # but for a small turn
    assert all(r.duration > 0 and 0 < r.time < 0.06 and r.body == 0 and r.shape == 0 for r in recorder.records)


def test_refusals(block, tree):
    energy = qt.Batch(block)
    with pytest.raises(qt.InputError, match="one for each"):
        qt.World(energy, [])
    with pytest.raises(qt.InputError, match="among them"):
        qt.World(energy, [block])
    with pytest.raises(qt.InputError, match="take backward_euler"):
        qt.World(qt.Batch(block, integrator="central-differences"), tree)
    with pytest.raises(qt.InputError, match="stiffness"):
        qt.World(energy, tree, stiffness=0)
    world = qt.World(energy, [None])
    with pytest.raises(qt.InputError, match="Collider"):
        world.colliders = [qt.PlaneShape()]
    with pytest.raises(qt.InputError, match="both pose= and frame="):
        qt.find_contacts(tree, np.zeros((1, 8)), [], pose=np.zeros((1, 7)))
    with pytest.raises(qt.InputError, match="float64"):
        qt.find_contacts(tree, np.zeros((1, 8), int), [])
    with pytest.raises(qt.InputError, match="shape"):
        tree.spheres(np.zeros((1, 7)))


def test_bodies_that_may_have_gone_through_a_shape_are_flagged(block, tree):
    for speed, flags in (1, qt.BodyFlags.none), (40, qt.BodyFlags.too_fast):
        batch = qt.Batch(qt.BodyGroup(block, frame=qt.free_frame(block)), integrator="backward-euler")
        batch.pose[0, 2] = 0.1
        batch.twist[0, 2] = -speed
        world = qt.World(batch, tree)
        world.colliders = [qt.Collider(qt.BoxShape([5, 5, 0.01]), pose=[0, 0, -0.02, 0, 0, 0, 1])]
        world.step(0.01)
        assert np.asarray(batch.flags).tolist() == [flags]


def test_pose_tracks(tmp_path):
    track = qt.PoseTrack(np.array([0.0, 2]), np.array([[0.0, 0, 0, 0, 0, 0, 1], [2, 0, 4, 0, 0, 1, 0]]))
    assert track.times.tolist() == [0, 2]
    assert track.poses.shape == (2, 7)
    assert track.at(0.5) == pytest.approx([0.5, 0, 1, 0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)], abs=1e-15)
    (tmp_path / "track.csv").write_text("time,x,y,z\n0,0,0,0\n1,0,0,2\n")
    read = qt.read_pose_track(tmp_path / "track.csv")
    assert read.at(0.25) == pytest.approx([0, 0, 0.5, 0, 0, 0, 1])
    with pytest.raises(qt.InputError, match="leave the node out"):
        qt.read_pose_track(tmp_path / "track.csv", node="ball")
    with pytest.raises(qt.InputError, match="poses"):
        qt.PoseTrack(np.array([0.0, 1]), np.zeros((3, 7)))


def test_pose_tracks_of_nodes(tmp_path):
    numbers = np.array([0, 2, 0, 0, 0, 0, 0, 4, 1, 1, 1, 3, 3, 3], np.float32)
    (tmp_path / "moves.bin").write_bytes(numbers.tobytes())
    ways = [("SCALAR", 2, 0, 8), ("VEC3", 2, 8, 24), ("VEC3", 2, 32, 24)]
    gltf = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "moves.bin", "byteLength": numbers.nbytes}],
        "bufferViews": [{"buffer": 0, "byteOffset": first, "byteLength": length} for *_, first, length in ways],
        "accessors": [
            {"bufferView": n, "componentType": 5126, "count": count, "type": kind}
            for n, (kind, count, *_) in enumerate(ways)
        ],
        "nodes": [{"name": "lift"}, {"name": "lamp"}],
        "animations": [
            {
                "samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 2}],
                "channels": [{"sampler": n, "target": {"node": n, "path": "translation"}} for n in (0, 1)],
            }
        ],
    }
    path = tmp_path / "moves.gltf"
    path.write_text(json.dumps(gltf))
    assert qt.read_pose_track(path, node="lift").at(0.5) == pytest.approx([0, 0, 1, 0, 0, 0, 1])
    assert qt.read_pose_track(path, node="lamp").at(1) == pytest.approx([2, 2, 2, 0, 0, 0, 1])
    with pytest.raises(qt.ParseError, match="no node 'arm'; animations move 'lift', 'lamp'"):
        qt.read_pose_track(path, node="arm")
    with pytest.raises(qt.ParseError, match="name one of"):
        qt.read_pose_track(path)


def test_a_haptic_ball_is_a_spring_on_the_ground(block, tree):
    batch = qt.Batch(block, integrator="backward-euler", rayleigh_mass=50)
    world = qt.World(batch, tree, stiffness=1e7, friction=0)
    top = tree.positions.max(axis=0)
    device = [top[0], 0.5 * top[1], top[2] + 0.1]
    ball = qt.HapticBall(world, device, radius=0.1, stiffness=300, device_damping=0.3)
    assert len(world.colliders) == 1
    for _ in range(50):
        sample = ball.step(device)
    assert sample.contacts == 0 and sample.force == [0, 0, 0]
    device[2] -= 0.01
    for _ in range(2000):
        sample = ball.step(device)
    assert sample.contacts > 0
    assert np.linalg.norm(sample.force) == pytest.approx(
        300 * np.linalg.norm(np.subtract(sample.ball, device)), rel=1e-9
    )
    assert sample.force == pytest.approx(sample.contact_force, rel=1e-4, abs=1e-6)
    assert ball.sample.step == 2050 and ball.world is world
    assert qt.largest_passive_stiffness(0.3, 0.1, 1e-3) == pytest.approx(400)
    with pytest.raises(qt.InputError, match="isn't passive"):
        qt.HapticBall(world, device, stiffness=1e6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bodies_collide(block, tree, dtype, tmp_path):
    frame = qt.free_frame(block)
    surface = qt.CollisionSurface(block, tree)
    x, t = tree.positions, surface.triangles
    volume = np.sum(x[t[:, 0]] * np.cross(x[t[:, 1]], x[t[:, 2]])) / 6
    assert volume == pytest.approx(0.3 * 0.2 * 0.15, rel=1e-12)

    def thrown():
        batch = qt.Batch(qt.BodyGroup(block, 2, frame=frame), dtype=dtype, integrator="backward-euler",
                         rayleigh_stiffness=2e-3)
        world = qt.World(batch, tree, stiffness=1e6)
        qt.let_collide(world, surface, ids=[7, 3])
        np.asarray(batch.pose)[:, :3] = [[0, 0, 0], [0.05, 0.02, 0.152]]
        np.asarray(batch.twist)[:, :3] = [[0.1, 0, 0.5], [0, 0, -0.5]]
        return world

    world = thrown()
    before = np.asarray(world.batch.linear_momentum()).sum(axis=0)
    for _ in range(4):
        world.step(2e-3)
    contacts, report = qt.body_contacts(world), qt.collision_report(world)
    assert report.islands == 1 and report.bodies == report.largest_island == 2
    assert len(contacts) == report.contacts > 5 and set(contacts.body) == {0, 1}
    assert np.all(contacts.body + contacts.other == 1) and np.all(np.asarray(contacts.weights).sum(axis=1) > 1 - 1e-12)
    force = np.where(contacts.body == 0, 1, -1) @ contacts.force
    assert np.allclose(force, world.contact_wrench()[0, :3], rtol=1e-10)
    momentum = np.asarray(world.batch.linear_momentum()).sum(axis=0)
    assert np.allclose(momentum, before, atol=1e-12 if dtype == "float64" else 1e-5)

    qt.save_world(world, tmp_path / "world.qstate")
    other = thrown()
    assert qt.load_world(other, tmp_path / "world.qstate") == []
    for w in (world, other):
        w.step(4e-3, 2)
    assert np.array_equal(np.asarray(world.batch.pose), np.asarray(other.batch.pose))
    with pytest.raises(qt.InputError, match="the id 1"):
        qt.let_collide(world, [surface], ids=[1, 1])
    with pytest.raises(qt.InputError, match="None for those"):
        qt.let_collide(world, [tree])
