# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Numba's CUDA simulator on rehearsed devices: `skerry.testing.numba_simulator`."""

from __future__ import annotations

import functools
import importlib
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from skerry import _core
from skerry._data_types import is_bfloat16
from skerry.exceptions import DeviceMismatchError

__all__ = ["numba_simulator"]

_MISSING = object()


class _Described:
    """A CUDA array interface that was read once, with the object that owns its memory."""

    def __init__(self, interface: dict[str, Any], owner: object) -> None:
        self.__cuda_array_interface__ = interface
        self.owner = owner


class _HostView:
    """Exports the memory of a rehearsed device, which is host memory, to NumPy; keeps the array alive."""

    def __init__(self, x: _core.Array) -> None:
        pointer, read_only = x.__cuda_array_interface__["data"]
        self.__array_interface__ = {
            "shape": x.shape,
            "typestr": x.dtype.str,
            # NumPy before 2.4 rejects null pointers, even for empty arrays.
            "data": (pointer or 64, read_only),
            "strides": x.strides,
            "version": 3,
        }
        self.owner = x


def _interface(op: str, x: Any) -> Any:
    """Read the CUDA array interface of ``x`` once; None if it has none, but TypeError for a skerry array without."""
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None and isinstance(x, _core.Array):
        if is_bfloat16(x.dtype):
            raise TypeError(f"{op}: Numba has no bfloat16; convert the array with astype")
        raise TypeError(
            f"{op}: the array is on {x.device}; a kernel takes arrays on CUDA devices: "
            'move it with x.to_device("cuda:0")'
        )
    return interface


# Numba's driver modules, which Numba looks up by name, even during a launch.
_DRIVER = ("", ".devicearray", ".devices", ".driver", ".runtime", ".drvapi", ".error", ".nvvm")


