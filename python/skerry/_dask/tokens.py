# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Names that dask gives to arrays: by their elements, so that equal arrays on one device have one name."""

from __future__ import annotations

from typing import Any

import numpy as np
from dask.tokenize import normalize_token

from skerry import _core


def array_token(x: _core.Array) -> tuple[Any, ...]:
    """Return what an array's name is made of; the elements of a device are copied to the host for it."""
    host = np.ascontiguousarray(np.asarray(x.to_device("cpu"))).reshape(x.shape)
    return ("skerry.Array", str(x.device), normalize_token(host))


def device_token(device: _core.Device) -> tuple[str, str]:
    return ("skerry.Device", str(device))


def register() -> None:
    normalize_token.register(_core.Array, array_token)
    normalize_token.register(_core.Device, device_token)
