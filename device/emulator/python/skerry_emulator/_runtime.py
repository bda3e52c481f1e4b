# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Redirect ``cuda.bindings.runtime`` to the emulated GPU.

That module is linked with NVIDIA's runtime, which needs undocumented tables of the driver, so it only works with
NVIDIA's driver. Like every Cython module, it exports its functions to other modules through a table of addresses,
``__pyx_capi__``. When the module is imported, these addresses are replaced by the emulator's functions, and by
functions that report an error for those that are not emulated. NVIDIA's would only fail with cudaErrorSymbolNotFound.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import NoReturn

__all__ = ["stand_in_when_loaded"]

# Variants for the legacy and for per-thread default streams, which are the same here.
_MODULES = ("cuda.bindings._internal.runtime", "cuda.bindings._internal.runtime_ptds")
_NOT_SUPPORTED = 801
_REFUSAL = ctypes.CFUNCTYPE(ctypes.c_int)
_refusals: list[object] = []  # kept alive: modules hold their addresses


def _address_of(emulator: ctypes.CDLL, name: str) -> int | None:
    """Return the address of a runtime function. Prefer one that calls the driver (skerry_*): it can be captured."""
    for symbol in (f"skerry_{name}", name):
        try:
            function = getattr(emulator, symbol)
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


@functools.cache
def _refusal(name: str) -> int | None:
    """Return the address of a function that fails with 801 and prints once that CUDA's function is not supported.

    It ignores its arguments: by the calling convention the caller removes them.
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


def _calls_of_devices(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield names and capsules of CUDA's functions, except those that only fill a structure (cudaCreateChannelDesc)."""
    signature_of = ctypes.pythonapi.PyCapsule_GetName
    signature_of.argtypes = [ctypes.py_object]
    signature_of.restype = ctypes.c_char_p
    for symbol, capsule in getattr(module, "__pyx_capi__", {}).items():
        name = symbol.removeprefix("_")
        is_call = signature_of(capsule).startswith(b"cudaError_t (")
        if symbol.startswith("_cuda") and (is_call or name.startswith("cudaGetError")):
            yield name, capsule


def _stand_in(module: ModuleType, emulator: ctypes.CDLL) -> None:
    set_pointer = ctypes.pythonapi.PyCapsule_SetPointer
    set_pointer.argtypes = [ctypes.py_object, ctypes.c_void_p]
    set_pointer.restype = ctypes.c_int
    for name, capsule in _calls_of_devices(module):
        set_pointer(capsule, _address_of(emulator, name) or _refusal(name))


def _refuse_calls(runtime: ModuleType, names: Iterable[str]) -> None:
    """Make functions that were imported before, with NVIDIA's addresses, raise RuntimeError."""

    def refuse(name: str, *_: object, **__: object) -> NoReturn:
        raise RuntimeError(
            f"cuda.bindings.runtime.{name}: the module was imported, by numba.cuda or by the program, before the "
            "emulated GPU was loaded; call skerry.rehearse(kernels=True), or import skerry with "
            "SKERRY_REHEARSE_KERNELS=1, before that"
        )

    for name in names:
        if hasattr(runtime, name):
            setattr(runtime, name, functools.partial(refuse, name))


def stand_in_when_loaded(emulator: ctypes.CDLL) -> None:
    """Redirect ``cuda.bindings.runtime`` when it is imported. If it is already imported, make its functions raise."""
    from skerry import _import_hooks

    if (runtime := sys.modules.get("cuda.bindings.runtime")) is not None:
        _refuse_calls(runtime, [name for name, _ in _calls_of_devices(sys.modules[_MODULES[0]])])
    for name in _MODULES:
        _import_hooks.call_when_imported(name, functools.partial(_stand_in, emulator=emulator))