class _Hooks:
    """Patches Numba's simulator to support the CUDA array interface, and undoes the patches."""

    def __init__(self) -> None:
        try:
            from numba import cuda
        except ImportError as error:
            raise ImportError(
                "numba_simulator: needs Numba: pip install numba", name="numba"
            ) from error
        from numba.cuda import simulator
        from numba.cuda.simulator import kernel
        from numba.cuda.simulator.cudadrv import devicearray

        self.cuda = cuda
        self._simulator = simulator
        self._devicearray = devicearray
        self._fake = devicearray.FakeCUDAArray
        self._kernel = kernel
        self._known = (self._fake, devicearray.FakeWithinKernelCUDAArray)
        self._undo: list[Callable[[], object]] = []

    def install(self) -> None:
        if getattr(self.cuda, "FakeCUDAKernel", None) is None:
            self._take_the_place_of_the_compiler()
        devicearray, kernel = self._devicearray, self._kernel.FakeCUDAKernel
        self._replace(kernel, "__call__", self._call(kernel.__call__))
        to_device = self._to_device(devicearray.to_device)
        device_array = self._device_array(devicearray.device_array)
        for module in (devicearray, self.cuda):
            self._replace(module, "to_device", to_device)
            self._replace(module, "device_array", device_array)
        self._replace(self.cuda, "as_cuda_array", self.as_cuda_array)
        self._replace(self.cuda, "from_cuda_array_interface", self.from_cuda_array_interface)
        self._replace(self.cuda, "is_cuda_array", self.is_cuda_array)
        self._replace(self._fake, "__cuda_array_interface__", property(_interface_of))

    def _take_the_place_of_the_compiler(self) -> None:
        """Do what NUMBA_ENABLE_CUDASIM=1 does when Numba is imported, also for kernels that are decorated already."""
        fake = self._kernel.FakeCUDAKernel
        for name, value in vars(self._simulator).items():
            if not name.startswith("_") and not isinstance(value, types.ModuleType):
                self._replace(self.cuda, name, value)
        for name in _DRIVER:
            module = sys.modules.get(f"numba.cuda.simulator.cudadrv{name}")
            original_module = sys.modules.get(f"numba.cuda.cudadrv{name}")
            if module is not None and original_module is not None:
                self._undo.append(
                    functools.partial(
                        sys.modules.__setitem__, f"numba.cuda.cudadrv{name}", original_module
                    )
                )
                sys.modules[f"numba.cuda.cudadrv{name}"] = module

        def kernel_of(dispatcher: Any) -> Any:
            return fake(dispatcher.py_func, device=False)

        compiled = importlib.import_module("numba.cuda.dispatcher").CUDADispatcher
        self._replace(compiled, "__getitem__", lambda self, launch: kernel_of(self)[launch])
        self._replace(compiled, "configure", lambda self, *launch: kernel_of(self)[launch])
        self._replace(
            compiled, "forall", lambda self, *args, **named: kernel_of(self).forall(*args, **named)
        )
        # Called inside a kernel: a device function.
        self._replace(
            compiled, "__call__", lambda self, *args: fake(self.py_func, device=True)(*args)
        )

    def _replace(self, target: Any, name: str, value: Any) -> None:
        original = vars(target).get(name, _MISSING)
        self._undo.append(
            functools.partial(delattr, target, name)
            if original is _MISSING
            else functools.partial(setattr, target, name, original)
        )
        setattr(target, name, value)

    def restore(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _view(self, op: str, interface: Any, owner: object, sync: bool = True) -> Any:
        """Make a simulated device array over the memory of an interface; it keeps ``owner`` alive."""
        # skerry's import checks every field and finds the device of the memory.
        x = _core.asarray(_Described(interface, owner))
        if x.device.kind == "cuda" and not x.device.info.rehearsal:
            raise TypeError(
                f"{op}: the array is on {x.device}, a real GPU, whose memory the simulator can't read"
            )
        # Interfaces before version 3 have no stream: their work is on the legacy default stream, handle 1.
        stream = interface.get("stream", 1)
        if sync and x.device.kind == "cuda" and stream is not None:
            _core.Stream.from_handle(x.device, stream).synchronize()
        return self._fake(np.asarray(_HostView(x)))

    def as_cuda_array(self, obj: Any, sync: bool = True) -> Any:
        """Replace ``numba.cuda.as_cuda_array``; the result keeps ``obj`` alive."""
        interface = _interface("as_cuda_array", obj)
        if interface is None:
            raise TypeError("*obj* doesn't implement the cuda array interface.")
        return self._view("as_cuda_array", interface, obj, sync)

    def from_cuda_array_interface(
        self, desc: dict[str, Any], owner: object = None, sync: bool = True
    ) -> Any:
        """Replace ``numba.cuda.from_cuda_array_interface``; the result keeps ``owner`` alive."""
        return self._view("from_cuda_array_interface", desc, owner, sync)

    def is_cuda_array(self, obj: Any) -> bool:
        """Replace ``numba.cuda.is_cuda_array``."""
        return hasattr(obj, "__cuda_array_interface__")

    def _to_device(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
            interface = getattr(obj, "__cuda_array_interface__", None)
            array = obj if interface is None else self._view("to_device", interface, obj)
            if to is not None:
                return original(getattr(array, "_ary", array), stream, copy, to)
            return self._on_the_device(original(array, stream)) if interface is None else array

        return to_device

    def _device_array(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def device_array(*args: Any, **kwargs: Any) -> Any:
            return self._on_the_device(original(*args, **kwargs))

        return device_array

    def _on_the_device(self, fake: Any) -> Any:
        """Move a simulated array to memory of the first rehearsed device, so that skerry can import it."""
        devices = _core.devices("cuda")
        if not devices or not devices[0].info.rehearsal or type(fake._ary) is not np.ndarray:
            return fake
        first, last = np.lib.array_utils.byte_bounds(fake._ary)
        memory = _core.empty((max(last - first, 1),), dtype=np.uint8, device=devices[0])
        _core.synchronize(devices[0])
        device_array = np.ndarray(
            fake._ary.shape,
            fake._ary.dtype,
            np.asarray(_HostView(memory)),
            fake._ary.__array_interface__["data"][0] - first if fake._ary.size else 0,
            fake._ary.strides,
        )
        # NumPy rejects copies into a broadcast array, whose elements overlap: copy one element of such axes.
        core = tuple(slice(None if step else 1) for step in device_array.strides)
        device_array[core] = fake._ary[core]
        return self._fake(device_array, stream=fake.stream)

    def _call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a launch to accept arrays by their CUDA array interface."""

        @functools.wraps(original)
        def launch(kernel: Any, *args: Any) -> Any:
            if kernel._device:  # called by a kernel, whose launch has converted the arguments
                return original(kernel, *args)
            device_names: list[str] = []
            op = f"kernel {kernel.__name__}"
            arguments = [self._convert_argument(op, arg, device_names) for arg in args]
            if len(set(device_names)) > 1:
                error = DeviceMismatchError(
                    f"{op}: arrays on different devices: {', '.join(device_names)}; "
                    "a launch runs on one device: move them with to_device"
                )
                error.devices = tuple(device_names)
                raise error
            return original(kernel, *arguments)

        return launch

    def _convert_argument(self, op: str, arg: Any, device_names: list[str]) -> Any:
        """Convert an argument for the simulator; append the device of an array to ``device_names``."""
        if isinstance(arg, tuple):
            parts = [self._convert_argument(op, part, device_names) for part in arg]
            return arg._make(parts) if hasattr(arg, "_make") else tuple(parts)
        if isinstance(arg, self._known):
            return arg
        value = arg.value if isinstance(arg, self._kernel.ArgHint) else arg
        interface = _interface(op, value)
        if interface is None:
            return arg
        view = self._view(op, interface, value)
        device = (
            value.device if isinstance(value, _core.Array) else _host_view_of(view).owner.device
        )
        if device.kind == "cuda":
            device_names.append(str(device))
        return view


def _host_view_of(fake: Any) -> Any:
    """Return the object that owns the memory of a simulated device array: a _HostView or a host object."""
    base = fake._ary
    while getattr(base, "base", None) is not None:
        base = base.base
    return base


def _interface_of(fake: Any) -> dict[str, Any]:
    """Return the CUDA array interface of a simulated device array in the memory of a rehearsed device."""
    if not isinstance(_host_view_of(fake), _HostView):
        raise AttributeError("__cuda_array_interface__")
    about: dict[str, Any] = dict(fake._ary.__array_interface__)
    address, read_only = about["data"]
    # The simulator runs synchronously: there is nothing to wait for.
    return {
        **about,
        "data": (address if fake._ary.size else 0, read_only),
        "version": 3,
        "stream": None,
    }


_lock = threading.Lock()
_hooks: _Hooks | None = None
_uses = 0


class numba_simulator:  # noqa: N801 - a verb in `with numba_simulator()`
    """Let Numba's CUDA simulator use arrays on rehearsed CUDA devices, to test kernels without a GPU.

    Numba's simulator runs ``@cuda.jit`` kernels in Python on the host. It does not support
    ``__cuda_array_interface__`` and is enabled only by ``NUMBA_ENABLE_CUDASIM=1`` when Numba is imported. From this
    call until ``close()`` or the end of a ``with`` block the simulator runs all kernels, including those decorated
    earlier, and accepts arrays as Numba on a GPU does: in ``kernel[grid, block](x)``, also wrapped in ``cuda.In``,
    ``cuda.Out`` or ``cuda.InOut``, and in ``cuda.as_cuda_array``, ``cuda.from_cuda_array_interface``,
    ``cuda.is_cuda_array`` and ``cuda.to_device``. Nothing is copied: the kernel writes to the array's memory, which
    stays alive. Pending work on the array completes before the kernel runs. Closing restores Numba's original state.

    It applies to the whole process, not to a thread, and can be nested. It is stricter than a GPU in two ways: a kernel
    can't write to a read-only array, and all arrays of a launch must be on one device.

    The calls above raise ``TypeError`` for an array that is not on a rehearsed CUDA device, ``NotImplementedError`` for
    an interface with a mask, ``DeviceMismatchError`` for a launch with arrays on different devices, and the errors of
    ``skerry.asarray`` for a malformed interface.

    As a context manager it returns the module ``numba.cuda``.

    Raises
    ------
    ImportError
        If Numba is not installed.

    Examples
    --------
    In a process with ``SKERRY_REHEARSE=1``:

    >>> import skerry as sk
    >>> from numba import cuda
    >>> from skerry.testing import numba_simulator
    >>> @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> x = sk.arange(5, device="cuda:0")
    >>> with numba_simulator():
    ...     double[1, 32](x)
    >>> x
    Array([0, 2, 4, 6, 8], dtype=int64, device='cuda:0')

    """

    def __init__(self) -> None:
        global _hooks, _uses
        self._open = False
        with _lock:
            hooks = _hooks or _Hooks()
            if _uses == 0:
                hooks.install()
            _hooks, _uses, self._open = hooks, _uses + 1, True
        self._cuda = hooks.cuda

    def close(self) -> None:
        """Restore Numba's original state; a second call does nothing."""
        global _hooks, _uses
        with _lock:
            if not self._open:
                return
            self._open = False
            _uses -= 1
            if _uses == 0 and _hooks is not None:
                _hooks.restore()
                _hooks = None

    def __enter__(self) -> Any:
        return self._cuda

    def __exit__(self, *error: object) -> None:
        self.close()
