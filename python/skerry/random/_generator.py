# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The generator with all distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry import _core
from skerry._arrays import name_failures
from skerry.random._order import Order
from skerry.random._philox import Philox


class Generator(Order):
    """Random number generator for arrays on one device.

    Use ``default_rng`` to construct one. Methods are thread-safe: each call uses its own part of the stream. A copied
    or pickled generator continues from the position of the original.

    Parameters
    ----------
    bit_generator : Philox
        The stream of random bits, with its state.
    device : Device or str, optional
        Device of all results; by default the default device.

    Examples
    --------
    >>> import skerry as sk
    >>> rng = sk.random.Generator(sk.random.Philox(1))
    >>> rng
    Generator(Philox(1), device='cpu:0')

    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.bit_generator, str(self.device))

    def __copy__(self) -> Generator:
        return type(self)(self.bit_generator.copy(), self.device)

    def __deepcopy__(self, memo: dict[int, Any]) -> Generator:
        return self.__copy__()

    def spawn(self, n_children: int) -> list[Generator]:
        """Create independent generators on the same device.

        Parameters
        ----------
        n_children : int
            Number of generators.

        Returns
        -------
        list of Generator
            Their numbers depend on the seed and on how many were spawned before, not on what was drawn.

        Examples
        --------
        >>> import skerry as sk
        >>> [each.integers(100).tolist() for each in sk.random.default_rng(1).spawn(3)]
        [27, 51, 25]

        """
        _core.require_objects("spawn", n_children)
        return [
            Generator(bit_generator, self.device)
            for bit_generator in self.bit_generator.spawn(n_children)
        ]


def default_rng(seed: Any = None, device: _core.Device | str | None = None) -> Generator:
    """Construct a random number generator.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence, Philox or Generator, optional
        Seed, as for ``numpy.random.SeedSequence``; None uses entropy of the operating system. A Philox is used as it
        is, and a Generator is returned unchanged.
    device : Device or str, optional
        Device of all results; by default the default device.

    Returns
    -------
    Generator

    Raises
    ------
    DeviceUnavailableError
        If the device can't be used.
    ValueError
        If the seed is negative, or a Generator of another device.

    Examples
    --------
    >>> import skerry as sk
    >>> rng = sk.random.default_rng(42)
    >>> rng.random(3)
    Array([0.57766172, 0.61320079, 0.46900095], dtype=float64, device='cpu:0')
    >>> rng.integers(1, 7, size=5).tolist()
    [5, 4, 5, 6, 6]

    """
    if isinstance(seed, Generator):
        if device is not None and _core.as_device(device) != seed.device:
            raise ValueError(
                f"default_rng: the generator is on {seed.device}, not {device}; create one with "
                f"Generator(rng.bit_generator, device={str(device)!r})"
            )
        return seed
    if (
        make := getattr(type(seed), "__skerry_generator__", None)
    ) is not None:  # chunks of dask: a seed with a device
        return default_rng(make(seed), device)
    if isinstance(seed, (int, np.integer)) and seed < 0:
        raise ValueError(f"default_rng: seed must not be negative: {seed}; use abs(seed)")
    return Generator(seed if isinstance(seed, Philox) else Philox(seed), device)


name_failures(Generator)


def _restore(kind: type[Generator], bit_generator: Philox, device: str) -> Generator:
    from skerry._pickle import choose_device

    return kind(bit_generator, choose_device(device))
