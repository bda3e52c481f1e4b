# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of DLPack import."""

import numpy as np
import pytest
import skerry as sk

from tests.python.interchange import dlpack_structs as dl
from tests.python.interchange.dlpack_structs import Made


def pointer(x):
    if x.device.kind == "cuda":
        return x.__cuda_array_interface__["data"][0]
    return np.asarray(x).__array_interface__["data"][0]


def made_of(x, **changes):
    """Build a structure over a skerry array's memory, with changes."""
    tensor = dl.opened(x.__dlpack__(max_version=(1, 0))).tensor
    shape, strides, dtype = dl.described(tensor)
    step = dtype.itemsize
    settings = {
        "data": tensor.data,
        "shape": shape,
        "strides": [s // step for s in strides],
        "dtype": (tensor.dtype.code, tensor.dtype.bits, 1),
        "device": (tensor.device.type, tensor.device.index),
        "owner": x,
        **changes,
    }
    return Made(**settings)


def refused(structure, error=BufferError, match=None):
    """Check that the import raises, leaves the capsule unchanged and frees nothing; the capsule then frees once."""
    assert not dl.STRAY
    capsule = structure.capsule()
    name = dl.name_of(capsule)
    with pytest.raises(error, match=match) as caught:
        sk.from_dlpack(capsule)
    assert str(caught.value).startswith("from_dlpack: ")
    assert dl.name_of(capsule) == name
    assert structure.deleted == 0
    del capsule
    assert structure.deleted == 1
    assert not dl.STRAY
