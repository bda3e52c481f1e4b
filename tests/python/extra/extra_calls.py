# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions beyond the standard: ``calls/<chapter>/<topic>.py`` has a list for each function.

A call is written once, with NumPy arrays. NumPy makes it as the oracle, and skerry makes it on each device. Arrays may be
inside tuples and lists. Functions that are not tested by their results, such as those of files, are in ``OWN_TESTS`` of
their topic, with the name of their test module.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import skerry as sk
from skerry import _extra

from tests.python.oracle import sample, to_device


def A(values: Any, dtype: str | None = None) -> np.ndarray:
    """Make an array argument."""
    return np.asarray(values, dtype=dtype)


def R(
    shape: int | tuple[int, ...], dtype: str = "float64", seed: int = 0, **bounds: float
) -> np.ndarray:
    """Make an array argument of random values, as ``oracle.sample`` does."""
    return sample(dtype, shape, seed, **bounds)


@dataclass
class Call:
    """A call and what is expected of its result."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    rtol: float | None = None  # relative tolerance against the oracle for floats; None: equal
    atol: float = 0.0
    oracle: Callable[..., Any] | None = None  # instead of NumPy's function of that name
    dtype: str | None = None  # of the result, where it differs from NumPy's
    raises: type[Exception] | None = None  # by skerry

    def move_arguments(self, device: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments with arrays on ``device``."""
        move = lambda x: to_device(device, x)  # noqa: E731
        return mapped(self.args, move), mapped(self.kwargs, move)


def call(*args: Any, **kwargs: Any) -> Call:
    """Make a call. Keywords that begin with an underscore are fields of ``Call``."""
    fields = {key[1:]: kwargs.pop(key) for key in list(kwargs) if key.startswith("_")}
    return Call(args, kwargs, **fields)


def mapped(value: Any, move: Callable[[np.ndarray], Any]) -> Any:
    """Replace each array in ``value``."""
    if isinstance(value, np.ndarray):
        return move(value)
    if isinstance(value, tuple | list):
        items = [mapped(element, move) for element in value]
        return type(value)(items) if type(value) in (tuple, list) else type(value)(*items)
    if isinstance(value, dict):
        return {key: mapped(element, move) for key, element in value.items()}
    return value


def all_calls() -> dict[str, list[Call]]:
    """Return the calls of all topics by function name."""
    calls: dict[str, list[Call]] = {}
    for topic in _extra.TOPICS:
        calls |= importlib.import_module(f"{__package__}.calls.{topic}").CALLS
    return calls


def tested_apart() -> dict[str, str]:
    """Return the test modules of functions without calls, by function name."""
    modules: dict[str, str] = {}
    for topic in _extra.TOPICS:
        modules |= getattr(importlib.import_module(f"{__package__}.calls.{topic}"), "OWN_TESTS", {})
    return modules


def own_callables() -> list[str]:
    """Return the names of functions and classes, without second names and objects that are indexed."""
    return [
        name
        for name, topic in _extra.TOPIC_OF.items()
        if not topic.startswith("numpy_names.") and callable(getattr(sk, name))
    ]
