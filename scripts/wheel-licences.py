#!/usr/bin/env python3
"""Puts the licences of all that a wheel brings into it: of the libraries that auditwheel copied, and of what is linked in.

wheel-licences.py WHEEL [FOLDER]: the wheel is replaced. The texts are all files of the folder; without one those of Debian's packages,
/usr/share/doc/PACKAGE/copyright. Needs the Python package wheel.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

LINKED_IN = ("libcli11-dev", "libeigen3-dev", "libmumps-seq-dev", "libtinygltf-dev", "nlohmann-json3-dev")  # headers and archives


def packages_of(libraries):
    """The packages that files of these names are in, which auditwheel calls NAME-HASH.so.N."""
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    paths = {line.split(" => ")[0].split()[0]: line.split(" => ")[1] for line in listed.splitlines() if " => " in line}
    for library in libraries:
        name = re.sub(r"-[0-9a-f]{8,}(?=[.]so|-)", "", library)
        path = next((path for soname, path in paths.items() if soname.startswith(name.split(".so")[0] + ".so")), None)
        if path is None:
            sys.exit(f"wheel-licences.py: where does {library} come from? ldconfig doesn't list {name}")
        found = subprocess.run(["dpkg", "-S", str(pathlib.Path(path).resolve())], capture_output=True, text=True, check=True).stdout
        yield found.split(":")[0]


def texts_of(root: pathlib.Path) -> dict[str, pathlib.Path]:
    """By name, of what is in the unpacked wheel."""
    if len(sys.argv) > 2:
        return {file.name: file for file in sorted(pathlib.Path(sys.argv[2]).iterdir())}
    libraries = [file.name for file in root.glob("*.libs/*.so*")]
    packages = sorted({*packages_of(libraries), *LINKED_IN})
    return {f"{package}.txt": pathlib.Path("/usr/share/doc") / package / "copyright" for package in packages}


def main() -> None:
    wheel = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "--dest", folder, str(wheel)], check=True)
        root = next(pathlib.Path(folder).iterdir())
        licences = next(root.glob("*.dist-info")) / "licenses"
        licences.mkdir(exist_ok=True)
        for name, text in texts_of(root).items():
            (licences / name).write_bytes(text.read_bytes())
        wheel.unlink()
        subprocess.run([sys.executable, "-m", "wheel", "pack", "--dest-dir", str(wheel.parent), str(root)], check=True)


if __name__ == "__main__":
    main()
