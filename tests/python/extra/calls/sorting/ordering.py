# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.sorting.ordering``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

NAN = float("nan")
X = R((4, 7), seed=1)
NANS = np.where(R((4, 7), seed=2) > R((4, 7), seed=3), X, NAN)
HALF = A([[3, -1, 2.5, NAN], [0, -0.0, 7, 1]], "float16")
SMALL = A([[3, 1, 2], [9, 7, 8]], "uint8")
ROWS = R((3, 5000), "float32", seed=4)


def sorted_first(x, k, *, axis=-1, largest=True):
    """Oracle of topk: a stable sort, of the reversed elements for the largest."""
    n = x.shape[axis]
    if largest:
        order = n - 1 - np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    else:
        order = np.argsort(x, axis=axis, kind="stable")
    order = np.take(order, np.arange(k), axis=axis)
    return np.take_along_axis(x, order, axis=axis), order


def argpartitioned(a, kth, axis=-1):
    """Oracle of argpartition: items below, at and above the rank, each group in input order.

    For several ranks, and for items of one byte, a full sort.
    """
    if axis is None:
        a, axis = a.reshape(-1), -1
    if np.size(kth) > 1 or a.itemsize == 1:
        return np.argsort(a, axis=axis, kind="stable")
    bound = np.take(np.sort(a, axis=axis), np.atleast_1d(kth), axis=axis)
    keys, bound = np.moveaxis(a, axis, -1), np.moveaxis(bound, axis, -1)
    below = lambda x, y: (x < y) | ((y != y) & (x == x))  # noqa: E731
    groups = below(bound, keys).astype(int) - below(keys, bound)
    return np.moveaxis(np.argsort(groups, axis=-1, kind="stable"), -1, axis)


def partitioned(a, kth, axis=-1):
    """Oracle of partition."""
    order = argpartitioned(a, kth, axis)
    if axis is None:
        return a.reshape(-1)[order]
    return np.take_along_axis(a, order, axis)


def best(*args, **kwargs):
    return call(*args, _oracle=sorted_first, **kwargs)


PARTITIONED = [
    ((X, 3), {}),
    ((X, (1, -2)), {"axis": 0}),
    ((X, 10), {"axis": None}),
    ((NANS, (0, 3)), {}),
    ((SMALL, 1), {}),
    ((A([True, False, True, False]), 2), {}),
    ((ROWS > 0, 2500), {}),
    ((ROWS[:, :77] > 0, (70, 3)), {}),
    ((ROWS, 2500), {}),
    ((ROWS[:, ::-2], (7, 2000)), {}),
    ((A([], "int32").reshape(0, 3), 1), {}),
]
K, J = A([[3, 1, 2], [3, 7, 7]]), A([7, 3, 4, 4])
E = np.empty((0,), "int64")
U = A([5, 2, 9, 4])

CALLS = {
    "topk": [
        best(X, 3),
        best(X, 4, axis=0, largest=False),
        best(X[::-1, ::2], 2),
        best(NANS, 5),
        best(NANS, 5, largest=False),
        best(HALF, 2),
        best(SMALL, 3, axis=0, _raises=ValueError),
        best(A([1, 1, 0, 1], "int8"), 3),
        best(A([0.0, -0.0, 0.0]), 2),
        best(A([True, False, True]), 2, largest=False),
        best(ROWS, 100),
        best(ROWS, 5000, largest=False),
        best(X, 0),
        best(X, 8, _raises=ValueError),
        best(X, -1, _raises=ValueError),
        best(X, 1, axis=2, _raises=IndexError),
        best(A([1j]), 1, _raises=TypeError),
    ],
    "partition": [
        *[call(*args, _oracle=partitioned, **kwargs) for args, kwargs in PARTITIONED],
        call(X, 7, _raises=ValueError),
        call(X, (0, -8), _raises=ValueError),
        call(A([1j]), 0, _raises=TypeError),
    ],
    "argpartition": [
        *[call(*args, _oracle=argpartitioned, **kwargs) for args, kwargs in PARTITIONED],
        call(X, 7, _raises=ValueError),
    ],
}
CALLS["lexsort"] = [
    call((A([9, 4, 0, 4]), A([1, 5, 1, 5]))),
    call((A([0.5, NAN, 0.5]), A([True, False, True]), A([1, 1, 1]))),
    call((R((3, 4), "int8", high=2, low=0), R((3, 4), "int8", 1, high=2, low=0))),
    call((R((3, 4), "int8", high=2, low=0), R((3, 4), "int8", 1, high=2, low=0)), 0),
    call(R((3, 5), "int8", high=2, low=0)),
    # Unsigned keys are packed into one where they fit.
    *(
        call(tuple(R((3, 40), dtype, i, high=9, low=0) for i, dtype in enumerate(dtypes)), axis)
        for dtypes in (["uint8"] * 2, ["uint8", "uint16", "uint8"], ["uint32"] * 2, ["uint64"] * 2)
        for axis in (0, -1)
    ),
    call((A([250, 3, 250]).astype("uint8"), A([True, True, False]))),
    *(call(tuple(R((3, 200), "int8", i, high=9) > 2 for i in range(n)), 1) for n in (2, 8, 9, 65)),
    call((R((200,), "int8") > 0, R((200,), "uint8", high=9, low=0), R((200,), "int8", 1) > 0)),
    call((A([2]), A([0.5]))),
    call((A([[True]]), A([[False]])), 0),
    call((U, U), 3, _raises=IndexError),
    call((E, E)),
    call((K, J), _raises=ValueError),
    call((), _raises=TypeError),
    call((U, U), 3, _raises=IndexError),
]
CALLS["sort_complex"] = [
    *(call(A([[3, 1, 2], [0, 5, 4]], dtype)) for dtype in ("int8", "uint16", "int32", "uint64")),
    *(call(A([2.5, NAN, -1.0], dtype)) for dtype in ("float16", "float32", "float64")),
    *(call(A([3 + 1j, 3 - 1j, 2, -2j, 1j], dtype)) for dtype in ("complex64", "complex128")),
    call(
        A(
            [
                NAN,
                complex(1, NAN),
                complex(NAN, 1),
                complex(NAN, NAN),
                5,
                complex(0, NAN),
                complex(NAN, -1),
            ]
        )
    ),
    call(R((3, 4), "complex128")),
    call(R((3, 4), "complex128").T[::-1]),
    call(np.empty((2, 0), "complex64")),
    call(A([True, False])),
    call([3, 1, 2]),
    call(A(1.0), _raises=IndexError),
    call(A(1j), _raises=IndexError),
]
