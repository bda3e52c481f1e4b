# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Access to the package skerry_emulator, the emulated GPU, which is installed separately."""

from __future__ import annotations

import importlib
import os
import re
from types import ModuleType

from skerry import _core
from skerry.exceptions import DeviceUnavailableError

__all__ = ["count_from_environment", "emulator", "rehearse_from_environment"]


def emulator(op: str) -> ModuleType:
    """Import the package on behalf of the function or command ``op``.

    Raises
    ------
    DeviceUnavailableError
        If it is not installed.

    """
    try:
        return importlib.import_module("skerry_emulator")
    except ModuleNotFoundError as problem:
        if problem.name != "skerry_emulator":
            raise
    or_without = ", or rehearse without kernels" if op == "rehearse" else ""
    error = DeviceUnavailableError(
        f"{op}: the emulated GPU, which runs CUDA kernels, is not installed; pip install 'skerry[emulator]' "
        f"(in skerry's sources: make emulator){or_without}"
    )
    error.reason = "no_cuda_module"
    raise error


def count_from_environment(default: int) -> int:
    """Return the number of rehearsed devices in SKERRY_REHEARSE, or ``default`` if it is not a valid number."""
    count = os.environ.get("SKERRY_REHEARSE", "")
    return int(count) if re.fullmatch(r"\d+", count) and int(count) <= 64 else default


def rehearse_from_environment() -> None:
    """Start the rehearsal that SKERRY_REHEARSE and SKERRY_REHEARSE_KERNELS request, also in child processes."""
    kernels = os.environ["SKERRY_REHEARSE_KERNELS"]
    if (count := count_from_environment(0)) > 0:
        _core.rehearse(cuda=count, kernels="all" if kernels == "all" else True)
