# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions in Python."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import HOME, arrays_in, mapped
from skerry._core import Array
from skerry._extra._operands import as_array
from skerry.exceptions import DeviceMismatchError, ShapeError

__all__ = ["piecewise", "vectorize"]


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """Compute each element by the function of the condition that holds for it.

    The numbers of elements for which the conditions hold are read from the device: the call waits for them.

    Parameters
    ----------
    x : {any dtype}
    condlist : sequence of Array, or Array
        Conditions, of bool and the shape of ``x``. Where several hold, the last counts.
    funclist : sequence of callable or scalar
        For each condition, a function of a 1-D array of elements, or a value. One more is for elements without a
        condition, which are zeros otherwise.
    *args, **kw
        Passed on to the functions.

    Returns
    -------
    Array
        Array with the shape and dtype of ``x``, to which results are converted.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If the numbers of conditions and functions don't match.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.asarray([-2.0, -1.0, 1.0, 2.0])
    >>> sk.piecewise(x, [x < 0, x >= 0], [-1, lambda x: x * x])
    Array([-1., -1.,  1.,  4.], dtype=float64, device='cpu:0')

    """
    x = as_array("piecewise", x)
    conditions = _conditions(condlist, x)
    if len(conditions) == len(funclist) - 1:
        conditions.append(~functools.reduce(sk.logical_or, conditions))
    if len(conditions) != len(funclist) or not conditions:
        raise ValueError(
            f"piecewise: {len(conditions)} conditions need as many functions or one more, not {len(funclist)}"
        )
    result = sk.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        values = function
        if callable(function):
            elements = x[condition]
            if elements.size == 0:
                continue
            values = function(elements, *args, **kw)
        if not isinstance(values, Array):
            values = sk.asarray(values, device=x.device)
        result[condition] = sk.astype(values, x.dtype, copy=False)
    return result


def _conditions(condlist: Any, x: Array) -> list[Array]:
    """Return the conditions as arrays of bool; a single condition may be passed without a list around it."""
    if isinstance(condlist, Array):
        is_single = condlist.ndim == 0 or (condlist.ndim == 1 and x.ndim != 0)
        listed = [condlist] if is_single else list(sk.unstack(condlist))
    elif isinstance(condlist, Iterable):
        listed = list(condlist)
        if listed and x.ndim != 0 and not isinstance(listed[0], (Array, list, tuple)):
            listed = [listed]
    else:
        listed = [condlist]
    conditions = [c if isinstance(c, Array) else sk.asarray(c, device=x.device) for c in listed]
    _core.require_one_device("piecewise", (x, *conditions))
    for condition in conditions:
        if condition.shape != x.shape[: condition.ndim]:
            raise ShapeError(
                f"piecewise: a condition of shape {condition.shape} doesn't match x of shape {x.shape}; compare x"
            )
    return [sk.astype(condition, sk.bool, copy=False) for condition in conditions]


class vectorize(np.vectorize):  # noqa: N801 - NumPy's name
    """Make a Python function of numbers a function of arrays on cpu:0.

    The function is called for each element, on the host: arrays of other devices are rejected. It is for convenience,
    not for speed; ``skerry.fuse`` compiles functions of arrays for any device.

    Parameters
    ----------
    pyfunc : callable, optional
        Function of numbers. Without it, the object is a decorator.
    otypes : str or sequence of dtype, optional
        Dtypes of the results; by default those of the first call.
    doc : str, optional
        Docstring; by default that of the function.
    excluded : set of str or int, optional
        Parameters that are passed on as they are.
    cache : bool, default False
        Whether to keep the first result, which determines the dtypes, instead of computing it twice.
    signature : str, optional
        Generalized signature such as ``"(m,n),(n)->(m)"``: the function then takes NumPy arrays of these axes.

    Raises
    ------
    DeviceMismatchError
        By a call, if an array is not on cpu:0.

    Examples
    --------
    >>> import skerry as sk
    >>> larger = sk.vectorize(lambda a, b: a if a > b else b)
    >>> larger(sk.asarray([1, 5, 3]), 2)
    Array([2, 5, 3], dtype=int64, device='cpu:0')

    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function for each element of the broadcast arguments; return arrays on cpu:0."""
        # Without a function, the object is a decorator.
        if self.pyfunc is np._NoValue:  # type: ignore[comparison-overlap]
            return super().__call__(*args, **kwargs)
        for x in arrays_in((args, kwargs)):
            if isinstance(x, Array) and x.device != HOME:
                raise DeviceMismatchError(
                    f"vectorize: an argument is on {x.device}, but the function runs on cpu:0; use to_device('cpu:0')"
                )
        numpy_args = [x if i in self.excluded else _on_host(x) for i, x in enumerate(args)]
        numpy_kwargs = {k: x if k in self.excluded else _on_host(x) for k, x in kwargs.items()}
        result = super().__call__(*numpy_args, **numpy_kwargs)
        return mapped(result, lambda x: sk.asarray(x, device=HOME))


def _on_host(value: Any) -> Any:
    """Return the arrays of an argument as NumPy arrays that share their memory."""
    return mapped(value, lambda x: np.asarray(x) if isinstance(x, Array) else x)
