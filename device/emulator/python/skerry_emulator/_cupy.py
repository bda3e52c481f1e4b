# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Redirect CuPy's calls of CUDA's runtime to the emulated GPU.

NVIDIA's runtime is linked into the module ``cupy_backends.cuda.api.runtime``. CuPy's other modules reach it through
that module's table of addresses, ``__pyx_capi__``, and Python through the module's functions. Both are replaced when
the module is imported, so that NVIDIA's runtime is never called. Functions that the emulated GPU lacks raise
NotImplementedError.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from skerry_emulator import _cupy_generators, _cupy_kernels, _reports
from skerry_emulator._paths import folder, mapped_files

__all__ = ["reject_imported", "stand_in_when_loaded"]

_RUNTIME = "cupy_backends.cuda.api.runtime"
_LIBRARY = "libskerry_cupy.so"
# CuPy's modules are linked to libraries of these names. They depend on the others, which are loaded first.
_MATHEMATICS = ("libcublas.so.13", "libcusolver.so.12", "libcurand.so.10", "libcufft.so.12")
_OPENBLAS_USER = "libemulator_linear.so"
_TAKEN = re.compile(r"lib(cublas|cusolver|curand|cufft)\.so[.\d]*$")
_libraries: list[ctypes.CDLL] = []
_TYPES: dict[str, Any] = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "size_t": ctypes.c_size_t,
    "intptr_t": ctypes.c_ssize_t,
    "float": ctypes.c_float,
}
# The type of the last argument of the functions that have an optional one.
_OPTIONAL: dict[str, Any] = {
    "mallocManaged": ctypes.c_uint,
    "streamBeginCapture": ctypes.c_int,
    "streamWaitEvent": ctypes.c_uint,
    "streamAddCallback": ctypes.c_uint,
}
# Not in the table of addresses.
_PYTHON_ONLY = ("deviceDisablePeerAccess",)
_REJECTED = tuple(
    f"ipc{name}"
    for name in (
        "CloseMemHandle",
        "GetEventHandle",
        "GetMemHandle",
        "OpenEventHandle",
        "OpenMemHandle",
    )
)
# The results are structures. NVIDIA's runtime isn't called by the first three; the others need an array of texture
# memory, and the functions that create one are rejected.
_STRUCTURES = re.compile(r"make_|getChannelDesc|getTextureObject")

# Attributes of devices by their names in cudaDeviceProp: numbers of cudaDeviceAttr.
_ATTRIBUTES = {
    "sharedMemPerBlock": 8, "regsPerBlock": 12, "warpSize": 10, "maxThreadsPerBlock": 1, "clockRate": 13,
    "totalConstMem": 9, "major": 75, "minor": 76, "textureAlignment": 14, "texturePitchAlignment": 51,
    "multiProcessorCount": 16, "kernelExecTimeoutEnabled": 17, "integrated": 18, "canMapHostMemory": 19,
    "computeMode": 20, "concurrentKernels": 31, "ECCEnabled": 32, "pciBusID": 33, "pciDeviceID": 34,
    "pciDomainID": 50, "tccDriver": 35, "memoryClockRate": 36, "memoryBusWidth": 37, "l2CacheSize": 38,
    "maxThreadsPerMultiProcessor": 39, "cooperativeLaunch": 95, "asyncEngineCount": 40, "unifiedAddressing": 41,
    "sharedMemPerMultiprocessor": 81, "regsPerMultiprocessor": 82, "managedMemory": 83,
    "concurrentManagedAccess": 89, "sharedMemPerBlockOptin": 97, "pageableMemoryAccess": 88,
}  # fmt: skip


def _device_properties(runtime: Any, device: int) -> dict[str, object]:
    """Return the members of cudaDeviceProp that the emulated device has."""

    def attribute(number: int) -> int:
        return int(runtime.deviceGetAttribute(number, device))

    current = runtime.getDevice()
    runtime.setDevice(device)
    try:
        total = runtime.memGetInfo()[1]
    finally:
        runtime.setDevice(current)
    return {
        **{name: attribute(number) for name, number in _ATTRIBUTES.items()},
        "name": b"skerry emulated GPU",
        "totalGlobalMem": total,
        "maxThreadsDim": tuple(map(attribute, (2, 3, 4))),
        "maxGridSize": tuple(map(attribute, (5, 6, 7))),
    }


def _make_error(error_class: Callable[[int], Exception], status: int) -> Exception:
    """Return CuPy's exception for a status, with the reports of the kernels that caused it as notes."""
    error = error_class(status)
    emulator = _reports.library()
    reports = [report for report in emulator.reports() if report.code == status]
    if reports:
        emulator.notice()
    _reports.add_notes_of(error, reports)
    return error


def _python_function(name: str, signature: str, address: int) -> Callable[..., Any]:
    """Return a Python function for one that Cython calls; see ``device/emulator/cupy/table.hpp``."""
    result, _, rest = signature.partition("(")
    types = [
        ctypes.py_object if "*" in text else _TYPES[text.strip()]
        for text in rest.rstrip(")").split(", ")
        if "__pyx_skip_dispatch" not in text and "__pyx_opt_args" not in text and text != "void"
    ]
    returned = ctypes.py_object if "*" in result else _TYPES[result.strip()]
    optional = _OPTIONAL.get(name)
    tail = [ctypes.c_int] if optional is None else [ctypes.c_int, ctypes.c_void_p]
    call = ctypes.PYFUNCTYPE(returned, *types, *tail)(address)

    class Option(ctypes.Structure):
        _fields_ = (("count", ctypes.c_int), ("value", optional or ctypes.c_int))

    def function(*arguments: Any) -> Any:
        required, rest = arguments[: len(types)], arguments[len(types) :]
        if optional is None or not rest:
            return call(*required, *rest, 0, *([] if optional is None else [None]))
        return call(*required, 0, ctypes.addressof(Option(len(rest), *rest)))

    function.__name__ = function.__qualname__ = name
    return function


