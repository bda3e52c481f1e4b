# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy's memory pools: they round sizes up and keep freed memory, which hides accesses beyond an array's end."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["PoolBypass", "bypass_when_imported"]


def _bypass(cupy: Any) -> None:
    """Let each array have an allocation of its own, of exactly its size."""
    cupy.cuda.set_allocator(None)
    cupy.cuda.set_pinned_memory_allocator(None)


def bypass_when_imported() -> None:
    """Set CuPy's pools aside in this process, now or when CuPy is imported."""
    from skerry import _import_hooks

    _import_hooks.call_when_imported("cupy", _bypass)


class PoolBypass:
    """Sets CuPy's pools aside between `start` and `end`, if CuPy is imported at `start`."""

    def __init__(self) -> None:
        self._allocator: Any = None
        self._module: ModuleType | None = None

    def start(self) -> None:
        """Remember the allocator in use, and set it aside."""
        self._module = sys.modules.get("cupy")
        if self._module is None:
            return
        cupy: Any = self._module
        self._allocator = cupy.cuda.get_allocator()
        _bypass(cupy)

    def end(self) -> None:
        """Use the remembered allocator again."""
        cupy: Any = self._module
        if cupy is None:
            return
        cupy.cuda.set_allocator(self._allocator)
        cupy.cuda.set_pinned_memory_allocator(cupy.get_default_pinned_memory_pool().malloc)
