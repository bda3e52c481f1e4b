# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry's arrays in memory resources of cuda.core: run by test_graphs_and_pools.py in a new process."""

import pytest
import skerry as sk
from cuda.core import (
    Device,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    ManagedMemoryResource,
)

from tests.python.interchange.allocator_models import allocator


@pytest.mark.parametrize("ordinal", [0, 1])
@pytest.mark.parametrize("options", [None, DeviceMemoryResourceOptions()])
def test_arrays_are_in_memory_of_the_resource(options, ordinal):
    device = Device(ordinal)
    device.set_current()
    resource = DeviceMemoryResource(device, options) if options else DeviceMemoryResource(device)
    used = resource.attributes.used_mem_current
    name = f"cuda:{ordinal}"
    stream = sk.Stream(name)
    with allocator(resource, name):
        x = sk.arange(10_000, dtype="int64", device=name)
        assert resource.attributes.used_mem_current > used
        with stream:
            y = x * 2
        assert y[-1].item() == 2 * 9999
        del x, y
    sk.synchronize(name)
    assert resource.attributes.used_mem_current == used


def test_managed_memory():
    Device(0).set_current()
    with allocator(ManagedMemoryResource(), "cuda:0"):
        x = sk.ones(100, device="cuda:0")
        assert (x + 1).tolist() == [2] * 100


def test_memory_of_another_device_is_rejected():
    Device(0).set_current()
    with (
        allocator(DeviceMemoryResource(Device(1)), "cuda:0"),
        pytest.raises(ValueError, match="memory of the device of CUDA ordinal 1"),
    ):
        sk.ones(100, device="cuda:0")


def test_out_of_memory_counts_the_memory_of_others():
    device = Device(0)
    device.set_current()
    buffer = DeviceMemoryResource(device).allocate(1 << 30, stream=device.default_stream)
    with pytest.raises(
        sk.exceptions.OutOfMemoryError, match=r"1\.00 GiB held by others; pool 0 bytes"
    ):
        sk.empty(1 << 33, dtype="uint8", device="cuda:0")
    buffer.close()
