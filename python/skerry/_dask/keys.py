# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Index arrays that dask makes on the host for chunks on a device.

``d[[3, 1]]`` is a list, which has no device; dask makes NumPy arrays of it, one for each chunk, and gives them to
``chunk[...]`` with no table to say otherwise. So such a key is put beside the chunk where dask itself indexes; the same
key of a user's function (of ``map_blocks``, say) is refused as everywhere.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from skerry import _core


def placed(x: _core.Array, key: Any) -> Any:
    """Return ``key`` with NumPy's arrays on the device of ``x`` if dask is who indexes, else as it is.

    Parameters
    ----------
    x : Array
        What is indexed.
    key : object
        An index, or a tuple of them, with a NumPy array.

    Returns
    -------
    object
        A key for ``x``.
    """
    # The indexing itself is a slot of the type, without a frame.
    caller = sys._getframe(1).f_globals.get("__name__", "")
    if not caller.startswith("dask."):
        return key
    if isinstance(key, tuple):
        return tuple(_on_device(x, part) for part in key)
    return _on_device(x, key)


def _on_device(x: _core.Array, part: Any) -> Any:
    if not isinstance(part, np.ndarray):
        return part
    return _core.asarray(np.ascontiguousarray(part), device="cpu:0").to_device(x.device)
