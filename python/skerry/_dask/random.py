# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random numbers of dask arrays from ``skerry.random``: one stream for each chunk, from seeds that NumPy spawns.

dask passes the class of a bit generator to workers, which call it with a seed. dask then
calls ``random.default_rng(bit_generator)`` of the package that the class is defined in, here ``skerry``.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from skerry import _core

# RandomState's method names -> Generator's.
OLDER_NAMES = {
    "rand": "random",
    "random_sample": "random",
    "random_integers": "integers",
    "randint": "integers",
    "randn": "standard_normal",
}


def generator(seed: np.random.SeedSequence, device: str) -> Any:
    """Make skerry's generator from a seed."""
    words = seed.generate_state(4, np.uint64)
    numbers: Any = importlib.import_module("skerry.random")
    return numbers.default_rng([int(word) for word in words], device=device)


class SeedSequence(np.random.SeedSequence):
    """A seed with the device of the arrays drawn from it, inherited by its children."""

    device = "cpu:0"

    def spawn(self, n_children: int) -> list[Any]:
        children = super().spawn(n_children)
        return [_seed(child, self.device) for child in children]

    def __reduce__(self) -> Any:
        return _restore, (self.entropy, self.spawn_key, self.n_children_spawned, self.device)


def _restore(entropy: Any, spawn_key: Any, spawned: int, device: str) -> SeedSequence:
    seed = SeedSequence(entropy, spawn_key=spawn_key, n_children_spawned=spawned)
    seed.device = device
    return seed


def _seed(seed_sequence: np.random.SeedSequence, device: str) -> SeedSequence:
    return _restore(
        seed_sequence.entropy, seed_sequence.spawn_key, seed_sequence.n_children_spawned, device
    )


class BitGenerator:
    """Bit generator of ``dask.array.random.default_rng``: a seed and the default device at its creation."""

    def __init__(self, seed: Any = None) -> None:
        if not isinstance(seed, np.random.SeedSequence):
            seed = np.random.SeedSequence(seed)
        device = getattr(seed, "device", None) or str(_core.device_or_default("random", None))
        self._seed_seq = _seed(seed, device)

    @property
    def seed_seq(self) -> SeedSequence:
        return self._seed_seq

    def __skerry_generator__(self) -> Any:
        """Return the generator; called by ``skerry.random.default_rng``."""
        return generator(self._seed_seq, self._seed_seq.device)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        seed = self._seed_seq
        return type(self).__name__, seed.entropy, seed.spawn_key, seed.device


class RandomState:
    """NumPy's legacy interface to the distributions of ``skerry.random.Generator``."""

    def __init__(self, seed: Any = None, device: str | _core.Device | None = None) -> None:
        if isinstance(seed, np.ndarray):  # a state from dask: 624 words
            seed = [int(word) for word in seed]
        device_name = str(
            _core.device_or_default("default_rng", None) if device is None else device
        )
        self._generator = generator(np.random.SeedSequence(seed), device_name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._generator, OLDER_NAMES.get(name, name))
