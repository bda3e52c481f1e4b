# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any, NoReturn

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import Arrays, as_arrays, cast, flat, promoted
from skerry._linalg.outputs import product
from skerry._outputs import output_argument, store
from skerry.exceptions import ShapeError

__all__ = ["dot", "inner", "kron", "matvec", "outer", "vdot", "vecmat"]


def _numbers(name: str, *values: Any) -> tuple[Arrays, bool]:
    """Return promoted arrays, and whether they were bool: these are computed as int64 and compared with 0."""
    arrays = promoted(name, *values)
    if kind_of(arrays[0].dtype) != "b":
        return arrays, False
    return [cast(x, sk.int64) for x in arrays], True


def _result(x: Array, bools: bool) -> Array:
    return x != 0 if bools else x


def _sum_product(name: str, a: Any, b: Any, axis_of_matrix: int) -> Array:
    """Sum products over the last axis of ``a`` and ``axis_of_matrix`` of ``b``, or the only axis of a 1-D ``b``."""
    (x, y), bools = _numbers(name, a, b)
    if x.ndim == 0 or y.ndim == 0:
        return _result(x * y, bools)
    if x.ndim <= 2 and y.ndim == 2 and axis_of_matrix == -2:
        return _result(x @ y, bools)
    if x.ndim == y.ndim == 1 and x.size == y.size:
        return _result(x @ y, bools)
    axis = -1 if y.ndim == 1 else axis_of_matrix
    return _result(sk.tensordot(x, y, axes=((-1,), (axis,))), bools)


def dot(a: Any, b: Any, out: Any = None) -> Array:
    """Return the dot product of two arrays.

    Parameters
    ----------
    a, b : Array or scalar
        Operands. The sum of products is over the last axis of ``a`` and the second-to-last axis of ``b``, or the only
        axis of a 1-D ``b``, which must be equally long. Scalars multiply.
    out : {out}

    Returns
    -------
    Array
        Array of the common dtype; for bool, whether any product is true.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.dot(sk.asarray([1, 2]), sk.asarray([3, 4]))
    Array(11, dtype=int64, device='cpu:0')

    """
    if out is not None:
        a, b = as_arrays("dot", a, b)
        output = output_argument("dot", out, a, b)
        if (
            a.ndim == b.ndim == 2
            and a.shape[1] == b.shape[0]
            and "b" not in (kind_of(a.dtype), kind_of(b.dtype))
        ):
            return sk.matmul(a, b, out=output)
        return store("dot", dot(a, b), output)
    product = _core.product_of_matrices(a, b, False)
    return _sum_product("dot", a, b, -2) if product is None else product


def inner(a: Any, b: Any) -> Array:
    """Return the inner product: the sum of products over the last axes.

    Parameters
    ----------
    a, b : Array or scalar
        Operands, with equally long last axes.

    Returns
    -------
    Array
        Array of the common dtype; complex numbers are not conjugated.

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
    """Return the dot product of the flattened arrays; the first is conjugated.

    Parameters
    ----------
    a, b : Array
        Arrays with the same number of elements.

    Returns
    -------
    Array
        0-d array.

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


def outer(a: Any, b: Any, out: Any = None) -> Array:
    """Return the outer product of the flattened arrays.

    Parameters
    ----------
    a, b : {flattened}
    out : {out}

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
    output = None if out is None else output_argument("outer", out, x, y)
    x, y = sk.reshape(x, (-1, 1)), flat(y)
    return store("outer", x & y if kind_of(x.dtype) == "b" else x * y, output)


def kron(a: Any, b: Any) -> Array:
    """Return the Kronecker product: blocks of ``b`` scaled by the elements of ``a``.

    Parameters
    ----------
    a, b : Array or scalar
        Operands. The one with fewer axes gets new axes in front.

    Returns
    -------
    Array
        Array whose axes have the product of the lengths of both operands.

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


def matvec(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    axes: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
) -> Array:
    """Return the products of matrices with vectors.

    Parameters
    ----------
    x1 : Array
        Matrices, of shape (..., M, N).
    x2 : Array
        Vectors, of shape (..., N). The other axes of ``x1`` and ``x2`` broadcast.
    out : {out}
    axes : list of tuples of ints, optional
        The axes of the matrices in ``x1``, of the vectors in ``x2`` and of those in the result; by default
        ``[(-2, -1), (-1,), (-1,)]``.
    casting, order, dtype : optional
        As in ``matmul``.

    Returns
    -------
    Array
        Array of shape (..., M) and the common dtype.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.matvec(sk.asarray([[1, 2], [3, 4]]), sk.asarray([1, 1]))
    Array([3, 7], dtype=int64, device='cpu:0')

    """
    x1, x2 = as_arrays("matvec", x1, x2)
    options = {"out": out, "casting": casting, "order": order, "dtype": dtype, "axes": axes}
    return product("matvec", _matrix_by_vector, (2, 1, 1), x1, x2, **options)


def vecmat(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    axes: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
) -> Array:
    """Return the products of the complex conjugates of vectors with matrices.

    Parameters
    ----------
    x1 : Array
        Vectors, of shape (..., N).
    x2 : Array
        Matrices, of shape (..., N, M). The other axes of ``x1`` and ``x2`` broadcast.
    out : {out}
    axes : list of tuples of ints, optional
        The axes of the vectors in ``x1``, of the matrices in ``x2`` and of the vectors in the result; by default
        ``[(-1,), (-2, -1), (-1,)]``.
    casting, order, dtype : optional
        As in ``matmul``.

    Returns
    -------
    Array
        Array of shape (..., M) and the common dtype.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.vecmat(sk.asarray([1j, 1]), sk.asarray([[1, 2], [3, 4]]))
    Array([3.-1.j, 4.-2.j], dtype=complex128, device='cpu:0')

    """
    x1, x2 = as_arrays("vecmat", x1, x2)
    options = {"out": out, "casting": casting, "order": order, "dtype": dtype, "axes": axes}
    return product("vecmat", _vector_by_matrix, (1, 2, 1), x1, x2, **options)


def _matrix_by_vector(x1: Array, x2: Array) -> Array:
    if x1.ndim < 2 or x2.ndim < 1 or x1.shape[-1] != x2.shape[-1]:
        _reject_shapes("matvec", "(..., M, N) and (..., N)", x1, x2)
    return (x1 @ x2[..., None])[..., 0]


def _vector_by_matrix(x1: Array, x2: Array) -> Array:
    if x1.ndim < 1 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-2]:
        _reject_shapes("vecmat", "(..., N) and (..., N, M)", x1, x2)
    x1 = sk.conj(x1) if kind_of(x1.dtype) == "c" else x1
    return (x1[..., None, :] @ x2)[..., 0, :]


def _reject_shapes(name: str, shapes: str, x1: Array, x2: Array) -> NoReturn:
    raise ShapeError(f"{name}: shapes must be {shapes}, not {x1.shape} and {x2.shape}")
