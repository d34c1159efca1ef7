"""Has OpenUSD read what quartic writes: usd_reader.py FOLDER, where expected.json says what must be in it.

Run by usd_export_test where QUARTIC_TEST_PYTHON names a Python with the package usd-core.
"""
import json
import sys
from pathlib import Path

from pxr import Usd, UsdGeom, UsdSkel, UsdValidation

EPSILON = 2.0**-23


def numbers(vectors):
    return [float(c) for vector in vectors for c in vector]


def local(positions, stage):
    """Positions of the world from where /body stands, which holds the offset of a body far away."""
    place = UsdGeom.Xformable(stage.GetPrimAtPath("/body")).ComputeLocalToWorldTransform(Usd.TimeCode.Default()).ExtractTranslation()
    return [x - place[i % 3] for i, x in enumerate(positions)]


def check_stage(stage, case):
    assert stage.GetDefaultPrim().GetPath() == "/body"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1 and UsdGeom.GetStageUpAxis(stage) == "Z"
    assert stage.GetFramesPerSecond() == stage.GetTimeCodesPerSecond() == case["per_second"]
    assert [stage.GetStartTimeCode(), stage.GetEndTimeCode()] == [case["codes"][0], case["codes"][-1]]
    for code, time in zip(case["codes"], case["time"], strict=True):
        assert abs(code / stage.GetTimeCodesPerSecond() - time) <= 1e-9 * max(1, abs(time))


def check_mesh(mesh, stage, case):
    assert list(mesh.GetFaceVertexIndicesAttr().Get()) == case["triangles"]
    assert list(mesh.GetFaceVertexCountsAttr().Get()) == [3] * (len(case["triangles"]) // 3)
    assert mesh.GetSubdivisionSchemeAttr().Get() == "none" and not mesh.GetNormalsAttr().HasAuthoredValue()
    valid, why = UsdGeom.Mesh.ValidateTopology(mesh.GetFaceVertexIndicesAttr().Get(),
                                               mesh.GetFaceVertexCountsAttr().Get(), len(case["points"]) // 3)
    assert valid, why
    check_positions(numbers(mesh.GetPointsAttr().Get()), case["points"], stage, case)


def check_positions(found, expected, stage, case):
    for i, (a, b, size) in enumerate(zip(found, local(expected, stage), case["sizes"], strict=True)):
        assert abs(a - b) <= case["tolerance"] * EPSILON * size, (case["file"], i, a, b)


def check_extent(extent, positions, stage):
    positions = local(positions, stage)
    low, high = numbers(extent)[:3], numbers(extent)[3:]
    for c in range(3):
        scale = 1 + max(abs(x) for x in positions[c::3])
        assert abs(low[c] - min(positions[c::3])) <= 8 * EPSILON * scale
        assert abs(high[c] - max(positions[c::3])) <= 8 * EPSILON * scale


def check_blend_shapes(stage, case):
    root = UsdSkel.Root(stage.GetPrimAtPath("/body"))
    assert root
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/body/surface"))
    check_mesh(mesh, stage, case)
    cache = UsdSkel.Cache()
    assert cache.Populate(root, Usd.TraverseInstanceProxies())
    bindings = cache.ComputeSkelBindings(root, Usd.TraverseInstanceProxies())
    assert len(bindings) == 1 and len(bindings[0].GetSkinningTargets()) == 1
    skinning = bindings[0].GetSkinningTargets()[0]
    assert skinning.HasBlendShapes() and skinning.HasJointInfluences()
    animation = cache.GetSkelQuery(bindings[0].GetSkeleton()).GetAnimQuery()
    assert animation.GetBlendShapeWeightTimeSamples() == case["codes"]
    shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(mesh.GetPrim()))
    assert shapes.GetNumBlendShapes() == len(case["weights"][0])
    rest = mesh.GetPointsAttr().Get()
    for frame, code in enumerate(case["codes"]):
        weights = animation.ComputeBlendShapeWeights(code)
        assert list(weights) == case["weights"][frame] and all(0 <= weight <= 1 for weight in weights)
        sub_weights, blend_indices, sub_indices = shapes.ComputeSubShapeWeights(skinning.GetBlendShapeMapper().Remap(weights))
        points = type(rest)(rest)
        assert shapes.ComputeDeformedPoints(sub_weights, blend_indices, sub_indices, shapes.ComputeBlendShapePointIndices(),
                                            shapes.ComputeSubShapePointOffsets(), points)
        check_positions(numbers(points), case["positions"][frame], stage, case)
        check_extent(UsdGeom.Boundable(root).GetExtentAttr().Get(code), case["positions"][frame], stage)
    check_extent(mesh.GetExtentAttr().Get(), case["points"], stage)

    # The whole way that renderers go, skeleton included.
    assert UsdSkel.BakeSkinning(root)
    for frame, code in enumerate(case["codes"]):
        check_positions(numbers(mesh.GetPointsAttr().Get(code)), case["positions"][frame], stage, case)


def check_points(stage, case):
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/body/surface"))
    check_mesh(mesh, stage, case)
    assert mesh.GetPointsAttr().GetTimeSamples() == mesh.GetExtentAttr().GetTimeSamples() == case["codes"]
    for frame, code in enumerate(case["codes"]):
        points = mesh.GetPointsAttr().Get(code)
        check_positions(numbers(points), case["positions"][frame], stage, case)
        assert numbers(mesh.GetExtentAttr().Get(code)) == numbers(UsdGeom.PointBased.ComputeExtent(points))


def main():
    folder = Path(sys.argv[1])
    validation = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    for case in json.loads((folder / "expected.json").read_text()):
        stage = Usd.Stage.Open(str(folder / case["file"]))
        assert [error.GetErrorAsString() for error in validation.Validate(stage)] == []
        check_stage(stage, case)
        (check_blend_shapes if case["kind"] == "blend_shapes" else check_points)(stage, case)


main()
