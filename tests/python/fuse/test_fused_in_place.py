# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""In-place operations on arguments of a fused function: recorded if nothing else can see their memory."""

import contextlib

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401

X = np.linspace(0.5, 2, 1000)


def fresh():
    return [sk.asarray(X * k, copy=True) for k in (1, 2, 3)]


def address(x):
    return np.asarray(x).ctypes.data


def passes(function, *args):
    """Returns the number of operations of each pass."""
    counts = []
    with instruments.watched_passes(lambda operations, *_: counts.append(operations)):
        sk.fuse(function)(*args)
    return counts


def compare(run):
    """Asserts that the arguments have equal bits after an eager and a fused call, and did not move."""
    want, got = fresh(), fresh()
    addresses = [address(x) for x in got]
    run(*want)
    sk.fuse(run)(*got)
    for a, b in zip(want, got, strict=True):
        assert type(b) is sk.Array
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    assert [address(x) for x in got] == addresses


def update(weight, slope, mean):
    mean *= 0.9
    mean += 0.1 * slope
    weight -= 0.01 * mean / (sk.sqrt(slope) + 1)


def test_in_place_updates_of_arguments_are_one_pass():
    compare(update)
    assert passes(update, *fresh()) == [8]


def swap(x, y, z):
    old_x = x + 0.0
    x *= y
    y -= old_x
    z /= x + y
    x += old_x


def reduce_between(x, y, z):
    x *= 2
    y += sk.sum(x)
    x -= sk.max(x * y)
    z *= sk.sum(x, keepdims=True)


def read_in_other_shapes(x, y, z):
    outer = x[:, None] + y[:20]
    x *= 3
    y += sk.sum(outer, axis=1)
    z += x + outer[:, 3]


def view_between(x, y, z):
    x += 1
    part = x[10:20]
    part *= y[:10]
    y += x
    x[::2] += z[::2]
    z += x[::-1]
    x += x[::-1]


def many_operands(x, y, z):
    parts = [z[k:] for k in range(20)]
    x *= 2
    for k, part in enumerate(parts):
        y[k:] += part * x[k:]
        z *= 1.5
    for addend in [y + k for k in range(20)]:
        x += addend


def fill_up(x, y, z):
    for _ in range(3000):
        x *= 1.0001
        y += x


def other_dtypes(x, y, z):
    x += sk.arange(1000)
    y *= 2
    x -= sk.astype(y > 3, sk.int8)
    z *= x > 5


@pytest.mark.parametrize(
    "run",
    [swap, reduce_between, read_in_other_shapes, view_between, many_operands, fill_up, other_dtypes],
)  # fmt: skip
def test_in_place_updates_of_arguments_equal_eager_bits(run):
    compare(run)


def test_results_of_higher_precision_are_converted_in_place():
    """Each update rounds to the dtype of its target, in its memory, as an eager one does."""

    def run(single, double, half, short):
        single += double
        single *= single + double
        half -= single
        short += sk.astype(double, "int64") * 40000
        half *= half
        double += single

    def arguments():
        return [
            sk.asarray(X * k, dtype=name, copy=True)
            for k, name in enumerate(("f4", "f8", "f2", "i2"), 1)
        ]

    want, got = arguments(), arguments()
    addresses = [address(x) for x in got]
    run(*want)
    sk.fuse(run)(*got)
    for a, b in zip(want, got, strict=True):
        assert a.dtype == b.dtype
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    assert [address(x) for x in got] == addresses
    assert sum(passes(run, *arguments())) > 10


def test_aliases_observe_each_in_place_update():
    x, y, z = fresh()
    seen = np.asarray(x)
    view = y[5:]
    other = sk.from_dlpack(z)

    @sk.fuse
    def run(x, y, z):
        x *= 2
        assert seen[3] == X[3] * 2
        y *= 2
        assert float(view[3]) == X[8] * 4
        z *= 2
        assert float(other[3]) == X[3] * 6

    run(x, y, z)
    np.testing.assert_array_equal(seen, X * 2)


def test_in_place_updates_are_recorded_after_an_alias_is_gone():
    x, y, z = fresh()
    np.asarray(x)
    assert passes(update, z, y, x) == [8]


def test_in_place_updates_before_an_exception_take_effect():
    x, _, _ = fresh()

    @sk.fuse
    def run(x):
        x *= 2
        x += 1
        raise KeyError

    with pytest.raises(KeyError):
        run(x)
    np.testing.assert_array_equal(np.asarray(x), X * 2 + 1)


def test_failed_allocation_leaves_arguments_unchanged():
    x, y, _ = fresh()

    with contextlib.ExitStack() as stack:

        @sk.fuse
        def run(x, y):
            x *= 2
            product = y * x
            stack.enter_context(instruments.failing_allocation(from_then_on=True))
            return product

        with pytest.raises(MemoryError):
            run(x, y)
    assert type(x) is sk.Array
    np.testing.assert_array_equal(np.asarray(x), X)


def test_in_place_update_of_read_only_argument_raises():
    locked = X.copy()
    locked.flags.writeable = False
    frozen = sk.asarray(locked, copy=False)

    @sk.fuse
    def run(x):
        x *= 2

    for function in (run, run.__wrapped__):
        with pytest.raises(ValueError, match="read-only"):
            function(frozen)
