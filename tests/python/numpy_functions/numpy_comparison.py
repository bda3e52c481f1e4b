# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Operands on a device, and comparison of results with NumPy's."""

from types import SimpleNamespace

import numpy as np
import skerry as sk

from tests.python.numpy_functions.numpy_calls import HOST
from tests.python.oracle import to_device, to_numpy

PLACES = ["cpu:0", "cpu:1", "cuda:0"]


def arrays(device=None):
    """Returns the operands as NumPy's arrays, or on a device."""
    operands = (
        HOST if device is None else {name: to_device(device, host) for name, host in HOST.items()}
    )
    return SimpleNamespace(**operands)


def assert_alike(got, want, device):
    """Equal up to rounding, and an array on the device where NumPy returns an array or NumPy scalar."""
    if isinstance(want, (tuple, list)):
        assert isinstance(got, (tuple, list))
        assert len(got) == len(want)
        for actual, theirs in zip(got, want, strict=True):
            assert_alike(actual, theirs, device)
    elif isinstance(want, (np.ndarray, np.generic)) and not isinstance(want, np.bool_):
        assert type(got) is sk.Array
        assert got.device == sk.Device(device)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(to_numpy(got), want, rtol=1e-6, atol=1e-9)
        assert got.shape == want.shape
    elif isinstance(got, sk.Array):
        assert got.device == sk.Device(device)
        assert got.item() == want
    else:
        assert got == want
        assert type(got) in (bool, int, tuple) or isinstance(got, np.dtype)
