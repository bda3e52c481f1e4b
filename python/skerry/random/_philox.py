# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The stream of random bits that generators draw from."""

from __future__ import annotations

import copy
import operator
import threading
from typing import TYPE_CHECKING, Any

from skerry._captured_streams import note_created_stream, reject_state_in_capture

if TYPE_CHECKING:
    from numpy.random import SeedSequence

_NAME = "Philox4x32-10"
_POSITIONS = 1 << 64


class Philox:
    """Philox 4x32-10: blocks of 128 random bits as a function of a key and a counter.

    A seed provides 96 bits: the key and one word of the counter, which is constant. The position is 64 bits of the
    counter: each call reserves as many positions as it needs. The last word counts the attempts of elements that draw
    more than once.

    Parameters
    ----------
    seed : int, sequence of int or numpy.random.SeedSequence, optional
        Seed; None uses entropy of the operating system.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.random.Philox(5).state["position"]
    0

    """

    def __init__(self, seed: Any = None) -> None:
        self._lock = threading.Lock()
        self._start(seed)
        note_created_stream(self)

    def _start(self, seed: Any) -> None:
        from numpy.random import SeedSequence  # imported at first use, as NumPy does

        seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        low, high, nonce = (int(word) for word in seed_seq.generate_state(3))
        with self._lock:
            self._seed_seq = seed_seq
            self._key = low | high << 32
            self._nonce = nonce
            self._position = 0

    def _restart(self, seed: Any) -> None:
        """Start again from a seed."""
        reject_state_in_capture()
        self._start(seed)

    @property
    def seed_seq(self) -> SeedSequence:
        """The seed sequence of the key."""
        return self._seed_seq

    @property
    def state(self) -> dict[str, Any]:
        """The key and the position in the stream, as a dict. It can be set.

        Raises
        ------
        ValueError, TypeError
            When set to an invalid state, or by a captured function.

        """
        with self._lock:
            return {
                "bit_generator": _NAME,
                "key": self._key,
                "nonce": self._nonce,
                "position": self._position,
            }

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        reject_state_in_capture()
        self._set_state(value)

    def _set_state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError(f"state: must be a dict, not {type(value).__name__}")
        if value.get("bit_generator") != _NAME:
            raise ValueError(
                f"state: bit_generator must be {_NAME!r}, not {value.get('bit_generator')!r}"
            )
        numbers = []
        for name, bits in (("key", 64), ("nonce", 32), ("position", 64)):
            number = value.get(name)
            if not isinstance(number, int) or not 0 <= number < 1 << bits:
                raise ValueError(f"state: {name} must be an int of {bits} bits: {number!r}")
            numbers.append(number)
        with self._lock:
            self._key, self._nonce, self._position = numbers

    def copy(self) -> Philox:
        """Return a copy that continues from the same position."""
        clone: Philox = object.__new__(Philox)
        clone.__setstate__(
            copy.deepcopy(self.__getstate__())
        )  # deep, so that both spawn the same children
        return clone

    def spawn(self, n_children: int) -> list[Philox]:
        """Return independent streams from ``SeedSequence.spawn``."""
        count = operator.index(n_children)
        if not 0 <= count < 1 << 32:
            raise ValueError(f"spawn: n_children must be from 0 to 2**32 - 1, not {count}")
        return [Philox(seed_sequence) for seed_sequence in self._seed_seq.spawn(count)]

    def reserve(self, blocks: int) -> tuple[int, int, int]:
        """Reserve a part of the stream; return key, first position and the other half of the counter."""
        with self._lock:
            stream = self._key, self._position, self._nonce << 32
            self._position = (self._position + blocks) % _POSITIONS
        return stream

    def give_back(self, stream: tuple[int, int, int], blocks: int) -> None:
        """Undo ``reserve`` if nothing was drawn, unless another call has reserved blocks since."""
        with self._lock:
            # Another thread may have started the stream again.
            is_same = stream[0] == self._key and stream[2] == self._nonce << 32
            if is_same and self._position == (stream[1] + blocks) % _POSITIONS:
                self._position = stream[1]

    def __getstate__(self) -> dict[str, Any]:
        return {"state": self.state, "seed_seq": self._seed_seq}

    def __setstate__(self, value: dict[str, Any]) -> None:
        self._seed_seq = value["seed_seq"]
        self._lock = threading.Lock()
        self._set_state(value["state"])
        note_created_stream(self)

    def __repr__(self) -> str:
        spawned = f", spawn_key={self._seed_seq.spawn_key}" if self._seed_seq.spawn_key else ""
        return f"Philox({self._seed_seq.entropy}{spawned})"
