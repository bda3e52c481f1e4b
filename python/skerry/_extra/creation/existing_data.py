# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""From existing data.

NumPy arrays and lists go to the default device here, as ``asarray`` does it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import as_dtype, kind_of
from skerry._extra._operands import require_rank

__all__ = [
    "array", "asarray_chkfinite", "ascontiguousarray", "asfortranarray", "copy", "frombuffer", "fromfunction",
    "fromiter", "require",
]  # fmt: skip

Device = Any

#: NumPy's names of requirements, by what they require.
REQUIREMENTS = {
    "C": ("C", "C_CONTIGUOUS", "CONTIGUOUS"),
    "F": ("F", "F_CONTIGUOUS", "FORTRAN"),
    "A": ("A", "ALIGNED"),
    "W": ("W", "WRITEABLE"),
    "O": ("O", "OWNDATA"),
    "E": ("E", "ENSUREARRAY"),
}
REQUIREMENT_OF = {name: key for key, names in REQUIREMENTS.items() for name in names}


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    device: Device = None,
) -> Array:
    """Create an array from an object, as a copy.

    Arrays in lists are joined on the host: their elements are read from the device.

    Parameters
    ----------
    object : Array, scalar, nested list or tuple, or object of another library
        As for ``asarray``.
    dtype : dtype, optional
        By default that of the object; bool, int64, float64 or complex128 for Python scalars.
    copy : bool or None, default True
        None copies only if that is required, as ``asarray`` does. False raises if a copy is required.
    order : {"K", "A", "C", "F"}, default "K"
        Order of the elements in memory: of the object ("K"), last axis fastest ("C"), or first axis fastest ("F"). "A"
        is "F" if the object has that order, else "C".
    subok : bool
        Ignored: arrays have no subclasses.
    ndmin : int, default 0
        Number of axes that the result has at least; axes of length 1 are added in front.
    device : Device or str, optional
        By default the device of the object, or the default device if it has none.

    Returns
    -------
    Array
        Array on ``device``.

    Raises
    ------
    ValueError
        If ``copy`` is False and a copy is required.
    TypeError
        If the object isn't made of numbers.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.array([1, 2, 3], dtype=sk.float32, ndmin=2)
    Array([[1., 2., 3.]], dtype=float32, device='cpu:0')

    """
    if order == "K" and ndmin == 0:  # most calls, without another Python frame
        return _core.asarray(object, dtype=dtype, device=device, copy=copy)
    return _converted("array", object, dtype, copy, order, ndmin, device)


def _converted(
    name: str,
    object: Any,
    dtype: Any,
    copy: bool | None,
    order: str | None,
    ndmin: int,
    device: Device,
) -> Array:
    """Convert an object to an array; errors are those of the named function."""
    require_rank(name, ndmin)
    order = str(order or "K").upper()
    result = _core.asarray(object, dtype=dtype, order=order, device=device, copy=copy)
    missing = ndmin - result.ndim
    return sk.reshape(result, (1,) * missing + result.shape) if missing > 0 else result


def asarray_chkfinite(
    a: Any, dtype: Any = None, order: str | None = None, *, device: Device = None
) -> Array:
    """Convert an object to an array, and check that its elements are finite.

    The result of the check is read from the device: the call waits for it.

    Parameters
    ----------
    a : Array, scalar, nested list or tuple, or object of another library
        As for ``asarray``.
    dtype, order, device
        See ``array``.

    Returns
    -------
    Array
        As from ``asarray``.

    Raises
    ------
    ValueError
        If an element is infinite or NaN.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.asarray_chkfinite([1.0, 2.0])
    Array([1., 2.], dtype=float64, device='cpu:0')

    """
    x = _converted("asarray_chkfinite", a, dtype, None, order, 0, device)
    if kind_of(x.dtype) in "fc" and not sk.all(sk.isfinite(x)):
        raise ValueError("asarray_chkfinite: a has infinite or NaN elements; use asarray")
    return x


def ascontiguousarray(a: Any, dtype: Any = None, *, device: Device = None) -> Array:
    """Convert an object to an array whose elements are contiguous, last axis fastest.

    Parameters
    ----------
    a : Array, scalar, nested list or tuple, or object of another library
        As for ``asarray``.
    dtype, device
        See ``array``.

    Returns
    -------
    Array
        Array with at least one axis; ``a`` itself if it is contiguous and has the dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ascontiguousarray(sk.zeros((2, 3)).T).strides
    (16, 8)

    """
    return _converted("ascontiguousarray", a, dtype, None, "C", 1, device)


def asfortranarray(a: Any, dtype: Any = None, *, device: Device = None) -> Array:
    """Convert an object to an array whose elements are contiguous, first axis fastest.

    Parameters
    ----------
    a : Array, scalar, nested list or tuple, or object of another library
        As for ``asarray``.
    dtype, device
        See ``array``.

    Returns
    -------
    Array
        Array with at least one axis; ``a`` itself if it has that order and the dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.asfortranarray(sk.zeros((2, 3))).strides
    (8, 16)

    """
    return _converted("asfortranarray", a, dtype, None, "F", 1, device)


