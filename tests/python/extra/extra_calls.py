# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""How calls of functions beyond the standard are stated: ``calls_<topic>.py`` has a list for each function.

A call is stated once, with NumPy's arrays: it is made by NumPy, which is the oracle, and by skerry on each device. Arrays
may lie in tuples and lists, too. Functions whose point is not what they return, as of files, are named in ``OWN_TESTS`` of
``calls_<topic>.py`` with the module that tests them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle import on, sample
from skerry import _extra


def A(values: Any, dtype: str | None = None) -> np.ndarray:
    """Make an array of an argument."""
    return np.asarray(values, dtype=dtype)


def R(
    shape: int | tuple[int, ...], dtype: str = "float64", seed: int = 0, **bounds: float
) -> np.ndarray:
    """Make an array of random values of an argument, as ``oracle.sample`` does."""
    return sample(dtype, shape, seed, **bounds)


@dataclass
class Call:
    """A call and what is known of its result."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    rtol: float | None = (
        None  # results of floats may differ by that much from the oracle's; None: equal
    )
    atol: float = 0.0
    oracle: Callable[..., Any] | None = None  # instead of NumPy's function of that name
    dtype: str | None = None  # of the result, where NumPy's has another
    raises: type[Exception] | None = None  # in skerry

    def on(self, device: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments with arrays on ``device``."""
        move = lambda x: on(device, x)  # noqa: E731
        return mapped(self.args, move), mapped(self.kwargs, move)


def call(*args: Any, **kwargs: Any) -> Call:
    """State a call. What begins with an underscore is a field of ``Call``."""
    known = {key[1:]: kwargs.pop(key) for key in list(kwargs) if key.startswith("_")}
    return Call(args, kwargs, **known)


def mapped(what: Any, move: Callable[[np.ndarray], Any]) -> Any:
    """Replace each array in ``what``."""
    if isinstance(what, np.ndarray):
        return move(what)
    if isinstance(what, tuple | list):
        items = [mapped(each, move) for each in what]
        return type(what)(items) if type(what) in (tuple, list) else type(what)(*items)
    if isinstance(what, dict):
        return {key: mapped(each, move) for key, each in what.items()}
    return what


def all_calls() -> dict[str, list[Call]]:
    """Return the calls of all topics by the name of the function."""
    found: dict[str, list[Call]] = {}
    for topic in _extra.TOPICS:
        found |= importlib.import_module(f"calls_{topic}").CALLS
    return found


def tested_apart() -> dict[str, str]:
    """Return the modules of tests of functions without calls, by the name of the function."""
    found: dict[str, str] = {}
    for topic in _extra.TOPICS:
        found |= getattr(importlib.import_module(f"calls_{topic}"), "OWN_TESTS", {})
    return found
