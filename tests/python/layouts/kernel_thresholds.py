# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The thresholds of the CPU kernels, read from their sources: at which numbers a driver chooses another loop.

A threshold is a whole number in the value of a ``constexpr`` integer, or beside which a source compares something. It may
count elements or bytes: both are walked. Those that are written with a number of lanes are powers of two, all of which are
walked.
"""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: Where they are defined: the kernels, and the front ends that choose among them.
SOURCES = ("ops/*/cpu/*.?pp", "ops/kernel/*.?pp", "ops/*/*.?pp", "core/*.?pp")
#: As ops/kernel/cpu/tuning.hpp has them.
UNITS = {"kib": 1 << 10, "mib": 1 << 20}
#: Numbers of elements beyond are not walked: memory and time.
MOST = 1 << 22

_INTEGER = r"(?:std::)?(?:int|int64|int64_t|size_t)"
_LITERAL = rf"(?:{_INTEGER}\s*[{{(]\s*)?(\d+)\s*[}})]?"
_DEFINED = re.compile(rf"\bconstexpr\s+{_INTEGER}\s+(\w+)(?:<[^=;]*>)?\s*=\s*([^;]+);")
_SHIFTED = re.compile(rf"{_LITERAL}\s*<<\s*(\d+)")
_TIMES = re.compile(rf"{_LITERAL}\s*\*\s*(\d+)\b")
_NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
_COMPARED = re.compile(r"(?:<=|>=|==|<|>)\s*(\d+)(?![\w.])")
_COMMENT = re.compile(r"//[^\n]*")


def numbers_in(expression: str) -> Iterator[int]:
    """The whole numbers of an expression, and what its shifts and products of them are."""
    for unit, number in UNITS.items():
        expression = expression.replace(unit, str(number))
    for base, shift in _SHIFTED.findall(expression):
        yield int(base) << int(shift)
    for one, other in _TIMES.findall(expression):
        yield int(one) * int(other)
    yield from map(int, _NUMBER.findall(_SHIFTED.sub("", expression)))


def thresholds_of(text: str) -> Iterator[tuple[str, int]]:
    """The thresholds of a source, by the name of the constant or the line that compares."""
    text = _COMMENT.sub("", text)
    for name, value in _DEFINED.findall(text):
        for number in numbers_in(value):
            yield name, number
    for line in text.splitlines():
        for number in _COMPARED.findall(line):
            yield line.strip(), int(number)


@functools.cache
def thresholds() -> dict[int, list[str]]:
    """All of them from 2 on, with the files and names that they stand for."""
    names_by_number: dict[int, list[str]] = {}
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            for name, number in thresholds_of(path.read_text()):
                if number > 1:
                    names_by_number.setdefault(number, []).append(
                        f"{path.relative_to(ROOT)}: {name}"
                    )
    return names_by_number


@functools.cache
def edges(itemsize: int) -> tuple[int, ...]:
    """Numbers of elements one below, at and one above each threshold, in elements and in bytes; none and one, too."""
    sizes = {1 << k for k in range(MOST.bit_length())}
    for number in thresholds():
        sizes |= {number, number // itemsize}
    return tuple(
        sorted({n + apart for n in sizes for apart in (-1, 0, 1) if 0 <= n + apart <= MOST + 1})
    )
