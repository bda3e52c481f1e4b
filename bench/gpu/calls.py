# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Operations that skerry, CuPy and PyTorch spell differently, as a function for each library."""

from __future__ import annotations

from typing import Any

from bench.peers.gpu_side_by_side import Operation

SCAN: dict[str, Operation] = {
    "skerry": lambda xp, a, axis=0: xp.cumulative_sum(a, axis=axis),
    "cupy": lambda xp, a, axis=0: xp.cumsum(a, axis),
    "torch": lambda xp, a, axis=0: xp.cumsum(a, axis),
}
SORT: dict[str, Operation] = {
    "skerry": lambda xp, a, axis=-1: xp.sort(a, axis=axis),
    "cupy": lambda xp, a, axis=-1: xp.sort(a, axis),
    "torch": lambda xp, a, axis=-1: xp.sort(a, dim=axis)[0],
}
ARGSORT: dict[str, Operation] = {
    "skerry": lambda xp, a, axis=-1: xp.argsort(a, axis=axis),
    "cupy": lambda xp, a, axis=-1: xp.argsort(a, axis),
    "torch": lambda xp, a, axis=-1: xp.argsort(a, dim=axis, stable=True),
}
COPY: dict[str, Operation] = {
    "skerry": lambda xp, a: xp.asarray(a, copy=True),
    "cupy": lambda xp, a: xp.ascontiguousarray(a) if not a.flags.c_contiguous else a.copy(),
    "torch": lambda xp, a: a.contiguous() if not a.is_contiguous() else a.clone(),
}
CAST: dict[str, Operation] = {
    "skerry": lambda xp, a, dtype: xp.astype(a, getattr(xp, dtype)),
    "cupy": lambda xp, a, dtype: a.astype(dtype),
    "torch": lambda xp, a, dtype: a.to(getattr(xp, dtype)),
}


def casting(dtype: str) -> dict[str, Operation]:
    """Returns a cast for each library."""
    return {name: lambda xp, a, call=call: call(xp, a, dtype) for name, call in CAST.items()}


def over(axis: int | None, calls: dict[str, Operation]) -> dict[str, Operation]:
    """Returns the operations bound to an axis."""
    return {name: lambda xp, a, call=call: call(xp, a, axis=axis) for name, call in calls.items()}


def reducing(name: str, axis: int | None) -> dict[str, Operation]:
    """Returns a reduction for each library, by the name that skerry and CuPy use."""
    correction = {"correction": 0} if name == "var" else {}

    def torch(xp: Any, a: Any) -> Any:
        if axis is None:
            return getattr(xp, name)(a, **correction)
        # torch.max along an axis also computes the indices.
        return getattr(xp, "amax" if name == "max" else name)(a, dim=axis, **correction)

    return {
        "skerry": lambda xp, a: getattr(xp, name)(a, axis=axis, **correction),
        "cupy": lambda xp, a: getattr(xp, name)(a, axis=axis),
        "torch": torch,
    }
