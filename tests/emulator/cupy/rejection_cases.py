# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What CuPy can't do on the emulated GPU raises: run by test_cupy.py in a new process."""

import cupy as cp
import pytest

CODE = 'extern "C" __global__ void f(float* x) {}'


def test_functions_that_are_missing_are_named():
    with pytest.raises(NotImplementedError, match="mallocArray: not supported on the emulated"):
        cp.cuda.runtime.mallocArray(0, 1, 1)
    with pytest.raises(NotImplementedError, match="ipcGetMemHandle: not supported on the emulated"):
        cp.cuda.runtime.ipcGetMemHandle(0)


def test_texture_memory_is_rejected():
    kind = cp.cuda.runtime.cudaChannelFormatKindFloat
    with pytest.raises(NotImplementedError, match="malloc3DArray"):
        cp.cuda.texture.CUDAarray(cp.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, kind), 8)


def test_jitify_is_rejected():
    with (
        pytest.warns(DeprecationWarning, match="jitify"),
        pytest.raises(
            NotImplementedError, match=r"cupy\.cuda\.jitify\._init_module: .*machine code"
        ),
    ):
        cp.RawModule(code=CODE, jitify=True).get_function("f")


def test_calls_of_cub_are_rejected():
    from cupy.cuda import cub

    x = cp.arange(4.0)
    with pytest.raises(NotImplementedError, match=r"cub\.device_scan: .*machine code"):
        cub.device_scan(x, 0)
