# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The rule by which kinds of dtypes mix, said without skerry: bool < integer < real < complex."""

import numpy as np

LEVELS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 2}
DEFAULTS = {"i": "int64", "f": "float64", "c": "complex128"}


def level(dtype):
    """Within a level the standard has a table; real and complex dtypes share one."""
    return LEVELS[np.dtype(dtype).kind]


def common(*dtypes):
    """What dtypes promote to, or None: the highest level decides by the standard's table, which is NumPy's there."""
    highest = max(map(level, dtypes))
    deciding = [np.dtype(name) for name in dtypes if level(name) == highest]
    kinds = {dtype.kind for dtype in deciding}
    if kinds == {"i", "u"} and np.dtype("uint64") in deciding:
        return None
    return np.result_type(*deciding).name


def with_scalar(dtype, value):
    """What an array and a Python scalar are computed in."""
    kind = np.dtype(dtype).kind
    if isinstance(value, complex):
        return {"f": np.result_type(dtype, "complex64").name, "c": dtype}.get(kind, "complex128")
    if isinstance(value, float):
        return dtype if kind in "fc" else "float64"
    if isinstance(value, bool):
        return dtype
    return "int64" if kind == "b" else dtype


def computed_in(dtype, kinds):
    """What a function that is defined for some kinds ("iufc") computes a dtype in, or None."""
    own_kind = np.dtype(dtype).kind
    if own_kind in kinds:
        return dtype
    for kind in "ifc":
        if kind in kinds and "biufc".index(kind) > "biufc".index(own_kind):
            return np.result_type(dtype, "complex64").name if own_kind == "f" else DEFAULTS[kind]
    return None
