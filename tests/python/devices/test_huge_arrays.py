# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays of more than 2**31 elements and more than 4 GiB, once per family: SKERRY_TEST_HUGE=<GiB allowed per test>.

Checks values on both sides of 2**31 elements (or 4 GiB) and at the end, where a 32-bit index would have wrapped around.
plan_test takes the same paths with smaller arrays and a lower limit in every run of the C++ tests.
"""

import gc
import itertools
import os

import numpy as np
import pytest
import skerry as sk

from tests.python.session import HAS_GPU

ALLOWED = float(os.environ.get("SKERRY_TEST_HUGE", "0"))
DEVICES = ["cpu:0", "cuda:0"]

MANY = (1 << 31) + (1 << 20) + 4099  # one-byte elements
WIDE = (1 << 30) + 4099  # four-byte elements
#: Positions that differ from the fill value.
MARKS = (0, (1 << 31) - 1, 1 << 31, MANY - 1)
WIDE_MARKS = (0, (1 << 30) - 1, 1 << 30, WIDE - 1)


def marked(device, size, dtype, marks, value=3):
    x = sk.zeros((size,), dtype=dtype, device=device)
    for i in marks:
        x[i] = value
    return x


def has_marks(x, marks, value, rest):
    assert all(float(x[i]) == value for i in marks), [float(x[i]) for i in marks]
    between = [(a + b) // 2 for a, b in itertools.pairwise(marks) if b - a > 1]
    assert all(float(x[i]) == rest for i in between)


def rows(x):
    """Returns the first rows of 2**20 elements each: a matrix of more than 2**31 elements."""
    return sk.reshape(x[: 2049 << 20], (2049, 1 << 20))


# Each takes the int8 array x of MANY elements. CASES has the GiB of memory that it needs.
def add(x, device):
    has_marks(x + x, MARKS, 6, 0)


def add_scalar(x, device):
    has_marks(x + 5, MARKS, 8, 5)


def in_place(x, device):
    x += 2
    x *= x
    has_marks(x, MARKS, 25, 4)


def compare(x, device):
    has_marks(x > 1, MARKS, 1, 0)


def every_second(x, device):
    y = x[::2] + 1
    assert y.shape[0] == (MANY + 1) // 2
    assert int(y[1 << 30]) == 4


def reverse(x, device):
    y = sk.flip(x) + 0
    has_marks(y, tuple(MANY - 1 - i for i in reversed(MARKS)), 3, 0)


def transpose(x, device):
    y = rows(x).T + 0
    assert int(y[-1, 2047]) == int(y[0, 2048]) == 3
    assert int(y[0, 0]) == 3
    assert int(sk.sum(y)) == 9


def broadcast(x, device):
    y = rows(x) + sk.ones((1 << 20,), dtype=sk.int8, device=device)
    assert int(y[2047, -1]) == int(y[2048, 0]) == 4
    assert int(y[2048, 1]) == 1


def reduce_all(x, device):
    assert int(sk.sum(x)) == 12
    assert int(sk.max(x)) == 3
    assert int(sk.count_nonzero(x)) == 4
    assert bool(sk.any(x))
    x[MANY - 1] = 100
    assert int(sk.argmax(x)) == MANY - 1


def reduce_axes(x, device):
    m = rows(x)
    assert int(sk.sum(m, axis=1)[2048]) == 3
    assert int(sk.sum(m, axis=0)[-1]) == 3


def select_elements(x, device):
    has_marks(sk.where(x > 1, x, sk.asarray(9, dtype=sk.int8, device=device)), MARKS, 3, 9)


def mask(x, device):
    assert sk.nonzero(x)[0].shape == (4,)
    assert [int(i) for i in sk.nonzero(x)[0]] == list(MARKS)
    assert x[x > 1].shape == (4,)


def take(x, device):
    indices = sk.asarray(np.asarray(MARKS), device=device)
    assert int(sk.sum(sk.take(x, indices))) == 12
    x[indices] = sk.asarray(7, dtype=sk.int8, device=device)
    has_marks(x, MARKS, 7, 0)


def join(x, device):
    y = sk.concat([x, x[:10]])
    assert y.shape == (MANY + 10,)
    assert int(y[MANY]) == int(y[MANY - 1]) == 3


def roll(x, device):
    assert int(sk.roll(x, 1)[1 << 31]) == 3


def scan(x, device):
    y = sk.cumulative_sum(x, dtype=sk.int8)
    assert [int(y[i]) for i in MARKS] == [3, 6, 9, 12]


def sort(x, device):
    y = sk.sort(x)
    assert int(sk.sum(y[-4:])) == 12
    assert int(y[MANY - 5]) == 0


def unique(x, device):
    values, counts = sk.unique_counts(x)
    assert [int(v) for v in values] == [0, 3]
    assert [int(n) for n in counts] == [MANY - 4, 4]


def search(x, device):
    y = sk.searchsorted(sk.flip(x)[:1000] * 0, x[: 1 << 10])
    assert y.shape == (1 << 10,)
    assert (
        int(sk.searchsorted(sk.sort(x), sk.asarray([1], dtype=sk.int8, device=device))[0])
        == MANY - 4
    )


def cast(x, device):
    has_marks(sk.astype(x, sk.bool), MARKS, 1, 0)


def transfer(x, device):
    other = "cpu:0" if device != "cpu:0" else "cpu:1"
    has_marks(x.to_device(other), MARKS, 3, 0)


def strided_transfer(x, device):
    if device != "cpu:0":
        pytest.skip("packing is for transfers from the host")
    y = x[1::2].to_device("cuda:0")
    assert int(y[((1 << 31) - 1) // 2]) == 3


def matrix_product(x, device):
    y = rows(x) @ sk.ones((1 << 20, 1), dtype=sk.int8, device=device)
    assert int(y[2048, 0]) == int(y[2047, 0]) == 3


def tile(x, device):
    y = sk.tile(x[:2], (MANY // 2,))
    assert y.shape == (MANY - 1,)
    assert [int(y[i]) for i in (0, 1, (1 << 31) - 2, 1 << 31, MANY - 2)] == [
        3,
        0,
        3,
        3,
        0 if MANY % 2 else 3,
    ]


def repeat(x, device):
    y = sk.repeat(x[:2049], 1 << 20)
    assert y.shape == (2049 << 20,)
    assert int(sk.sum(y[: 1 << 20])) == 3 << 20
    assert int(sk.count_nonzero(y)) == 1 << 20
    assert int(y[-1]) == 0


def spread(x, device):
    assert float(sk.mean(sk.astype(x[MANY - 1000 :], sk.float32))) == pytest.approx(0.003)
    assert int(sk.min(x)) == 0
    assert int(sk.argmin(x)) == 1
    y = sk.diff(x)
    assert [int(y[i]) for i in ((1 << 31) - 2, (1 << 31) - 1, 1 << 31, MANY - 2)] == [3, 0, -3, 3]


def member(x, device):
    has_marks(sk.isin(x, sk.asarray([3, 5], dtype=sk.int8, device=device)), MARKS, 1, 0)


CASES = {
    add: 4.1, add_scalar: 4.1, in_place: 2.1, compare: 4.1, every_second: 3.1, reverse: 4.1, transpose: 4.1,
    broadcast: 4.1, reduce_all: 2.1, reduce_axes: 2.2, select_elements: 6.2, mask: 4.2, take: 2.1, join: 4.1, roll: 4.1,
    # Sums of int8 are int64 until they are cast; a GPU sorts the positions along with the elements.
    scan: 20.3, sort: 8.5, unique: 25.0 if HAS_GPU else 6.5, search: 8.5, cast: 4.1, transfer: 4.1, strided_transfer: 3.1,
    matrix_product: 4.5, tile: 4.1, repeat: 4.1, spread: 4.2, member: 4.1,
}  # fmt: skip


def require_memory(gib):
    if gib > ALLOWED:
        pytest.skip(f"needs {gib} GiB of memory: set SKERRY_TEST_HUGE={gib} or more")


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    if ALLOWED:
        gc.collect()
        for device in DEVICES:
            sk.trim(device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_more_than_2_31_elements(case, device):
    require_memory(CASES[case])
    case(marked(device, MANY, sk.int8, MARKS), device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["add", "slice", "sum", "transfer", "sort", "scan"])
def test_arrays_of_more_than_4_gib(name, device):
    require_memory({"sum": 4.1, "transfer": 8.2, "sort": 16.5}.get(name, 8.3))
    x = marked(device, WIDE, sk.float32, WIDE_MARKS)
    if name == "add":
        has_marks(x + 1.5, WIDE_MARKS, 4.5, 1.5)
    elif name == "slice":
        y = x[1:] - x[:-1]
        assert float(y[(1 << 30) - 2]) == 3
        assert float(y[-1]) == 3
    elif name == "sum":
        assert float(sk.sum(x)) == 12
    elif name == "transfer":
        other = "cpu:0" if device != "cpu:0" else "cpu:1"
        has_marks(x.to_device(other), WIDE_MARKS, 3, 0)
    elif name == "sort":
        assert float(sk.sum(sk.sort(x)[-4:])) == 12
    else:
        y = sk.cumulative_sum(x)
        assert [float(y[i]) for i in WIDE_MARKS] == [3, 6, 9, 12]


def whole_numbers(device):
    y = sk.arange(WIDE, dtype=sk.int32, device=device)
    assert [int(y[i]) for i in WIDE_MARKS] == list(WIDE_MARKS)


def transforms(device):
    """Transforms of 16 elements each: of a constant in the last row, of a unit impulse in another."""
    x = sk.zeros(((1 << 25) + 5, 16), dtype=sk.complex64, device=device)
    x[-1, :] = 1
    x[(1 << 25) - 1, 1] = 1
    y = sk.fft.fft(x)
    assert complex(y[-1, 0]) == 16
    assert complex(y[-1, 1]) == pytest.approx(0, abs=1e-5)
    assert complex(y[(1 << 25) - 1, 4]) == pytest.approx(-1j, abs=1e-6)
    assert complex(y[0, 0]) == 0


def determinants(device):
    count = (1 << 14) + 3
    x = sk.broadcast_to(sk.eye(256, dtype=sk.float32, device=device), (count, 256, 256)) + 0
    for i in (0, (1 << 14) - 1, 1 << 14, count - 1):
        x[i, 5, 5] = 3
    y = sk.linalg.det(x)
    assert [float(y[i]) for i in (0, 1, (1 << 14) - 1, 1 << 14, count - 2, count - 1)] == [
        3,
        1,
        3,
        3,
        1,
        3,
    ]


def product(device):
    x = sk.ones((1025, 1 << 20), dtype=sk.float32, device=device)
    y = x @ sk.ones((1 << 20, 2), dtype=sk.float32, device=device)
    assert y.shape == (1025, 2)
    assert [float(v) for v in y[:, 1][1022:]] == [float(1 << 20)] * 3


def order(device):
    n = (1 << 29) + 3
    x = sk.ones((n,), dtype=sk.int8, device=device)
    x[n - 1] = 0
    y = sk.argsort(x)
    assert [int(y[i]) for i in (0, 1, 1 << 29, n - 1)] == [n - 1, 0, (1 << 29) - 1, n - 2]


FAMILIES = {whole_numbers: 4.1, transforms: 8.3, determinants: 8.5, product: 4.2, order: 13.0}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_other_families_over_4_gib(family, device):
    require_memory(FAMILIES[family])
    family(device)
