# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import Arrays, cast, flat, promoted

__all__ = ["dot", "inner", "kron", "outer", "vdot"]


def _numbers(name: str, *values: Any) -> tuple[Arrays, bool]:
    """Return arrays that can be multiplied, and whether they were bools: these are counted, then compared with 0."""
    arrays = promoted(name, *values)
    if arrays[0].dtype.kind != "b":
        return arrays, False
    return [cast(x, sk.int64) for x in arrays], True


def _result(x: Array, bools: bool) -> Array:
    return x != 0 if bools else x


def _sum_product(name: str, a: Any, b: Any, axis_of_matrix: int) -> Array:
    """Sum over the last axis of ``a``, and that axis of ``b`` if it is no vector."""
    (x, y), bools = _numbers(name, a, b)
    if x.ndim == 0 or y.ndim == 0:
        return _result(x * y, bools)
    if x.ndim <= 2 and y.ndim == 2 and axis_of_matrix == -2:
        return _result(x @ y, bools)
    if x.ndim == y.ndim == 1 and x.size == y.size:
        return _result(x @ y, bools)
    axis = -1 if y.ndim == 1 else axis_of_matrix
    return _result(sk.tensordot(x, y, axes=((-1,), (axis,))), bools)


def dot(a: Any, b: Any) -> Array:
    """Multiply: vectors to a number, matrices as ``@``, other arrays over the last axis and the one before it.

    Parameters
    ----------
    a, b : Array or scalar
        The last axis of ``a`` is as long as the last but one of ``b``, or that of a vector.

    Returns
    -------
    Array
        Of the common dtype; of bools whether any product is true.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.dot(sk.asarray([1, 2]), sk.asarray([3, 4]))
    Array(11, dtype=int64, device='cpu:0')

    """
    product = _core.product_of_matrices(a, b, False)
    return _sum_product("dot", a, b, -2) if product is None else product


def inner(a: Any, b: Any) -> Array:
    """Multiply and sum over the last axes of both.

    Parameters
    ----------
    a, b : Array or scalar
        Their last axes are equally long.

    Returns
    -------
    Array
        Of the common dtype; complex numbers are not conjugated.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.inner(sk.asarray([1, 2]), sk.asarray([3, 4]))
    Array(11, dtype=int64, device='cpu:0')

    """
    product = _core.product_of_matrices(a, b, True)
    return _sum_product("inner", a, b, -1) if product is None else product


def vdot(a: Any, b: Any, /) -> Array:
    """Multiply and sum the flattened arrays, the first one conjugated.

    Parameters
    ----------
    a, b : Array
        Of as many elements.

    Returns
    -------
    Array
        No axes.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.vdot(sk.asarray([1j, 2]), sk.asarray([1j, 3]))
    Array(7.+0.j, dtype=complex128, device='cpu:0')

    """
    product = _core.vdot(a, b)
    if product is None:
        x, y = promoted("vdot", a, b)
        product = _core.vdot(x, y)
        assert product is not None
    return product


def outer(a: Any, b: Any) -> Array:
    """Multiply each element of one array with each of another.

    Parameters
    ----------
    a, b : {flattened}

    Returns
    -------
    Array
        ``out[i, j] = a[i] * b[j]``.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.outer(sk.asarray([1, 2]), sk.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]], dtype=int64, device='cpu:0')

    """
    x, y = promoted("outer", a, b)
    x, y = sk.reshape(x, (-1, 1)), flat(y)
    return x & y if x.dtype.kind == "b" else x * y


def kron(a: Any, b: Any) -> Array:
    """Put a multiple of one array in the place of each element of another: the Kronecker product.

    Parameters
    ----------
    a, b : Array or scalar
        The shape of fewer axes is extended in front.

    Returns
    -------
    Array
        Each axis as long as those of both together.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.kron(sk.asarray([1, 10]), sk.asarray([1, 2]))
    Array([ 1,  2, 10, 20], dtype=int64, device='cpu:0')

    """
    x, y = promoted("kron", a, b)
    product: Array = _core.kron(x, y)
    return product
