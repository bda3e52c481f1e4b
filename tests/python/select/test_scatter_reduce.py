# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``instruments.scatter_reduce``, which implements ``numpy.ufunc.at``, against NumPy's."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import sample, to_device, to_numpy

ARITHMETIC = ["add", "subtract", "multiply", "minimum", "maximum"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
DTYPES = [
    "bool",
    "int8",
    "uint16",
    "int32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex128",
]


def operations(dtype):
    kind = np.dtype(dtype).kind
    logical = ["logical_and", "logical_or", "logical_xor"]
    if kind == "b":
        return ["add", "multiply", "minimum", "maximum", *BITS, *logical]
    return {"c": ARITHMETIC[:3], "f": ARITHMETIC}.get(kind, ARITHMETIC + BITS)


def assert_same(got, want):
    if want.dtype.kind in "fc":
        # An accelerator combines the values first, in another order.
        tolerance = {2: 2e-2, 4: 1e-5, 8: 1e-12, 16: 1e-12}[want.itemsize]
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(got, want)


@loop_over("dtype", DTYPES)
def test_scatter_reduce_applies_repeated_indices(dtype, device):
    rng = np.random.default_rng(1)
    target = sample(dtype, 40, 1)
    for size in (0, 1, 31, 33, 200):
        index = rng.integers(-40, 40, size)
        values = sample(dtype, size, 2)
        for name in operations(dtype):
            want = target.copy()
            with np.errstate(all="ignore"):
                getattr(np, name).at(want, index, values)
            got = to_device(device, target.copy())
            instruments.scatter_reduce(
                name, got, to_device(device, index), to_device(device, values)
            )
            assert got.device == sk.Device(device)
            assert_same(to_numpy(got), want)


def test_scatter_reduce_is_sequential_on_the_cpu():
    """Bits equal those of a loop, for any number of threads."""
    rng = np.random.default_rng(2)
    index, values = rng.integers(0, 100, 300_000), rng.normal(size=300_000).astype("float32")
    want = np.zeros(100, "float32")
    np.add.at(want, index, values)
    got = sk.zeros(100, dtype=sk.float32)
    instruments.scatter_reduce("add", got, sk.asarray(index), sk.asarray(values))
    np.testing.assert_array_equal(to_numpy(got), want)


def test_scatter_reduce_of_long_runs_of_one_index(device):
    for size in (32, 33, 64, 65, 1000):
        index = np.repeat(np.asarray([5, 2, 5]), [size, 1, size])
        got = sk.zeros(7, dtype=sk.int64, device=device)
        instruments.scatter_reduce("add", got, to_device(device, index), 1)
        assert to_numpy(got).tolist() == [0, 0, 1, 0, 0, 2 * size, 0]


@pytest.mark.parametrize("shape", [(4, 6), (24,)])
def test_scatter_reduce_indexes_in_c_order_for_any_layout(shape, device):
    base = np.arange(48.0).reshape(*shape[:-1], 2 * shape[-1])
    for view in (np.s_[..., ::2], np.s_[..., ::-2]):
        x = to_device(device, base.copy())
        index = np.asarray([[0, 5], [23, 5]])
        want = base.copy()
        flat = want[view].reshape(-1).copy()
        np.add.at(flat, index, np.asarray([[1.0], [2.0]]))
        want[view] = flat.reshape(want[view].shape)
        instruments.scatter_reduce(
            "add", x[view], to_device(device, index), to_device(device, np.asarray([[1.0], [2.0]]))
        )
        np.testing.assert_array_equal(to_numpy(x), want)


def test_scatter_reduce_of_operands_that_share_memory(device):
    x = to_device(device, np.asarray([1, 0, 2, 2]))
    instruments.scatter_reduce("add", x, x, x)
    want = np.asarray([1, 0, 2, 2])
    np.add.at(want, want.copy(), want.copy())
    assert to_numpy(x).tolist() == want.tolist()


@pytest.mark.parametrize("index", [[0, 5], [-6, 1], [2**40]])
def test_scatter_reduce_out_of_bounds_raises_and_changes_nothing(index, device):
    x = to_device(device, np.arange(5.0))

    def scatter():
        instruments.scatter_reduce("add", x, to_device(device, np.asarray(index)), 1.0)
        sk.synchronize(x.device)

    with pytest.raises(IndexError, match="out of bounds"):
        scatter()
    assert to_numpy(x).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("index", [[3, 0], [-1], [0]])
def test_scatter_reduce_into_an_empty_array_raises(index, device):
    x = sk.zeros((0,), device=device)

    def scatter():
        instruments.scatter_reduce("add", x, to_device(device, np.asarray(index)), 1.0)
        sk.synchronize(device)

    with pytest.raises(IndexError, match="out of bounds: x has 0 elements"):
        scatter()
    instruments.scatter_reduce("add", x, to_device(device, np.asarray([], np.int64)), 1.0)
    sk.synchronize(device)


def test_invalid_scatter_reduce_arguments_raise(device):
    x = to_device(device, np.arange(5.0))
    index = to_device(device, np.asarray([0, 1]))
    with pytest.raises(TypeError):
        instruments.scatter_reduce("bitwise_or", x, index, 1.0)
    with pytest.raises(TypeError):
        instruments.scatter_reduce("add", x, x, 1.0)
    with pytest.raises(TypeError):
        instruments.scatter_reduce("logical_or", index, index, 1)
    with pytest.raises(ValueError, match="hypot"):
        instruments.scatter_reduce("hypot", x, index, 1.0)
    with pytest.raises(ValueError, match="broadcast"):
        instruments.scatter_reduce("add", x, index, to_device(device, np.ones(3)))
    elsewhere = to_device("cpu:1" if device == "cpu:0" else "cpu:0", np.asarray([0, 1]))
    with pytest.raises(DeviceMismatchError, match="to_device"):
        instruments.scatter_reduce("add", x, elsewhere, 1.0)
    assert to_numpy(x).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
