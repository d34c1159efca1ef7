#!/usr/bin/env python3
"""Looks into wheels: check-wheel.py WHEEL... Says of each how large it is, and what is wrong with its tag, its files, its licences and
the libraries that it needs; ends with status 1 if anything is. Needs readelf."""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

MEGABYTE = 1e6
MOST = {"quartic": 18, "quartic_cuda13": 40}  # [MB]
FILES = {"quartic": ["quartic/__init__.py", "quartic/_core.pyi", "quartic/py.typed", "quartic/bin/quartic", "quartic/nanobind-licence.txt"],
         "quartic_cuda13": ["quartic_cuda13/__init__.py"]}
LICENCES = {"quartic": ["LICENSE", "NOTICE", "openblas", "gfortran", "mumps", "scotch", "eigen", "pugixml", "json", "cli11", "tinygltf"],
            "quartic_cuda13": ["LICENSE", "NOTICE"]}


def needed_libraries(file: pathlib.Path) -> set[str]:
    printed = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", printed))


def is_binary(file: pathlib.Path) -> bool:
    return file.is_file() and file.read_bytes()[:4] == b"\x7fELF"


def problems_of(wheel: pathlib.Path, root: pathlib.Path) -> list[str]:
    name, _, python, abi, platform = wheel.stem.split("-")
    found = []
    if (size := wheel.stat().st_size / MEGABYTE) > MOST[name]:
        found.append(f"{size:.1f} MB, more than {MOST[name]}")
    tags = {"quartic": {("cp311", "cp311"), ("cp312", "abi3")}, "quartic_cuda13": {("py3", "none")}}[name]
    if (python, abi) not in tags or not platform.startswith("manylinux_2_"):
        found.append(f"its tag is {python}-{abi}-{platform}")
    found += [f"there is no {file}" for file in FILES[name] if not (root / file).is_file()]
    texts = " ".join(file.name for file in root.glob("*.dist-info/licenses/*"))
    found += [f"no licence says {word} in its name: {texts}" for word in LICENCES[name] if word not in texts]
    for file in sorted(filter(is_binary, root.rglob("*"))):
        of_cuda = sorted(needed for needed in needed_libraries(file) if needed.startswith(("libcu", "libnv")))
        found += [f"{file.name} needs {needed}" for needed in of_cuda]
    return found


def main() -> None:
    wrong = False
    for wheel in map(pathlib.Path, sys.argv[1:]):
        print(f"{wheel.name}: {wheel.stat().st_size / MEGABYTE:.1f} MB")
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(wheel).extractall(folder)
            for problem in problems_of(wheel, pathlib.Path(folder)):
                wrong = True
                print("  " + problem)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
