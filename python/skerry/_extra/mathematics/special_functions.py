# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Special functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import limits_of
from skerry._extra._operands import by_pieces, floating, real_floating

__all__ = ["i0", "sinc"]


def sinc(x: Any) -> Array:
    """Compute the normalized sinc function, ``sin(pi x) / (pi x)``, which is 1 at 0.

    Parameters
    ----------
    x : {numbers}

    {Returns: floating}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.sinc(sk.asarray([0.0, 0.5]))
    Array([1.        , 0.63661977], dtype=float64, device='cpu:0')

    """
    (x,) = floating("sinc", x)
    tiny = float(limits_of(x.dtype).eps) ** 2 if x.dtype != np.float16 else 1e-7
    y = sk.where(x == 0, tiny, x) * math.pi
    return sk.sin(y) / y


# Cephes's coefficients, as in NumPy: Chebyshev series of exp(-x) i0(x) on [0, 8] and of exp(-x) sqrt(x) i0(x) above 8.
_NEAR = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
    1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
    9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
    1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
    -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
    1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
    1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1,
)  # fmt: skip
_FAR = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
    3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
    2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
)  # fmt: skip


def i0(x: Any) -> Array:
    """Compute the modified Bessel function of the first kind, order 0.

    Parameters
    ----------
    x : {real}

    {Returns: floating}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.i0(sk.asarray([0.0, 1.0]))
    Array([1.        , 1.26606588], dtype=float64, device='cpu:0')

    """
    return by_pieces(_bessel, *real_floating("i0", x))


def _bessel(x: Array) -> Array:
    x = sk.abs(x)
    small_series = sk.exp(x) * _chebyshev(sk.minimum(x, 8.0) / 2.0 - 2.0, _NEAR)
    # A cheap check: most arguments are small, and the other series is half of the work.
    if type(x) is Array and x.device.kind == "cpu" and sk.all(x <= 8.0):
        return small_series
    beyond = sk.maximum(x, 8.0)
    large_series = sk.exp(x) * _chebyshev(32.0 / beyond - 2.0, _FAR) / sk.sqrt(beyond)
    return sk.where(x <= 8.0, small_series, large_series)


def _chebyshev(x: Array, coefficients: tuple[float, ...]) -> Array:
    """Sum a Chebyshev series by Clenshaw's recurrence."""
    # Derived from x, so that all intermediate arrays have its memory layout.
    older = previous = x * 0.0
    newest = previous + coefficients[0]
    for coefficient in coefficients[1:]:
        following = x * newest
        following -= previous
        following += coefficient
        newest, previous, older = following, newest, previous
    return 0.5 * (newest - older)
