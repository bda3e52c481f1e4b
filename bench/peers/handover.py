# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of exports and imports of an array of 8 elements: the cost of a call between two libraries."""

from __future__ import annotations

import numpy as np
import skerry as sk

from bench.peers.side_by_side import Row, pair


def exports_and_imports() -> list[Row]:
    """Measures the CUDA array interface and DLPack."""
    host = np.arange(8.0)
    x = sk.asarray(host)
    on_cuda = x.to_device("cuda:0")
    sk.synchronize("cuda:0")
    if sk.from_dlpack(host).tolist() != host.tolist():
        raise AssertionError("from_dlpack changed the values")
    if np.from_dlpack(x).tolist() != host.tolist():
        raise AssertionError("__dlpack__ changed the values")

    interface, theirs = pair(
        lambda: on_cuda.__cuda_array_interface__, lambda: host.__array_interface__
    )
    rows = [
        Row(
            "__cuda_array_interface__, rehearsed cuda:0, against NumPy's __array_interface__",
            interface,
            theirs,
            "<= 1 us",
            interface <= 1e-6,
        )
    ]
    for name, ours, peer in (
        ("x.__dlpack__()", lambda: x.__dlpack__(), lambda: host.__dlpack__()),
        (
            "x.__dlpack__(max_version=(1, 0))",
            lambda: x.__dlpack__(max_version=(1, 0)),
            lambda: host.__dlpack__(max_version=(1, 0)),
        ),
        (
            "from_dlpack of a NumPy array",
            lambda: sk.from_dlpack(host),
            lambda: np.from_dlpack(host),
        ),
    ):
        skerry_seconds, theirs = pair(ours, peer)
        rows.append(Row(name, skerry_seconds, theirs, "<= 1 of time", skerry_seconds <= theirs))
    skerry_seconds, theirs = pair(lambda: on_cuda.__dlpack__(), lambda: host.__dlpack__())
    rows.append(
        Row(
            "x.__dlpack__(), rehearsed cuda:0",
            skerry_seconds,
            theirs,
            "<= 1 us",
            skerry_seconds <= 1e-6,
        )
    )
    return rows