def copy(a: Any, order: str = "K", subok: bool = False, *, device: Device = None) -> Array:
    """Copy an array, or create one from an object.

    Parameters
    ----------
    a : Array, scalar, nested list or tuple, or object of another library
        As for ``asarray``.
    order, subok, device
        See ``array``.

    Returns
    -------
    Array
        New array.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.copy(sk.asarray([1, 2]))
    Array([1, 2], dtype=int64, device='cpu:0')

    """
    return _converted("copy", a, None, True, order, 0, device)


def frombuffer(
    buffer: Any, dtype: Any = None, count: int = -1, offset: int = 0, *, device: Device = None
) -> Array:
    """Interpret a buffer of the host as a 1-D array.

    Parameters
    ----------
    buffer : bytes, bytearray, memoryview or other buffer
        Elements in memory, in the byte order of the host.
    dtype : dtype, default float64
        Dtype of the elements.
    count : int, default -1
        Number of elements; -1 for all.
    offset : int, default 0
        Position of the first element in bytes.
    device : {default device}

    Returns
    -------
    Array
        1-D array; on a CPU device it shares the memory of the buffer.

    Raises
    ------
    ValueError
        If the buffer is too short, or its size is no multiple of the size of an element.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.frombuffer(b"abc", dtype=sk.uint8)
    Array([97, 98, 99], dtype=uint8, device='cpu:0')

    """
    element = as_dtype(dtype)
    nbytes = memoryview(buffer).nbytes - offset
    if (
        offset < 0
        or nbytes < max(count, 0) * element.itemsize
        or (count < 0 and nbytes % element.itemsize)
    ):
        raise ValueError(
            f"frombuffer: {nbytes} bytes from offset={offset} don't hold count={count} elements of {element}; "
            "use a multiple of the element's size"
        )
    return sk.asarray(np.frombuffer(buffer, element, count, offset), device=device)


def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: Any = float,
    device: Device = None,
    **kwargs: Any,
) -> Any:
    """Construct an array by calling a function with the indices of its elements.

    Parameters
    ----------
    function : callable
        Called once, with an array of indices for each axis.
    shape : tuple of int
        Shape of the arrays of indices.
    dtype : dtype, default float64
        Dtype of the indices.
    device : {default device}
    **kwargs
        Passed on to the function.

    Returns
    -------
    Array
        Result of the function.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fromfunction(lambda i, j: i + j, (2, 2), dtype=int)
    Array([[0, 1],
           [1, 2]], dtype=int64, device='cpu:0')

    """
    return function(*sk.unstack(sk.indices(shape, dtype=dtype, device=device)), **kwargs)


def fromiter(iter: Iterable[Any], dtype: Any, count: int = -1, *, device: Device = None) -> Array:
    """Create a 1-D array from the items of an iterable.

    Parameters
    ----------
    iter : iterable of numbers
        Items; they are collected on the host.
    dtype : dtype
        Dtype of the result.
    count : int, default -1
        Number of items to take; -1 for all.
    device : {default device}

    {Returns: one axis}

    Raises
    ------
    ValueError
        If there are fewer than ``count`` items.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fromiter((i * i for i in range(4)), dtype=int)
    Array([0, 1, 4, 9], dtype=int64, device='cpu:0')

    """
    items = iter if count < 0 else itertools.islice(iter, count)
    host = np.fromiter(items, as_dtype(dtype))
    if host.size < count:
        raise ValueError(f"fromiter: iter has {host.size} items, not count={count}; use count=-1")
    return sk.asarray(host, device=device)


def require(
    a: Any,
    dtype: Any = None,
    requirements: str | Sequence[str] | None = None,
    *,
    device: Device = None,
) -> Array:
    """Convert an object to an array that meets requirements on its memory.

    Parameters
    ----------
    a : Array, scalar, nested list or tuple, or object of another library
        As for ``asarray``.
    dtype, device
        See ``array``.
    requirements : str or sequence of str, optional
        "C" and "F": contiguous elements, last or first axis fastest; "W": writable; "O": memory of its own. "A"
        (aligned) and "E" (no subclass) are always met. NumPy's long names such as "C_CONTIGUOUS" are accepted.

    Returns
    -------
    Array
        ``a`` itself if it meets the requirements, but a copy for "O".

    Raises
    ------
    ValueError
        If a requirement is unknown, or both "C" and "F" are required.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.require(sk.zeros((2, 3)), sk.float32, ["F", "W"]).strides
    (4, 8)

    """
    names = [str(name).upper() for name in requirements or ()]
    unknown = [name for name in names if name not in REQUIREMENT_OF]
    if unknown:
        raise ValueError(
            f"require: unknown requirement: {unknown[0]!r}; use 'C', 'F', 'A', 'W', 'O' or 'E'"
        )
    needs = {REQUIREMENT_OF[name] for name in names}
    if {"C", "F"} <= needs:
        raise ValueError("require: requirements are both 'C' and 'F'; use one of them")
    order = "C" if "C" in needs else "F" if "F" in needs else "K"
    x = _converted("require", a, dtype, True if "O" in needs else None, order, 0, device)
    is_met = "W" not in needs or _core.is_writable(x)
    return x if is_met else x.copy(order)  # type: ignore[arg-type]
