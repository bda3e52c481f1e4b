# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tokens by which dask names arrays: by their elements, so that equal arrays on a device have the same name."""

from __future__ import annotations

from typing import Any

import numpy as np
from dask.tokenize import normalize_token

from skerry import _core


def array_token(x: _core.Array) -> tuple[Any, ...]:
    """Return the token of an array, for which its elements are copied to the host."""
    host = np.ascontiguousarray(np.asarray(x.to_device("cpu"))).reshape(x.shape)
    return ("skerry.Array", str(x.device), normalize_token(host))


def device_token(device: _core.Device) -> tuple[str, str]:
    return ("skerry.Device", str(device))


def register() -> None:
    normalize_token.register(_core.Array, array_token)
    normalize_token.register(_core.Device, device_token)
