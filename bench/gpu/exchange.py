# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A process that is sent arrays on a CUDA device, by their values or by handles of their memory."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import time
from typing import Any

import numpy as np

#: The process imports skerry and starts the device before it answers.
LONGEST_ANSWER = 60.0


@dataclasses.dataclass
class Reply:
    """What the other process has read."""

    total: int
    open_seconds: float  # of open_ipc
    error: str = ""


def answer(message: Any) -> Reply:
    """Reads an array in the other process, and adds 1 to it."""
    import skerry as sk

    begin = time.perf_counter()
    try:
        is_host = isinstance(message, np.ndarray)
        x = sk.asarray(message, device="cuda:0") if is_host else sk.open_ipc(message)
        open_seconds = time.perf_counter() - begin
        total = int(sk.sum(x, dtype=sk.int64))
        x += 1
        sk.synchronize(x.device)
    except Exception as error:
        return Reply(0, 0.0, f"{type(error).__name__}: {error}")
    return Reply(total, open_seconds)


def serve(connection: Any) -> None:
    """Answers until it receives None; the function of the other process."""
    while (message := connection.recv()) is not None:
        connection.send(answer(message))


class Exchange:
    """The other process, and a pipe to it."""

    def __enter__(self) -> Exchange:
        context = multiprocessing.get_context("spawn")
        self.connection, other_end = context.Pipe()
        self.process = context.Process(target=serve, args=(other_end,), daemon=True)
        self.process.start()
        other_end.close()
        return self

    def ask(self, message: Any) -> Reply:
        """Sends an array's values or a handle, and returns the answer."""
        self.connection.send(message)
        if not self.connection.poll(LONGEST_ANSWER):
            raise TimeoutError(f"the other process has not answered in {LONGEST_ANSWER:g} s")
        reply: Reply = self.connection.recv()
        if reply.error:
            raise RuntimeError(f"in the other process: {reply.error}")
        return reply

    def __exit__(self, *error: object) -> None:
        # The other process ends at None, and at the end of the pipe.
        with contextlib.suppress(OSError):
            self.connection.send(None)
        self.connection.close()
        self.process.join(10)
        self.process.kill()
