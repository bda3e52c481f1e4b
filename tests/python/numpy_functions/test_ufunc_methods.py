# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``reduce``, ``accumulate``, ``outer`` and ``at`` of NumPy's ufuncs on skerry arrays, against NumPy's own."""

import numpy as np
import pytest
import skerry as sk
from alike import PLACES, arrays, assert_alike
from numpy_calls import HOST
from oracle import on
from skerry import _numpy_counterparts as counterparts


@pytest.fixture(params=PLACES)
def place(request):
    return request.param


@pytest.mark.parametrize("ufunc", counterparts.REDUCTIONS, ids=lambda ufunc: ufunc.__name__)
def test_methods_of_ufuncs(ufunc, place):
    mine, theirs = arrays(place), arrays()
    name = "b" if ufunc.__name__.startswith("logical") else "x"
    for options in ({}, {"axis": 1}, {"axis": None}, {"axis": (0, 1), "keepdims": True}):
        got = ufunc.reduce(getattr(mine, name), **options)
        assert_alike(got, ufunc.reduce(getattr(theirs, name), **options), place)
    if ufunc in counterparts.SCANS:
        assert_alike(ufunc.accumulate(mine.x), ufunc.accumulate(theirs.x), place)
        assert_alike(ufunc.accumulate(mine.n, 1, "int64"), ufunc.accumulate(theirs.n, 1), place)
        assert_alike(ufunc.reduce(mine.n, 0, "int32"), ufunc.reduce(theirs.n, 0, "int32"), place)
    elif place != "cpu:0":
        with pytest.raises(TypeError, match="dtype="):
            ufunc.reduce(getattr(mine, name), dtype="float32")
    if name == "x":
        assert_alike(ufunc.outer(mine.x, mine.v), ufunc.outer(theirs.x, theirs.v), place)
        assert_alike(ufunc.outer(mine.x, 2.0), ufunc.outer(theirs.x, 2.0), place)


BINARY = [
    ufunc
    for ufunc in counterparts.UFUNCS
    if ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None
]
#: A fold of these meets operands of two kinds, or powers out of bounds; NumPy's arctan2 folds contiguous rows wrongly.
NO_FOLD = {
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "power", "left_shift",
    "right_shift", "nextafter", "arctan2",
}  # fmt: skip


def fold_operand(ufunc):
    name = ufunc.__name__
    if name.startswith("logical"):
        return HOST["b"]
    return HOST["n"] if name.startswith(("bitwise", "left", "right")) else HOST["x"]


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_reduce_and_accumulate_of_all_ufuncs(ufunc, place):
    if ufunc.__name__ in NO_FOLD:
        pytest.skip("a fold of it has no meaning")
    host = fold_operand(ufunc)
    x = on(place, host)
    for axis in (0, 1, -1):
        assert_alike(ufunc.reduce(x, axis=axis), ufunc.reduce(host, axis=axis), place)
        assert_alike(ufunc.accumulate(x, axis=axis), ufunc.accumulate(host, axis=axis), place)
    assert_alike(ufunc.reduce(x, keepdims=True), ufunc.reduce(host, keepdims=True), place)
    assert_alike(ufunc.reduce(x[:1]), ufunc.reduce(host[:1]), place)


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_outer_of_all_ufuncs(ufunc, place):
    host = fold_operand(ufunc)
    got = ufunc.outer(on(place, host), on(place, host[0]))
    assert_alike(got, ufunc.outer(host, host[0]), place)


AT = {
    "repeated": lambda n: ([2, 0, 2, 2, 1, 0],),
    "with_steps": lambda n: ((slice(None, None, 2), [1, 1, 3]),),
    "mask": lambda n: (np.arange(n) % 2 == 0,),
    "pairs": lambda n: (([0, 0, 2, 0], [3, 3, 1, 3]),),
    "one": lambda n: (1,),
    "none": lambda n: (np.zeros(0, int),),
}


@pytest.mark.parametrize("key", AT)
@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_at_counts_repeated_indices(ufunc, key, place):
    host = fold_operand(ufunc)
    indices = AT[key](3)[0]
    values = np.broadcast_to(host[0, 0], host[indices].shape).copy()
    if ufunc(host, host).dtype != host.dtype:
        pytest.skip("its results are of another dtype")
    if ufunc.__name__ in ("left_shift", "right_shift"):
        values = np.ones_like(values)
    for mine, theirs in ((values, values), (host.flat[0], None)):
        want, got = host.copy(), on(place, host)
        theirs = mine if theirs is None else theirs
        ufunc.at(want, indices, theirs)
        moved = indices
        if isinstance(indices, np.ndarray):
            moved = on(place, indices)
        given = on(place, mine) if isinstance(mine, np.ndarray) else mine
        assert ufunc.at(got, moved, given) is None
        assert_alike(got, want, place)


def add_and_wait(x, indices, value):
    np.add.at(x, indices, value)
    sk.synchronize()


def test_at_of_views_and_of_ufuncs_of_one_input(place):
    for cut in (np.s_[:, ::2], np.s_[::-1], np.s_[1]):
        want, got = HOST["n"].copy(), on(place, HOST["n"])
        np.add.at(want[cut], [0, 1, 1], 5)
        np.add.at(got[cut], [0, 1, 1], 5)
        assert_alike(got, want, place)
    want, got = HOST["n"].copy(), on(place, HOST["n"])
    np.negative.at(want, [0, 1, 1])
    np.negative.at(got, [0, 1, 1])
    assert_alike(got, want, place)
    many = np.arange(1000) % 7
    want, got = np.zeros(7), sk.zeros((7,), device=place)
    np.add.at(want, many, 1.0)
    np.add.at(got, on(place, many), 1.0)
    assert_alike(got, want, place)
    with pytest.raises(IndexError):
        add_and_wait(got, [9], 1.0)
    if place != "cpu:0":
        for call in (
            lambda: np.add.at(got, many, 1.0),
            lambda: np.add.at(got, [0], np.ones(1)),
            lambda: np.add.at(np.zeros(7), on(place, many), 1.0),
        ):
            with pytest.raises(sk.exceptions.DeviceMismatchError):
                call()
    else:
        host = np.zeros(7)
        np.add.at(host, sk.asarray(many), 1.0)
        assert np.array_equal(host, want)
