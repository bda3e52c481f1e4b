# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import SCALARS
from skerry._extra.polynomials._coefficients import (
    Polynomial,
    coefficients,
    without_leading_zeros,
)

__all__ = ["poly1d"]


def _is_number(value: Any) -> bool:
    return isinstance(value, SCALARS) or (isinstance(value, Array) and value.ndim == 0)


class poly1d(Polynomial):  # noqa: N801 - NumPy's name
    """A polynomial of one variable.

    Leading zeros are dropped: their number is read from the device. Arithmetic with other polynomials, coefficients and
    numbers gives polynomials; a call evaluates.

    Parameters
    ----------
    c_or_r : Array, sequence of numbers or poly1d
        Coefficients, from the highest power to the constant term, or roots.
    r : bool, default False
        Whether ``c_or_r`` are roots.
    variable : str, optional
        Name of the variable in a text; by default "x".

    Examples
    --------
    >>> import skerry as sk
    >>> p = sk.poly1d([1.0, -3.0, 2.0])
    >>> p(3)
    Array(2., dtype=float64, device='cpu:0')
    >>> (p * p).order
    4

    """

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # NumPy's operators call those of this class

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        self._variable: str = variable or str(getattr(c_or_r, "variable", "x"))
        if isinstance(c_or_r, np.poly1d):
            c_or_r = c_or_r.coeffs
        if r:
            c_or_r = sk.poly(c_or_r)
        (x,) = coefficients("poly1d", c_or_r)
        self._coefficients = without_leading_zeros(x)

    @property
    def coeffs(self) -> Array:
        """Coefficients, from the highest power to the constant term."""
        return self._coefficients

    @coeffs.setter
    def coeffs(self, value: Array) -> None:
        """Accept the result of an operator such as += on the coefficients."""
        if value is not self._coefficients:
            raise AttributeError("poly1d: coeffs are changed in place only; make another poly1d")

    c = coef = coefficients = coeffs

    @property
    def variable(self) -> str:
        """Name of the variable."""
        return self._variable

    @property
    def order(self) -> int:
        """Highest power."""
        return self._coefficients.size - 1

    o = order

    @property
    def roots(self) -> Array:
        """Roots of the polynomial, as from ``skerry.roots``."""
        return sk.roots(self._coefficients)

    r = roots

    def __repr__(self) -> str:
        """Return the coefficients as text."""
        return f"poly1d({self._coefficients!r})"

    def __str__(self) -> str:
        """Return the polynomial as text, with the powers in the line above."""
        return str(np.poly1d(self._coefficients.to_numpy(), variable=self._variable))

    def __len__(self) -> int:
        """Return the highest power."""
        return self.order

    def __iter__(self) -> Iterator[Array]:
        """Return an iterator over the coefficients."""
        return iter(self._coefficients)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the coefficients of a polynomial on a CPU device as a NumPy array."""
        return np.asarray(self._coefficients, dtype=dtype, copy=copy)

    def __call__(self, val: Any) -> Any:
        """Evaluate at numbers, or insert a polynomial."""
        return sk.polyval(self, val)

    def __getitem__(self, val: int) -> Array:
        """Return the coefficient of a power; zero for powers that the polynomial does not have."""
        if not 0 <= val <= self.order:
            x = self._coefficients
            return sk.zeros((), dtype=x.dtype, device=x.device)
        return self._coefficients[self.order - val]

    def __setitem__(self, key: int, val: Any) -> None:
        """Set the coefficient of a power."""
        if key < 0:
            raise ValueError(f"poly1d: no negative powers: {key}")
        missing = key - self.order
        if missing > 0:
            x = self._coefficients
            self._coefficients = sk.concat(
                [sk.zeros((missing,), dtype=x.dtype, device=x.device), x]
            )
        self._coefficients[self.order - key] = val

    def __eq__(self, other: object) -> bool:
        """Return whether coefficients are equal; the result is read from the device."""
        if not isinstance(other, poly1d):
            return NotImplemented
        ours, others = self._coefficients, other._coefficients
        return ours.shape == others.shape and bool(sk.all(ours == others))

    def __pos__(self) -> poly1d:
        """Return the polynomial."""
        return self

    def __neg__(self) -> poly1d:
        """Return the negative polynomial."""
        return poly1d(-self._coefficients)

    def __add__(self, other: Any) -> Any:
        """Add a polynomial or a number."""
        return sk.polyadd(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        """Subtract a polynomial or a number."""
        return sk.polysub(self, other)

    def __rsub__(self, other: Any) -> Any:
        """Subtract from a polynomial or a number."""
        return sk.polysub(other, self)

    def __mul__(self, other: Any) -> Any:
        """Multiply by a polynomial or a number."""
        return sk.polymul(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        """Divide by a number; by a polynomial, return quotient and remainder."""
        if _is_number(other):
            return poly1d(self._coefficients / other)
        return sk.polydiv(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        """Divide a number by each coefficient; divide coefficients by the polynomial, with quotient and remainder."""
        if _is_number(other):
            return poly1d(other / self._coefficients)
        return sk.polydiv(other, self)

    def __pow__(self, val: int) -> poly1d:
        """Return a power with a non-negative integer exponent."""
        if not isinstance(val, (int, np.integer)) or val < 0:
            raise ValueError(f"poly1d: power to a non-negative integer only, not {val!r}")
        x = self._coefficients
        result = poly1d(sk.ones((1,), dtype=x.dtype, device=x.device))
        for _ in range(val):
            result = result * self
        return result

    def deriv(self, m: int = 1) -> Any:
        """Return the derivative of order ``m``."""
        return sk.polyder(self, m)

    def integ(self, m: int = 1, k: Any = 0) -> Any:
        """Return the antiderivative of order ``m`` with constants ``k``."""
        return sk.polyint(self, m, k)
