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
    others |= {method for name in qt.__all__ if isinstance(getattr(qt, name), type) for method in dir(getattr(qt, name))}
    assert {name for name in listed if not hasattr(qt, name)} <= others
