# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""StridedMemoryView of cuda.core, on the emulated GPU."""

from tests.cai_suite.adapters.emulated_memory import memory, read, slow_stream  # isort: skip

import cuda.core
import numpy as np
from cuda.core.utils import StridedMemoryView

title = f"cuda.core {cuda.core.__version__}"
keeps_owner = reads_attribute = True
__all__ = ["memory", "read", "slow_stream"]


def consume(producer):
    return StridedMemoryView.from_cuda_array_interface(producer, stream_ptr=1)


def values(view):
    dtype = np.dtype(view.dtype)
    strides = view.strides and tuple(n * dtype.itemsize for n in view.strides)
    pointer = (view.ptr, view.readonly)
    description = {"shape": tuple(view.shape), "typestr": dtype.str, "data": pointer}
    return read(description | {"strides": strides, "version": 3})


def is_read_only(view):
    return view.readonly
