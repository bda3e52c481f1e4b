# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The calls whose instructions count_instructions.py counts; run by it, under QEMU.

Each call runs with two sizes. ``getppid`` before and after a call makes the plugin write its count.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import skerry as sk

#: Both are multiples of the blocks of kernels and fit into the second-level cache.
SIZES = (1 << 14, 1 << 15)
#: Calls by name, of x and y of n elements and the matrix m of n elements with rows of 128.
CALLS: dict[str, str] = {
    "add": "sk.add(x, y, out=r)",
    "multiply by a scalar": "sk.multiply(x, 1.5, out=r)",
    "divide": "sk.divide(x, y, out=r)",
    "negative": "sk.negative(x, out=r)",
    "abs": "sk.abs(x, out=r)",
    "floor": "sk.floor(x, out=r)",
    "maximum": "sk.maximum(x, y, out=r)",
    "sqrt": "sk.sqrt(x, out=r)",
    "exp": "sk.exp(x, out=r)",
    "log": "sk.log(x, out=r)",
    "sin": "sk.sin(x, out=r)",
    "tanh": "sk.tanh(x, out=r)",
    "pow": "sk.pow(x, y, out=r)",
    "atan2": "sk.atan2(x, y, out=r)",
    "remainder": "sk.remainder(x, y, out=r)",
    "less": "sk.less(x, y, out=c)",
    "isnan": "sk.isnan(x, out=c)",
    "where": "sk.where(b, x, y)",
    "add of every second element": "sk.add(x[::2], y[::2], out=r[::2])",
    "add of a row": "sk.add(m, m[0], out=t)",
    "add of a transposed matrix": "sk.add(m, q.T, out=t)",
    "copy of a transposed matrix": "t[...] = q.T",
    "reversed copy": "r[...] = x[::-1]",
    "sum": "sk.sum(x)",
    "sum of rows": "sk.sum(m, axis=1)",
    "sum of columns": "sk.sum(m, axis=0)",
    "max": "sk.max(x)",
    "argmax": "sk.argmax(x)",
    "var": "sk.var(x)",
    "all": "sk.all(x)",
    "cumulative_sum": "sk.cumulative_sum(x)",
    "sort": "sk.sort(x)",
    "take": "sk.take(x, i)",
    "elements by a mask": "x[b]",
    "nonzero": "sk.nonzero(b)",
    "vecdot": "sk.vecdot(x, y)",
    "astype bool": "sk.astype(x, sk.bool)",
}  # fmt: skip


def values(n: int, dtype: str, *, first: float) -> sk.Array:
    """Return n values between 0.1 and 2 in an irregular order."""
    return sk.asarray((0.1 + (first + np.arange(n) * 0.6180339887) % 1.9).astype(dtype))


def operands(n: int, dtype: str) -> dict[str, sk.Array]:
    """Return the arrays that calls name."""
    x, y = values(n, dtype, first=0.0), values(n, dtype, first=0.7)
    m, q = sk.reshape(x, (-1, 128)), sk.asarray(sk.reshape(y, (128, -1)), copy=True)
    r, t = sk.empty_like(x), sk.empty_like(m)
    b = x < y
    c = sk.empty_like(b)
    i = sk.asarray(np.arange(n) * 31 % n)
    return {"x": x, "y": y, "m": m, "q": q, "r": r, "t": t, "b": b, "c": c, "i": i}


def main(dtype: str) -> None:
    """Run each call twice, so that the second has its memory, and let the second be counted."""
    arrays = [operands(n, dtype) for n in SIZES]
    for name, call in CALLS.items():
        code = compile(call, name, "exec")
        for namespace in arrays:
            exec(code, {"sk": sk}, namespace)
            os.getppid()
            exec(code, {"sk": sk}, namespace)
            os.getppid()
    print(json.dumps(list(CALLS)))


if __name__ == "__main__":
    main(sys.argv[1])
