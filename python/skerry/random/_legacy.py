# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The generator of NumPy's older programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry import _core
from skerry._arrays import name_failures
from skerry._core import Array
from skerry.random._drawing import Size
from skerry.random._generator import Generator
from skerry.random._philox import Philox


class RandomState(Generator):
    """Random number generator with the methods of NumPy's ``RandomState`` in addition to those of ``Generator``.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence or Philox, optional
        Seed, as for ``default_rng``.
    device : Device or str, optional
        Device of all results; by default the default device.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.random.RandomState(42).rand(2)
    Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

    """

    def __init__(self, seed: Any = None, device: _core.Device | str | None = None) -> None:
        super().__init__(bit_generator_of("RandomState", seed), device)

    def seed(self, seed: Any = None) -> None:
        """Start again from a seed.

        Parameters
        ----------
        seed : int, sequence of int or numpy.random.SeedSequence, optional
            Seed; None uses entropy of the operating system.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState()
        >>> rng.seed(42)
        >>> rng.rand(2)
        Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

        """
        self._bits = bit_generator_of("seed", seed)

    def get_state(self) -> dict[str, Any]:
        """Return the key and the position of the stream, as a dict for ``set_state``.

        Returns
        -------
        dict

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.get_state()["position"]
        0

        """
        return self._bits.state

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from the position that ``get_state`` returned.

        Parameters
        ----------
        state : dict
            State of a generator.

        Raises
        ------
        ValueError, TypeError
            If it is not a state of Philox.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> state = rng.get_state()
        >>> first = rng.rand()
        >>> rng.set_state(state)
        >>> bool(rng.rand() == first)
        True

        """
        self._bits.state = state

    def rand(self, *sizes: int, dtype: Any = np.float64) -> Array:
        """Draw uniformly from [0, 1).

        Parameters
        ----------
        *sizes : int
            Lengths of the axes; none for a 0-d array.
        dtype : dtype, default float64
            float64 or float32.

        Returns
        -------
        Array
            Drawn samples.

        Raises
        ------
        ValueError, TypeError
            If a length is negative or not an int.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.rand(2)
        Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

        """
        return self._draw_real("rand", "uniform", sizes, dtype, None)

    def randn(self, *sizes: int, dtype: Any = np.float64) -> Array:
        """Draw from the standard normal distribution.

        Parameters
        ----------
        *sizes : int
            Lengths of the axes; none for a 0-d array.
        dtype : dtype, default float64
            float64 or float32.

        Returns
        -------
        Array
            Drawn samples.

        Raises
        ------
        ValueError, TypeError
            If a length is negative or not an int.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.randn(2)
        Array([-0.79362236, -0.68388393], dtype=float64, device='cpu:0')

        """
        return self._draw_real("randn", "normal", sizes, dtype, None)

    def randint(
        self, low: Any, high: Any = None, size: Size = None, dtype: Any = np.int64
    ) -> Array:
        """Draw integers from [low, high), or from [0, low) without ``high``.

        Parameters
        ----------
        low, high : int or Array
            Bounds; ``high`` is excluded.
        size : int or tuple of int, optional
            Shape of the result; by default that of the bounds.
        dtype : dtype, default int64
            Integer dtype of the result, or bool.

        Returns
        -------
        Array
            Drawn samples.

        Raises
        ------
        ValueError, TypeError
            If the range is empty or exceeds the dtype, or an argument has the wrong type.
        DeviceMismatchError
            If a bound is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.randint(1, 7, size=5).tolist()
        [2, 4, 3, 4, 6]

        """
        return self._integers("randint", low, high, size, np.dtype(dtype), False)

    def random_sample(self, size: Size = None) -> Array:
        """Draw uniformly from [0, 1).

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default (), for a 0-d array.

        Returns
        -------
        Array
            Drawn samples of dtype float64.

        Raises
        ------
        ValueError, TypeError
            If ``size`` is negative or not an int.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.random_sample(2)
        Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

        """
        return self._draw_real("random_sample", "uniform", size, np.float64, None)


name_failures(RandomState)


def bit_generator_of(op: str, seed: Any) -> Philox:
    """Return the stream of a seed; a Philox is used as it is."""
    if isinstance(seed, Philox):
        return seed
    if isinstance(seed, (int, np.integer)) and seed < 0:
        raise ValueError(f"{op}: seed must not be negative: {seed}; use abs(seed)")
    return Philox(seed)
