# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Positions of items among edges, by their exact values."""

from __future__ import annotations

from typing import Literal

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of, result_type
from skerry._extra._operands import cast, is_long_integer
from skerry.exceptions import DTypeError

Side = Literal["left", "right"]


def check_alike(name: str, edges: Array, items: Array) -> None:
    """Check that both are on one device and not complex."""
    _core.require_one_device(name, (edges, items))
    if "c" in (kind_of(edges.dtype), kind_of(items.dtype)):
        msg = f"{name}: complex numbers have no order; use a bool or real dtype"
        raise DTypeError(msg)


def promote_pair(name: str, edges: Array, items: Array) -> tuple[Array, Array]:
    """Convert both to the dtype in which they are compared."""
    check_alike(name, edges, items)
    dtype = result_type(edges.dtype, items.dtype)
    return sk.astype(edges, dtype, copy=False), sk.astype(items, dtype, copy=False)


def find_positions(name: str, edges: Array, items: Array, side: Side) -> Array:
    """Find items among edges by their exact values: float64 can't represent all 64-bit integers."""
    check_alike(name, edges, items)
    if is_long_integer(items.dtype) and edges.dtype != items.dtype:
        return _places_of_integers(edges, items, side)
    if is_long_integer(edges.dtype) and kind_of(items.dtype) == "f":
        return _places_among_integers(edges, items, side)
    edges, items = promote_pair(name, edges, items)
    return sk.searchsorted(edges, items, side=side)


def _places_of_integers(edges: Array, items: Array, side: Side) -> Array:
    """Find integers by rounding the edges: up if an item at an edge is to the right of it, else down."""
    limits = np.iinfo(items.dtype)
    if kind_of(edges.dtype) == "f":
        edges = cast(edges, sk.float64)
        edges = sk.ceil(edges) if side == "right" else sk.floor(edges)
        first_beyond, last_bound = 2.0 ** (limits.bits - (limits.min < 0)), float(limits.min)
        reached, below = edges < first_beyond, edges < last_bound
        most = np.nextafter(first_beyond, 0.0)
        bounds = cast(sk.clip(edges, last_bound, float(most)), items.dtype)
        bounds = sk.where(reached, bounds, limits.max)
    else:
        edges = edges if edges.dtype == np.uint64 else cast(edges, sk.int64)
        edge_limits = np.iinfo(edges.dtype)
        least, most = max(edge_limits.min, limits.min), min(edge_limits.max, limits.max)
        reached, below = edges <= most, edges < least
        bounds = cast(sk.clip(edges, least, most), items.dtype)
    positions = sk.searchsorted(bounds, items, side=side)
    if side == "right":  # no item reaches an edge that is out of range
        return sk.minimum(positions, sk.count_nonzero(reached))
    return sk.maximum(positions, sk.count_nonzero(below))


def _places_among_integers(edges: Array, items: Array, side: Side) -> Array:
    """Find items among integer edges by rounding the items: down if an item at an edge is to the right, else up."""
    limits = np.iinfo(edges.dtype)
    items = cast(items, sk.float64)
    beyond = 2.0 ** (limits.bits - (limits.min < 0))
    whole = sk.floor(items) if side == "right" else sk.ceil(items)
    inside = sk.clip(whole, float(limits.min), float(np.nextafter(beyond, 0.0)))
    numbers = cast(sk.where(sk.isnan(inside), 0.0, inside), edges.dtype)
    positions = sk.searchsorted(edges, numbers, side=side)
    positions = sk.where(items < float(limits.min), 0, positions)
    return sk.where(sk.isnan(items) | (items >= beyond), edges.shape[0], positions)
