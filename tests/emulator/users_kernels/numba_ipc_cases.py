# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays of Numba in two processes: run by test_ipc.py."""

import ctypes
import pickle
import subprocess
import sys

import numpy as np
import pytest
from numba import cuda

from tests.emulator.users_kernels.test_users_kernels import REDIRECT, START

CHILD = """
import ctypes, pickle
from cuda.bindings import driver
from numba import cuda
from numba.cuda.cudadrv.devicearray import IpcArrayHandle
from numba.cuda.cudadrv.driver import IpcHandle

# numba-cuda 0.30.4 can't pickle the handles of cuda.bindings 13.5, so they are sent as bytes.
data, fields, description = pickle.load(sys.stdin.buffer)
memory = driver.CUipcMemHandle()
ctypes.memmove(memory.getPtr(), data, 64)
handle = IpcArrayHandle(IpcHandle(None, memory, **fields), description)

@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2

with handle as x:
    double[1, 128](x)
    cuda.synchronize()
    print(x.copy_to_host().tolist())
"""


@pytest.mark.parametrize("index", [slice(None), slice(20, 60)], ids=str)
def test_another_process_runs_a_kernel_on_an_array(index):
    x = cuda.to_device(np.arange(100.0))
    handle = x[index].get_ipc_handle()
    memory = handle._ipc_handle
    fields = {name: getattr(memory, name) for name in ("size", "source_info", "offset")}
    sent = ctypes.string_at(memory.handle.getPtr(), 64), fields, handle._array_desc
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", START + REDIRECT + CHILD],
        input=pickle.dumps(sent),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    expected = np.arange(100.0)
    expected[index] *= 2
    assert done.stdout.decode().strip() == str(expected[index].tolist())
    np.testing.assert_array_equal(x.copy_to_host(), expected)
