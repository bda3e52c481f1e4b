# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Texts that docstrings of this folder share: parameters, results and errors.

In a docstring ``a : {real}`` stands for a parameter with the type and text of that name below,
``{DeviceMismatchError}`` for an error, ``{Returns: bool}`` for a section with a single entry. They are expanded when a
topic is imported. A text is here if at least three docstrings use it.
"""

from __future__ import annotations

import re

#: By name: the first line of an entry, without the name of a parameter, and the text below it.
ENTRIES = {
    # Parameters: arrays
    "any dtype": ("Array", "Input array of any dtype."),
    "any number": ("Array or scalar", "Input arrays, any number of them."),
    "at least two axes": ("Array", "Input array with at least two axes."),
    "coefficients": (
        "Array, sequence of numbers or poly1d",
        "Coefficients, from the highest power to the constant term.",
    ),
    "flattened": ("Array", "Input arrays. They are flattened first."),
    "not changed": ("Array", "Input array. It is not modified."),
    "numbers": ("Array", "Input array of a numeric dtype."),
    "out": (
        "Array, optional",
        "Array of the shape of the result to store it in, if its dtype casts to that of the array (same kind). It may "
        "overlap the operands, and is returned.",
    ),
    "real": ("Array", "Input array of a real dtype."),
    "real or bool": ("Array", "Input array of a real dtype or bool."),
    "real, one array": (
        "Array or scalar",
        "Operands of real dtypes.",
    ),
    "written": ("Array", "Array to write to."),
    # Parameters: others
    "axes to compute over": (
        "int, tuple of ints or None, default None",
        "Axes to compute over; None for all axes.",
    ),
    "default device": (
        "Device or str, optional",
        "Device of the result; by default the default device.",
    ),
    "kept axes": (
        "bool, default False",
        "Whether the reduced axes stay in the result with length 1.",
    ),
    "None is all": (
        "int, tuple of int or None",
        "Axis or axes to compute over; None for all axes.",
    ),
    "not overwritten": (
        "bool, default False",
        "Whether the input may be modified; it never is.",
    ),
    "selected": (
        "Array of bool, default True",
        "Elements to include; broadcast with ``a``.",
    ),
    "None is flattened": ("int or None", "Axis to operate along; None for the flattened array."),
    "points of a window": (
        "int, float or Array",
        "Number of points. An Array is read from the device.",
    ),
    "which diagonal": (
        "int, default 0",
        "Diagonal: 0 is the main diagonal, positive numbers are above it.",
    ),
    # Returns
    "bool": ("Array", "Array of dtype bool."),
    "bool of the device": ("bool", "Result, which is read from the device: the call waits for it."),
    "common dtype": ("Array", "Array of the common dtype."),
    "floating": ("Array", "Array of a floating-point dtype."),
    "int64": ("Array", "Array of dtype int64."),
    "list of views": ("list of Array", "Views of the input."),
    "one axis": ("Array", "1-D array."),
    "polynomial": (
        "Array",
        "Coefficients, from the highest power to the constant term; a ``poly1d`` if an argument is one.",
    ),
    "window": (
        "Array",
        "Array of shape (M,) and dtype float64, with the maximum 1 for odd ``M``; empty if ``M`` is less than 1.",
    ),
    "views, or one": (
        "Array or tuple of Array",
        "Views of the inputs; a single array for a single input.",
    ),
    # Raises
    "DeviceMismatchError": ("DeviceMismatchError", "If the arrays are on different devices."),
    "TypeError of complex": ("TypeError", "If the dtype is complex."),
    "TypeError of values": (
        "TypeError, OverflowError",
        "If the values can't be assigned to the array's dtype.",
    ),
}
PLACEHOLDER = re.compile(r"^( *)([\w*, ]+ : )?\{(?:(Returns|Raises): )?([\w, ]+)\}$", re.MULTILINE)


def composed(docstring: str | None) -> str | None:
    """Expand the placeholders in a docstring."""
    return docstring and "\n".join(map(_written_out, docstring.split("\n")))


def _written_out(line: str) -> str:
    placeholder = PLACEHOLDER.match(line) if line.endswith("}") else None
    if placeholder is None:
        return line
    indent, parameter, section, name = placeholder.groups(default="")
    first_line, text = ENTRIES[name]
    lines = [section, "-" * len(section)] if section else []
    return "\n".join(indent + part for part in (*lines, parameter + first_line, f"    {text}"))
