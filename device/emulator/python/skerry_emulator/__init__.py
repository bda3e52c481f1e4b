# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""An emulated GPU: runs CUDA kernels of Numba, cuda.core, NVRTC and skerry on the CPU, and tells what is wrong in them.

skerry rehearses devices on it: ``skerry.rehearse(cuda=2, kernels=True)``, ``skerry.testing.emulated_gpu``,
``python -m skerry sanitize``.
"""

# None of these modules imports skerry when it is imported: skerry asks for this package while it is imported itself, if
# SKERRY_REHEARSE_KERNELS is set.
from importlib import metadata as _metadata

from skerry_emulator._context import emulated_gpu
from skerry_emulator._libraries import load, refuse_other_drivers
from skerry_emulator._paths import find_library, folder
from skerry_emulator._reports import KernelReport, add_notes

__version__ = _metadata.version("skerry-emulator")
__all__ = [
    "KernelReport",
    "add_notes",
    "emulated_gpu",
    "find_library",
    "folder",
    "load",
    "refuse_other_drivers",
]
