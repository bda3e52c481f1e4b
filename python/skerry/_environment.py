# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Warnings at import about environment variables with invalid values or unknown names.

``environment.csv`` in this folder lists the valid values of each variable; the documentation shows the same table.
The code that reads a variable, mostly in C++, treats an invalid value as unset.
"""

from __future__ import annotations

import csv
import difflib
import os
import pathlib
import re
import warnings
from collections.abc import Mapping

from skerry import _core

_DEVICE = r"(?:\d|[1-5]\d|6[0-3])"
# For variables whose values the table describes in words instead of a range or a list.
_PATTERNS = {
    "SKERRY_HOST_CACHE": r"\d+[KMG]?",
    "SKERRY_KERNEL_CACHE": r".+",
    "SKERRY_REHEARSE_DELAY_US": r"\d{1,8}(?:-\d{1,8})?",
    "SKERRY_REHEARSE_MEMORY": r"0*[1-9]\d*(?:[KMG]|[KMG]iB)?",
    "SKERRY_REHEARSE_PEERS": rf"all|none|{_DEVICE}-{_DEVICE}(?:,{_DEVICE}-{_DEVICE})*",
    "SKERRY_REHEARSE_FAIL": r"(?=.*\bk=0*[1-9])(?=.*\bcode=0*[1-9]\d{0,3}\b)(?:(?:k=\d+|code=\d+|sticky)(?:,|$))+",
    "SKERRY_EMULATE_COLLECT": (
        r"all|(?:(?:uninitialised|race_shared|race_global|race_streams|synchronisation)(?:,|$))+"
    ),
    "SKERRY_NCCL_FAULT": r"(?:(?:slow:\d+-\d+:\d+(?:\.\d+)?|(?:dead|abort):\d+:0*[1-9]\d*)(?:,|$))+",
}


def _read_table() -> dict[str, dict[str, str]]:
    with (pathlib.Path(__file__).parent / "environment.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {row["Variable"].strip("`"): row for row in rows}


def _accepts(name: str, values: str, text: str) -> bool:
    """Return whether ``text`` is a valid value of a variable; ``values`` is its entry in the table's column Values."""
    if name in _PATTERNS:
        return re.fullmatch(_PATTERNS[name], text) is not None
    if values in ("a path", "a folder"):
        return name.startswith("SKERRY_EMULATE_") or os.path.exists(text)
    bounds = re.fullmatch(r"(\d+) to (\d+)(?:\^(\d+))?", values)
    if bounds is None:
        return text in re.split(r", | or ", values)
    least, most, power = (int(number or 1) for number in bounds.groups())
    return re.fullmatch(r"\d+", text) is not None and least <= int(text) <= most**power


def _find_level_problem(text: str, values: str) -> str | None:
    """Return the problem with SKERRY_ISA, whose values are levels of this build and this processor."""
    levels = [level.rpartition("-")[2] for level in _core.instruction_sets()]
    if text in levels:
        return None
    reason = (
        ": this build or this processor lacks that level;"
        if _accepts("SKERRY_ISA", values, text)
        else " is not understood:"
    )
    return (
        f"SKERRY_ISA={text}{reason} it takes {', '.join(levels)}; used: {_core.instruction_set()}"
    )


def _find_problem(name: str, text: str, table: Mapping[str, Mapping[str, str]]) -> str | None:
    if name not in table:
        words = {variable.removeprefix("SKERRY_"): variable for variable in table}
        nearest = difflib.get_close_matches(name.removeprefix("SKERRY_"), words, n=1)
        suggestion = f"; did you mean {words[nearest[0]]}?" if nearest else ""
        return f"{name}={text}: skerry reads no variable of that name{suggestion}"
    row = table[name]
    if row["Read by"] not in ("skerry", "emulator"):
        return None
    if name == "SKERRY_ISA":
        return _find_level_problem(text, row["Values"])
    if not _accepts(name, row["Values"], text):
        used = row["Default"].replace("`", "")
        return f"{name}={text} is not understood: it takes {row['Values']}; used: {used}"
    return None


def warn_of_variables(environment: Mapping[str, str]) -> None:
    """Warn about each ``SKERRY_…`` variable that has an invalid value or that skerry does not read.

    Warns
    -----
    RuntimeWarning
        One per variable, with its name, its valid values and the value used instead.

    """
    ours = {name: text for name, text in environment.items() if name.startswith("SKERRY_") and text}
    if not ours:
        return
    table = _read_table()
    for name, text in ours.items():
        problem = _find_problem(name, text, table)
        if problem is not None:
            warnings.warn(problem, RuntimeWarning, stacklevel=2)
