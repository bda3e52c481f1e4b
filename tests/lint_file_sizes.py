# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Warn about files of more than 500 lines. Never fails, as code that belongs together may share a file."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("core", "device", "ops", "python/bindings", "python/skerry", "bench")
SUFFIXES = (".hpp", ".h", ".cpp", ".cu", ".cuh", ".py")
MOST = 500


def main() -> None:
    """Print a warning for each such file."""
    listed = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for name in listed:
        if name.endswith(SUFFIXES):
            lines = len((ROOT / name).read_text().splitlines())
            if lines > MOST:
                print(f"{name}: warning: {lines} lines; consider splitting it")


main()
