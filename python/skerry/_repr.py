# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``repr`` and HTML of arrays, with dtype and device. At most the edges of large arrays are shown and read."""

from __future__ import annotations

import functools
import html
import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from skerry import _core
from skerry._data_types import is_bfloat16, kind_of

THRESHOLD = 1000
EDGE = 3
PREFIX = "Array("
PRECISION = 8
# NumPy's print options that change the text of a number, and their defaults.
_changes = operator.itemgetter("precision", "floatmode", "sign", "formatter", "legacy")
_USUAL = (PRECISION, "maxprec", "-", None, False)


def _edges(x: _core.Array, axis: int = 0) -> npt.NDArray[Any]:
    """Copy ``x`` to the host with long axes cut to seven elements: three at each end and one that is not shown."""
    if axis == x.ndim:
        return np.asarray(x.to_device("cpu"))
    if x.shape[axis] <= 2 * EDGE + 1:
        return _edges(x, axis + 1)
    leading_slices = (slice(None),) * axis
    head = _edges(x[(*leading_slices, slice(None, EDGE + 1))], axis + 1)
    tail = _edges(x[(*leading_slices, slice(-EDGE, None))], axis + 1)
    return np.concatenate([head, tail], axis=axis)


def _text_of_one(x: _core.Array) -> str | None:
    """Format a 0-d array like ``array2string``, but faster; None for dtypes, numbers or options not handled here."""
    dtype = x.dtype
    kind = kind_of(dtype)
    options: Mapping[str, Any] = np.get_printoptions()
    if kind not in "biuf" or is_bfloat16(dtype) or _changes(options) != _USUAL:
        return None
    value: Any = x.item()
    if kind != "f":
        return str(value)
    if not (value == 0 or 1e-4 <= abs(value) < 1e3):
        return None  # may need an exponent
    if dtype.itemsize == 8:
        text = repr(value)
        if len(text) - text.index(".") - 1 <= PRECISION:
            return text[:-1] if text.endswith(".0") else text
    return np.format_float_positional(dtype.type(value), precision=PRECISION, trim=".")


@functools.cache
def _about(dtype: np.dtype[Any], device: _core.Device) -> str:
    return f"dtype={dtype.name}, device='{device}')"


def array_repr(x: _core.Array) -> str:
    """Format as ``Array([1., 2.], dtype=float64, device='cpu:0')``."""
    about = _about(x.dtype, x.device)
    if x.ndim == 0 and (one := _text_of_one(x)) is not None:
        return f"{PREFIX}{one}, {about}"
    if x.size == 0:
        return f"{PREFIX}[], shape={x.shape}, {about}"
    summarised = x.size > THRESHOLD
    if summarised:
        shown = 1
        for n in x.shape:
            shown *= min(n, 2 * EDGE + 1)
        # Many short axes: the summary would still be too long.
        if shown > 10 * THRESHOLD:
            return f"{PREFIX}..., shape={x.shape}, {about}"
    host = _edges(x) if summarised else np.asarray(x.to_device("cpu"))
    body = np.array2string(
        host,
        separator=", ",
        prefix=PREFIX,
        threshold=0 if summarised else THRESHOLD,
        edgeitems=EDGE,
    )
    shape = f"shape={x.shape}, " if summarised else ""
    last_line = len(body) - body.rfind("\n") - 1
    gap = " " if last_line + len(shape) + len(about) < 88 else "\n" + " " * len(PREFIX)
    return f"{PREFIX}{body},{gap}{shape}{about}"


def _cell(value: object, tag: str = "td") -> str:
    return f"<{tag}>{html.escape(str(value))}</{tag}>"


def _row(values: Iterable[object], tag: str = "td") -> str:
    return "<tr>" + "".join(_cell(value, tag) for value in values) + "</tr>"


def _table(x: _core.Array) -> str:
    """Format the elements of a 1-D or 2-D array as an HTML table, with long axes cut as by ``_edges``."""
    host = _edges(x)
    cells = np.array([np.array2string(element) for element in host.ravel()], dtype=object)
    cells = cells.reshape(host.shape)
    if x.shape[-1] > host.shape[-1]:
        cells[..., EDGE] = "…"
    if x.ndim == 2 and x.shape[0] > host.shape[0]:
        cells[EDGE] = "⋮"
    return "<table>" + "".join(map(_row, np.atleast_2d(cells))) + "</table>"


def array_html(x: _core.Array) -> str:
    """Format for a notebook: the array's attributes and a table of its elements, or of those at its edges.

    No other elements are read from the device. Arrays without axes or with more than two are shown as their ``repr``.
    """
    facts = {"shape": x.shape, "dtype": x.dtype.name, "device": x.device, "bytes": f"{x.nbytes:,}"}
    about = "<table>" + _row(facts, "th") + _row(facts.values()) + "</table>"
    if x.ndim in (1, 2) and x.size > 0:
        return f"<div>{about}{_table(x)}</div>"
    return f"<div>{about}<pre>{html.escape(array_repr(x))}</pre></div>"
