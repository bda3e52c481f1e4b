# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reject wheels whose libraries have undefined symbols without a version.

`auditwheel` only compares versions. A symbol that no library defined at link time has no version: it is found missing
only when the module is loaded.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import zipfile


def nm(library: pathlib.Path, selection: str) -> list[tuple[str, str]]:
    """Return (type, name) of dynamic symbols."""
    command = ["nm", "--dynamic", selection, str(library)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [(fields[-2], fields[-1]) for fields in map(str.split, listing.splitlines())]


def find_unversioned(wheel: pathlib.Path) -> dict[str, list[str]]:
    """Return the undefined symbols without a version, by library, except those of Python and of the wheel itself."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        libraries = sorted(pathlib.Path(folder).rglob("*.so*"))
        defined = {
            name.partition("@")[0] for path in libraries for _, name in nm(path, "--defined-only")
        }
        unversioned = {
            path.name: [
                name
                for kind, name in nm(path, "--undefined-only")
                if kind != "w"
                and "@" not in name
                and not name.startswith(("Py", "_Py"))
                and name not in defined
            ]
            for path in libraries
        }
    return {library: names for library, names in unversioned.items() if names}


if __name__ == "__main__":
    failures = [
        f"{wheel}: {library} has undefined symbols without a version: {', '.join(names)}"
        for wheel in sys.argv[1:]
        for library, names in find_unversioned(pathlib.Path(wheel)).items()
    ]
    sys.exit("\n".join(failures) or 0)
