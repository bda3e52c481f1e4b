# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry's arrays in managed memory in kernels of Numba and buffers of cuda.core: run by test_users_kernels.py."""

import numpy as np
import pytest
import skerry as sk
from cuda.core import Device, ManagedMemoryResource
from cuda.core.utils import StridedMemoryView
from numba import cuda
from skerry.testing import instruments

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*NumbaPerformanceWarning|.*under-utilization|.*copy overhead"
)


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@pytest.mark.parametrize("ordinal", [0, 1])
def test_numba_and_the_host_use_an_array_in_turn(ordinal):
    with cuda.gpus[ordinal]:
        x = sk.zeros(1000, "float32", device=f"cuda:{ordinal}", managed=True)
        view = np.asarray(x)
        for i in range(3):
            view[0] = 10 * i
            add_one[8, 128](x)
            view = np.asarray(x)  # waits for the kernel, which runs on the current stream
            assert view[0] == 10 * i + 1
        assert view[1:].tolist() == [3.0] * 999


def test_managed_arrays_of_numba_are_imported():
    with cuda.gpus[0]:
        theirs = cuda.managed_array(100, dtype="float64")
        theirs[:] = 2
        x = sk.as_cuda_array(theirs)
        assert instruments.is_managed(x)
        x += 1
        assert np.asarray(x).tolist() == [3.0] * 100
        assert theirs[0] == 3


@pytest.mark.parametrize("ordinal", [0, 1])
def test_cuda_core_takes_arrays_by_dlpack(ordinal):
    Device(ordinal).set_current()
    x = sk.ones((3, 4), device=f"cuda:{ordinal}", managed=True)
    view = StridedMemoryView.from_any_interface(x, stream_ptr=-1)
    assert view.is_device_accessible
    assert (view.ptr, view.shape) == (x.data.ptr, (3, 4))


def test_managed_buffers_of_cuda_core_are_imported():
    device = Device(0)
    device.set_current()
    buffer = ManagedMemoryResource().allocate(64, stream=device.default_stream)
    x = sk.from_dlpack(buffer)
    assert instruments.is_managed(x)
    x[...] = 5
    assert set(np.asarray(x).tolist()) == {5}
    del x
    buffer.close()
