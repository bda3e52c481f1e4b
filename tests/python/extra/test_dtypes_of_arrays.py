# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``common_type`` and ``min_scalar_type``."""

import itertools

import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import to_device

NUMERIC = ("int8", "uint64", "float16", "float32", "float64", "complex64", "complex128")
NUMBERS = (0, 1, -1, 255, 256, -129, 2**40, 2**63, 1.5, 1e10, 1e300, 1j, 1e300j, True)


@pytest.mark.parametrize(
    "dtypes", [*itertools.product(NUMERIC, repeat=2), ("float16",), ()], ids=str
)
def test_common_type_equals_numpy(dtypes, device):
    arrays = [np.ones(2, dtype=dtype) for dtype in dtypes]
    assert sk.common_type(*(to_device(device, x) for x in arrays)) is np.common_type(*arrays)


def test_common_type_rejects_bool():
    with pytest.raises(TypeError) as raised:
        sk.common_type(sk.ones(2), sk.ones(2, dtype=bool))
    assert str(raised.value) == "common_type: an array is of bool; convert it with astype"


@pytest.mark.parametrize("number", NUMBERS)
def test_min_scalar_type_equals_numpy(number, device):
    assert sk.min_scalar_type(number) == np.min_scalar_type(number)
    host = np.asarray(number)
    assert sk.min_scalar_type(to_device(device, host)) == np.min_scalar_type(host)
    assert sk.min_scalar_type(to_device(device, host[None])) == host.dtype
