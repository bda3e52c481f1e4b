# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Paths of libraries: the emulated GPU's own, and NVIDIA's, to which some of them forward."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

__all__ = ["find_library", "folder", "mapped_files"]


def folder() -> str:
    """Return the folder of the emulated GPU's libraries: SKERRY_EMULATOR, or ``lib`` in the package."""
    return os.environ.get("SKERRY_EMULATOR") or os.path.join(os.path.dirname(__file__), "lib")


def find_library(name: str) -> str | None:
    """Return the path of NVIDIA's library in a PyPI package or an installed toolkit, or None."""
    inside = ("lib64", "lib", "nvvm/lib64")
    packages = [os.path.join(path, "nvidia", "cu13") for path in sys.path]
    roots = [
        os.environ.get("CONDA_PREFIX"),
        os.environ.get("CUDA_PATH"),
        os.environ.get("CUDA_HOME"),
        "/usr/local/cuda",
    ]
    for root in filter(None, [*packages, *roots]):
        for lib in inside:
            path = os.path.join(root, lib, name)
            if os.path.exists(path):
                return os.path.realpath(path)
    return None


def mapped_files() -> Iterator[str]:
    """Yield the paths of the files that this process has mapped: its libraries among them."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            fields = line.split(maxsplit=5)
            if len(fields) == 6:
                yield fields[5].rstrip("\n")
