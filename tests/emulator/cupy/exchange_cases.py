# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry and CuPy exchange arrays without a copy: run by test_cupy.py in a new process."""

import cupy as cp
import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

DTYPES = ["float32", "float64", "int8", "int64", "uint16", "bool", "complex64", "complex128"]


class Interface:
    """An array that offers only __cuda_array_interface__."""

    def __init__(self, array):
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._array.__cuda_array_interface__


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("protocol", ["dlpack", "interface"])
def test_from_skerry(protocol, dtype, device):
    host = (np.arange(12) % 3).astype(dtype).reshape(3, 4)
    x = sk.asarray(host, device=f"cuda:{device}")
    with cp.cuda.Device(device):
        y = cp.from_dlpack(x) if protocol == "dlpack" else cp.asarray(Interface(x))
        assert y.device.id == device
        assert y.dtype == dtype
        assert y.data.ptr == x.__cuda_array_interface__["data"][0]
        np.testing.assert_array_equal(cp.asnumpy(y), host)


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("protocol", ["dlpack", "interface", "asarray"])
def test_from_cupy(protocol, dtype, device):
    host = (np.arange(12) % 3).astype(dtype).reshape(3, 4)
    with cp.cuda.Device(device):
        x = cp.asarray(host)
        take = {
            "dlpack": sk.from_dlpack,
            "interface": lambda array: sk.asarray(Interface(array)),
            "asarray": sk.asarray,
        }[protocol]
        y = take(x)
    assert str(y.device) == f"cuda:{device}"
    assert y.__cuda_array_interface__["data"][0] == x.data.ptr
    np.testing.assert_array_equal(y.to_device("cpu").__array__(), host)


@pytest.mark.parametrize("protocol", ["dlpack", "interface"])
def test_strided_views(protocol):
    x = cp.arange(24).reshape(4, 6)[::2, 1:5]
    y = sk.from_dlpack(x) if protocol == "dlpack" else sk.asarray(Interface(x))
    np.testing.assert_array_equal(y.to_device("cpu").__array__(), cp.asnumpy(x))
    z = cp.from_dlpack(y[:, 1:]) if protocol == "dlpack" else cp.asarray(Interface(y[:, 1:]))
    np.testing.assert_array_equal(cp.asnumpy(z), cp.asnumpy(x[:, 1:]))


def test_writes_are_seen_in_stream_order():
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        x = cp.zeros(100000)
        x += 1
        y = sk.from_dlpack(x)
    z = y + 1
    assert float(z.sum()) == 200000.0
    x = cp.from_dlpack(z)
    x *= 2
    assert float(cp.asnumpy(x).sum()) == 400000.0


def test_managed_memory_of_skerry():
    x = sk.zeros(1000, device="cuda:0", managed=True)
    y = cp.from_dlpack(x)
    y += 1
    assert np.asarray(x).tolist() == [1.0] * 1000
    z = cp.asarray(x)
    z *= 2
    assert float(x.sum()) == 2000.0


def test_managed_memory_of_cupy():
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        x = cp.arange(100.0)
    assert x.__dlpack_device__()[0] == 13
    for y in (sk.from_dlpack(x), sk.asarray(x)):
        assert instruments.is_managed(y)
        y += 1
        assert np.asarray(y)[99] == float(x[99])
