# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Index arrays that dask and xarray make on the host for arrays on a device.

``d[[3, 1]]`` is a list, which has no device; dask makes NumPy arrays of it, one for each chunk, and xarray makes one of
a label's places. Both give them to ``x[...]`` with no table to say otherwise. So NumPy's arrays in a key are put
beside the array where one of these libraries itself indexes; the same key of a user's function (of ``map_blocks``,
say) is refused as everywhere, and so are values to assign.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from skerry import _core

LIBRARIES = ("dask", "xarray")


def placed(x: _core.Array, key: Any) -> Any:
    """Return ``key`` with NumPy's arrays on the device of ``x`` if a library is who indexes, else as it is.

    Parameters
    ----------
    x : Array
        What is indexed.
    key : object
        An index or a tuple of them, with a NumPy array.

    Returns
    -------
    object
        The same for ``x``.

    """
    # The indexing itself is a slot of the type, without a frame.
    caller: str = sys._getframe(1).f_globals.get("__name__", "")
    if caller.partition(".")[0] not in LIBRARIES:
        return key
    if isinstance(key, tuple):
        return tuple(_on_device(x, part) for part in key)
    return _on_device(x, key)


def _on_device(x: _core.Array, part: Any) -> Any:
    if not isinstance(part, np.ndarray):
        return part
    if part.ndim == 0 and part.dtype.kind in "biufc":
        return part.item()
    return _core.asarray(np.ascontiguousarray(part), device="cpu:0").to_device(x.device)
