# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy on the emulated GPU, as a producer and as a consumer."""

from tests.cai_suite.adapters.emulated_memory import memory, read, slow_stream  # isort: skip

import cupy
import numpy as np

title = f"CuPy {cupy.__version__}"
keeps_owner = reads_attribute = True
__all__ = ["memory", "read", "slow_stream"]


def array(host):
    return cupy.asarray(host)


def broadcast(x, shape):
    return cupy.broadcast_to(x, shape)


def host_array():
    return np.ones(3)


def pending(host):
    x = cupy.asarray(host)
    x += 1
    return x, host + 1


def synchronize(stream):
    cupy.cuda.runtime.streamSynchronize(stream)


def consume(producer):
    return cupy.asarray(producer)


def values(view):
    return cupy.asnumpy(view)


def is_read_only(view):
    """Return what the array, which users can write to, says of its memory."""
    return view.__cuda_array_interface__["data"][1]
