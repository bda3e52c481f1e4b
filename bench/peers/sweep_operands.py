# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Operands of the sweep's cases: random numbers in an array with a memory layout."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np
import skerry as sk


@dataclasses.dataclass(frozen=True)
class Operand:
    """An array argument: its values and its memory layout."""

    shape: tuple[int, ...]
    dtype: str
    layout: str = "contiguous"
    kind: str = "values"  # of its numbers: see `draw`
    seed: int = 0

    @functools.lru_cache(maxsize=16)  # noqa: B019 - neighboring cells share operands; the cache is small
    def host(self) -> Any:
        """Returns the operand as a NumPy array."""
        return laid_out(np, np.ascontiguousarray(self.memory()), self)

    @functools.lru_cache(maxsize=16)  # noqa: B019
    def skerry_array(self) -> Any:
        """Returns the operand as a skerry array that does not share NumPy's memory."""
        return laid_out(sk, sk.asarray(self.memory(), copy=True), self)

    @functools.lru_cache(maxsize=4)  # noqa: B019
    def memory(self) -> np.ndarray:
        """Returns the contiguous array that the operand is a view of."""
        shape = list(self.shape)
        if self.layout == "transposed":
            shape.reverse()
        elif self.layout == "stepped":
            shape[-1] *= 2
        elif self.layout in ("short rows", "short columns"):
            shape[-1] += 1
        values = draw(tuple(shape), np.dtype(self.dtype), self.kind, self.seed)
        if self.kind == "sorted" and self.layout == "reversed":
            values = values[::-1]  # so that the view is ascending
        return np.asarray(values).reshape(shape)


def laid_out(xp: Any, memory: Any, operand: Operand) -> Any:
    """Returns the view of the operand's memory with its layout."""
    if operand.layout == "transposed":
        return memory.T
    if operand.layout == "stepped":
        return memory[..., ::2]
    if operand.layout == "reversed":
        return memory[..., ::-1]
    if operand.layout in ("short rows", "short columns"):
        return memory[..., :-1]
    return memory


#: How many random numbers are drawn, once for all cells, since drawing takes longer than measuring. Larger operands
#: repeat them.
DRAWN = 1 << 21


@functools.cache
def drawn(low: float, high: float, seed: int, kind: str) -> np.ndarray:
    """Returns DRAWN numbers: integers of int8, or float64 or complex128."""
    rng = np.random.default_rng(seed)
    if kind == "i":
        return rng.integers(low, high, DRAWN, np.int8)
    values = rng.uniform(low, high, DRAWN)
    return values + 1j * rng.uniform(low, high, DRAWN) if kind == "c" else values


def numbers(n: int, low: float, high: float, seed: int, kind: str) -> np.ndarray:
    """Returns n of the drawn numbers, repeated if n is larger."""
    all_of_them = drawn(low, high, seed, kind)
    return all_of_them[:n] if n <= DRAWN else np.resize(all_of_them, n)


def draw(shape: tuple[int, ...], dtype: np.dtype, kind: str, seed: int) -> np.ndarray:
    """Returns random numbers of a kind.

    * "values": in the domain of nearly all functions: 0.1 to 0.9 (imaginary parts, too), integers from 1 to 99, bools
    * "signed": -3 to 3
    * "above one": 1.1 to 9
    * "counts": integers from 0 to 7; also what "signed" and "above one" are for integer dtypes
    * "choices": 0 and 1
    * "below N": integers from 0 to N - 1
    * "sorted": ascending "values"
    * "matrix": symmetric matrices; "values" for a vector
    """
    n = math.prod(shape)
    if kind == "matrix" and len(shape) < 2:
        kind = "values"  # a vector operand of a function of matrices
    if kind == "matrix":
        x = draw(shape, dtype, "values", seed).reshape(shape)
        x = x + np.swapaxes(x, -1, -2)  # symmetric; positive definite for real floating dtypes
        return (x + 2 * shape[-1] * np.eye(shape[-1])).astype(dtype)
    if kind == "sorted":
        return np.sort(draw(shape, dtype, "values", seed))
    if kind.startswith("below"):
        return (numbers(n, 0, 1, seed, "f") * int(kind.removeprefix("below "))).astype(dtype)
    if kind == "choices":
        return numbers(n, 0, 2, seed, "i").astype(dtype)
    if kind == "counts" or (kind != "values" and dtype.kind in "iu"):
        return numbers(n, 0, 8, seed, "i").astype(dtype)
    if dtype.kind == "b":
        return numbers(n, 0, 2, seed, "i").astype(dtype)
    if dtype.kind in "iu":
        return numbers(n, 1, 100, seed, "i").astype(dtype)
    low, high = {"values": (0.1, 0.9), "signed": (-3.0, 3.0), "above one": (1.1, 9.0)}[kind]
    return numbers(n, low, high, seed, "c" if dtype.kind == "c" else "f").astype(dtype)
