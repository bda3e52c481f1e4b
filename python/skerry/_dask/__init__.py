# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Registers skerry's arrays with dask as soon as both are imported, in either order.

``skerry`` imports this module, so it imports only the standard library. dask looks up functions for a type in its
tables (``Dispatch``), which can be filled lazily when the first array occurs. If dask is imported after skerry, an
import finder registers in the modules with those tables.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Module of dask -> its tables, and the module here that fills them at the first array.
TABLES = {
    "dask.array.dispatch": (
        (
            "concatenate_lookup",
            "divide_lookup",
            "einsum_lookup",
            "empty_lookup",
            "nannumel_lookup",
            "numel_lookup",
            "percentile_lookup",
            "take_lookup",
            "tensordot_lookup",
            "to_numpy_dispatch",
        ),
        "chunks",
    ),
    "dask.sizeof": (("sizeof",), "sizes"),
    "dask.tokenize": (("normalize_token",), "tokens"),
    "distributed.protocol.cuda": (("cuda_serialize", "cuda_deserialize"), "transport"),
    "distributed.protocol.serialize": (("dask_serialize", "dask_deserialize"), "transport"),
}
CHUNK_TYPES = "dask.array.chunk_types"
BACKENDS = "dask.array.backends"


def _fill(name: str) -> Callable[[], None]:
    def fill() -> None:
        importlib.import_module(f"{__name__}.{name}").register()

    return fill


def _register(module: ModuleType) -> None:
    """Register skerry's arrays in a module of dask; tables that this version of dask lacks are skipped."""
    name = module.__name__
    if name == CHUNK_TYPES:
        from skerry._core import Array

        module.register_chunk_type(Array)
    elif name == BACKENDS:
        module.array_creation_dispatch._lookup.setdefault("skerry", _Backend())
    else:
        tables, filler = TABLES[name]
        for table in tables:
            if (dispatch := getattr(module, table, None)) is not None:
                dispatch.register_lazy("skerry", _fill(filler))


class _Backend:
    """Lazy proxy of ``backend.SkerryBackendEntrypoint``.

    It lets dask find the backend if skerry is importable but not installed, and thus has no entry points.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from skerry._dask.backend import SkerryBackendEntrypoint

        return getattr(SkerryBackendEntrypoint(), name)


class _Finder:
    """Import finder that registers in modules of dask when they are imported after skerry."""

    def __init__(self, waiting: set[str]) -> None:
        self.waiting = waiting

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.waiting:
            return None
        self.waiting.discard(name)
        for finder in sys.meta_path:
            if finder is self:
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                _call_after(spec.loader, _register)
                return spec
        return None


def _call_after(loader: Any, action: Callable[[ModuleType], None]) -> None:
    """Make a loader call ``action(module)`` after it has executed the module."""
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module
        execute(module)
        action(module)

    loader.exec_module = exec_module


def install() -> None:
    """Register in the modules of dask that are imported, and in the others when they are."""
    names = {*TABLES, CHUNK_TYPES, BACKENDS}
    for name in names & sys.modules.keys():
        _register(sys.modules[name])
    if waiting := names - sys.modules.keys():
        sys.meta_path.insert(0, _Finder(waiting))
