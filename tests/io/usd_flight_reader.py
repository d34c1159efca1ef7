"""Has OpenUSD show where bodies are: usd_flight_reader.py FOLDER, where expected.json says where they must be.

Run by flying_motion_test where QUARTIC_TEST_PYTHON names a Python with the package usd-core.
"""
import json
import sys
from pathlib import Path

from pxr import Gf, Usd, UsdGeom, UsdSkel, UsdValidation

TOLERANCE = 3e-5  # a dozen roundings to single precision of numbers of at most 20


def world_points(stage, path, code):
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath(path + "/surface"))
    transform = UsdGeom.XformCache(code).GetLocalToWorldTransform(mesh.GetPrim())
    return [c for point in mesh.GetPointsAttr().Get(code) for c in transform.Transform(Gf.Vec3d(*map(float, point)))]


def check_extent(stage, path, code):
    """A renderer that asks the body for its extent finds all of its points in it."""
    boundable = UsdGeom.Boundable(stage.GetPrimAtPath(path))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath(path + "/surface"))
    low, high = (boundable if boundable else mesh).GetExtentAttr().Get(code)
    for point in mesh.GetPointsAttr().Get(code):
        assert all(a - TOLERANCE <= x <= b + TOLERANCE for a, x, b in zip(low, point, high, strict=True))


def check_velocities(stage, body):
    prim = stage.GetPrimAtPath(body["path"])
    for name in ("velocity", "angularVelocity"):
        attribute = prim.GetAttribute("quartic:" + name)
        assert attribute.IsValid() == (name in body)
        if name in body:
            assert max(abs(a - b) for a, b in zip(attribute.Get(0), body[name])) < 1e-12


def check_case(folder, case, validation):
    stage = Usd.Stage.Open(str(folder / case["file"]))
    assert [error.GetErrorAsString() for error in validation.Validate(stage)] == []
    meshes = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert [str(prim.GetPath()) for prim in meshes] == [body["path"] + "/surface" for body in case["bodies"]]
    for body in case["bodies"]:
        path = body["path"]
        assert list(UsdGeom.Mesh(stage.GetPrimAtPath(path + "/surface")).GetFaceVertexIndicesAttr().Get()) == case["triangles"]
        check_velocities(stage, body)
        root = UsdSkel.Root(stage.GetPrimAtPath(path))
        if root:
            assert UsdSkel.BakeSkinning(root)
        for frame, positions in enumerate(body["positions"]):
            found = world_points(stage, path, frame)
            assert len(found) == len(positions)
            assert max(abs(a - b) for a, b in zip(found, positions)) < TOLERANCE, (case["file"], path, frame)
            check_extent(stage, path, frame)


def main():
    folder = Path(sys.argv[1])
    validation = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    for case in json.loads((folder / "expected.json").read_text()):
        check_case(folder, case, validation)


main()
