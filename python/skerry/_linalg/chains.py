# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Products of several matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skerry._core import Array
from skerry._extra._operands import Arrays, promoted
from skerry._outputs import output_argument, store
from skerry.exceptions import MatrixShapeError, ShapeError

__all__ = ["multi_dot"]


def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Array:
    """Return the product of two or more matrices, in the order of multiplications that is cheapest.

    Parameters
    ----------
    arrays : sequence of Array
        Matrices. The first may be a row vector, the last a column vector.
    out : {out}

    Returns
    -------
    Array
        Product, of the common dtype; without the axes that vectors lack.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If there are fewer than two arrays, or the shapes do not match.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.linalg.multi_dot([sk.ones((2, 100)), sk.ones((100, 3)), sk.ones((3,))])
    Array([300., 300.], dtype=float64, device='cpu:0')

    """
    if len(arrays) < 2:
        raise ValueError(f"multi_dot: needs at least two arrays, not {len(arrays)}")
    matrices = list(promoted("multi_dot", *arrays))
    output = output_argument("multi_dot", out, *matrices)
    is_row, is_column = matrices[0].ndim == 1, matrices[-1].ndim == 1
    if is_row:
        matrices[0] = matrices[0][None, :]
    if is_column:
        matrices[-1] = matrices[-1][:, None]
    for i, x in enumerate(matrices):
        if x.ndim != 2:
            raise MatrixShapeError(
                f"multi_dot: arrays[{i}] must be a matrix, not of shape {x.shape}"
            )
        if i > 0 and x.shape[0] != matrices[i - 1].shape[1]:
            raise ShapeError(
                f"multi_dot: the columns of arrays[{i - 1}] and the rows of arrays[{i}] must be equally many: "
                f"{matrices[i - 1].shape} and {x.shape}"
            )
    product = _product(matrices, _splits([matrices[0].shape[0], *(x.shape[1] for x in matrices)]))
    if is_column:
        product = product[:, 0]
    if is_row:
        product = product[0]
    return store("multi_dot", product, output)


def _splits(lengths: list[int]) -> dict[tuple[int, int], int]:
    """Return where to split each part of the chain, by dynamic programming over the numbers of multiplications.

    Matrix i has ``lengths[i]`` rows and ``lengths[i + 1]`` columns. See Cormen et al., "Introduction to Algorithms",
    chapter "Matrix-chain multiplication".
    """
    count = len(lengths) - 1
    costs = {(i, i): 0 for i in range(count)}
    splits = {}
    for width in range(1, count):
        for first in range(count - width):
            last = first + width
            costs[first, last], splits[first, last] = min(
                (
                    costs[first, middle]
                    + costs[middle + 1, last]
                    + lengths[first] * lengths[middle + 1] * lengths[last + 1],
                    middle,
                )
                for middle in range(first, last)
            )
    return splits


def _product(matrices: Arrays, splits: dict[tuple[int, int], int]) -> Array:
    """Multiply in the order of the splits."""

    def multiplied(first: int, last: int) -> Array:
        if first == last:
            return matrices[first]
        middle = splits[first, last]
        return multiplied(first, middle) @ multiplied(middle + 1, last)

    return multiplied(0, len(matrices) - 1)
