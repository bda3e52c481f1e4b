# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tests the installed wheels of skerry and skerry-emulator: a kernel in PTX, and the report of a wrong access.

`make wheels` runs it after smoke_test.py, in the same environment with the emulator's wheel added.
"""

import ctypes

import numpy as np
import skerry as sk
from skerry_emulator import _libraries

KERNEL = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 array)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [array];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    add.u32 %r2, %r2, %r2;
    st.global.u32 [%rd3], %r2;
    ret;
}
"""
ILLEGAL_ADDRESS = 700  # CUDA_ERROR_ILLEGAL_ADDRESS

# The kernel needs no compiler. Under qemu, those of the machine that builds the wheels would be found.
_libraries.find_library = lambda _: None

sk.rehearse(cuda=1, kernels=True)
x = sk.arange(64, dtype=sk.int32, device="cuda:0")
cuda = ctypes.CDLL("libcuda.so.1")
module, function = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuModuleLoadData(ctypes.byref(module), KERNEL) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(function), module, b"twice") == 0


def launch(threads):
    """Launch the kernel in one block of `threads`; return the status of the wait for it."""
    address = ctypes.c_uint64(x.__cuda_array_interface__["data"][0])
    params = (ctypes.c_void_p * 1)(ctypes.addressof(address))
    sizes = (1, 1, 1, threads, 1, 1)
    assert cuda.cuLaunchKernel(function, *sizes, 0, None, params, None) == 0
    return cuda.cuCtxSynchronize()


assert launch(64) == 0
assert np.array_equal(np.asarray(x.to_device("cpu")), 2 * np.arange(64))
assert launch(65) == ILLEGAL_ADDRESS
print(f"skerry-emulator with skerry {sk.__version__}: a kernel, and the report of an access")
