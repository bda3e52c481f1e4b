# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reads the thresholds of the CPU kernels from their sources: the sizes at which a driver switches loops.

A threshold is an integer in the value of a ``constexpr`` integer, or one that a source compares with. It may count
elements or bytes, so both are tested. Thresholds in multiples of a number of lanes are powers of two, all of which are
tested.
"""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: Sources with thresholds: the kernels, and the front ends that choose among them.
SOURCES = ("ops/*/cpu/*.?pp", "ops/kernel/*.?pp", "ops/*/*.?pp", "core/*.?pp")
#: Units of ops/kernel/cpu/tuning.hpp.
UNITS = {"kib": 1 << 10, "mib": 1 << 20}
#: The maximum number of elements to test, for memory and time.
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
    """Yields the integers of an expression, and the values of its shifts and products."""
    for unit, number in UNITS.items():
        expression = expression.replace(unit, str(number))
    for base, shift in _SHIFTED.findall(expression):
        yield int(base) << int(shift)
    for one, other in _TIMES.findall(expression):
        yield int(one) * int(other)
    yield from map(int, _NUMBER.findall(_SHIFTED.sub("", expression)))


def thresholds_of(text: str) -> Iterator[tuple[str, int]]:
    """Yields the thresholds of a source with the name of the constant, or the line of the comparison."""
    text = _COMMENT.sub("", text)
    for name, value in _DEFINED.findall(text):
        for number in numbers_in(value):
            yield name, number
    for line in text.splitlines():
        for number in _COMPARED.findall(line):
            yield line.strip(), int(number)


@functools.cache
def thresholds() -> dict[int, list[str]]:
    """Returns all thresholds above 1, with their files and names."""
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
    """Returns element counts one below, at and one above each threshold, in elements and in bytes, and 0 and 1."""
    sizes = {1 << k for k in range(MOST.bit_length())}
    for number in thresholds():
        sizes |= {number, number // itemsize}
    return tuple(
        sorted({n + apart for n in sizes for apart in (-1, 0, 1) if 0 <= n + apart <= MOST + 1})
    )
