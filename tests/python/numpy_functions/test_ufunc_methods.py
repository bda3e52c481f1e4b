# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``reduce``, ``accumulate``, ``outer`` and ``at`` of NumPy's ufuncs on skerry arrays, against NumPy's own."""

import numpy as np
import pytest
import skerry as sk
from skerry import _numpy_counterparts as counterparts
from skerry import _ufunc_methods as ufunc_methods

from tests.python.loops import loop_over
from tests.python.numpy_functions.numpy_calls import HOST
from tests.python.numpy_functions.numpy_comparison import PLACES, arrays, assert_alike
from tests.python.oracle import to_device


@pytest.fixture(params=PLACES)
def array_device(request):
    return request.param


@pytest.mark.parametrize("name", ufunc_methods.REDUCTIONS)
def test_methods_of_ufuncs_equal_numpy(name, array_device):
    ufunc = getattr(np, name)
    operands, theirs = arrays(array_device), arrays()
    name = "b" if ufunc.__name__.startswith("logical") else "x"
    for options in ({}, {"axis": 1}, {"axis": None}, {"axis": (0, 1), "keepdims": True}):
        got = ufunc.reduce(getattr(operands, name), **options)
        assert_alike(got, ufunc.reduce(getattr(theirs, name), **options), array_device)
    if ufunc.__name__ in ufunc_methods.SCANS:
        assert_alike(ufunc.accumulate(operands.x), ufunc.accumulate(theirs.x), array_device)
        assert_alike(
            ufunc.accumulate(operands.n, 1, "int64"), ufunc.accumulate(theirs.n, 1), array_device
        )
        assert_alike(
            ufunc.reduce(operands.n, 0, "int32"), ufunc.reduce(theirs.n, 0, "int32"), array_device
        )
    elif name == "x":
        assert_alike(
            ufunc.reduce(operands.x, dtype="float32"),
            ufunc.reduce(theirs.x, dtype="float32"),
            array_device,
        )
    else:
        with pytest.raises(TypeError, match=r"results are bool|No loop matching"):
            ufunc.reduce(getattr(operands, name), dtype="float32")
    if name == "x":
        assert_alike(
            ufunc.outer(operands.x, operands.v), ufunc.outer(theirs.x, theirs.v), array_device
        )
        assert_alike(ufunc.outer(operands.x, 2.0), ufunc.outer(theirs.x, 2.0), array_device)


BINARY = [
    ufunc
    for ufunc in counterparts.UFUNCS
    if ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None
    if ufunc is not np.ldexp  # whose operands are of two kinds
]
#: Folding these mixes operands of two kinds, or overflows powers. NumPy's arctan2 folds contiguous rows wrongly.
NO_FOLD = {
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "power", "left_shift",
    "right_shift", "nextafter", "arctan2",
}  # fmt: skip


def fold_operand(ufunc):
    name = ufunc.__name__
    if name.startswith("logical"):
        return HOST["b"]
    is_of_integers = name.startswith(("bitwise", "left", "right")) or name in ("gcd", "lcm")
    return HOST["n"] if is_of_integers else HOST["x"]


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_reduce_and_accumulate_of_all_ufuncs(ufunc, array_device):
    if ufunc.__name__ in NO_FOLD:
        pytest.skip("reduce is not meaningful for this ufunc")
    host = fold_operand(ufunc)
    x = to_device(array_device, host)
    for axis in (0, 1, -1):
        assert_alike(ufunc.reduce(x, axis=axis), ufunc.reduce(host, axis=axis), array_device)
        assert_alike(
            ufunc.accumulate(x, axis=axis), ufunc.accumulate(host, axis=axis), array_device
        )
    assert_alike(ufunc.reduce(x, keepdims=True), ufunc.reduce(host, keepdims=True), array_device)
    assert_alike(ufunc.reduce(x[:1]), ufunc.reduce(host[:1]), array_device)


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_outer_of_all_ufuncs(ufunc, array_device):
    host = fold_operand(ufunc)
    got = ufunc.outer(to_device(array_device, host), to_device(array_device, host[0]))
    assert_alike(got, ufunc.outer(host, host[0]), array_device)


AT = {
    "repeated": lambda n: ([2, 0, 2, 2, 1, 0],),
    "with_steps": lambda n: ((slice(None, None, 2), [1, 1, 3]),),
    "mask": lambda n: (np.arange(n) % 2 == 0,),
    "pairs": lambda n: (([0, 0, 2, 0], [3, 3, 1, 3]),),
    "one": lambda n: (1,),
    "none": lambda n: (np.zeros(0, int),),
}


@loop_over("key", AT)
@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_ufunc_at_applies_repeated_indices(ufunc, key, array_device):
    host = fold_operand(ufunc)
    indices = AT[key](3)[0]
    values = np.broadcast_to(host[0, 0], host[indices].shape).copy()
    if ufunc(host, host).dtype != host.dtype:
        pytest.skip("its results have another dtype")
    if ufunc.__name__ in ("left_shift", "right_shift"):
        values = np.ones_like(values)
    for value, theirs in ((values, values), (host.flat[0], None)):
        want, got = host.copy(), to_device(array_device, host)
        theirs = value if theirs is None else theirs
        ufunc.at(want, indices, theirs)
        moved = indices
        if isinstance(indices, np.ndarray):
            moved = to_device(array_device, indices)
        device_value = to_device(array_device, value) if isinstance(value, np.ndarray) else value
        assert ufunc.at(got, moved, device_value) is None
        assert_alike(got, want, array_device)


def add_and_wait(x, indices, value):
    np.add.at(x, indices, value)
    sk.synchronize()


def test_ufunc_at_of_views_and_unary_ufuncs(array_device):
    for cut in (np.s_[:, ::2], np.s_[::-1], np.s_[1]):
        want, got = HOST["n"].copy(), to_device(array_device, HOST["n"])
        np.add.at(want[cut], [0, 1, 1], 5)
        np.add.at(got[cut], [0, 1, 1], 5)
        assert_alike(got, want, array_device)
    want, got = HOST["n"].copy(), to_device(array_device, HOST["n"])
    np.negative.at(want, [0, 1, 1])
    np.negative.at(got, [0, 1, 1])
    assert_alike(got, want, array_device)
    indices = np.arange(1000) % 7
    want, got = np.zeros(7), sk.zeros((7,), device=array_device)
    np.add.at(want, indices, 1.0)
    np.add.at(got, to_device(array_device, indices), 1.0)
    assert_alike(got, want, array_device)
    with pytest.raises(IndexError):
        add_and_wait(got, [9], 1.0)
    if array_device != "cpu:0":
        for call in (
            lambda: np.add.at(got, indices, 1.0),
            lambda: np.add.at(got, [0], np.ones(1)),
            lambda: np.add.at(np.zeros(7), to_device(array_device, indices), 1.0),
        ):
            with pytest.raises(sk.exceptions.DeviceMismatchError):
                call()
    else:
        host = np.zeros(7)
        np.add.at(host, sk.asarray(indices), 1.0)
        assert np.array_equal(host, want)
