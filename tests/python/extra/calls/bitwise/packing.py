# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.bitwise.packing``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

BITS = R((3, 11), "int8", low=0, high=2)
DTYPES = ("bool", "int8", "uint16", "int32", "uint64")
BYTES = R((3, 2), "uint8")
ORDERS = ({}, {"bitorder": "little"})

CALLS = {
    "packbits": [
        *(call(BITS.astype(dtype), axis) for dtype in DTYPES for axis in (None, 0, 1, -1)),
        *(call(BITS, axis=axis, bitorder="little") for axis in (None, 0, -1)),
        *(call(x) for x in (BITS.T, BITS[::-1, ::2], A([True]), A(True), A([-300, 256, 0]))),
        call(np.ones((0,), "bool")),
        call(np.ones((0, 3), "bool"), axis=0),
        call(BITS, axis=2, _raises=IndexError),
        call(BITS.astype("float32"), _raises=TypeError),
        call(BITS, bitorder="middle", _raises=ValueError),
    ],
    "unpackbits": [
        *(
            call(BYTES, axis, count, **order)
            for axis in (None, 0, 1)
            for count in (None, 0, 3, 8, 16, 30, 50, -1, -7)
            for order in ORDERS
        ),
        *(call(x) for x in (BYTES.T, BYTES[::-1], BYTES[0, 0:1].reshape(()))),
        call(BYTES[:0], axis=1),
        call(BYTES, count=-49, _raises=ValueError),
        call(BYTES, axis=2, _raises=IndexError),
        call(BYTES.astype("int8"), _raises=TypeError),
        call(BYTES, bitorder="", _raises=ValueError),
        call(BYTES, bitorder=10, _raises=TypeError),
    ],
}
