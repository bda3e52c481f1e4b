# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Settings, faults and statistics of the rehearsed NCCL, for `skerry.testing`."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator, Mapping

from skerry_emulator._paths import folder

__all__ = ["nccl_faults", "nccl_link_bytes", "nccl_settings"]


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(os.path.join(folder(), "libnccl.so.2"))
    library.skerry_nccl_set.restype = ctypes.c_char_p
    library.skerry_nccl_set.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    library.skerry_nccl_link_nbytes.restype = ctypes.c_uint64
    library.skerry_nccl_link_nbytes.argtypes = [ctypes.c_int, ctypes.c_int]
    return library


def _set(variable: str, text: str) -> None:
    """Set a variable here, and in the environment, for child processes."""
    problem = _library().skerry_nccl_set(variable.encode(), text.encode())
    if problem is not None:
        raise ValueError(problem.decode())
    if text:
        os.environ[variable] = text
    else:
        os.environ.pop(variable, None)


@contextlib.contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    old_values = {variable: os.environ.get(variable, "") for variable in values}
    try:
        for variable, text in values.items():
            _set(variable, text)
        yield
    finally:
        for variable, text in old_values.items():
            _set(variable, text)


@contextlib.contextmanager
def nccl_settings(
    *, timeout: int | None = None, errors: str | None = None, order: int | None = None
) -> Iterator[None]:
    """Change settings of the rehearsed NCCL in the body, for this process and the child processes that it starts.

    Parameters
    ----------
    timeout : int, optional
        Seconds without progress of any rank after which a call that waits for another rank fails.
    errors : str, optional
        "sticky" or "async": whether an error ends the use of the devices, or only calls of the communicator return it.
    order : int, optional
        Seed of the order in which each call reduces the ranks. float16 and bfloat16 are then rounded after each rank.

    Raises
    ------
    ValueError
        If a value is invalid.

    Examples
    --------
    ::

        with skerry.testing.nccl_settings(order=3):
            comm.allreduce(x, x, nccl.SUM)

    """
    values = {"TIMEOUT": timeout, "ERRORS": errors, "ORDER": order}
    with _variables(
        {f"SKERRY_NCCL_{name}": str(value) for name, value in values.items() if value is not None}
    ):
        yield


@contextlib.contextmanager
def nccl_faults(
    *,
    slow: Mapping[tuple[int, int], float] | None = None,
    dead: Mapping[int, int] | None = None,
    abort: Mapping[int, int] | None = None,
) -> Iterator[None]:
    """Let the rehearsed NCCL fail in the body, in this process and the child processes that it starts.

    The devices stay usable: calls of the communicator raise, as those of real NCCL do after a fault.

    Parameters
    ----------
    slow : dict, optional
        Seconds by which each call on a link is delayed, by the two ranks that the link joins.
    dead : dict, optional
        By rank, the number of its collective call in which it stops, from 1. The calls of the other ranks fail when
        no thread can end their wait, at the latest after ``SKERRY_NCCL_TIMEOUT`` seconds without progress.
    abort : dict, optional
        By rank, the number of its collective call in which it aborts the communicator.

    Raises
    ------
    ValueError
        If a rank or the number of a call or of seconds is invalid.

    Examples
    --------
    ::

        with skerry.testing.nccl_faults(dead={1: 3}), pytest.raises(nccl.NCCLError):
            train(comm)

    """
    for ranks, seconds in (slow or {}).items():
        if min(ranks) < 0 or seconds < 0:
            raise ValueError(f"nccl_faults: slow: invalid ranks or seconds: {ranks}: {seconds}")
    for name, calls in (("dead", dead), ("abort", abort)):
        for rank, call in (calls or {}).items():
            if rank < 0 or call < 1:
                raise ValueError(
                    f"nccl_faults: {name}: invalid rank or number of a call: {rank}: {call}; both are counted, "
                    "ranks from 0 and calls from 1"
                )
    faults = [f"slow:{a}-{b}:{seconds:.6f}" for (a, b), seconds in (slow or {}).items()]
    faults += [f"dead:{rank}:{call}" for rank, call in (dead or {}).items()]
    faults += [f"abort:{rank}:{call}" for rank, call in (abort or {}).items()]
    with _variables({"SKERRY_NCCL_FAULT": ",".join(faults)}):
        yield


@contextlib.contextmanager
def nccl_link_bytes() -> Iterator[dict[tuple[str, str], int]]:
    """Count the bytes that devices of this process receive from each other by the rehearsed NCCL in the body.

    Every rank reads directly from every other one. The bytes that a rank receives are as many as in NCCL's rings; their
    distribution over the links is not.

    Yields
    ------
    dict[tuple[str, str], int]
        Bytes by sending and receiving device, without links that were not used. Filled at the end of the body, which
        must wait for its calls.

    """
    from skerry import _core

    links: dict[tuple[str, str], int] = {}
    count = len(_core.devices("cuda"))
    pairs = [(a, b) for a in range(count) for b in range(count)]
    old_nbytes = {pair: _library().skerry_nccl_link_nbytes(*pair) for pair in pairs}
    yield links
    for a, b in pairs:
        if nbytes := _library().skerry_nccl_link_nbytes(a, b) - old_nbytes[a, b]:
            links[f"cuda:{a}", f"cuda:{b}"] = nbytes
