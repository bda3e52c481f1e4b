# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Wheels of packages as they are installed here, which pip installs elsewhere as it does those of `make wheels`."""

from __future__ import annotations

import importlib.metadata
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "python" / "wheels"))
from repack import digest  # noqa: E402

# What pip writes into the folder of metadata when it installs a wheel.
WRITTEN_BY_PIP = ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD")


def wheel_of_installed(name: str, folder: pathlib.Path) -> pathlib.Path:
    """Write the wheel of an installed distribution into the folder; return its path."""
    distribution = importlib.metadata.distribution(name)
    tags = [
        line.partition(": ")[2].split("-")
        for line in (distribution.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag: ")
    ]
    stem = f"{name.replace('-', '_')}-{distribution.version}"
    platforms = ".".join(platform for _, _, platform in tags)
    path = folder / f"{stem}-{tags[0][0]}-{tags[0][1]}-{platforms}.whl"
    record = f"{stem}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w") as wheel:
        for file in distribution.files or ():
            is_program = file.parts[0] == ".."  # pip makes it from entry_points.txt
            if is_program or file.name in WRITTEN_BY_PIP or "__pycache__" in file.parts:
                continue
            data = pathlib.Path(file.locate()).read_bytes()
            wheel.writestr(str(file), data)
            lines.append(f"{file},{digest(data)},{len(data)}\n")
        wheel.writestr(record, f"{''.join(lines)}{record},,\n")
    return path
