# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A multi-device array library that follows the Python array API standard 2025.12.

An array lives on exactly one device (``Array.device``). An operation runs on the device of its arrays. Data moves
between devices only by an explicit call such as ``to_device``.
"""

from __future__ import annotations

import importlib as _importlib
import os as _os
import typing as _typing

import numpy as _np

try:
    from skerry._core import __version__
except ImportError as _error:
    _mismatch = _importlib.import_module("skerry._compiled_module").mismatch(__path__[0])
    if _mismatch is not None:
        raise _mismatch from _error
    raise

from skerry import _core, _dask, _extra, exceptions, fft, linalg
from skerry import _openblas as _openblas
from skerry._core import *
from skerry._data_types import finfo, iinfo, isdtype
from skerry._fuse import fuse
from skerry._scopes import cuda_array_interface_version, device, stream, strict_promotion

if _typing.TYPE_CHECKING:
    from skerry import comm as comm
    from skerry import lib, random
    from skerry import testing as testing
    from skerry._allocators import (
        cuda_allocator_functions,
        cupy_allocator,
        rmm,
        set_allocator,
        torch_allocator,
    )
    from skerry._config import show_config
    from skerry._extra import *
    from skerry._graph import Graph, capture
    from skerry._guard import guard
    from skerry._info import __array_namespace_info__
    from skerry._ipc import IpcHandle, ipc_handle, ipc_pickling, open_ipc
    from skerry._memory_snapshot import memory_snapshot
    from skerry._profile import profile

    bfloat16: type[_np.generic]

#: Functions and classes of modules that are imported at their first use.
_MODULE_OF = {
    "Graph": "_graph",
    "__array_namespace_info__": "_info",
    "capture": "_graph",
    **dict.fromkeys(
        ["cuda_allocator_functions", "cupy_allocator", "rmm", "set_allocator", "torch_allocator"],
        "_allocators",
    ),
    "guard": "_guard",
    "memory_snapshot": "_memory_snapshot",
    "profile": "_profile",
    **dict.fromkeys(["IpcHandle", "ipc_handle", "ipc_pickling", "open_ipc"], "_ipc"),
    "show_config": "_config",
}

__array_api_version__ = "2025.12"

# NumPy's scalar types, as in NumPy; x.dtype is a numpy.dtype and compares equal to one of them. Not instances of
# numpy.dtype: numpy.dtype("float64") == None is true.
bool = _np.bool_
int8 = _np.int8
int16 = _np.int16
int32 = _np.int32
int64 = _np.int64
uint8 = _np.uint8
uint16 = _np.uint16
uint32 = _np.uint32
uint64 = _np.uint64
float16 = _np.float16
float32 = _np.float32
float64 = _np.float64
complex64 = _np.complex64
complex128 = _np.complex128
# bfloat16 is ml_dtypes' scalar type, imported at its first use: `__getattr__`. It is not in `__all__`, as
# `from skerry import *` must not need that package.

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

__all__ = [
    "Graph", "IpcHandle", "__array_api_version__", "__array_namespace_info__", "__version__", "bool", "capture",
    "complex64", "complex128", "cuda_allocator_functions", "cuda_array_interface_version", "cupy_allocator",
    "device", "e", "exceptions", "fft", "finfo", "float16", "float32", "float64", "fuse", "guard", "iinfo", "inf",
    "int8", "int16", "int32", "int64", "ipc_handle", "ipc_pickling", "isdtype", "lib", "linalg",
    "memory_snapshot", "nan", "newaxis", "open_ipc", "pi", "profile", "random", "rmm", "set_allocator",
    "show_config", "stream", "strict_promotion", "torch_allocator", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip
__all__ += _core.__all__
__all__ += _extra.TOPIC_OF

_dask.install()
if "SKERRY_" in " ".join(_os.environ):  # `any` is an array function here
    _importlib.import_module("skerry._environment").warn_of_variables(_os.environ)
if _os.environ.get("SKERRY_TRACE_MEMORY") == "1":
    _importlib.import_module("skerry._memory_snapshot").start_trace()
if _os.environ.get("SKERRY_REHEARSE_KERNELS") in ("1", "all"):
    # At import, not at the first use of a device: Numba may look for a driver earlier.
    _importlib.import_module("skerry._emulator").rehearse_from_environment()
if _os.environ.get("SKERRY_NVTX") == "1":
    _importlib.import_module("skerry._profile").profile_process()


def __dir__() -> list[str]:
    """List the public names and the special attributes of the module, but not the modules that it imports."""
    return sorted(
        {*__all__, "bfloat16", "comm", "testing"}
        | {name for name in globals() if name.startswith("__")}
    )


if not _typing.TYPE_CHECKING:  # type checkers know all names, and reject others

    def __getattr__(name: str) -> _typing.Any:
        """Import at the first use what not every program needs: random numbers, functions beyond the standard."""
        if name in ("comm", "lib", "random", "testing"):
            return _importlib.import_module(f"skerry.{name}")
        if name == "bfloat16":
            globals()[name] = scalar_type = _importlib.import_module(
                "skerry._data_types"
            ).bfloat16_type()
            return scalar_type
        if name in _extra.TOPIC_OF:
            globals()[name] = function = getattr(_extra, name)
            return function
        if name in _MODULE_OF:
            module = _importlib.import_module(f"skerry.{_MODULE_OF[name]}")
            globals()[name] = function = getattr(module, name)
            return function
        raise _importlib.import_module("skerry._absent_names").missing_name("skerry", name)
