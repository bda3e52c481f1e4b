# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Python statements with arrays in the sweep, with the same text for both libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import skerry as sk

from bench.peers.sweep_cell import Cell, Timer, measure

#: x and y have 100 float64 elements, m is 10 x 10, i has 10 indices, k is a mask, s is 0-d, t is written to; xp is the
#: library.
STATEMENTS = (
    "x[5]",
    "x[-1]",
    "m[2, 3]",
    "x[2:50]",
    "x[::2]",
    "x[::-1]",
    "m[2]",
    "m[:, 2]",
    "m[2:5, 1:7]",
    "m[None]",
    "m[..., 0]",
    "x[i]",
    "x[k]",
    "m[i, i]",
    "x[5] = 1.5",
    "x[2:50] = 0.0",
    "x[k] = 1.0",
    "x[i] = 2.0",
    "m[2] = x[:10]",
    "t[:] = x",
    "for _ in x: pass",
    "for _ in m: pass",
    "list(m)",
    "float(s)",
    "int(s)",
    "bool(s)",
    "s.item() if hasattr(s, 'item') else 0",
    "x.shape",
    "x.dtype",
    "x.ndim",
    "x.size",
    "m.T",
    "m.mT",
    "len(x)",
    "x.tolist() if hasattr(x, 'tolist') else 0",
    "xp.asarray(x)",
    "np.asarray(x)",
    "xp.asarray(host)",
    "xp.asarray(numbers)",
    "xp.asarray(1.5)",
    "xp.asarray(x, copy=True)",
    "x + y",
    "x + 1.5",
    "1.5 * x",
    "x ** 2",
    "-x",
    "abs(x)",
    "x < y",
    "x == 0.5",
    "t += y",
    "t *= 1.0",
    "m @ m",
    "x @ y",
    "x.sum()",
    "x.mean()",
    "m.sum(axis=0)",
    "x.max()",
    "x.reshape(10, 10)",
    "m.reshape(-1)",
    "x.copy()",
    "x.astype('float32')",
    "m.transpose()",
    "x.round()",
    "x.conj()",
    "x.cumsum()",
    "x.argmax()",
    "x.sort()",
    "x.take(i)",
    "m.flatten()",
    "xp.zeros(10)",
    "xp.zeros((10,))",
    "xp.empty((3, 4))",
    "xp.ones(10)",
    "xp.full((10,), 2.0)",
    "xp.arange(10)",
    "xp.linspace(0.0, 1.0, 10)",
    "xp.eye(3)",
    "xp.zeros_like(x)",
    "xp.concat((x, y))",
    "xp.concat(many)",
    "xp.stack(many)",
    "xp.stack((x, y))",
    "xp.where(k, x, y)",
    "xp.expand_dims(x, axis=0)",
    "xp.squeeze(m[None], axis=0)",
    "xp.broadcast_to(x, (5, 100))",
    "repr(x)",
    "str(s)",
    "(x - x.mean()) / x.std()",
    "xp.exp(x - xp.max(x)) / xp.sum(xp.exp(x))",
)

#: Statements for which NumPy does less work: the minimum relative speed that this explains, and the reason.
REASONS = {
    "xp.asarray(host)": (
        0.12, "NumPy returns its argument; here an array is made that shares its memory and owns a reference to it",
    ),
    "np.asarray(x)": (
        0.12, "NumPy returns its own array; of others it reads __array_struct__: four fifths of the time are NumPy's",
    ),
    "str(s)": (0.6, "the text also has dtype and device; a third of the time is numpy.get_printoptions"),
}  # fmt: skip


def names_of(xp: Any) -> dict[str, Any]:
    """Returns the variables of the statements for one library."""
    rng = np.random.default_rng(0)
    host = {
        "x": rng.random(100), "y": rng.random(100) + 0.5, "m": rng.random((10, 10)), "i": rng.integers(0, 10, 10),
        "k": rng.random(100) < 0.5, "s": np.asarray(1.5), "t": rng.random(100),
    }  # fmt: skip
    names = {name: xp.asarray(x, copy=True) for name, x in host.items()}
    names["many"] = [xp.asarray(rng.random(3), copy=True) for _ in range(100)]
    return {**names, "xp": xp, "np": np, "host": host["x"], "numbers": [1.0, 2.0, 3.0]}


def loop(statement: str, names: dict[str, Any]) -> Any:
    """Returns a function that runs the statement ``number`` times, with the names as locals."""
    arguments = ", ".join(f"{name}={name}" for name in names)
    namespace = {**names, "now": __import__("time").perf_counter}
    exec(
        f"def loop(number, {arguments}):\n repeat = range(number)\n begin = now()\n for _ in repeat:\n  {statement}\n"
        " return now() - begin",
        namespace,
    )
    return namespace["loop"]


def statement_cells(threads: int) -> list[Any]:
    """Returns a cell for each statement that both libraries accept."""
    cells = []
    for statement in STATEMENTS:
        try:
            timers = [Timer(loop(statement, names_of(xp))) for xp in (sk, np)]
        except (AttributeError, TypeError, ValueError):
            continue
        measure(timers)
        ours, theirs = (timer.best for timer in timers)
        cells.append(
            Cell(
                statement,
                "statements",
                statement,
                "float64",
                100,
                "contiguous",
                threads,
                ours,
                theirs,
            )
        )
    return cells
