# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Pickling: out-of-band data with protocol 5, and a fallback if the device does not exist in this process."""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from skerry import _core
from skerry._data_types import as_dtype
from skerry.exceptions import DeviceUnavailableError


def reduce_array(
    x: _core.Array, protocol: int
) -> tuple[Callable[..., _core.Array], tuple[Any, ...]]:
    """Implement ``Array.__reduce_ex__``."""
    host = np.ascontiguousarray(np.asarray(x.to_device("cpu"))).reshape(x.shape)
    data: Any = host.reshape(-1).view(np.uint8)
    data = pickle.PickleBuffer(data) if protocol >= 5 else data.tobytes()
    return restore, (data, x.shape, x.dtype.name, str(x.device))


def restore(data: Any, shape: tuple[int, ...], dtype: str, device: str) -> Any:
    """Restore a pickled array.

    It is placed on its original device. If that does not exist, it is placed on the default device with a warning; a
    dask worker gets an object that raises when it is used. SKERRY_UNPICKLE_DEVICE=default or cpu always selects the
    default device or the CPU.
    """
    element = as_dtype(dtype)
    flat = np.frombuffer(data, element) if shape == () or 0 not in shape else np.empty(0, element)
    host = flat.reshape(shape)
    try:
        target_device = device_here(device)
    except DeviceUnavailableError as error:
        if in_dask_worker():
            from skerry._dask.missing import Missing

            return Missing(str(error))
        target_device = default_device_instead_of(device)
    on_host = target_device if target_device.kind == "cpu" else _core.Device("cpu")
    x = _core.asarray(host, device=on_host, copy=None if host.flags.writeable else True)
    return x.to_device(target_device)


def choose_device(device: str) -> _core.Device:
    """Return the device of that name; if it does not exist, warn and return the default device."""
    try:
        return device_here(device)
    except DeviceUnavailableError:
        return default_device_instead_of(device)


def default_device_instead_of(device: str) -> _core.Device:
    substitute = _core.device_or_default("unpickle", None)
    warnings.warn(
        f"unpickle: this process has no {device}; the array is placed on {substitute}",
        RuntimeWarning,
        stacklevel=3,
    )
    return substitute


def in_dask_worker() -> bool:
    worker = getattr(sys.modules.get("distributed.worker"), "Worker", None)
    return bool(getattr(worker, "_instances", ()))


def device_here(device: str) -> _core.Device:
    """Return the device of that name, or the one that SKERRY_UNPICKLE_DEVICE selects instead.

    Raises
    ------
    DeviceUnavailableError
        If this process has no device of that name.

    """
    mode = os.environ.get("SKERRY_UNPICKLE_DEVICE")
    if mode == "cpu":
        return _core.Device("cpu")
    if mode == "default":
        return _core.device_or_default("unpickle", None)
    try:
        _core.empty((0,), device=device)
    except DeviceUnavailableError as error:
        here = ", ".join(str(available_device) for available_device in _core.devices())
        raise DeviceUnavailableError(
            f"can't restore an array on {device} in process {os.getpid()}, which has only {here}; start it with that "
            "device, send x.to_device('cpu'), or set SKERRY_UNPICKLE_DEVICE=default (or cpu) for it"
        ) from error
    return _core.Device(device)
