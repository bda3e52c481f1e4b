# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``repr`` of arrays: dtype and device, and of large arrays the edges only, which alone are read from the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from skerry import _core

THRESHOLD = 1000
EDGE = 3
PREFIX = "Array("


def _edges(x: _core.Array, axis: int = 0) -> npt.NDArray[Any]:
    """Copy ``x`` to the host with long axes cut to seven: three at each end and one that is never shown."""
    if axis == x.ndim:
        return np.asarray(x.to_device("cpu"))
    if x.shape[axis] <= 2 * EDGE + 1:
        return _edges(x, axis + 1)
    before = (slice(None),) * axis
    head = _edges(x[(*before, slice(None, EDGE + 1))], axis + 1)
    tail = _edges(x[(*before, slice(-EDGE, None))], axis + 1)
    return np.concatenate([head, tail], axis=axis)


def array_repr(x: _core.Array) -> str:
    """Write as ``Array([1., 2.], dtype=float64, device='cpu:0')``."""
    about = f"dtype={x.dtype.name}, device='{x.device}')"
    if x.size == 0:
        return f"{PREFIX}[], shape={x.shape}, {about}"
    summarised = x.size > THRESHOLD
    if summarised:
        shown = 1
        for n in x.shape:
            shown *= min(n, 2 * EDGE + 1)
        # Many short axes: nothing that could be left out would make it short.
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
