# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Base of all distributions: sizes, parameters, and the kernel call."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import shown
from skerry._captured_streams import StreamPart, captured_streams
from skerry._core import Array
from skerry._data_types import as_dtype
from skerry.exceptions import DTypeError
from skerry.random._philox import Philox

Size = Any
"""None, an int or a sequence of ints."""
_SEVERAL = {"bits", "uniform", "normal", "exponential"}


class Drawing:
    """A stream of random bits on a device."""

    def __init__(self, bit_generator: Philox, device: _core.Device | str | None = None) -> None:
        if not isinstance(bit_generator, Philox):
            raise TypeError(
                f"Generator: bit_generator must be a Philox, not {type(bit_generator).__name__}"
            )
        resolved_device = _core.device_or_default("default_rng", device)
        self._bits = bit_generator
        self._device = resolved_device
        self._mark = _core.empty((0,), dtype=np.uint8, device=resolved_device)

    @property
    def bit_generator(self) -> Philox:
        """The stream of random bits; ``rng.bit_generator.state`` has its position."""
        return self._bits

    @property
    def device(self) -> _core.Device:
        """The device of all results."""
        return self._device

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._bits!r}, device={str(self._device)!r})"

    # ---- used by the methods of distributions

    def _draw(self, method: str, out: Array, a: Any = None, b: Any = None) -> Array:
        """Fill ``out`` from as many blocks of the stream as needed."""
        per_block = 1
        if method in _SEVERAL:
            per_block = 16 // out.dtype.itemsize
        elif method == "integer":
            per_block = 2 if b > 0xFFFFFFFF else 4
        blocks = -(-out.size // per_block)
        bits: Philox | StreamPart = self._bits
        base = None
        if (captured := captured_streams()) is not None:
            bits, base = captured.part_on(self._device, self._bits)
        stream = bits.reserve(blocks)
        try:
            _core.draw(out, method, stream, a, b, base)
        except BaseException:
            bits.give_back(stream, blocks)
            raise
        return out

    def _draw_real(self, op: str, method: str, size: Size, dtype: Any, out: Any) -> Array:
        """Draw from a distribution without parameters."""
        return self._draw(method, self._target(op, size, dtype, out))

    def _target(self, op: str, size: Size, dtype: Any, out: Any) -> Array:
        """Return the array to fill: ``out``, checked, or a new array."""
        result_dtype = as_dtype(dtype)
        if result_dtype not in (np.float32, np.float64):
            raise DTypeError(f"{op}: dtype must be float32 or float64, not {result_dtype}")
        if out is None:
            return self._empty(op, size, result_dtype)
        if not isinstance(out, Array):
            raise TypeError(f"{op}: out must be an Array, not {type(out).__name__}")
        self._require_here(op, "out", out)
        if out.dtype != result_dtype:
            raise DTypeError(
                f"{op}: the dtype of out and dtype= must be equal: {out.dtype} and {result_dtype}"
            )
        if size is not None and shape_of(op, size) != out.shape:
            raise ValueError(f"{op}: size {size} is not the shape of out: {out.shape}")
        return out

    def _empty(self, op: str, size: Size, dtype: Any) -> Array:
        return _core.empty(shape_of(op, size), dtype=dtype, device=self._device)

    def _require_here(self, op: str, name: str, x: Array) -> None:
        _core.require_one_device(op, (self._mark, x), ("the generator's state", name))

    def _array(self, op: str, name: str, x: Any) -> Array:
        """Convert an argument that is not a number to an array, which must be on the generator's device."""
        if isinstance(x, np.ndarray):
            x = _core.asarray(x, device="cpu:0")
        if isinstance(x, Array):
            self._require_here(op, name, x)
            return x
        if isinstance(x, list | tuple):  # without a device of its own
            return _core.asarray(x, device=self._device)
        raise TypeError(f"{op}: {name} must be an Array or a sequence, not {type(x).__name__}")

    def _parameter(
        self,
        op: str,
        name: str,
        x: Any,
        allowed: Callable[[Any], Any] | None = None,
        requirement: str = "",
    ) -> Any:
        """Return a parameter as a float or an array of float64; raise if a value is not allowed."""
        if isinstance(x, Array | np.ndarray | list | tuple):
            x = sk.astype(self._array(op, name, x), sk.float64, copy=False)
            if allowed is not None and not bool(sk.all(allowed(x))):
                raise ValueError(f"{op}: all elements of {name} must be {requirement}")
            return x
        try:
            number = float(x)
        except (TypeError, ValueError):
            raise TypeError(
                f"{op}: {name} must be a number or an array, not {type(x).__name__}"
            ) from None
        if allowed is not None and not allowed(number):
            raise ValueError(f"{op}: {name} must be {requirement}: {number}")
        return number

    def _common_shape(self, op: str, size: Size, *parameters: Any) -> tuple[int, ...]:
        """Return the shape of the result: ``size``, to which the parameters must broadcast, or their common shape."""
        shapes = [x.shape for x in parameters if isinstance(x, Array)]
        common: tuple[int, ...] = _core.broadcast_shapes(*shapes) if shapes else ()
        if size is None:
            return common
        shape = shape_of(op, size)
        if not _broadcasts(common, shape):
            raise ValueError(f"{op}: parameters of shape {common} do not broadcast to size {shape}")
        return shape

    def _draw_of(self, op: str, method: str, size: Size, dtype: Any, a: Any, b: Any = 0.0) -> Array:
        """Draw from a distribution with one or two parameters."""
        shape = self._common_shape(op, size, a, b)
        a, b = (_of_each(x, shape) if isinstance(x, Array) else x for x in (a, b))
        return self._draw(method, _core.empty(shape, dtype=dtype, device=self._device), a, b)


def shape_of(op: str, size: Size) -> tuple[int, ...]:
    """Convert ``size`` to a shape."""
    if size is None:
        return ()
    try:
        shape = tuple(map(operator.index, size)) if np.iterable(size) else (operator.index(size),)
    except TypeError:
        text = shown(size)
        if isinstance(size, tuple):
            end = ",)" if len(size) == 1 else ")" if len(size) <= 4 else ", ...)"
            text = f"({', '.join(map(shown, size[:4]))}{end}"
        raise TypeError(f"{op}: size must be an int or a tuple of ints, not {text}") from None
    if any(n < 0 for n in shape):
        raise ValueError(f"{op}: size must not be negative: {size}")
    return shape


def shifted(x: Array, location: Any, scale: Any) -> Array:
    """Compute ``location + scale * x`` in place."""
    if isinstance(scale, Array) or scale != 1.0:
        x *= scale
    if isinstance(location, Array) or location != 0.0:
        x += location
    return x


def _broadcasts(shape: tuple[int, ...], target_shape: tuple[int, ...]) -> bool:
    try:
        return bool(_core.broadcast_shapes(shape, target_shape) == target_shape)
    except ValueError:
        return False


def require_finite(op: str, name: str, width: Any) -> None:
    """Raise OverflowError if the difference of bounds overflows float64."""
    if bool(sk.any(sk.isinf(width))) if isinstance(width, Array) else math.isinf(width):
        raise OverflowError(f"{op}: {name} overflows float64; use a smaller range")


def not_negative(x: Any) -> Any:
    """Return elementwise whether numbers are 0 or more."""
    return x >= 0


def positive(x: Any) -> Any:
    """Return elementwise whether numbers are more than 0."""
    return x > 0


def _of_each(x: Array, shape: tuple[int, ...]) -> Array:
    """Broadcast a parameter to a C-contiguous array with one value for each element."""
    result = _core.empty(shape, dtype=x.dtype, device=x.device)
    result[...] = x
    return result
