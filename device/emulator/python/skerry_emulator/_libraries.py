# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Load the emulated GPU's libraries instead of NVIDIA's, so that Numba and cuda.core run their kernels on it.

The dynamic linker and cuda.pathfinder use a library that is loaded already if it has the requested soname. So the
emulator's libraries are loaded first, with local symbols.
"""

from __future__ import annotations

import ctypes
import os
import re

from skerry_emulator import _cupy, _numba_arrays, _numba_driver, _reports, _runtime
from skerry_emulator._paths import find_library, folder, mapped_files

__all__ = ["load", "refuse_other_drivers"]

# In this order: the libraries with NVIDIA's sonames depend on the emulator.
# Not libcudart: PyTorch and others would get a stand-in that lacks most of its functions.
_EMULATOR = ("libskerry_emulator.so", "libcuda.so.1")
# A program loads these by their sonames, with real NCCL installed or not.
_COLLECTIVES = ("libnvidia-ml.so.1", "libnccl.so.2")
# These forward to NVIDIA's libraries of the same names.
_LINKERS = ("libnvJitLink.so.13", "libnvrtc.so.13")
_TAKEN = re.compile(r"(libcuda|libnvJitLink|libnvrtc|libnccl)\.so[.\d]*$")
# Used by skerry's own CUDA kernels, if they run on the emulated GPU.
_RUNTIME = re.compile(r"libcudart\.so[.\d]*$")

_loaded: list[ctypes.CDLL] = []


def _refuse_other_libraries(*names: re.Pattern[str]) -> None:
    """Raise RuntimeError if NVIDIA's libraries are loaded: their functions may be in use already."""
    inside = os.path.realpath(folder()) + os.sep
    for path in mapped_files():
        file = os.path.basename(path)
        if any(name.match(file) for name in names) and not os.path.realpath(path).startswith(
            inside
        ):
            raise RuntimeError(
                f"rehearse: kernels can't be emulated: NVIDIA's {file} is loaded: {path}; call "
                "skerry.rehearse(kernels=True), or import skerry with SKERRY_REHEARSE_KERNELS=1, before numba.cuda, "
                "cuda.core or another library of CUDA is used"
            )


def _builtins_of(nvrtc: str) -> list[ctypes.CDLL]:
    """Load the libraries next to NVRTC that it opens by soname, so that it finds them."""
    directory = os.path.dirname(nvrtc)
    pattern = r"libnvrtc-builtins\.so\.\d+\.\d+"
    names = [name for name in os.listdir(directory) if re.fullmatch(pattern, name)]
    return [ctypes.CDLL(os.path.join(directory, name)) for name in names]


def _load_linker(path: str) -> list[ctypes.CDLL]:
    """Load a stand-in, unless NVIDIA's library is missing: programs then report that themselves."""
    name = os.path.basename(path)
    real = find_library(name)
    if real is None:
        return []
    builtins = _builtins_of(real) if name.startswith("libnvrtc") else []
    library = ctypes.CDLL(path)
    library.skerry_linker_open.restype = ctypes.c_char_p
    library.skerry_linker_open.argtypes = [ctypes.c_char_p]
    problem = library.skerry_linker_open(os.fsencode(real))
    if problem is not None:
        raise RuntimeError(f"rehearse: {real} can't be opened: {os.fsdecode(problem)}")
    return [*builtins, library]


def refuse_other_drivers(*, own_kernels: bool = False) -> None:
    """Raise RuntimeError if NVIDIA's libraries are loaded, or Numba has started another driver."""
    if _loaded:  # the stand-ins have opened NVIDIA's libraries
        return
    _numba_driver.refuse_other_drivers()
    _cupy.reject_imported()
    _refuse_other_libraries(_TAKEN, *([_RUNTIME] if own_kernels else []))


def load() -> None:
    """Load the emulated GPU's libraries, once.

    Raises
    ------
    RuntimeError
        If NVIDIA's libraries are loaded, or Numba has started another driver. Nothing is loaded then.

    """
    if _loaded:
        return
    refuse_other_drivers()
    paths = {name: os.path.join(folder(), name) for name in (*_EMULATOR, *_COLLECTIVES, *_LINKERS)}
    for path in paths.values():
        if not os.path.exists(path):
            raise RuntimeError(
                f"rehearse: kernels can't be emulated: {path} is missing; reinstall skerry-emulator"
            )
    libraries = [ctypes.CDLL(paths[name]) for name in (*_EMULATOR, *_COLLECTIVES)]
    for name in _LINKERS:
        libraries += _load_linker(paths[name])
    _runtime.stand_in_when_loaded(libraries[0])
    _cupy.stand_in_when_loaded()
    _loaded.extend(libraries)
    _numba_driver.let_find_emulator()
    _numba_arrays.name_when_imported()
    _reports.report_at_exit()
