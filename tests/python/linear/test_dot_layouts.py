# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""dot and inner of vectors and matrices with strides of any sign, 0 included, and of all short lengths, beside NumPy."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, to_device, to_numpy

STEPS = (1, 2, 3, -1, -2, 0)
LENGTHS = (0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200)


def stepped(host, x, length, step):
    """Returns a view of a vector and of its copy on a device."""
    if step == 0:
        return np.broadcast_to(host[:1], (length,)), sk.broadcast_to(x[:1], (length,))
    if step > 0:
        return host[1:][::step][:length], x[1:][::step][:length]
    return host[:-1][::step][:length], x[:-1][::step][:length]


@pytest.mark.parametrize("ranks", [(1, 1), (2, 1), (1, 2), (2, 2)])
@loop_over("step", STEPS)
@loop_over("dtype", DTYPES)
def test_dot_and_inner_of_any_strides_equal_numpy(dtype, step, ranks, device):
    """Small integers make every order of additions exact."""
    rng = np.random.default_rng(3)
    hosts = [rng.integers(0, 3, 640).astype(dtype) for _ in range(2)]
    copies = [to_device(device, host) for host in hosts]
    for length in LENGTHS:
        other = STEPS[length % len(STEPS)]
        a, x = stepped(hosts[0], copies[0], length, step)
        b, y = stepped(hosts[1], copies[1], length, other)
        if ranks[0] == 2:
            a, x = np.stack([a, a, a]), sk.stack([x, x, x])
        if ranks[1] == 2:
            b, y = np.stack([b, b], axis=1), sk.stack([y, y], axis=1)
        for name, right, ours in (("dot", b, y), ("inner", b.T, y.T if ranks[1] == 2 else y)):
            want, got = getattr(np, name)(a, right), getattr(sk, name)(x, ours)
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            assert np.array_equal(to_numpy(got), want), (name, length, step, other)
