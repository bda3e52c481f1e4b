# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays in memory that several processes of one machine share: CUDA IPC."""

from __future__ import annotations

import os
import pathlib
import threading
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

from skerry import _core
from skerry._pickle import reduce_array
from skerry.exceptions import DeviceUnavailableError


def _boot_id() -> str:
    return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _start_time(process: int) -> str:
    """Return when a process started, in ticks since boot; "" if there is no such process."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]


class IpcHandle:
    """A description of an array's memory, by which another process opens it: the result of `ipc_handle`.

    Pickle it to send it to the other process. There, `open_ipc` returns the array.

    The memory stays alive until `close` is called, or the handle is garbage, in the process that made it. Afterwards,
    arrays that other processes have opened are invalid.
    """

    def __init__(self, array: _core.Array, event: Any, fields: dict[str, Any]) -> None:
        self._array: _core.Array | None = array
        self._event = event
        self._fields = fields
        self._is_closed = False

    @property
    def array(self) -> _core.Array:
        """The array in shared memory, in the process that made the handle or has opened it."""
        if self._array is None:
            raise ValueError("ipc: this process has not opened the handle, or has closed it")
        return self._array

    @property
    def process(self) -> int:
        """Identifier of the process that made the handle."""
        process: int = self._fields["process"]
        return process

    def record(self) -> None:
        """Let `wait` in other processes wait for the work on the array so far."""
        self._event.record(self.array)

    def wait(self) -> None:
        """Make later work on the array wait for the last `record` of any process."""
        x = self.array
        self._event.wait(x)

    def close(self) -> None:
        """Drop this process's reference to the memory."""
        self._array = None
        self._is_closed = True

    def __getstate__(self) -> dict[str, Any]:
        if self._is_closed:
            raise ValueError("ipc: the handle is closed")
        return self._fields

    def __setstate__(self, fields: dict[str, Any]) -> None:
        self._array = None
        self._event = None
        self._fields = fields
        self._is_closed = False

    def __repr__(self) -> str:
        f = self._fields
        shape, device = tuple(f["shape"]), f["device"]
        return f"<skerry.IpcHandle of process {self.process}: {f['dtype']} {shape} on {device}>"


def _move_to_shareable(
    x: _core.Array, copy: bool | None
) -> tuple[_core.Array, tuple[bytes, int, int]]:
    """Return x, or a copy, in memory that other processes can open, with the description of the memory."""
    memory = None if copy else _core.export_ipc_memory(x)
    if memory is not None:
        return x, memory
    if copy is False:
        raise ValueError(
            "ipc_handle: other processes can't open memory of skerry's pool, and copy=False forbids a copy; pass "
            "copy=None and use the handle's array, or set SKERRY_ALLOCATOR=system"
        )
    shared = _core.copy_to_shareable(x)
    memory = _core.export_ipc_memory(shared)
    if memory is None:
        raise ValueError(f"ipc_handle: {x.device} has no handles for other processes")
    return shared, memory


def ipc_handle(x: _core.Array, /, *, copy: bool | None = None) -> IpcHandle:
    """Return a handle by which other processes of the machine open the memory of an array, without a copy.

    Memory of skerry's pool can't be opened by other processes. By default, such an array is copied once to memory that
    can be, and `IpcHandle.array` is that copy.

    Parameters
    ----------
    x : Array
        An array on a CUDA device.
    copy : bool, optional
        False raises an error instead of a copy; True always copies.

    Returns
    -------
    IpcHandle
        Keeps the memory alive. Work of the other process on the array follows the work on it so far.

    Raises
    ------
    ValueError
        If x is on a CPU device, or a copy is needed that ``copy=False`` forbids.

    Examples
    --------
    >>> x = sk.arange(4, device="cuda:0")
    >>> handle = sk.ipc_handle(x)
    >>> handle.array.tolist()
    [0, 1, 2, 3]
    >>> handle.close()

    """
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"ipc_handle: copy must be a bool or None, not {type(copy).__name__}")
    if not isinstance(x, _core.Array):
        raise TypeError(f"ipc_handle: x must be a skerry.Array, not {type(x).__name__}")
    if x.device.kind == "cpu":
        raise ValueError(
            f"ipc_handle: only memory of CUDA devices has handles for other processes, not that of {x.device}; use "
            "multiprocessing.shared_memory"
        )
    shared, memory = _move_to_shareable(x, copy)
    event = _core.create_ipc_event(x.device)
    event.record(shared)
    fields = {
        "process": os.getpid(),
        "start": _start_time(os.getpid()),
        "boot": _boot_id(),
        "user": os.getuid(),
        "device": str(x.device),
        "uuid": _core.device_uuid(x.device),
        "memory": memory,
        "event": event.bytes,
        "dtype": shared.dtype.name,
        "shape": shared.shape,
        "strides": shared.strides,
    }
    return IpcHandle(shared, event, fields)


