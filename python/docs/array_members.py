# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The members of the class Array in the order of its page: attributes, methods by their purpose, operators."""

from __future__ import annotations

import inspect

import skerry as sk

_GROUPS = {
    "Attributes": "device shape dtype ndim size itemsize nbytes strides T mT real imag flags flat base data",
    "Devices and conversion": "to_device to_numpy copy astype view byteswap item tolist tobytes tofile",
    "Shape manipulation": "reshape ravel flatten transpose swapaxes squeeze repeat",
    "Item selection and assignment": "take choose diagonal nonzero searchsorted sort argsort partition argpartition "
    "fill setflags",
    "Calculation": "sum prod mean var std min max argmin argmax all any cumsum cumprod clip round conj conjugate "
    "dot trace",
    "Interoperability": "__array__ __array_interface__ __array_struct__ __array_function__ __array_ufunc__ "
    "__array_namespace__ __dlpack__ __dlpack_device__ __cuda_array_interface__ __arrow_array__",
    "Special methods": "__getitem__ __setitem__ __delitem__ __len__ __iter__ __contains__ __bool__ __int__ __float__ "
    "__complex__ __index__ __bytes__ __format__ __repr__ __copy__ __deepcopy__ __reduce_ex__ __sizeof__ __dir__ "
    "__ceil__ __floor__ __round__ __trunc__",
}
GROUPS = {title: names.split() for title, names in _GROUPS.items()}
INTRODUCTION = """\
>>> import skerry as sk
>>> x = sk.asarray([[1.0, 2.0], [3.0, 4.0]], device="cuda:0")
>>> x.device, x.shape, x.dtype
(Device('cuda:0'), (2, 2), dtype('float64'))
>>> (x + 1).sum(axis=0)
Array([6., 8.], dtype=float64, device='cuda:0')
>>> x[0, 0] = 10.0
>>> x.T.to_numpy()
array([[10.,  3.],
       [ 2.,  4.]])

Methods have the names and signatures of those of ``numpy.ndarray``. What differs:

* ``x[0, 0]`` is a 0-d array, a view of the element, and not a scalar. ``float(x[0, 0])`` gives the number, and waits
  for the device.
* :obj:`to_device <Array.to_device>` is the only way to another device; :obj:`to_numpy <Array.to_numpy>` gives a NumPy
  array. ``numpy.asarray(x)`` raises ``TypeError`` unless the array is on a CPU device.
* A basic index (integers and slices), ``reshape`` and ``T`` give views, as in NumPy: a write to one changes ``x``.
* NumPy's functions take the array and return one on its device: ``numpy.sqrt(x)``.

:doc:`/devices` explains devices, :doc:`/from_numpy` all differences from NumPy.
"""
# Symbol, special method, function that it calls; a special method with an in-place form is followed by "=".
_OPERATORS = [
    ("x1 + x2", "add=", "add"),
    ("x1 - x2", "sub=", "subtract"),
    ("x1 * x2", "mul=", "multiply"),
    ("x1 / x2", "truediv=", "divide"),
    ("x1 // x2", "floordiv=", "floor_divide"),
    ("x1 % x2", "mod=", "remainder"),
    ("divmod(x1, x2)", "divmod", "divmod"),
    ("x1 ** x2", "pow=", "pow"),
    ("x1 @ x2", "matmul=", "matmul"),
    ("x1 & x2", "and=", "bitwise_and"),
    ("x1 | x2", "or=", "bitwise_or"),
    ("x1 ^ x2", "xor=", "bitwise_xor"),
    ("x1 << x2", "lshift=", "bitwise_left_shift"),
    ("x1 >> x2", "rshift=", "bitwise_right_shift"),
    ("x1 == x2", "eq", "equal"),
    ("x1 != x2", "ne", "not_equal"),
    ("x1 < x2", "lt", "less"),
    ("x1 <= x2", "le", "less_equal"),
    ("x1 > x2", "gt", "greater"),
    ("x1 >= x2", "ge", "greater_equal"),
    ("-x", "neg", "negative"),
    ("+x", "pos", "positive"),
    ("~x", "invert", "bitwise_invert"),
    ("abs(x)", "abs", "abs"),
]
_COMPARED_OR_UNARY = {"eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert", "abs"}


def _special_methods(stem: str) -> list[str]:
    """Return the special methods of an operator: its own, the reflected one, the one in place."""
    name = stem.removesuffix("=")
    names = [f"__{name}__"]
    names += [] if name in _COMPARED_OR_UNARY else [f"__r{name}__"]
    names += [f"__i{name}__"] if stem.endswith("=") else []
    return names


def operators() -> list[str]:
    """Return the special methods of all operators."""
    return [name for _, stem, _ in _OPERATORS for name in _special_methods(stem)]


def operator_table() -> list[str]:
    """Return a table of the operators and their functions, which is also the target of links to special methods."""
    lines = []
    for name in operators():
        lines += [f".. py:method:: Array.{name}", "   :no-typesetting:", ""]
    lines += [".. list-table::", "   :header-rows: 1", "   :widths: 20 32 48", ""]
    lines += ["   * - Operator", "     - Function", "     - Special methods"]
    for symbol, stem, function in _OPERATORS:
        methods = ", ".join(f"``{name}``" for name in _special_methods(stem))
        lines += [f"   * - ``{symbol}``", f"     - :func:`{function}`", f"     - {methods}"]
    return [*lines, ""]


def public_members() -> set[str]:
    """Return what the page has to list: members with a docstring, apart from what every Python object has."""
    hidden = {"__doc__", "__module__", "__new__", "__hash__", "__array_priority__"}
    hidden |= {"__dlpack_c_exchange_api__", "_repr_html_"}
    return {name for name, value in vars(sk.Array).items() if inspect.getdoc(value)} - hidden
