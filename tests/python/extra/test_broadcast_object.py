# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The object ``broadcast``."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python.oracle import to_device

X, Y = np.arange(3.0), np.arange(2).reshape(2, 1)


@pytest.mark.parametrize("arrays", [(X, Y), (X,), (X, 2.5), (np.empty((0, 3)), X), (1, 2)], ids=len)
def test_attributes_equal_numpy(arrays, device):
    got = sk.broadcast(*(to_device(device, x) if isinstance(x, np.ndarray) else x for x in arrays))
    want = np.broadcast(*arrays)
    for name in ("shape", "size", "nd", "ndim", "numiter"):
        assert getattr(got, name) == getattr(want, name), name
    assert [tuple(float(x) for x in items) for items in got] == [
        tuple(map(float, items)) for items in want
    ]
    assert {x.shape for x in got.values} == {want.shape}


def test_literals_go_to_the_device_of_the_arrays(device):
    values = sk.broadcast(to_device(device, X), 2, [[1], [2]]).values
    assert [x.device for x in values] == [sk.Device(device)] * 3


def test_errors():
    with pytest.raises(ValueError, match="shapes \\(3,\\) and \\(2,\\) cannot be broadcast"):
        sk.broadcast(sk.ones(3), sk.ones(2))
    with pytest.raises(DeviceMismatchError, match="broadcast"):
        sk.broadcast(sk.ones(3), sk.ones(3, device="cuda:0"))
    with pytest.raises(
        TypeError, match=r"^broadcast: takes arrays, numbers and lists of numbers, not str$"
    ):
        sk.broadcast(sk.ones(3), "text")
