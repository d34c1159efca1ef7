"""Reads files of quartic with VTK, meshio and Gmsh and compares them with expected.json beside them.

Run by convert_command_test where QUARTIC_TEST_PYTHON names a Python with the packages vtk, meshio and gmsh.
"""

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import gmsh
import meshio
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
from vtkmodules.vtkFiltersGeneral import vtkCellValidator
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

# In the order of ElementType: VTK's number, meshio's name, Gmsh's number, vertices.
TYPES = [(10, "tetra", 4, 4), (24, "tetra10", 11, 10), (12, "hexahedron", 5, 8), (25, "hexahedron20", 17, 20),
         (13, "wedge", 6, 6), (26, "wedge15", 18, 15), (14, "pyramid", 7, 5)]

meshio._mesh.topological_dimension.setdefault("wedge15", 3)  # missing in meshio 5.3.5, which then refuses such cells


def read_vtu(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0, path
    return reader.GetOutput()


def array(data, name):
    found = data.GetArray(name)
    assert found is not None, f"no array {name!r} among {[data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]}"
    return vtk_to_numpy(found)


def is_in(count, vertices):
    result = np.zeros(count, np.uint8)
    result[vertices] = 1
    return result


def check_vtk(folder, expected):
    grid = read_vtu(folder / "all.vtu")
    points = np.array(expected["vertices"]).reshape(-1, 3)
    assert np.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), points)
    cell = 0
    for (kind, _, _, width), block in zip(TYPES, expected["blocks"]):
        for vertices in np.array(block).reshape(-1, width):
            assert grid.GetCellType(cell) == kind
            ids = grid.GetCell(cell).GetPointIds()
            assert [ids.GetId(i) for i in range(ids.GetNumberOfIds())] == list(vertices)
            cell += 1
    assert cell == grid.GetNumberOfCells()
    assert np.array_equal(array(grid.GetCellData(), "region"), expected["element_region"])
    for name, vertices in expected["vertex_sets"].items():
        assert np.array_equal(array(grid.GetPointData(), name), is_in(len(points), vertices))
    for number, name in enumerate(expected["regions"]):
        assert array(grid.GetFieldData(), f"region {number}: {name}")[0] == number


def check_orientation():
    """The wedge that quartic's order makes has a positive volume in VTK, and faces that look outwards."""
    points = vtkPoints()
    for corner in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)):
        points.InsertNextPoint(corner)
    grid = vtkUnstructuredGrid()
    grid.SetPoints(points)
    grid.InsertNextCell(13, 6, list(range(6)))
    validator = vtkCellValidator()
    validator.SetInputData(grid)
    validator.Update()
    assert array(validator.GetOutput().GetCellData(), "ValidityState")[0] == 0


def check_meshio_vtu(folder, expected):
    mesh = meshio.read(folder / "all.vtu")
    points = np.array(expected["vertices"]).reshape(-1, 3)
    assert np.array_equal(mesh.points, points)
    for (_, kind, _, width), block, cells in zip(TYPES, expected["blocks"], mesh.cells, strict=True):
        # meshio takes VTK's wedges for turned inside out, as an old manual had them; VTK's own checks say otherwise.
        order = [0, 2, 1, 3, 5, 4] if kind == "wedge" else np.arange(width)
        assert cells.type == kind and np.array_equal(cells.data, np.array(block).reshape(-1, width)[:, order])
    assert np.array_equal(np.concatenate(mesh.cell_data["region"]), expected["element_region"])
    for name, vertices in expected["vertex_sets"].items():
        assert np.array_equal(mesh.point_data[name], is_in(len(points), vertices))


def check_meshio_msh(path, expected):
    mesh = meshio.read(path)
    assert np.array_equal(mesh.points, np.array(expected["vertices"]).reshape(-1, 3))
    for (_, kind, _, width), block in zip(TYPES, expected["blocks"]):  # meshio turns middle vertices to VTK's order
        cells = np.concatenate([cells.data for cells in mesh.cells if cells.type == kind])
        assert np.array_equal(cells, np.array(block).reshape(-1, width)), (path, kind)
    for number, name in enumerate(expected["regions"]):
        assert list(mesh.field_data[name]) == [number + 1, 3]
    for number, (name, vertices) in enumerate(sorted(expected["vertex_sets"].items())):
        assert list(mesh.field_data[name]) == [number + 1, 0]
        found = [cells.data.ravel() for cells, tags in zip(mesh.cells, mesh.cell_data["gmsh:physical"])
                 if cells.type == "vertex" and tags[0] == number + 1]
        assert np.array_equal(np.concatenate(found), vertices)


