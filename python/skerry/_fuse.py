# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Fusion of chains of elementwise operations into one pass over memory."""

from __future__ import annotations

import functools as _functools
import inspect as _inspect
import linecache as _linecache
import os as _os
import sys as _sys
from _thread import get_ident as _get_ident  # threading is imported later
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
    """Compute chains of elementwise operations of a function in one pass over memory, with bit-identical results.

    The body of the function runs on each call. Its elementwise operations are checked and recorded. They are computed
    together when the function returns, or when a value is needed, for example by ``if``, ``float``, ``print``,
    ``matmul``, an index or NumPy. A result that the program does not keep is never written to memory, even if it is
    reduced.

    Parameters
    ----------
    function : callable
        The function to fuse, with any parameters and results. Not a generator or a coroutine, whose body runs after
        the call: fuse the functions that it calls.

    Returns
    -------
    callable
        A function with the same signature.

    Raises
    ------
    TypeError
        If ``function`` is not a function, or is a generator function or a coroutine function.

    Notes
    -----
    Only the bits of NaNs may differ: if both operands are NaN, IEEE 754 leaves open which of them an operation returns.

    ``skerry.fuse.explain(function, *args)`` prints the passes of a call, their operations and what triggered each pass.

    On a CUDA device a chain runs as one kernel, which NVRTC compiles when the same chain occurs for the second time,
    regardless of scalars and shapes. Without NVRTC the operations run one by one, and a warning is issued once.

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


_PACKAGE = _os.path.dirname(__file__)


def _asking_line() -> str:
    """Return the current line of the explained function; an empty string if it has returned."""
    frame = _sys._getframe(2)
    while frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_code is explain.__code__ or frame.f_back is None:
            return ""
        frame = frame.f_back
    text = _linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return f"line {frame.f_lineno}" + (f": {text}" if text else "")


def explain(function: _Callable[..., _Any], /, *args: _Any, **keywords: _Any) -> None:
    """Print the passes of a fused call: their operations, the bytes moved, and the line that triggered each.

    Operations that are computed eagerly because other code may write to their operands are listed as well.

    Parameters
    ----------
    function : callable
        The function, fused or not. It is called once.
    *args, **keywords
        Arguments of the function.

    """
    lines: list[str] = []
    passes = 0
    sums = [0, 0]
    own_thread = _get_ident()

    def watch(
        operations: int,
        shape: tuple[int, ...],
        moved: int,
        moved_eager: int,
        is_fed: bool,
        rows: int,
    ) -> None:
        nonlocal passes
        if _get_ident() != own_thread:
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
        if _get_ident() != own_thread:
            return
        memory = "imported memory" if is_imported else "exported memory"
        lines.append(
            f"{operation} computed eagerly, not in a pass, in {_asking_line()}: "
            f"{operand} is {memory}, which other code may modify; a copy is recorded"
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
