"""Triangle meshes, filled with cubes, and carried by a model."""

import numpy as np
import pytest

import quartic as qt

# The octahedron |x| + |y| + |z| <= 1, wound outwards.
CORNERS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1.0]])
FACES = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])


def test_an_octahedron_of_cubes(tmp_path):
    surface = qt.TriangleMesh(CORNERS, FACES)
    voxels = qt.voxelize(surface, resolution=20, material=qt.Material(1e5, 0.3, 1000))
    assert voxels.enclosed_volume == pytest.approx(4 / 3)
    assert 4 / 3 < voxels.volume < 4 / 3 * 1.3**3  # all of it, and nothing beyond |x| + |y| + |z| = 1 + 3 edges
    assert voxels.edge == pytest.approx(0.1) and voxels.parts == [voxels.mesh.element_count]
    assert voxels.mesh.element_count * voxels.edge**3 == pytest.approx(voxels.volume)
    (tmp_path / "eight.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) +
                                        "".join(f"f {a} {b} {c}\n" for a, b, c in FACES + 1))
    read = qt.read_triangle_mesh(tmp_path / "eight.obj")
    assert np.array_equal(read.vertices, CORNERS) and np.array_equal(read.triangles, FACES)


def test_a_model_carries_a_surface():
    surface = qt.TriangleMesh(CORNERS, FACES)
    mesh = qt.voxelize(surface, resolution=6, material=qt.Material(1e5, 0.3, 1000)).mesh
    floor = qt.select_in_box(mesh, [-1, -1, -1, 1, 1, -0.6]).vertices
    model, report = qt.embed_surface(qt.reduce(mesh, floor, modes=3, rank=4), surface)
    assert report.inside + report.outside == 6 and report.warnings == []
    drawn = qt.Embedding(model, surface=True)
    assert np.array_equal(drawn.rest_positions, CORNERS) and np.array_equal(drawn.triangles, FACES)
    assert drawn.displacements(np.ones((1, 4)))[0].shape == (6, 3)


@pytest.mark.parametrize("triangles, words", [
    (FACES.astype(float), "float64"), (FACES[:, :2], "shape \\(8, 2\\)"), (FACES + 1, "6|vert"),
])
def test_wrong_surfaces(triangles, words):
    with pytest.raises(qt.InputError, match=words):
        qt.voxelize(qt.TriangleMesh(CORNERS, triangles.copy()), resolution=4)
