# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Name the device arrays that Numba allocates or imports, so that reports of kernels have their dtypes and shapes."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from skerry_emulator import _reports

__all__ = ["name_when_imported"]

# The packages of device arrays of numba-cuda and of numba-cuda-mlir.
_PACKAGES = ("numba.cuda", "numba_cuda_mlir.numba_cuda")


def _name(array: Any, *, is_new: bool) -> None:
    if array.size == 0:
        return
    text = f"{array.dtype} {array.shape}"
    if not array.is_c_contiguous():
        text += f", strides {array.strides}"
    address = array.device_ctypes_pointer.value
    _reports.library().name_array(address, array.alloc_size, text, is_new=is_new)


def _name_allocated(module: ModuleType) -> None:
    """Name new arrays. Views of them have memory already and are not named: a kernel may get either."""
    array_type = module.DeviceNDArray
    plain = array_type.__init__

    @functools.wraps(plain)
    def init(
        self: Any, shape: Any, strides: Any, dtype: Any, stream: Any = 0, gpu_data: Any = None
    ) -> None:
        plain(self, shape, strides, dtype, stream, gpu_data)
        if gpu_data is None:
            _name(self, is_new=True)

    array_type.__init__ = init


def _name_imported(module: Any) -> None:
    """Name arrays of other libraries."""
    plain = module.from_cuda_array_interface

    @functools.wraps(plain)
    def from_cuda_array_interface(*arguments: Any, **options: Any) -> Any:
        array = plain(*arguments, **options)
        _name(array, is_new=False)
        return array

    module.from_cuda_array_interface = from_cuda_array_interface


def name_when_imported() -> None:
    """Let Numba name its arrays, now or when it is imported."""
    from skerry import _import_hooks

    for package in _PACKAGES:
        _import_hooks.call_when_imported(f"{package}.cudadrv.devicearray", _name_allocated)
        _import_hooks.call_when_imported(f"{package}.api", _name_imported)