def _rejection(name: str) -> Callable[..., NoReturn]:
    def reject(*_: object, **__: object) -> NoReturn:
        raise NotImplementedError(f"cupy.cuda.runtime.{name}: not supported on the emulated GPU")

    return reject


def _load_library() -> ctypes.PyDLL:
    # Globally: its functions of generators take the place of those that CuPy's module exports.
    library = ctypes.PyDLL(os.path.join(folder(), _LIBRARY), ctypes.RTLD_GLOBAL)
    library.skerry_cupy_start.argtypes = [*[ctypes.py_object] * 4, ctypes.c_size_t]
    library.skerry_cupy_start.restype = None
    library.skerry_cupy_signature.argtypes = [ctypes.c_char_p]
    library.skerry_cupy_signature.restype = ctypes.c_char_p
    library.skerry_cupy_function.argtypes = [ctypes.c_char_p]
    library.skerry_cupy_function.restype = ctypes.c_void_p
    library.skerry_cupy_rejection.argtypes = [ctypes.c_char_p, ctypes.c_int]
    library.skerry_cupy_rejection.restype = ctypes.c_void_p
    return library


def _load_mathematics() -> None:
    """Load the stand-ins for cuBLAS and others, so that CuPy's modules find them by their names.

    Raises
    ------
    ImportError
        If NVIDIA's library is loaded already: CuPy's module would take that.

    """
    for path in mapped_files():
        if _TAKEN.match(os.path.basename(path)) and os.path.dirname(path) != folder():
            raise ImportError(
                f"skerry: emulated GPU: CuPy would use NVIDIA's library, which is loaded: {path}; import CuPy before "
                "the library that needs it, or in another process"
            )
    from skerry import _openblas

    linear = ctypes.CDLL(os.path.join(folder(), _OPENBLAS_USER))
    openblas = _openblas.library()
    if openblas is not None:
        linear.skerry_emulator_set_openblas(os.fsencode(openblas))
    _libraries.extend(
        [linear, *(ctypes.CDLL(os.path.join(folder(), name)) for name in _MATHEMATICS)]
    )


def _signatures_of(module: ModuleType) -> dict[str, tuple[str, object]]:
    """Return the signatures and capsules of the table's functions."""
    signature_of = ctypes.pythonapi.PyCapsule_GetName
    signature_of.argtypes = [ctypes.py_object]
    signature_of.restype = ctypes.c_char_p
    table: dict[str, object] = module.__pyx_capi__
    signatures = {
        name: (signature_of(capsule).decode(), capsule) for name, capsule in table.items()
    }
    return {
        name: entry
        for name, entry in signatures.items()
        if "(" in entry[0] and not _STRUCTURES.match(name)
    }


def _check_signatures(library: ctypes.PyDLL, signatures: dict[str, tuple[str, object]]) -> None:
    """Raise ImportError if a function of this version of CuPy has other parameters than ours."""
    for name, (signature, _) in signatures.items():
        expected = library.skerry_cupy_signature(name.encode())
        if expected is not None and expected.decode() != signature:
            raise ImportError(
                f"skerry: emulated GPU: this version of CuPy is not supported: {name} is {signature!r}, "
                f"not {expected.decode()!r}; CuPy 13.6 to 14.2 are"
            )


def _stand_in(module: Any) -> None:
    _load_mathematics()
    library = _load_library()
    signatures = _signatures_of(module)
    _check_signatures(library, signatures)
    library.skerry_cupy_start(
        functools.partial(_make_error, module.CUDARuntimeError),
        module.PointerAttributes,
        functools.partial(_device_properties, module),
        _cupy_generators.launch,
        object.__basicsize__,
    )
    set_pointer = ctypes.pythonapi.PyCapsule_SetPointer
    set_pointer.argtypes = [ctypes.py_object, ctypes.c_void_p]
    set_pointer.restype = ctypes.c_int
    for name, (signature, capsule) in signatures.items():
        address = library.skerry_cupy_function(name.encode())
        if address is not None:
            function: Callable[..., Any] = _python_function(name, signature, address)
        else:
            address = library.skerry_cupy_rejection(name.encode(), signature.startswith("int "))
            function = _rejection(name)
        set_pointer(capsule, address)
        if hasattr(module, name):
            setattr(module, name, function)
    for name in _PYTHON_ONLY:
        signature = library.skerry_cupy_signature(name.encode()).decode()
        address = library.skerry_cupy_function(name.encode())
        setattr(module, name, _python_function(name, signature, address))
    for name in _REJECTED:
        setattr(module, name, _rejection(name))
    module._getLocalRuntimeVersion = module.runtimeGetVersion


def reject_imported() -> None:
    """Raise RuntimeError if CuPy has been imported: its modules hold the addresses of NVIDIA's runtime."""
    if _RUNTIME in sys.modules:
        raise RuntimeError(
            "rehearse: kernels can't be emulated: CuPy is imported; call skerry.rehearse(kernels=True), or import "
            "skerry with SKERRY_REHEARSE_KERNELS=1, before cupy"
        )


def stand_in_when_loaded() -> None:
    """Redirect CuPy's modules when they are imported."""
    from skerry import _import_hooks

    _import_hooks.call_when_imported(_RUNTIME, _stand_in)
    for name, replace in _cupy_kernels.REPLACEMENTS.items():
        _import_hooks.call_when_imported(name, replace)
