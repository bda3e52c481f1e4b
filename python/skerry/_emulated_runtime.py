# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA's runtime of the emulated GPU, for ``cuda.bindings.runtime``.

That module is linked with NVIDIA's runtime, which asks the driver for tables that are described nowhere, so that it
works on NVIDIA's driver alone. Its functions reach its other modules through a table of addresses, ``__pyx_capi__``, as
those of every Cython module do: ours are put there when the module is loaded. Those that the emulated GPU has not stay
NVIDIA's, which fail with cudaErrorSymbolNotFound.
"""

from __future__ import annotations

import ctypes
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

__all__ = ["stand_in_when_loaded"]

# With the legacy default stream, and with one of each thread, which is the same here.
_MODULES = ("cuda.bindings._internal.runtime", "cuda.bindings._internal.runtime_ptds")


def _address_of(emulator: ctypes.CDLL, name: str) -> int | None:
    """Give the address of a function of CUDA's runtime; by the driver's functions first, which graphs capture."""
    for symbol in (f"skerry_{name}", name):
        try:
            function = getattr(emulator, symbol)
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


def _stand_in(module: ModuleType, emulator: ctypes.CDLL) -> None:
    set_pointer = ctypes.pythonapi.PyCapsule_SetPointer
    set_pointer.argtypes = [ctypes.py_object, ctypes.c_void_p]
    set_pointer.restype = ctypes.c_int
    for name, capsule in getattr(module, "__pyx_capi__", {}).items():
        if not name.startswith("_cuda"):
            continue
        address = _address_of(emulator, name.removeprefix("_"))
        if address is not None:
            set_pointer(capsule, address)


class _Loader(importlib.abc.Loader):
    """Loads a module as its own loader does, then puts our functions in."""

    def __init__(self, own: importlib.abc.Loader, emulator: ctypes.CDLL) -> None:
        self._own = own
        self._emulator = emulator

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._own.exec_module(module)
        _stand_in(module, self._emulator)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, emulator: ctypes.CDLL) -> None:
        self._emulator = emulator

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in _MODULES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._emulator)
        return spec


def stand_in_when_loaded(emulator: ctypes.CDLL) -> None:
    """Give ``cuda.bindings.runtime`` the emulated GPU's functions, now or when a program imports it."""
    for name in _MODULES:
        if name in sys.modules:
            _stand_in(sys.modules[name], emulator)
    sys.meta_path.insert(0, _Finder(emulator))
