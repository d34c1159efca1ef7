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
import zipfile

from wheel.wheelfile import WheelFile

LINKED_IN = ("libcli11-dev", "libeigen3-dev", "libmumps-seq-dev", "libtinygltf-dev", "nlohmann-json3-dev")  # headers and archives


def packages_of(libraries):
    """The packages that files of these names are in; auditwheel puts a hash before the first dot of each."""
    for library in libraries:
        name = re.sub(r"-[0-9a-f]{8}(?=[.])", "", library)
        found = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True).stdout
        if not found:
            sys.exit(f"wheel-licences.py: no package of Debian's has {name}, where {library} comes from")
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
        loose = root.parent / wheel.name
        with WheelFile(loose, "w") as packed:
            packed.write_files(str(root))
        with zipfile.ZipFile(loose) as source, zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for entry in source.infolist():
                packed.writestr(entry, source.read(entry), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main()
