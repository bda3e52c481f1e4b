# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA's runtime of the emulated GPU, for ``cuda.bindings.runtime``.

That module is linked with NVIDIA's runtime, which asks the driver for tables that are described nowhere, so that it
works on NVIDIA's driver alone. Its functions reach its other modules through a table of addresses, ``__pyx_capi__``, as
those of every Cython module do: ours are put there when the module is loaded, and one that refuses for each function
that the emulated GPU has not. NVIDIA's own would fail with cudaErrorSymbolNotFound, which says nothing.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

__all__ = ["stand_in_when_loaded"]

# With the legacy default stream, and with one of each thread, which is the same here.
_MODULES = ("cuda.bindings._internal.runtime", "cuda.bindings._internal.runtime_ptds")
_NOT_SUPPORTED = 801
_REFUSAL = ctypes.CFUNCTYPE(ctypes.c_int)
_refusals: list[object] = []  # kept, as modules have their addresses


def _address_of(emulator: ctypes.CDLL, name: str) -> int | None:
    """Give the address of a function of CUDA's runtime; by the driver's functions first, which graphs capture."""
    for symbol in (f"skerry_{name}", name):
        try:
            function = getattr(emulator, symbol)
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


@functools.cache
def _refusal(name: str) -> int | None:
    """Give the address of a function that says once that CUDA's one of that name is not supported.

    Whatever it is called with: who calls it takes the arguments away again.
    """
    was_said = False

    def refuse() -> int:
        nonlocal was_said
        if not was_said:
            was_said = True
            print(f"skerry: emulated GPU: {name}: not supported", file=sys.stderr)
        return _NOT_SUPPORTED

    function = _REFUSAL(refuse)
    _refusals.append(function)
    return ctypes.cast(function, ctypes.c_void_p).value


def _stand_in(module: ModuleType, emulator: ctypes.CDLL) -> None:
    set_pointer = ctypes.pythonapi.PyCapsule_SetPointer
    set_pointer.argtypes = [ctypes.py_object, ctypes.c_void_p]
    set_pointer.restype = ctypes.c_int
    signature_of = ctypes.pythonapi.PyCapsule_GetName
    signature_of.argtypes = [ctypes.py_object]
    signature_of.restype = ctypes.c_char_p
    for symbol, capsule in getattr(module, "__pyx_capi__", {}).items():
        if not symbol.startswith("_cuda"):
            continue
        name = symbol.removeprefix("_")
        address = _address_of(emulator, name)
        # Others are no calls of a device: cudaCreateChannelDesc makes a structure.
        if address is None and signature_of(capsule).startswith(b"cudaError_t ("):
            address = _refusal(name)
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
