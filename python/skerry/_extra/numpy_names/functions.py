# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Other names of functions, and of the class of arrays.

Each is the same function under NumPy's name. Those of functions in Python are in the topic of the function.
"""

from __future__ import annotations

import skerry as sk

__all__ = [
    "absolute", "amax", "amin", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asanyarray",
    "bitwise_not", "concatenate", "conjugate", "invert", "left_shift", "mod", "ndarray", "power", "right_shift", "rint",
    "true_divide",
]  # fmt: skip

absolute = sk.abs
amax = sk.max
amin = sk.min
arccos = sk.acos
arccosh = sk.acosh
arcsin = sk.asin
arcsinh = sk.asinh
arctan = sk.atan
arctan2 = sk.atan2
arctanh = sk.atanh
asanyarray = sk.asarray  # arrays have no subclasses
bitwise_not = sk.bitwise_invert
concatenate = sk.concat
conjugate = sk.conj
invert = sk.bitwise_invert
left_shift = sk.bitwise_left_shift
mod = sk.remainder
ndarray = sk.Array
power = sk.pow
right_shift = sk.bitwise_right_shift
rint = sk.round
true_divide = sk.divide
