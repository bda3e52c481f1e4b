# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.capture``: record the device work of a function once, and replay it by one call."""

from __future__ import annotations

from _thread import LockType, allocate_lock
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np

from skerry import _core
from skerry._captured_streams import CapturedStreams, use_captured_streams
from skerry._fuse import _BODY_RUNS_LATER

#: Types of arguments that are compared by value; others must be the same object.
_VALUES = (bool, int, float, complex, str, bytes, np.generic)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the items of nested lists, tuples and dicts, with names such as ``argument 0['weights'][1]``."""
    if isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _leaves(f"{name}[{i}]", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(f"{name}[{key!r}]", item)
    else:
        yield name, value


def _argument_leaves(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    named = [(f"argument {i}", value) for i, value in enumerate(args)]
    named += [(f"argument {key}", value) for key, value in kwargs.items()]
    return {leaf: x for name, value in named for leaf, x in _leaves(name, value)}


def _replace(value: Any, replace_leaf: Callable[[Any], Any]) -> Any:
    """Return a nest of lists, tuples and dicts with other leaves."""
    if isinstance(value, list):
        return [_replace(item, replace_leaf) for item in value]
    if isinstance(value, tuple):
        items = [_replace(item, replace_leaf) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {key: _replace(item, replace_leaf) for key, item in value.items()}
    return replace_leaf(value)


def _describe(x: Any) -> str:
    if isinstance(x, _core.Array):
        return f"shape {x.shape}, {x.dtype}, {x.device}"
    return f"{x!r}"


def _is_equal(x: Any, captured: Any) -> bool:
    if isinstance(captured, _core.Array):
        return (x.shape, x.dtype, x.device) == (captured.shape, captured.dtype, captured.device)
    if x is captured:
        return True
    return isinstance(x, _VALUES) and type(x) is type(captured) and bool(x == captured)


def _require_callable(function: Any) -> None:
    if not callable(function):
        raise TypeError(f"capture: function must be callable, not {type(function).__name__}")
    for kind, runs_later in _BODY_RUNS_LATER.items():
        if runs_later(function):
            raise TypeError(
                f"capture: a {kind} runs after the call; capture the functions that it calls"
            )


class Graph:
    """The work of a function on devices, captured by `capture`; a call replays it.

    A call takes arguments like those of the capture: arrays of the same shape, dtype and device, and equal other
    values. It copies the arrays to the graph's own, enqueues the work as a whole on the current stream, and returns the
    result of the capture: the same arrays each time, which every replay overwrites. Copy what must stay.

    The graph keeps the memory alive that its work reads and writes. Replays take effect in program order with all other
    uses of these arrays, on any stream and thread.

    Raises
    ------
    TypeError
        If an argument is of another type or dtype. If a graph is pickled: it belongs to its process.
    ValueError
        If an argument has another shape or value, during a capture, and in a function decorated with `fuse`.
    DeviceMismatchError
        If an argument is on another device.
    DeviceError
        If a device failed.

    Examples
    --------
    >>> def step(x):
    ...     return 2 * x + 1
    >>> graph = sk.capture(step, sk.zeros(3, device="cuda:0"))
    >>> graph(sk.asarray([1.0, 2.0, 3.0], device="cuda:0")).tolist()
    [3.0, 5.0, 7.0]

    """

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("Graph: graphs are created by skerry.capture")

    _name: str
    _lock: LockType
    _device_graph: _core.DeviceGraph
    _leaves: dict[str, Any]  # of the arguments that the function was called with
    _inputs: tuple[_core.Array, ...]  # the arrays among them
    _launch: Callable[[], None] | None  # None: the device graph's
    _result: Any

    @classmethod
    def _capture(
        cls, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Graph:
        self = object.__new__(cls)
        self._name = getattr(function, "__qualname__", type(function).__name__)
        self._lock = allocate_lock()
        leaves = _argument_leaves(args, kwargs).values()
        devices = dict.fromkeys(device for x in leaves if (device := _captured_device(x)))
        streams = CapturedStreams()
        self._device_graph = _core.begin_capture(devices)
        try:
            args, kwargs = _replace((args, kwargs), _input_of)
            self._leaves = _argument_leaves(args, kwargs)
            self._inputs = tuple(x for x in self._leaves.values() if isinstance(x, _core.Array))
            with use_captured_streams(streams):
                self._result = function(*args, **kwargs)
            self._require_captured()
            self._device_graph.end_capture()
        except BaseException:
            self._device_graph.abandon_capture()
            raise
        finally:
            streams.end_capture()
        self._launch = partial(streams.replay, self._device_graph.launch) if streams else None
        return self

    def _require_captured(self) -> None:
        for name, x in _leaves("the result", self._result):
            if isinstance(x, _core.Array) and x.device.kind == "cpu":
                raise ValueError(
                    f"capture: {name} is on {x.device}, whose work is not captured; return arrays of CUDA devices"
                )
        for name, x in self._leaves.items():
            if isinstance(x, _core.Array) and self._device_graph.writes_to(x):
                raise ValueError(
                    f"capture: the function writes to {name}, of which the graph has a copy of its own, so the "
                    "caller's array would not change; let the function refer to that array itself, or return the values"
                )

    def _require_arguments(self, leaves: dict[str, Any]) -> None:
        """Raise an error if arguments differ from those of the capture."""
        for name in self._leaves.keys() ^ leaves.keys():
            problem = "is missing" if name in self._leaves else "was not captured"
            raise TypeError(f"Graph: {name} {problem}; pass arguments as in the capture")
        for name, captured in self._leaves.items():
            x = leaves[name]
            if isinstance(captured, _core.Array) != isinstance(x, _core.Array):
                raise TypeError(
                    f"Graph: {name} must be {_type_name(captured)}, as in the capture, not {_type_name(x)}"
                )
            if not _is_equal(x, captured):
                error = _mismatch_error(x, captured)
                text = _describe(captured)
                other = (
                    f"captured with {text}" if text != _describe(x) else "captured with another one"
                )
                raise error(
                    f"Graph: {name} differs from that of the capture: {_describe(x)}, {other}; capture the function "
                    "again for it"
                )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Another thread's arguments must not come between the copies and the replay.
        with self._lock:
            if (
                kwargs
                or len(args) != len(self._leaves)
                or not self._device_graph.replay(self._inputs, args, self._launch)
            ):
                leaves = _argument_leaves(args, kwargs)
                self._require_arguments(leaves)
                arrays = tuple(x for x in leaves.values() if isinstance(x, _core.Array))
                self._device_graph.replay(self._inputs, arrays, self._launch)
        return self._result

    def __repr__(self) -> str:
        return f"<skerry.Graph of {self._name}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "Graph: a graph can't be pickled or copied: it belongs to its process; capture the function again"
        )


def _captured_device(leaf: Any) -> _core.Device | None:
    """Return the device of an array, or of a generator on a CUDA device."""
    device = getattr(leaf, "device", None)
    if not isinstance(device, _core.Device):
        return None
    return device if isinstance(leaf, _core.Array) or device.kind == "cuda" else None


def _input_of(leaf: Any) -> Any:
    if not isinstance(leaf, _core.Array):
        return leaf
    return _core.empty(leaf.shape, dtype=leaf.dtype, device=leaf.device)


def _type_name(x: Any) -> str:
    return f"a value of type {type(x).__name__}"


def _mismatch_error(x: Any, captured: Any) -> type[Exception]:
    from skerry import exceptions

    if not isinstance(captured, _core.Array):
        return ValueError
    if x.device != captured.device:
        return exceptions.DeviceMismatchError
    return ValueError if x.dtype == captured.dtype else exceptions.DTypeError


def capture(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Graph:
    """Record the device work of one call of a function, to replay it as a whole.

    The function is called once. Meanwhile the work of this thread on CUDA devices is recorded and not run, so the
    arrays of the result have no values before the first replay.

    Parameters
    ----------
    function : callable
        Called once with the arguments. It must not wait for a device or exchange values with the host. Arrays that it
        refers to otherwise than by its arguments are used themselves, in each replay.
    *args, **kwargs
        Arguments of the function. For each array in them, also in nested lists, tuples and dicts, the function gets an
        array of the graph, to which a replay copies.

    Returns
    -------
    Graph
        A call of it replays the work.

    Raises
    ------
    GuardError
        At the line of the function that makes the host wait, or that copies between the host and a device.
    ValueError
        If the function uses another stream, writes to an argument, returns an array of a CPU device, or captures or
        replays a graph. If it draws from a generator that it creates, or that is on a CPU device. If an argument is on
        a CPU device, whose work is done when a call returns.
    TypeError
        If ``function`` is not callable, or is a generator function or a coroutine function.
    DeviceError
        If a device failed. After any error, the capture is ended, and everything is as before the call.

    Notes
    -----
    An array that the function creates and that is kept elsewhere than in the result belongs to the graph as well: each
    replay overwrites it.

    Each replay draws the random numbers that a call of the function would draw then. The capture draws none.

    Examples
    --------
    >>> weights = sk.asarray([1.0, 2.0], device="cuda:0")
    >>> graph = sk.capture(lambda x: sk.sum(weights * x), weights)
    >>> float(graph(sk.ones(2, device="cuda:0")))
    3.0
    >>> weights += 1  # used itself by each replay
    >>> float(graph(sk.ones(2, device="cuda:0")))
    5.0

    """
    _require_callable(function)
    return Graph._capture(function, args, kwargs)
