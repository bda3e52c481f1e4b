# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry's counterparts of NumPy's creation functions: ``*_like``, and functions with ``like=`` (NEP 35)."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._numpy_counterparts import (
    Array,
    Function,
    at_least,
    replaces,
)


def _like_function(name: str) -> Function:
    def make(
        a: Array, dtype: Any = None, order: str = "K", shape: Any = None, device: Any = None
    ) -> Any:
        function = getattr(sk, name)
        return function(a, dtype=dtype, order=order, shape=shape, device=device)

    return make


for _name in ("empty_like", "ones_like", "zeros_like"):
    replaces(_name)(_like_function(_name))


@replaces("full_like")
def full_like(
    a: Array,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    shape: Any = None,
    device: Any = None,
) -> Any:
    return sk.full_like(a, fill_value, dtype=dtype, order=order, shape=shape, device=device)


# Functions with like= (NEP 35); the first parameter is the device of that array.


def asarray(
    like_device: sk.Device,
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
) -> Any:
    if device is None and not isinstance(a, Array):
        device = like_device
    return sk.asarray(a, dtype=dtype, order=order, device=device, copy=copy)


def array(
    like_device: sk.Device,
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
) -> Any:
    return at_least(asarray(like_device, object, dtype, order, copy=copy), ndmin)


def ascontiguousarray(like_device: sk.Device, a: Any, dtype: Any = None) -> Any:
    return at_least(asarray(like_device, a, dtype, "C"), 1)


def asfortranarray(like_device: sk.Device, a: Any, dtype: Any = None) -> Any:
    return at_least(asarray(like_device, a, dtype, "F"), 1)


def _of_shape(function: Function) -> Function:
    def make(
        like_device: sk.Device,
        shape: Any,
        dtype: Any = None,
        order: str = "C",
        *,
        device: Any = None,
    ) -> Any:
        return function(shape, dtype=dtype, order=order, device=device or like_device)

    return make


def full(
    like_device: sk.Device,
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
) -> Any:
    return sk.full(shape, fill_value, dtype=dtype, order=order, device=device or like_device)


def arange(
    like_device: sk.Device,
    start: Any,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: Any = None,
) -> Any:
    return sk.arange(start, stop, step, dtype=dtype, device=device or like_device)


def eye(
    like_device: sk.Device,
    N: int,  # noqa: N803 - NumPy's name
    M: int | None = None,  # noqa: N803
    k: int = 0,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
) -> Any:
    return sk.eye(N, M, k=k, dtype=dtype, order=order, device=device or like_device)


#: Functions that convert an argument, the first after the device, to an array.
CONVERTERS = (array, asarray, ascontiguousarray, asfortranarray)

MAKERS: dict[str, Function] = {
    "numpy.arange": arange,
    "numpy.array": array,
    "numpy.asanyarray": asarray,
    "numpy.asarray": asarray,
    "numpy.ascontiguousarray": ascontiguousarray,
    "numpy.asfortranarray": asfortranarray,
    "numpy.empty": _of_shape(sk.empty),
    "numpy.eye": eye,
    "numpy.full": full,
    "numpy.identity": lambda like_device, n, dtype=None: eye(like_device, n, dtype=dtype),
    "numpy.ones": _of_shape(sk.ones),
    "numpy.zeros": _of_shape(sk.zeros),
}
