# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Subprocesses that each compute with one instruction set of the CPU, or on a GPU.

They are processes because the instruction set is chosen when the library is loaded.

This file is also the program of these processes: it reads pickled requests and writes pickled results.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import IO, cast

import numpy as np
import skerry as sk
from skerry import _core


class BackEnd:
    """A process with one instruction set, and the device that it computes on."""

    def __init__(self, name: str, device: str, environment: dict[str, str]) -> None:
        self.name, self.device = name, device
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **environment},
        )

    def __call__(self, name: str, args: Sequence[np.ndarray]) -> np.ndarray:
        """Returns the results of a function."""
        pickle.dump((name, self.device, args), cast(IO[bytes], self.process.stdin), -1)
        cast(IO[bytes], self.process.stdin).flush()
        return pickle.load(cast(IO[bytes], self.process.stdout))

    def close(self) -> None:
        """Ends the process."""
        self.process.communicate()


@contextlib.contextmanager
def back_ends(levels: Sequence[str]) -> Iterator[list[BackEnd]]:
    """Yields a back end for each of `levels` that this machine and build support, and for a GPU if there is one."""
    with contextlib.ExitStack() as stack:
        ends = []
        for level in levels:
            one = BackEnd(level, "cpu:0", {"SKERRY_ISA": level.rpartition("-")[2]})
            stack.callback(one.close)
            if one("", ()) == one.name:
                ends.append(one)
        if any(device.kind == "cuda" and not device.info.rehearsal for device in sk.devices()):
            ends.append(BackEnd("CUDA", "cuda:0", {}))
            stack.callback(ends[-1].close)
        yield ends


def answer(name: str, device: str, args: Sequence[np.ndarray]) -> np.ndarray | str:
    """Returns the results of a function, or the instruction set if the name is empty."""
    if not name:
        return _core.instruction_set()
    arrays = [sk.asarray(x, device="cpu:0").to_device(device) for x in args]
    return np.array(getattr(sk, name)(*arrays).to_device("cpu:0"))


def main() -> None:
    """Answers requests until the input ends."""
    with contextlib.suppress(EOFError):
        while True:
            pickle.dump(answer(*pickle.load(sys.stdin.buffer)), sys.stdout.buffer, -1)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
