# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What `skerry.comm` communicates with: NCCL for CUDA devices, MPI for CPU devices. Operands are flat."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from skerry import _core
from skerry._data_types import kind_of
from skerry.exceptions import DeviceUnavailableError, DTypeError

__all__ = ["Backend", "MpiBackend", "NcclBackend"]

_BYTES = np.dtype(np.uint8)
# dtypes that each library reduces, and its name of each operation. MPI has no average: sums are divided.
_REDUCED_BY_MPI = frozenset(
    ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"]
)
_REDUCED_BY_NCCL = _REDUCED_BY_MPI | {"float16"}
_MPI_NAMES = {"sum": "SUM", "mean": "SUM", "prod": "PROD", "max": "MAX", "min": "MIN"}
_NCCL_NAMES = _MPI_NAMES | {"mean": "AVG"}


def _as_bytes(x: _core.Array) -> _core.Array:
    """View the elements as bytes, for calls that only move them."""
    return x if x.dtype == _BYTES else x.view(_BYTES)


def _as_reducible(function: str, x: _core.Array, op: str, supported: frozenset[str]) -> _core.Array:
    """View the elements as a dtype with the same result of the reduction."""
    dtype = x.dtype
    if dtype == np.bool_ and op in ("max", "min"):
        return x.view(_BYTES)
    if kind_of(dtype) == "c" and op in ("sum", "mean"):
        return x.view(np.float32 if dtype == np.complex64 else np.float64)
    if dtype.name in supported and not (kind_of(dtype) in "iu" and op == "mean"):
        return x
    raise DTypeError(
        f"{function}: {op} of {dtype.name} is not supported between ranks; convert x first"
    )


class Backend(ABC):
    """The calls of one rank."""

    rank: int
    size: int
    device: _core.Device
    _is_grouped = False

    def _begin_group(self) -> None:
        if self._is_grouped:
            raise RuntimeError("group: groups can't be nested")
        self._is_grouped = True

    @abstractmethod
    def all_reduce(self, x: _core.Array, out: _core.Array, op: str) -> None:
        """Reduce all x to out."""

    @abstractmethod
    def reduce_scatter(self, x: _core.Array, out: _core.Array, op: str) -> None:
        """Reduce all x, which have a part for each rank."""

    @abstractmethod
    def all_gather(self, x: _core.Array, out: _core.Array) -> None:
        """Concatenate all x."""

    @abstractmethod
    def broadcast(self, x: _core.Array, out: _core.Array, root: int) -> None:
        """Copy x of the root."""

    @abstractmethod
    def send(self, x: _core.Array, destination: int) -> None:
        """Send x."""

    @abstractmethod
    def recv(self, out: _core.Array, source: int) -> None:
        """Receive out."""

    @abstractmethod
    def group(self) -> contextlib.AbstractContextManager[None]:
        """Start the transfers of the body together."""

    @abstractmethod
    def barrier(self) -> None:
        """Wait for all ranks."""

    @abstractmethod
    def close(self) -> None:
        """End the communicator."""

    @abstractmethod
    def abort(self) -> None:
        """End the communicator of all ranks."""