def check_gmsh(path, expected):
    gmsh.open(str(path))
    tags, points, _ = gmsh.model.mesh.getNodes()
    order = np.argsort(tags)
    assert np.array_equal(np.array(points).reshape(-1, 3)[order].ravel(), expected["vertices"])
    assert set(gmsh.model.getPhysicalGroups(3)) == {(3, 1), (3, 2)}
    region = np.full(len(expected["element_region"]), -1)
    for number, name in enumerate(expected["regions"]):
        assert gmsh.model.getPhysicalName(3, number + 1) == name
        for entity in gmsh.model.getEntitiesForPhysicalGroup(3, number + 1):
            for elements in gmsh.model.mesh.getElements(3, entity)[1]:
                region[elements.astype(int) - 1] = number
    assert np.array_equal(region, expected["element_region"])
    first = 0
    for (_, _, kind, width), block in zip(TYPES, expected["blocks"]):
        elements, nodes = gmsh.model.mesh.getElementsByType(kind)
        order = np.argsort(elements)
        assert np.array_equal(elements[order], first + np.arange(1, len(elements) + 1))
        corners = {10: 4, 20: 8, 15: 6}.get(width, width)  # middle nodes are in Gmsh's own order
        found = np.array(nodes).reshape(-1, width)[order].astype(int) - 1
        assert np.array_equal(found[:, :corners], np.array(block).reshape(-1, width)[:, :corners])
        assert np.array_equal(np.sort(found, 1), np.sort(np.array(block).reshape(-1, width), 1))
        first += len(elements)
    for number, (name, vertices) in enumerate(sorted(expected["vertex_sets"].items())):
        assert gmsh.model.getPhysicalName(0, number + 1) == name
        points = gmsh.model.mesh.getElements(0, number + 1)[2][0]
        assert list(np.array(points).astype(int) - 1) == vertices
    gmsh.clear()


def check_model(folder, expected):
    grid = read_vtu(folder / "model.vtu")
    for number, basis in enumerate(expected["basis"]):
        assert np.array_equal(array(grid.GetPointData(), f"basis_{number + 1:02}").ravel(), basis)
    modes = [grid.GetPointData().GetArrayName(i) for i in range(4)]
    assert all(name.startswith(f"mode_{i + 1:02} (") for i, name in enumerate(modes)), modes
    assert len(array(grid.GetFieldData(), "frequencies")) == 4
    meshio.read(folder / "model.vtu")


def check_series(folder, expected):
    frames = ET.parse(folder / "motion.pvd").getroot().findall("./Collection/DataSet")
    assert [float(frame.get("timestep")) for frame in frames] == expected["time"]
    for frame, displacement in zip(frames, expected["displacements"], strict=True):
        grid = read_vtu(folder / frame.get("file"))
        # The product may be summed in another order here.
        assert np.allclose(array(grid.GetPointData(), "displacement").ravel(), displacement, rtol=0, atol=1e-14)
        assert array(grid.GetFieldData(), "TimeValue")[0] == float(frame.get("timestep"))
        assert grid.GetPointData().GetVectors().GetName() == "displacement"
        meshio.read(folder / frame.get("file"))


def main():
    folder = Path(sys.argv[1])
    expected = json.loads((folder / "expected.json").read_text())
    check_vtk(folder, expected)
    check_orientation()
    check_meshio_vtu(folder, expected)
    check_model(folder, expected)
    check_series(folder, expected)
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    for name in ("all.msh", "binary.msh"):
        check_meshio_msh(folder / f"grouped_{name}", expected)  # meshio wants all elements in groups, or none
        check_gmsh(folder / name, expected)
    gmsh.finalize()


main()
