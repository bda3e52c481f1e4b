# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Pickling: elements out of band with protocol 5, and arrays that open where their device is missing."""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from skerry import _core
from skerry.exceptions import DeviceUnavailableError


def reduce_array(
    x: _core.Array, protocol: int
) -> tuple[Callable[..., _core.Array], tuple[Any, ...]]:
    """Return what ``Array.__reduce_ex__`` gives to pickle."""
    host = np.ascontiguousarray(np.asarray(x.to_device("cpu"))).reshape(x.shape)
    data: Any = host.reshape(-1).view(np.uint8)
    data = pickle.PickleBuffer(data) if protocol >= 5 else data.tobytes()
    return restore, (data, x.shape, x.dtype.name, str(x.device))


def restore(data: Any, shape: tuple[int, ...], dtype: str, device: str) -> _core.Array:
    """Make the array again.

    On the device it was on where that exists, else with a warning on the default one. SKERRY_UNPICKLE_DEVICE=default or
    cpu always takes the default device, or the CPU.
    """
    flat = np.frombuffer(data, dtype=dtype) if shape == () or 0 not in shape else np.empty(0, dtype)
    host = flat.reshape(shape)
    where = choose_device(device)
    on_host = where if where.kind == "cpu" else _core.Device("cpu")
    x = _core.asarray(host, device=on_host, copy=None if host.flags.writeable else True)
    return x.to_device(where)


def choose_device(device: str) -> _core.Device:
    mode = os.environ.get("SKERRY_UNPICKLE_DEVICE", "same")
    if mode not in ("same", "default", "cpu"):
        raise ValueError(f"SKERRY_UNPICKLE_DEVICE: unknown: {mode!r}; known are same, default, cpu")
    if mode == "cpu":
        return _core.Device("cpu")
    if mode == "default":
        return _core.default_device()
    try:
        _core.empty((0,), device=device)
    except DeviceUnavailableError:
        substitute = _core.default_device()
        warnings.warn(
            f"unpickle: an array of {device}, which is not here; it goes to {substitute}",
            RuntimeWarning,
            stacklevel=3,
        )
        return substitute
    return _core.Device(device)
