# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Hooks that run when a program imports a module of another library, or at once if it is imported already."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

__all__ = ["call_when_imported"]

Function = Callable[[ModuleType], None]


class _Loader(importlib.abc.Loader):
    """Loads a module with its own loader, then calls a function with the module."""

    def __init__(self, loader: importlib.abc.Loader, function: Function) -> None:
        self._own = loader
        self._function = function

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._own.exec_module(module)
        self._function(module)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, function: Function) -> None:
        self._name = name
        self._function = function

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._function)
        return spec


def call_when_imported(name: str, function: Function) -> None:
    """Call a function with the module of that name: now if it is imported, and on each later import."""
    if name in sys.modules:
        function(sys.modules[name])
    sys.meta_path.insert(0, _Finder(name, function))
