# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Roots."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._data_types import is_stored_only, kind_of
from skerry._extra._operands import cast, floating_dtype, wide
from skerry._extra.polynomials._coefficients import coefficients
from skerry._extra.sorting.ordering import sort_complex
from skerry.exceptions import ShapeError

__all__ = ["poly", "roots"]


def roots(p: Any) -> Array:
    """Return the roots of a polynomial: the eigenvalues of its companion matrix.

    Which coefficients at the ends are zeros, and whether all roots are real, is read from the device.

    Parameters
    ----------
    p : {coefficients}

    Returns
    -------
    Array
        Roots of a real dtype if all are real, else of a complex one; float32 or complex64 if ``p`` has no higher
        precision, else float64 or complex128.

    Raises
    ------
    LinAlgError
        If the eigenvalues don't converge.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.roots(sk.asarray([1.0, -3.0, 2.0]))
    Array([2., 1.], dtype=float64, device='cpu:0')

    """
    (x,) = coefficients("roots", p)
    nonzero_indices = sk.nonzero(x)[0]
    if nonzero_indices.size == 0:
        return sk.zeros((0,), dtype=sk.float64, device=x.device)
    first, last = int(nonzero_indices[0]), int(nonzero_indices[-1])
    zero_count = x.size - last - 1
    x = wide(cast(x, floating_dtype(x.dtype)))[first : last + 1]
    if x.size == 1:
        return sk.zeros((zero_count,), dtype=sk.float64, device=x.device)
    companion = sk.eye(x.size - 1, k=-1, dtype=x.dtype, device=x.device)
    companion[0, :] = -x[1:] / x[0]
    values = _eigenvalues(companion)
    return sk.concat([values, sk.zeros((zero_count,), dtype=values.dtype, device=x.device)])


def _eigenvalues(matrix: Array) -> Array:
    """Return the eigenvalues, of a real dtype if the matrix is real and all its eigenvalues are."""
    values = sk.linalg.eigvals(matrix)
    if kind_of(matrix.dtype) == "f" and not sk.any(sk.imag(values) != 0):
        return sk.real(values)
    return values


def poly(seq_of_zeros: Any) -> Array:
    """Return the polynomial with the given roots, or the characteristic polynomial of a matrix.

    Whether complex roots are conjugate pairs, or a matrix has real eigenvalues, is read from the device.

    Parameters
    ----------
    seq_of_zeros : Array or sequence of numbers
        Roots (1-D), or a square matrix (2-D).

    Returns
    -------
    Array
        Coefficients from the highest power, which is 1, to the constant term. They are real if the roots are real or
        conjugate pairs. Without roots, a 0-d array of 1.

    Raises
    ------
    ValueError
        If the input is neither 1-D nor a square matrix.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.poly(sk.asarray([1, 2]))
    Array([ 1., -3.,  2.], dtype=float64, device='cpu:0')

    """
    x = seq_of_zeros if isinstance(seq_of_zeros, Array) else sk.asarray(seq_of_zeros)
    x = sk.reshape(x, (1,)) if x.ndim == 0 else x
    x = cast(x, sk.float64) if is_stored_only(x.dtype) else cast(x, floating_dtype(x.dtype))
    if x.ndim == 2 and x.shape[0] == x.shape[1] and x.size:
        x = _eigenvalues(x)
    elif x.ndim != 1:
        raise ShapeError(
            f"poly: seq_of_zeros must be 1-D or a square matrix, not of shape {x.shape}"
        )
    if x.size == 0:
        return sk.ones((), dtype=sk.float64, device=x.device)
    result = sk.zeros((x.size + 1,), dtype=x.dtype, device=x.device)
    result[0] = 1
    for i in range(x.size):
        result[1 : i + 2] -= x[i] * result[: i + 1]
    if kind_of(result.dtype) == "c" and sk.all(sort_complex(x) == sort_complex(sk.conj(x))):
        result = sk.real(result).copy()
    return result
