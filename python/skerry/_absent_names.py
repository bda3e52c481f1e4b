# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What to use instead of names of NumPy, CuPy and PyTorch that skerry does not have.

``absent_names.csv`` in this folder has the hints: the documentation shows the same table, and the build takes the names
of the class Array from it. This module is imported when a program asks for a name that does not exist.
"""

from __future__ import annotations

import csv
import difflib
import fnmatch
import functools
import importlib
import pathlib
from typing import Any


@functools.cache
def read_table() -> list[dict[str, str]]:
    """Return the rows: a group of the documentation, modules, names with the wildcard ``*``, and a hint.

    An empty hint stands for the function of the same name, ``{stem}`` for a name without the underscore at its end.
    Backquotes enclose code.
    """
    path = pathlib.Path(__file__).with_name("absent_names.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@functools.cache
def _hints(owner: str) -> dict[str, str]:
    """Return the hints for the names of a module or of the class Array, and for patterns of names."""
    return {
        name: row["instead"] or "call skerry.{stem}(x, ...)"
        for row in read_table()
        if owner in row["module"].split()
        for name in row["names"].split()
    }


def _hint(owner: str, name: str) -> str | None:
    hints = _hints(owner)
    text = hints.get(name)
    if text is None:
        matches = (key for key in hints if "*" in key and fnmatch.fnmatchcase(name, key))
        text = hints.get(next(matches, ""))
    return text and text.replace("`", "").replace("{stem}", name.removesuffix("_"))


@functools.cache
def _suffix(owner: str, name: str) -> str:
    """Return the end of the message: the hint, or a public name that is similar."""
    text = _hint(owner, name)
    if text is None and owner != "Array":
        module: Any = importlib.import_module("skerry" if owner == "skerry" else f"skerry.{owner}")
        similar = difflib.get_close_matches(name, module.__all__, n=1, cutoff=0.75)
        text = f"did you mean {similar[0]}?" if similar else None
    return "" if text is None else f"; {text}"


def missing_name(module: str, name: str) -> AttributeError:
    """Return the error for a name that a module of skerry does not have."""
    suffix = "" if name.startswith("_") else _suffix(module.removeprefix("skerry."), name)
    text = f"module {module!r} has no attribute {name!r}{suffix}"
    return AttributeError(text, name=name, obj=None)  # Python adds a suggestion to others


def missing_attribute(name: str) -> AttributeError:
    """Return the error for an attribute that arrays do not have."""
    text = f"'skerry.Array' object has no attribute {name!r}{_suffix('Array', name)}"
    return AttributeError(text, name=name, obj=None)
