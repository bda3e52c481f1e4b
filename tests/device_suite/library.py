# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The library under test: its namespace, devices and what its adapter adds.

``--array-module`` names a module that is an array API namespace, or an adapter, a Python file. An adapter defines

* ``namespace``: the array API namespace;

and, where the library needs them,

* ``version``: a string; by default ``namespace.__version__``;
* ``devices()``: the devices under test; by default those of ``__array_namespace_info__().devices()``;
* ``device(name)``: the device for a name of ``--devices``; by default the one whose ``str`` is the name;
* ``device_of(x)`` and ``to_device(x, device, stream=None)``: for arrays without ``.device`` and ``.to_device``;
* ``device_context(device)``: a context manager that sets the default device;
* ``set_default_device(device)``: sets the default device of the process;
* ``limited_devices()``: a context manager in which some device lacks some dtypes;
* ``no_default_device()``: a context manager in which there is no default device;
* ``streams(device)``: streams that ``to_device`` of an array to that device takes.

``adapters/NAME.py`` is used for the module NAME where it exists.
"""

import contextlib
import importlib
import importlib.util
import itertools
import pathlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from .calls import Call, arrange, operands
from .report import ONE_DEVICE, not_offered
from .standard import Function

ADAPTERS = pathlib.Path(__file__).with_name("adapters")


def load_file(path: pathlib.Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"device_suite_adapter_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Library:
    """The namespace under test with its devices."""

    def __init__(self, name: str, device_names: list[str] | None = None) -> None:
        path = pathlib.Path(name) if name.endswith(".py") else ADAPTERS / f"{name}.py"
        self.name = path.stem
        self.adapter = load_file(path) if path.exists() else ModuleType("adapter")
        self.namespace = getattr(self.adapter, "namespace", None) or importlib.import_module(name)
        self.version = getattr(self.adapter, "version", None) or getattr(
            self.namespace, "__version__", ""
        )
        self.devices = self.find_devices(device_names)

    def find_devices(self, names: list[str] | None) -> list[Any]:
        if hasattr(self.adapter, "devices"):
            available = list(self.adapter.devices())
        else:
            available = [d for d in self.info().devices() if d is not None]
        if names is None:
            return available
        if hasattr(self.adapter, "device"):
            return [self.adapter.device(name) for name in names]
        by_name = {str(device): device for device in available}
        if missing := [name for name in names if name not in by_name]:
            raise pytest.UsageError(f"--devices: {missing} are not among {list(by_name)}")
        return [by_name[name] for name in names]

    def info(self) -> Any:
        return self.namespace.__array_namespace_info__()

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """Return all ordered pairs of different devices; ends the test where there is one device."""
        if len(self.devices) < 2:
            pytest.skip(ONE_DEVICE)
        return list(itertools.permutations(self.devices, 2))

    def device_of(self, x: Any) -> Any:
        return self.adapter.device_of(x) if hasattr(self.adapter, "device_of") else x.device

    def to_device(self, x: Any, device: Any, **options: Any) -> Any:
        if hasattr(self.adapter, "to_device"):
            return self.adapter.to_device(x, device, **options)
        return x.to_device(device, **options)

    def array(self, values: Any, dtype: str, device: Any) -> Any:
        """Create an array from nested lists."""
        return self.namespace.asarray(values, dtype=getattr(self.namespace, dtype), device=device)

    def values(self, x: Any) -> list[complex]:
        """Return all elements, read with ``__complex__`` of 0-d arrays."""
        flat = self.namespace.reshape(self.namespace.astype(x, self.namespace.complex64), (-1,))
        return [complex(flat[i]) for i in range(flat.shape[0])]

    def function(self, function: Function) -> Callable[..., Any]:
        owner = self.namespace
        if function.extension:
            owner = getattr(owner, function.extension, None)
        result = getattr(owner, function.name, None)
        return result if result is not None else not_offered(f"the library has no {function}")

    def run(self, call: Call, devices: Iterator[Any], /, **options: Any) -> list[Any]:
        """Make a call with its operands on these devices, one for each; return the arrays of the result."""
        function = self.function(call.function)
        args, kwargs = arrange(self, call, devices)
        return list(self.arrays_in(function(*args, **kwargs, **options)))

    def run_at(self, call: Call, device: Any, /, **options: Any) -> list[Any]:
        """As ``run`` with all operands on one device; a call that the library lacks on every device ends the test."""
        try:
            return self.run(call, itertools.repeat(device), **options)
        except Exception as error:
            if self.works_by_default(call):
                raise
            not_offered(f"{call} raises {type(error).__name__}: {error}")

    def works_by_default(self, call: Call) -> bool:
        try:
            self.run(call, itertools.repeat(None))
        except Exception:
            return False
        return True

    def operand_count(self, call: Call) -> int:
        return sum(1 for _ in operands(call))

    def arrays_in(self, result: Any) -> Iterator[Any]:
        if hasattr(result, "shape") and hasattr(result, "dtype"):
            yield result
        elif isinstance(result, list | tuple):
            yield from itertools.chain.from_iterable(map(self.arrays_in, result))

    def device_context(self, device: Any) -> contextlib.AbstractContextManager[Any]:
        if not hasattr(self.adapter, "device_context"):
            not_offered("the library has no context manager for devices")
        return self.adapter.device_context(device)

    @contextlib.contextmanager
    def default_device(self, device: Any) -> Iterator[None]:
        """Set the default device of the process and restore it."""
        if not hasattr(self.adapter, "set_default_device"):
            not_offered("the library has no default device to set")
        old_device = self.current_default()
        self.adapter.set_default_device(device)
        try:
            yield
        finally:
            self.adapter.set_default_device(old_device)

    def limited_devices(self) -> contextlib.AbstractContextManager[Any]:
        return getattr(self.adapter, "limited_devices", contextlib.nullcontext)()

    def no_default_device(self) -> contextlib.AbstractContextManager[Any]:
        if not hasattr(self.adapter, "no_default_device"):
            not_offered("the library has no way to ask for no default device")
        return self.adapter.no_default_device()

    def current_default(self) -> Any:
        return self.device_of(self.namespace.empty((1,)))
