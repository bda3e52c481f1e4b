# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What docstrings of this folder have in common: types and texts of parameters, results and errors, each said once.

In a docstring ``a : {real}`` stands for a parameter whose type and text have that name below, ``{DeviceMismatchError}``
for an error, ``{Returns: bool}`` for a section that has no more than this. They are written out when a topic is
imported; what fewer than three docstrings say is not here.
"""

from __future__ import annotations

import re

#: By name what stands on the first line of an entry, behind the name of a parameter, and the text below it.
ENTRIES = {
    # Parameters: arrays
    "any dtype": ("Array", "Any dtype."),
    "any number": ("Array or scalar", "Any number."),
    "at least two axes": ("Array", "At least two axes."),
    "flattened": ("Array", "They are flattened."),
    "not changed": ("Array", "Not changed."),
    "numbers": ("Array", "Numbers."),
    "real": ("Array", "Real."),
    "real or bool": ("Array", "Of a real dtype or bool."),
    "real, one array": ("Array or scalar", "Real, at least one array."),
    "written": ("Array", "Written."),
    # Parameters: others
    "axes to compute over": (
        "int, tuple of ints or None, default None",
        "Axes to compute over; None: all of them.",
    ),
    "default device": ("Device or str, optional", "The default device, if left out."),
    "kept axes": ("bool, default False", "Whether axes stay, with length 1."),
    "None is all": ("int, tuple of int or None", "None is all."),
    "None is flattened": ("int or None", "None is of the flattened array."),
    "which diagonal": ("int, default 0", "Which diagonal, counted upwards from the main one."),
    # Returns
    "bool": ("Array", "Of bool."),
    "bool of the device": ("bool", "Read from the device: the call waits for it."),
    "common dtype": ("Array", "Of the common dtype."),
    "floating": ("Array", "Floating."),
    "int64": ("Array", "Of int64."),
    "list of views": ("list of Array", "Views."),
    "one axis": ("Array", "One axis."),
    "views, or one": ("Array or tuple of Array", "Views; one array for one."),
    # Raises
    "DeviceMismatchError": ("DeviceMismatchError", "For arrays on different devices."),
    "TypeError of complex": ("TypeError", "For a complex dtype."),
    "TypeError of values": (
        "TypeError, OverflowError",
        "For values that the array can't hold, as an assignment refuses them.",
    ),
}
PLACEHOLDER = re.compile(r"^( *)([\w*, ]+ : )?\{(?:(Returns|Raises): )?([\w, ]+)\}$", re.MULTILINE)


def composed(docstring: str | None) -> str | None:
    """Write entries and sections out in place of their names in a docstring."""
    return docstring and "\n".join(map(_written_out, docstring.split("\n")))


def _written_out(line: str) -> str:
    placeholder = PLACEHOLDER.match(line) if line.endswith("}") else None
    if placeholder is None:
        return line
    indent, parameter, section, name = placeholder.groups(default="")
    first_line, text = ENTRIES[name]
    lines = [section, "-" * len(section)] if section else []
    return "\n".join(indent + part for part in (*lines, parameter + first_line, f"    {text}"))
