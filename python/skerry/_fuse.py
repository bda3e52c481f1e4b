# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Chains of operations in one pass."""

from __future__ import annotations

import functools as _functools
import inspect as _inspect
import linecache as _linecache
import pathlib as _pathlib
import sys as _sys
import threading as _threading
from collections.abc import Callable as _Callable
from typing import Any as _Any
from typing import TypeVar as _TypeVar
from typing import cast as _cast

from skerry import _core

_F = _TypeVar("_F", bound=_Callable[..., _Any])

_BODY_RUNS_LATER: dict[str, _Callable[[_Any], bool]] = {
    "generator": _inspect.isgeneratorfunction,
    "coroutine": _inspect.iscoroutinefunction,
    "asynchronous generator": _inspect.isasyncgenfunction,
}


def fuse(function: _F, /) -> _F:
    """Make a function whose chains of elementwise operations go through memory once, with the same results bit for bit.

    The function runs as ever, each time it is called. Its elementwise operations are checked and recorded; they are
    computed together when the function returns, or where a value is asked for: by ``if``, ``float``, ``print``,
    ``matmul``, an index, NumPy. What nobody keeps is never written to memory, also where it is summed up.

    Parameters
    ----------
    function : callable
        It takes and returns anything. A generator's or a coroutine's body runs after the call: fuse what that calls.

    Returns
    -------
    callable
        Of the same signature.

    Raises
    ------
    TypeError
        For what is no function that runs when it is called.

    Notes
    -----
    Of two NaNs an operation hands on the one or the other, as IEEE 754 allows it: their bits alone may be others.

    ``skerry.fuse.explain(function, *args)`` prints what a call computes in which pass, and why there.

    On a CUDA device a chain is one kernel, compiled by NVRTC when the same chain comes for the second time; scalars and
    shapes may be others. Where NVRTC is not installed the operations run one by one, and a warning says so once.

    Examples
    --------
    >>> import skerry as sk
    >>> @sk.fuse
    ... def density(x, mean, spread):
    ...     return sk.exp(-((x - mean) ** 2) / spread) * 0.5
    >>> density(sk.asarray([0.0, 1.0]), 1.0, 2.0)
    Array([0.30326533, 0.5       ], dtype=float64, device='cpu:0')

    """
    if not callable(function) or isinstance(function, type):
        raise TypeError(f"fuse: function must be a function, not {type(function).__name__}")
    for kind, is_that in _BODY_RUNS_LATER.items():
        if is_that(function):
            name = getattr(function, "__qualname__", repr(function))
            raise TypeError(
                f"fuse: the body of the {kind} {name} runs after the call; fuse the functions that it calls"
            )
    return _cast("_F", _functools.update_wrapper(_core.fused_function(function), function))


_PACKAGE = str(_pathlib.Path(__file__).parent)


def _asking_line() -> str:
    """Where the function that is explained stands now; nothing where it has returned."""
    frame = _sys._getframe(2)
    while frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_code is explain.__code__ or frame.f_back is None:
            return ""
        frame = frame.f_back
    text = _linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return f"line {frame.f_lineno}" + (f": {text}" if text else "")


def explain(function: _Callable[..., _Any], /, *args: _Any, **keywords: _Any) -> None:
    """Print what a fused call computes in passes, the bytes that these move, and what asked for them at which line.

    Operations that no pass computes as others may write to their operands are named, too.

    Parameters
    ----------
    function : callable
        Fused or not. It is called once.
    *args, **keywords
        Its arguments.

    """
    lines: list[str] = []
    passes = 0
    sums = [0, 0]
    own_thread = _threading.get_ident()

    def watch(
        operations: int,
        shape: tuple[int, ...],
        moved: int,
        moved_eager: int,
        is_fed: bool,
        rows: int,
    ) -> None:
        nonlocal passes
        if _threading.get_ident() != own_thread:
            return
        passes += 1
        line = _asking_line()
        use = "for a reduction" if is_fed else "for a value" if line else "at the end"
        lines.append(
            f"{operations} operation{'s' * (operations > 1)} over {shape}"
            + f", {rows} row{'s' * (rows > 1)} at a time" * (rows > 0)
            + f": {moved} bytes moved, "
            f"{moved_eager} one by one; {use}" + (f" in {line}" if line else "")
        )
        sums[0] += moved
        sums[1] += moved_eager

    def watch_alias(operation: str, operand: str, is_imported: bool) -> None:
        if _threading.get_ident() != own_thread:
            return
        memory = "imported memory" if is_imported else "memory that was handed out"
        lines.append(
            f"{operation} at once, not in a pass, in {_asking_line()}: "
            f"{operand} is {memory}, which others may write; a copy is recorded"
        )

    _core.watch_passes(watch)
    _core.watch_aliases(watch_alias)
    try:
        fuse(function)(*args, **keywords)
    finally:
        _core.watch_passes(None)
        _core.watch_aliases(None)
    print(f"{passes} pass{'es' * (passes != 1)}, {sums[0]} bytes moved, {sums[1]} one by one")
    for line in lines:
        print(f"  {line}")


fuse.explain = explain  # type: ignore[attr-defined]
