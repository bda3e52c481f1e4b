# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""numba-cuda on the emulated GPU, as a producer and as a consumer."""

from tests.cai_suite.adapters.emulated_memory import memory, read, slow_stream  # isort: skip

# numba.cuda is then that of numba-cuda.
import _numba_cuda_redirector  # noqa: F401  # isort: skip

import numba_cuda
import numpy as np
from numba import cuda

title = f"numba-cuda {numba_cuda.__version__}"
keeps_owner = reads_attribute = True
__all__ = ["memory", "read", "slow_stream"]


def array(host):
    return cuda.to_device(host)


def broadcast(x, shape):
    """Return what Numba makes of a broadcast array."""
    strides = (0,) * (len(shape) - x.ndim) + x.strides
    description = x.__cuda_array_interface__ | {"shape": shape, "strides": strides}
    return cuda.from_cuda_array_interface(description, owner=x)


def host_array():
    return np.ones(3)


def consume(producer):
    return cuda.as_cuda_array(producer)


def values(view):
    cuda.synchronize()
    description = view.__cuda_array_interface__
    return read(description | {"strides": view.strides, "stream": None})


def is_read_only(view):
    """Return what the array, which users can write to, says of its memory."""
    return view.__cuda_array_interface__["data"][1]
