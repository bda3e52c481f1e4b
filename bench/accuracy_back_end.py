# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Processes that compute with one instruction set each, which is chosen when the library is loaded, or on a GPU.

This file is such a process, too: it answers the pickled questions that it reads.
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
    """A process of one instruction set, and the device that it computes on."""

    def __init__(self, name: str, device: str, environment: dict[str, str]) -> None:
        self.name, self.device = name, device
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **environment},
        )

    def __call__(self, name: str, args: Sequence[np.ndarray]) -> np.ndarray:
        """The library's results."""
        pickle.dump((name, self.device, args), cast(IO[bytes], self.process.stdin), -1)
        cast(IO[bytes], self.process.stdin).flush()
        return pickle.load(cast(IO[bytes], self.process.stdout))

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


@contextlib.contextmanager
def back_ends(levels: Sequence[str]) -> Iterator[list[BackEnd]]:
    """Those of the instruction sets that this computer and build have, and of its GPU."""
    with contextlib.ExitStack() as stack:
        ends = []
        for level in levels:
            one = BackEnd(f"x86-64-{level}", "cpu:0", {"SKERRY_ISA": level})
            stack.callback(one.close)
            if one("", ()) == one.name:
                ends.append(one)
        if any(device.kind == "cuda" and not device.info.rehearsal for device in sk.devices()):
            ends.append(BackEnd("CUDA", "cuda:0", {}))
            stack.callback(ends[-1].close)
        yield ends


def answer(name: str, device: str, args: Sequence[np.ndarray]) -> np.ndarray | str:
    """A function's results; the instruction set if none is named."""
    if not name:
        return _core.instruction_set()
    arrays = [sk.asarray(x, device="cpu:0").to_device(device) for x in args]
    return np.array(getattr(sk, name)(*arrays).to_device("cpu:0"))


def main() -> None:
    """Answer until there are no more questions."""
    with contextlib.suppress(EOFError):
        while True:
            pickle.dump(answer(*pickle.load(sys.stdin.buffer)), sys.stdout.buffer, -1)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
