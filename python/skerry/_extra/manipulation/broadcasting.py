# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Broadcasting."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_arrays, flat
from skerry._failed_calls import NotAnArrayError

__all__ = ["broadcast"]


class broadcast:  # noqa: N801 - NumPy's name
    """Broadcast arrays against each other, as an object that has their common shape.

    Parameters
    ----------
    *arrays : Array, scalar or nested list
        Arrays on one device; scalars and lists go to that device, or to the default device.

    Raises
    ------
    DeviceMismatchError
        If the arrays are on different devices.
    ValueError
        If the shapes don't broadcast.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.broadcast(sk.zeros((3, 1)), sk.zeros((2,))).shape
    (3, 2)

    """

    def __init__(self, *arrays: Any) -> None:
        try:
            self._arrays = as_arrays("broadcast", *arrays) if arrays else []
        except NotAnArrayError as error:
            raise TypeError(
                f"broadcast: takes arrays, numbers and lists of numbers, not {error.kinds}"
            ) from None
        self._shape = sk.broadcast_shapes(*(x.shape for x in self._arrays))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result of broadcasting."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of axes of the result."""
        return len(self._shape)

    nd = ndim

    @property
    def size(self) -> int:
        """Number of elements of the result."""
        return math.prod(self._shape)

    @property
    def numiter(self) -> int:
        """Number of arrays."""
        return len(self._arrays)

    @property
    def values(self) -> list[Array]:
        """The arrays, broadcast to the common shape."""
        return [sk.broadcast_to(x, self._shape) for x in self._arrays]

    def __iter__(self) -> Iterator[tuple[Array, ...]]:
        """Return an iterator over tuples of elements, as 0-d arrays."""
        return zip(*(iter(flat(x)) for x in self.values), strict=True)
