# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.polynomials.arithmetic``."""

import itertools

from tests.python.extra.extra_calls import A, R, call

P = {
    "int": A([1, 2, 3]),
    "zeros first": A([0, 0, 4, 5], "int32"),
    "float": A([2.0, 0, 1, -3.5]),
    "complex": A([1 + 1j, 2]),
    "zeros": A([0, 0]),
    "byte": A([3], "uint8"),
    "number": A(2.0),
}
E = R((0,))
LITERALS = [call([1, 2], [3.0, 4, 5]), call(P["int"], [1, 2]), call(2, P["float"])]
PAIRS = [*itertools.product(P.values(), repeat=2), (A([1.5, -2], "float32"),) * 2]
PAIRS += [(P["float"][::-1], P["int"][::2])]
SHAPES = [call(R((2, 2)), P["int"], _raises=ValueError)]
CLOSE = {"_rtol": 1e-13, "_atol": 1e-15}

CALLS = {
    "polyadd": [*(call(*pair) for pair in PAIRS), *LITERALS, call(E, P["int"]), *SHAPES],
    "polysub": [*(call(*pair) for pair in PAIRS), *LITERALS, call(E, P["int"]), *SHAPES],
    "polymul": [*(call(*pair, **CLOSE) for pair in PAIRS), *LITERALS, *SHAPES],
    "polydiv": [
        *(call(*pair, **CLOSE) for pair in PAIRS),
        call([1, 2, 1], [1, 1]),
        call(A([3.0, 5, 2]), [2, 1]),
        call(E, P["int"], _raises=ValueError),
        *SHAPES,
    ],
}
