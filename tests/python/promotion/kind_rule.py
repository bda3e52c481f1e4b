# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The promotion rule for mixed kinds of dtypes, without skerry: bool < integer < real < complex."""

import numpy as np

from tests.python.oracle import kind_of

LEVELS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 2}
DEFAULTS = {"i": "int64", "f": "float64", "c": "complex128"}


def level(dtype):
    """Returns the level of a dtype: the standard defines promotion within a level. Real and complex dtypes share a level."""
    return LEVELS[kind_of(dtype)]


def common(*dtypes):
    """Returns the promoted dtype, or None. The highest level determines it by the standard's table, which equals NumPy's."""
    highest = max(map(level, dtypes))
    deciding = [np.dtype(name) for name in dtypes if level(name) == highest]
    kinds = {kind_of(dtype) for dtype in deciding}
    if kinds == {"i", "u"} and np.dtype("uint64") in deciding:
        return None
    if {"float16", "bfloat16"} <= {dtype.name for dtype in deciding}:  # NumPy rejects them
        deciding = [np.dtype("float32"), *(x for x in deciding if x.itemsize > 2)]
    return np.result_type(*deciding).name


def with_scalar(dtype, value):
    """Returns the dtype in which an array and a Python scalar are computed."""
    kind = kind_of(dtype)
    if isinstance(value, complex):
        return {"f": np.result_type(dtype, "complex64").name, "c": dtype}.get(kind, "complex128")
    if isinstance(value, float):
        return dtype if kind in "fc" else "float64"
    if isinstance(value, bool):
        return dtype
    return "int64" if kind == "b" else dtype


def computed_in(dtype, kinds):
    """Returns the dtype in which a function defined for some kinds ("iufc") is computed, or None."""
    own_kind = kind_of(dtype)
    if own_kind in kinds:
        return dtype
    for kind in "ifc":
        if kind in kinds and "biufc".index(kind) > "biufc".index(own_kind):
            return np.result_type(dtype, "complex64").name if own_kind == "f" else DEFAULTS[kind]
    return None