class NcclBackend(Backend):
    """Calls of nccl4py on the current stream of the device."""

    def __init__(self, rank: int, size: int, unique_id: bytes, device: _core.Device) -> None:
        from cuda.core import Device

        self._nccl = self.require_module()
        self.rank, self.size, self.device = rank, size, device
        Device(device.info.physical_index).set_current()
        self._comm = self._nccl.Communicator.init(
            size, rank, self._nccl.UniqueId.from_bytes(unique_id)
        )
        self._uses: list[Callable[[], None]] = []

    @staticmethod
    def require_module() -> Any:
        """Return the module nccl.core, or raise DeviceUnavailableError."""
        try:
            import nccl.core
        except ImportError as problem:  # nccl4py doesn't require cuda-bindings, but imports it
            error = DeviceUnavailableError(
                "comm: CUDA devices need nccl4py, whose import failed: "
                f"{problem}; pip install nccl4py cuda-bindings"
            )
            error.reason = "no_nccl"
            raise error from None
        return nccl.core

    @classmethod
    def new_id(cls) -> bytes:
        """Return the identity of a new communicator, for all its ranks."""
        return bytes(cls.require_module().get_unique_id().as_bytes)

    def all_reduce(self, x: _core.Array, out: _core.Array, op: str) -> None:
        self._reduce("all_reduce", self._comm.allreduce, x, out, op)

    def reduce_scatter(self, x: _core.Array, out: _core.Array, op: str) -> None:
        self._reduce("reduce_scatter", self._comm.reduce_scatter, x, out, op)

    def all_gather(self, x: _core.Array, out: _core.Array) -> None:
        self._call(self._comm.allgather, _as_bytes(x), _as_bytes(out))

    def broadcast(self, x: _core.Array, out: _core.Array, root: int) -> None:
        self._call(self._comm.broadcast, _as_bytes(x), _as_bytes(out), root)

    def send(self, x: _core.Array, destination: int) -> None:
        self._call(self._comm.send, _as_bytes(x), None, destination)

    def recv(self, out: _core.Array, source: int) -> None:
        self._call(self._comm.recv, None, _as_bytes(out), source)

    @contextlib.contextmanager
    def group(self) -> Iterator[None]:
        self._begin_group()
        try:
            with self._nccl.group():
                yield
        finally:
            self._is_grouped = False
            self._record_uses()

    def barrier(self) -> None:
        x = _core.zeros((1,), dtype=_BYTES, device=self.device)
        self._call(self._comm.allreduce, x, _core.empty_like(x), self._nccl.SUM)
        _core.synchronize(self.device)

    def close(self) -> None:
        self._comm.finalize()
        self._comm.destroy()

    def abort(self) -> None:
        self._comm.abort()

    def _reduce(
        self, name: str, call: Callable[..., Any], x: _core.Array, out: _core.Array, op: str
    ) -> None:
        operands = [_as_reducible(name, one, op, _REDUCED_BY_NCCL) for one in (x, out)]
        self._call(call, *operands, getattr(self._nccl, _NCCL_NAMES[op]))

    def _call(
        self,
        call: Callable[..., Any],
        x: _core.Array | None,
        out: _core.Array | None,
        *arguments: Any,
    ) -> None:
        """Call a function of nccl4py, in program order with all uses of the arrays.

        skerry does not see what NCCL does on the stream. An export makes the stream wait for earlier uses, and a use of
        one element after the call makes later uses wait for it.
        """
        operands = [one for one in (x, out) if one is not None]
        if not all(one.size for one in operands):
            return
        stream = _core.current_stream(self.device)
        for one in operands:
            one.__dlpack__(stream=stream.handle or 1, max_version=(1, 0))
        call(*operands, *arguments, stream=stream)
        if x is not None:
            self._uses.append(lambda: _read_first(x, stream))
        if out is not None:
            self._uses.append(lambda: _write_first(out, stream))
        if not self._is_grouped:
            self._record_uses()

    def _record_uses(self) -> None:
        uses, self._uses = self._uses, []
        for use in uses:
            use()


def _read_first(x: _core.Array, stream: _core.Stream) -> None:
    with stream:
        x[:1].copy()


def _write_first(out: _core.Array, stream: _core.Stream) -> None:
    with stream:
        out[:1] = out[:1].copy()


class MpiBackend(Backend):
    """Calls of mpi4py on memory of a CPU device, whose work is done when a call returns."""

    def __init__(self, mpi: Any, device: _core.Device) -> None:
        from mpi4py import MPI

        self._module = MPI
        self._mpi = mpi.Dup()
        self.rank, self.size, self.device = mpi.rank, mpi.size, device
        self._requests: list[Any] = []

    def all_reduce(self, x: _core.Array, out: _core.Array, op: str) -> None:
        self._reduce("all_reduce", self._mpi.Allreduce, x, out, op)

    def reduce_scatter(self, x: _core.Array, out: _core.Array, op: str) -> None:
        self._reduce("reduce_scatter", self._mpi.Reduce_scatter_block, x, out, op)

    def all_gather(self, x: _core.Array, out: _core.Array) -> None:
        self._mpi.Allgather(_host(_as_bytes(x)), _host(_as_bytes(out)))

    def broadcast(self, x: _core.Array, out: _core.Array, root: int) -> None:
        if self.rank == root:
            out[...] = x
        self._mpi.Bcast(_host(_as_bytes(out)), root)

    def send(self, x: _core.Array, destination: int) -> None:
        self._start(self._mpi.Isend(_host(_as_bytes(x)), destination))

    def recv(self, out: _core.Array, source: int) -> None:
        self._start(self._mpi.Irecv(_host(_as_bytes(out)), source))

    @contextlib.contextmanager
    def group(self) -> Iterator[None]:
        self._begin_group()
        try:
            yield
        except BaseException:
            # Their peers may never come.
            for request in self._requests:
                request.Cancel()
            self._requests = []
            raise
        finally:
            self._is_grouped = False
        self._wait()

    def barrier(self) -> None:
        self._mpi.Barrier()

    def close(self) -> None:
        self._mpi.Free()

    def abort(self) -> None:
        self._mpi.Abort(1)

    def _reduce(
        self, name: str, call: Callable[..., None], x: _core.Array, out: _core.Array, op: str
    ) -> None:
        source, result = (_as_reducible(name, one, op, _REDUCED_BY_MPI) for one in (x, out))
        call(_host(source), _host(result), getattr(self._module, _MPI_NAMES[op]))
        if op == "mean":
            result /= self.size

    def _start(self, request: Any) -> None:
        self._requests.append(request)
        if not self._is_grouped:
            self._wait()

    def _wait(self) -> None:
        requests, self._requests = self._requests, []
        self._module.Request.Waitall(requests)


def _host(x: _core.Array) -> np.ndarray[Any, Any]:
    """Return NumPy's view of the memory."""
    return np.from_dlpack(x)
