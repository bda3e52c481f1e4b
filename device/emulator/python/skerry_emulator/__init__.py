# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""An emulated GPU: runs CUDA kernels of Numba, cuda.core, NVRTC and skerry on the CPU, and reports their errors.

skerry's rehearsed devices use it: ``skerry.rehearse(cuda=2, kernels=True)``, ``skerry.testing.emulated_gpu``,
``python -m skerry sanitize``.
"""

# These modules don't import skerry at module level: with SKERRY_REHEARSE_KERNELS, skerry imports them during its own
# import.
from importlib import metadata as _metadata

from skerry_emulator._context import emulated_gpu
from skerry_emulator._libraries import load, refuse_other_drivers
from skerry_emulator._nccl import nccl_faults, nccl_link_bytes, nccl_settings
from skerry_emulator._paths import find_library, folder
from skerry_emulator._reports import KernelReport, add_notes

pytest_plugins = ["skerry_emulator.pytest_plugin"]  # for `pytest -p skerry_emulator`
__version__ = _metadata.version("skerry-emulator")
__all__ = [
    "KernelReport",
    "add_notes",
    "emulated_gpu",
    "find_library",
    "folder",
    "load",
    "nccl_faults",
    "nccl_link_bytes",
    "nccl_settings",
    "refuse_other_drivers",
]
