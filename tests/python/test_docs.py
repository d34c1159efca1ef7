"""docs/python.md says what is there, and its example is the sample that is run."""

import pathlib
import re

import quartic as qt

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")


def block(language):
    return re.search(f"```{language}\n(.*?)```", PAGE, re.DOTALL).group(1)


def test_the_example_is_the_sample():
    _, text, program = (ROOT / "samples/python/hello_beam.py").read_text(encoding="utf-8").split('"""')
    assert program.strip() == block("python").strip()
    printed = text.split("prints:\n")[1]
    assert [line.strip() for line in printed.splitlines()] == block("text").splitlines()


def test_the_table_has_all_names():
    names = PAGE[PAGE.index("## Names"):]
    listed = set(re.findall(r"`(\w+)`", names.split("What C++ alone has")[0]))
    reports = {"Array", "BoundaryCurving", "BoxSelection", "EmbedReport", "FoldedElements", "FrameMoments", "LinearModes", "LockingEstimate",
               "MaterialEdit", "MeshReport", "ModelRange", "ReduceReport", "SurfaceReport", "Voxelization"}
    missing = {name for name in qt.__all__ if name not in PAGE} - reports - {"Error", "version"}
    assert missing == set()
    others = {name for module in ("torch", "jax", "newton", "gym", "rsl_rl")
              for name in re.findall(r"^(?:def|class) (\w+)", (ROOT / f"python/quartic/{module}.py").read_text(encoding="utf-8"), re.M)}
    others |= {"displacements", "positions", "add_vertex_forces", "load_checkpoint"}
    assert {name for name in listed if not hasattr(qt, name)} <= others


# Exported functions that Python has no names of, and why.
NOT_BOUND = {
    # What other functions are made of.
    "centring", "change_frame", "combine_region_energy", "keep_coordinates", "prepare_mesh", "reduce_region_energy", "reduce_volume",
    "transform_energy", "transform_force", "transform_state", "transform_relaxation", "transform_volume", "natural_states", "relax_strains", "relaxed",
    "choose_share", "edit_relaxation", "following_fields", "contact_points", "fix_signs", "enclosed_volume_hessian", "thermal_energy",
    "surface_basis", "volume_forces", "boundary_surface", "chamber_volumes", "distinct_region_names", "drop_unreferenced_vertices",
    # Methods, properties and keywords of Python's objects.
    "acceleration_at", "attach_rigid_mass", "away_from_surface", "damping_ratio", "effective_masses", "estimate_reduction", "copy_state",
    "reset_bodies", "vertex_displacements", "vertex_positions", "select_columns", "set_cuda_folder", "write_gmsh", "write_veg",
    # Words and numbers that are keywords' values here.
    "backend_available", "backend_name", "require_backend", "default_thread_count", "evaluation_name", "integrator_name", "element_type_name",
    "element_vertex_count", "check_material", "default_weld_tolerance", "default_selection_tolerance", "looks_like_triangle_mesh",
}


def exported_functions():
    """Of the public headers, but for those of CUDA, whose functions are methods here."""
    for header in sorted({*(ROOT / "include/quartic").glob("*.hpp")} - {ROOT / "include/quartic/export.hpp"}):
        text = re.sub(r"//.*", "", header.read_text(encoding="utf-8"))
        for declaration in re.findall(r"(?<!class )QUARTIC_EXPORT ([^;{]*?)\(", text):
            yield header.name, declaration.split()[-1].lstrip("&*")


def test_the_headers_functions_are_there():
    methods = {name for kind in (qt.Batch, qt.World, qt.Embedding, qt.QuarticEnergy) for name in dir(kind)}
    missing = {(header, name) for header, name in exported_functions() if name not in {*qt.__all__, *methods, *NOT_BOUND}}
    assert missing == set()
    assert NOT_BOUND <= {name for _, name in exported_functions()}
