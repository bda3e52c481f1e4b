# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Other names of functions, and of the class of arrays.

Each is the same function under NumPy's name. Those of functions in Python are in the topic of the function.
"""

from __future__ import annotations

from skerry import _core

__all__ = [
    "absolute", "amax", "amin", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asanyarray",
    "bitwise_not", "concatenate", "conjugate", "invert", "left_shift", "mod", "ndarray", "power", "right_shift", "rint",
    "true_divide",
]  # fmt: skip

absolute = _core.abs
amax = _core.max
amin = _core.min
arccos = _core.acos
arccosh = _core.acosh
arcsin = _core.asin
arcsinh = _core.asinh
arctan = _core.atan
arctan2 = _core.atan2
arctanh = _core.atanh
asanyarray = _core.asarray  # arrays have no subclasses
bitwise_not = _core.bitwise_invert
concatenate = _core.concat
conjugate = _core.conj
invert = _core.bitwise_invert
left_shift = _core.bitwise_left_shift
mod = _core.remainder
ndarray = _core.Array
power = _core.pow
right_shift = _core.bitwise_right_shift
rint = _core.round
true_divide = _core.divide