def open_ipc(handle: IpcHandle, /) -> _core.Array:
    """Return the array of a handle that another process of the machine made. It shares the memory.

    Work on it follows the work of the other process before `ipc_handle` or its last `IpcHandle.record`. Opening the
    same memory again returns another array of it.

    Parameters
    ----------
    handle : IpcHandle
        A handle of another process.

    Returns
    -------
    Array
        It is valid until the other process closes the handle.

    Raises
    ------
    ValueError
        If the handle is of this process, of another machine, user or boot, or of a process that has ended; or if its
        memory does not exist any more.
    DeviceUnavailableError
        If this process can't use the GPU.

    Examples
    --------
    >>> handle = sk.ipc_handle(sk.arange(4, device="cuda:0"))
    >>> sk.open_ipc(handle)  # in another process, to which the handle was sent, this is the array
    Traceback (most recent call last):
        ...
    ValueError: open_ipc: this process made the handle; use its array
    >>> handle.close()

    """
    if not isinstance(handle, IpcHandle):
        raise TypeError(f"open_ipc: handle must be a skerry.IpcHandle, not {type(handle).__name__}")
    fields = handle._fields
    process = handle.process
    if fields["boot"] != _boot_id():
        raise ValueError("open_ipc: the handle is of another machine, or was made before a reboot")
    if fields["user"] != os.getuid():
        raise ValueError(f"open_ipc: the handle is of another user, {fields['user']}")
    start = _start_time(process)
    if start != fields["start"]:
        raise ValueError(f"open_ipc: process {process}, which made the handle, has ended")
    if process == os.getpid():
        raise ValueError("open_ipc: this process made the handle; use its array")
    device = _find_device(fields)
    event = _core.open_ipc_event(device, fields["event"])
    if event is not None:
        memory, offset, nbytes = fields["memory"]
        layout = (fields["dtype"], fields["shape"], fields["strides"], offset)
        x = _core.open_ipc_memory(device, memory, nbytes, *layout)
        if x is not None:
            event.wait(x)
            handle._array, handle._event = x, event
            return x
    raise ValueError(f"open_ipc: process {process} has closed the handle, or it can't be opened")


def _find_device(fields: dict[str, Any]) -> _core.Device:
    """Return the device of this process that is the same GPU."""
    named = _core.Device(fields["device"])
    others = [device for device in _core.devices() if device.kind == named.kind and device != named]
    for device in [named, *others]:
        if device in _core.devices() and _core.device_uuid(device) == fields["uuid"]:
            return device
    _core.empty((0,), device=named)  # raises if there is none
    raise DeviceUnavailableError(
        f"open_ipc: this process lacks the GPU that is {fields['device']} in process {fields['process']}"
    )


_pickling_lock = threading.Lock()
_open_picklings: list[ipc_pickling] = []


class ipc_pickling:  # noqa: N801 - as `skerry.guard`
    """Context manager in which `multiprocessing` sends arrays on CUDA devices by handles instead of copies.

    It holds for all threads: queues pickle in a thread of their own. The memory that is sent stays alive until the end
    of the block, which must be after the other processes have used it.

    Examples
    --------
    >>> import multiprocessing.reduction
    >>> x = sk.arange(4, device="cuda:0")
    >>> with sk.ipc_pickling() as sent:
    ...     data = multiprocessing.reduction.ForkingPickler.dumps(x)
    >>> len(data) < 2000
    True

    """

    def __init__(self) -> None:
        self._handles: list[IpcHandle] = []

    def __enter__(self) -> ipc_pickling:
        with _pickling_lock:
            _open_picklings.append(self)
            ForkingPickler.register(_core.Array, _reduce)
        return self

    def __exit__(self, *error: object) -> None:
        with _pickling_lock:
            _open_picklings.remove(self)
            if not _open_picklings:
                ForkingPickler._extra_reducers.pop(_core.Array, None)  # type: ignore[attr-defined]
        for handle in self._handles:
            handle.close()


def _reduce(x: _core.Array) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    if x.device.kind == "cpu" or not _open_picklings:
        return reduce_array(x, 2)
    handle = ipc_handle(x)
    _open_picklings[-1]._handles.append(handle)
    return open_ipc, (handle,)
