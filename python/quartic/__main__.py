"""The command `quartic`: python -m quartic ..."""

import os
import pathlib
import sys


def main() -> None:
    command = pathlib.Path(__file__).parent / "bin" / "quartic"
    if not command.exists():
        sys.exit(f"the command quartic isn't in this package: there is no {command}")
    os.execv(command, [str(command), *sys.argv[1:]])


if __name__ == "__main__":
    main()
