# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy's modules that the emulated GPU can't run: their kernels are machine code, or a library has no stand-in.

CuPy ignores that their launches fail, and results would keep whatever was in their memory. Sums, scans and histograms
fall back to kernels that CuPy compiles itself, sorts run on the host, and everything else raises NotImplementedError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from skerry_emulator import _cupy_generators

__all__ = ["REPLACEMENTS"]


def _reject(module: Any, names: Iterable[str]) -> None:
    """Make functions of a module raise NotImplementedError."""

    def rejection(name: str) -> Callable[..., NoReturn]:
        def reject(*_: object, **__: object) -> NoReturn:
            raise NotImplementedError(
                f"{module.__name__}.{name}: its kernels are machine code, which the emulated GPU doesn't run"
            )

        return reject

    for name in names:
        if hasattr(module, name):
            setattr(module, name, rejection(name))


def _replace_cub(module: Any) -> None:
    """Let CuPy's own kernels do the work: None says that CUB can't."""
    for name in ("cub_reduction", "cub_scan", "cub_histogram"):
        setattr(module, name, lambda *_, **__: None)
    _reject(module, [name for name in vars(module) if name.startswith("device_")])


def _replace_jitify(module: Any) -> None:
    _reject(module, ("_init_module", "_add_sources", "jitify"))


def _replace_generators(module: Any) -> None:
    """Reject the kernels of a version of CuPy whose functions are not those of ``libskerry_cupy.so``."""
    if not _cupy_generators.is_supported():
        _reject(module, ("init_curand", "random_raw"))


def _read(address: int, dtype: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return the values at an address of the device, after the work of the current stream."""
    from cupy.cuda import get_current_stream, runtime

    values = np.empty(shape, dtype)
    stream = get_current_stream()
    runtime.memcpyAsync(
        values.ctypes.data, address, values.nbytes, runtime.memcpyDeviceToHost, stream.ptr
    )
    stream.synchronize()
    return values


def _write(address: int, values: np.ndarray[Any, Any]) -> None:
    from cupy.cuda import get_current_stream, runtime

    values = np.ascontiguousarray(values)
    stream = get_current_stream()
    runtime.memcpyAsync(
        address, values.ctypes.data, values.nbytes, runtime.memcpyHostToDevice, stream.ptr
    )
    stream.synchronize()


def _sort(dtype: Any, data: int, _keys: int, shape: Iterable[int]) -> None:
    _write(data, np.sort(_read(data, dtype, tuple(shape)), axis=-1, kind="stable"))


def _argsort(dtype: Any, index: int, data: int, _keys: int, shape: Iterable[int]) -> None:
    values = _read(data, dtype, tuple(shape))
    order = np.argsort(values, axis=-1, kind="stable")
    _write(index, order.astype(np.int64))
    _write(data, np.take_along_axis(values, order, axis=-1))


def _lexsort(dtype: Any, index: int, keys: int, count: int, length: int) -> None:
    _write(index, np.lexsort(_read(keys, dtype, (count, length))).astype(np.int64))


def _replace_thrust(module: Any) -> None:
    """Sort on the host, in the order of the current stream."""
    module.sort, module.argsort, module.lexsort = _sort, _argsort, _lexsort


def _replace_sparse(module: Any) -> None:
    def reject() -> NoReturn:
        raise NotImplementedError("cuSPARSE is not supported on the emulated GPU")

    module.create = reject


REPLACEMENTS: dict[str, Callable[[ModuleType], None]] = {
    "cupy.cuda.cub": _replace_cub,
    "cupy.cuda.jitify": _replace_jitify,
    "cupy.cuda.thrust": _replace_thrust,
    "cupy.random._generator_api": _replace_generators,
    "cupy_backends.cuda.libs.cusparse": _replace_sparse,
}
