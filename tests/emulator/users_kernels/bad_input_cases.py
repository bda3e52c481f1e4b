# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Invalid images, launches and arguments of cuda.core have CUDA's error and a remedy: run by test_bad_kernel_input.py."""

import ctypes

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, ObjectCode, Program, ProgramOptions, launch

HEAD = ".version {version}\n.target sm_{target}\n.address_size 64\n"
KERNEL = ".visible .entry k(.param .u64 p)\n{ ret; }\n"
CODE = (
    'extern "C" __global__ void write(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }'
)


@pytest.fixture(autouse=True)
def device():
    device = Device(0)
    device.set_current()
    return device


@pytest.fixture
def write(device):
    options = ProgramOptions(arch=f"sm_{device.arch}")
    return Program(CODE, code_type="c++", options=options).compile("cubin").get_kernel("write")


def ptx(version="8.0", target="80", kernel=KERNEL):
    return ObjectCode.from_ptx((HEAD.format(version=version, target=target) + kernel).encode())


@pytest.mark.parametrize(
    ("image", "error", "remedy"),
    [
        (
            ObjectCode.from_cubin(b"\x7fELF\2\1\1\0" + bytes(200)),
            "NO_BINARY_FOR_GPU",
            "machine code",
        ),
        (ObjectCode.from_cubin(b"\0" * 100), "INVALID_IMAGE", "image"),
        (ObjectCode.from_fatbin(b"\x50\xed\x55\xba" + bytes(40)), "INVALID_IMAGE", "fat binary"),
        (ptx(version="99.0"), "UNSUPPORTED_PTX_VERSION", "99.0"),
        (ptx(target="130"), "NO_BINARY_FOR_GPU", "130"),
        (ptx(kernel=".visible .entry k(\n"), "INVALID_PTX", ""),
    ],
)
def test_an_invalid_image_is_rejected(image, error, remedy, capfd):
    with pytest.raises(Exception, match=f"CUDA_ERROR_.*{error}"):
        image.get_kernel("k")
    assert remedy in capfd.readouterr().err


def test_a_launch_that_exceeds_a_limit_is_rejected(device, write, capfd):
    buffer = device.allocate(4096, stream=device.default_stream)
    for grid, block, shared, remedy in (
        (1, 1025, 0, "at most 1024"),
        ((1, 65536), 32, 0, "a grid of (1,65536,1) blocks"),
        (1, 32, 1 << 20, "bytes of shared memory, the limit is"),
    ):
        config = LaunchConfig(grid=grid, block=block, shmem_size=shared)
        with pytest.raises(Exception, match="CUDA_ERROR_INVALID_VALUE"):
            launch(device.default_stream, config, write, buffer, np.int32(32))
        assert remedy in capfd.readouterr().err
    # The device still works.
    launch(device.default_stream, LaunchConfig(grid=1, block=32), write, buffer, np.int32(32))
    device.sync()
    buffer.close()


def test_wrong_arguments_are_rejected(device, write):
    config = LaunchConfig(grid=1, block=32)
    with pytest.raises(TypeError):
        launch(device.default_stream, config, write, object(), np.int32(32))
    handle = driver.CUfunction(int(write.handle))
    status = driver.cuLaunchKernel(handle, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0)
    assert status[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE


def test_a_host_pointer_is_reported(device, write, capfd):
    host_buffer = (ctypes.c_float * 32)()
    address = ctypes.addressof(host_buffer)
    launch(
        device.default_stream,
        LaunchConfig(grid=1, block=32),
        write,
        np.uint64(address),
        np.int32(32),
    )
    with pytest.raises(Exception, match=r"(?i)illegal_?address"):
        device.sync()
    said = capfd.readouterr().err
    assert f"write of 4 bytes of global memory at {address:#x}" in said
    assert "it is a host pointer" in said
