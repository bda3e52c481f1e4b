# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Collective operations on arrays: a thin layer over nccl4py, for CUDA devices, and mpi4py, for CPU devices.

Each rank has one device. Operands must be on it, and results are. On a CUDA device calls are work of the rank's
current stream: they are in program order with other uses of their arrays. All ranks must make the same calls in the
same order. Without GPUs, on rehearsed devices with kernels, the emulated GPU's NCCL is used, which reports mistakes.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from skerry import _core
from skerry._comm_backends import Backend, MpiBackend, NcclBackend
from skerry.exceptions import DeviceMismatchError, ShapeError

__all__ = ["Communicator", "from_mpi", "run"]

_Result = TypeVar("_Result")
_OPERATIONS = ("sum", "mean", "prod", "max", "min")


class Communicator:
    """One rank of a group of ranks that communicate. `run` and `from_mpi` create it.

    Attributes
    ----------
    rank, size : int
        The number of this rank, and of all ranks.
    device : Device
        The device of this rank's arrays.

    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.rank = backend.rank
        self.size = backend.size
        self.device = backend.device

    def all_reduce(self, x: _core.Array, /, *, op: str = "sum") -> _core.Array:
        """Reduce the arrays of all ranks elementwise.

        Parameters
        ----------
        x : Array
            An array of the same shape and dtype on each rank.
        op : str, optional
            "sum", "mean", "prod", "max" or "min". bool has only "max" and "min", complex dtypes "sum" and "mean".

        Returns
        -------
        Array
            The reduced array, on each rank. The order of sums is that of the backend.

        Raises
        ------
        DeviceMismatchError
            If ``x`` is on another device than the rank.
        DTypeError
            If the backend can't reduce the dtype.
        ValueError
            If ``op`` is unknown.

        """
        _check_operation("all_reduce", op)
        self._check("all_reduce", x)
        out = self._empty(x.shape, x.dtype)
        self._backend.all_reduce(_flat(x), _flat(out), op)
        return out

    def reduce_scatter(self, x: _core.Array, /, *, op: str = "sum") -> _core.Array:
        """Reduce the arrays of all ranks elementwise, and return this rank's part.

        Parameters
        ----------
        x : Array
            An array of shape (size, ...), the same on each rank: ``x[k]`` is for rank k.
        op : str, optional
            As for `all_reduce`.

        Returns
        -------
        Array
            The reduced ``x[rank]``.

        Raises
        ------
        DeviceMismatchError, DTypeError, ValueError
            As `all_reduce`.
        ShapeError
            If the first axis of ``x`` does not have the length ``size``.

        """
        _check_operation("reduce_scatter", op)
        self._check("reduce_scatter", x)
        if x.ndim == 0 or x.shape[0] != self.size:
            raise ShapeError(
                f"reduce_scatter: the first axis must have a part for each of {self.size} ranks: x has shape {x.shape}"
            )
        out = self._empty(x.shape[1:], x.dtype)
        self._backend.reduce_scatter(_flat(x), _flat(out), op)
        return out

    def all_gather(self, x: _core.Array, /) -> _core.Array:
        """Return the arrays of all ranks, of one shape and dtype, stacked along a new first axis.

        Raises
        ------
        DeviceMismatchError
            If ``x`` is on another device than the rank.

        """
        self._check("all_gather", x)
        out = self._empty((self.size, *x.shape), x.dtype)
        self._backend.all_gather(_flat(x), _flat(out))
        return out

    def broadcast(self, x: _core.Array, /, *, root: int = 0) -> _core.Array:
        """Return a copy of the array of one rank. The others pass an array of the same shape and dtype.

        Raises
        ------
        DeviceMismatchError
            If ``x`` is on another device than the rank.
        ValueError
            If ``root`` is not the number of a rank.

        """
        self._check_rank("broadcast", "root", root)
        self._check("broadcast", x)
        out = self._empty(x.shape, x.dtype)
        self._backend.broadcast(_flat(x), _flat(out), root)
        return out

    def send(self, x: _core.Array, /, destination: int) -> None:
        """Send an array to another rank, which calls `recv`.

        Raises
        ------
        DeviceMismatchError
            If ``x`` is on another device than the rank.
        ValueError
            If ``destination`` is not the number of another rank.

        """
        self._check_rank("send", "destination", destination, is_peer=True)
        self._check("send", x)
        self._backend.send(_flat(x), destination)

    def recv(self, shape: tuple[int, ...], dtype: Any, /, source: int) -> _core.Array:
        """Return an array that another rank sends, of a shape and dtype that both know.

        Raises
        ------
        ValueError
            If ``source`` is not the number of another rank.

        """
        self._check_rank("recv", "source", source, is_peer=True)
        out = self._empty(shape, dtype)
        self._backend.recv(_flat(out), source)
        return out

    @contextlib.contextmanager
    def group(self) -> Iterator[None]:
        """Start the sends and receives of the body together, so that they can't wait for each other.

        Arrays that `recv` returns may be used after the body.
        """
        with self._backend.group():
            yield

    def barrier(self) -> None:
        """Block until all ranks have called this, and their devices have done the work before it."""
        self._backend.barrier()

    def close(self) -> None:
        """End the use of the communicator, on all ranks."""
        self._backend.close()

    def abort(self) -> None:
        """End the use of the communicator at once; calls of other ranks fail."""
        self._backend.abort()

    def _empty(self, shape: tuple[int, ...], dtype: Any) -> _core.Array:
        return _core.empty(shape, dtype=dtype, device=self.device)

    def _check(self, op: str, x: object) -> None:
        if not isinstance(x, _core.Array):
            raise TypeError(f"{op}: x must be an array of skerry, not {type(x).__name__}")
        if x.device != self.device:
            raise DeviceMismatchError(
                f"{op}: x is on {x.device}, rank {self.rank} on {self.device}; "
                f'move it explicitly: x.to_device("{self.device}")'
            )

    def _check_rank(self, op: str, name: str, rank: int, *, is_peer: bool = False) -> None:
        if not 0 <= rank < self.size or (is_peer and rank == self.rank):
            other = " other than this one" if is_peer else ""
            raise ValueError(f"{op}: {name} must be a rank of {self.size}{other}: {rank}")


def _flat(x: _core.Array) -> _core.Array:
    """Return the elements in C order, without a copy if they are."""
    return x.reshape(-1) if x.flags.c_contiguous else _core.asarray(x, copy=True).reshape(-1)


def _check_operation(function: str, op: str) -> None:
    if op not in _OPERATIONS:
        raise ValueError(f"{function}: unknown op: {op}; accepted: {', '.join(_OPERATIONS)}")


def from_mpi(mpi: Any, device: _core.Device | str) -> Communicator:
    """Return a communicator with the ranks of one of mpi4py, one process each.

    Parameters
    ----------
    mpi : mpi4py.MPI.Comm
        The communicator of mpi4py, such as ``MPI.COMM_WORLD``.
    device : Device or str
        The device of this rank. On CUDA devices NCCL communicates, and MPI only connects the ranks.

    Examples
    --------
    ::

        from mpi4py import MPI

        comm = skerry.comm.from_mpi(MPI.COMM_WORLD, "cpu:0")
        total = comm.all_reduce(sk.ones(3, device=comm.device))

    """
    device = _core.Device(device)
    if device.kind == "cpu":
        return Communicator(MpiBackend(mpi, device))
    NcclBackend.require_module()  # on every rank: one that raised alone would leave the others in bcast
    unique_id = mpi.bcast(NcclBackend.new_id() if mpi.rank == 0 else None)
    return Communicator(NcclBackend(mpi.rank, mpi.size, unique_id, device))


def run(
    function: Callable[[Communicator], _Result], devices: Sequence[_core.Device | str]
) -> list[_Result]:
    """Call ``function(comm)`` in a thread for each CUDA device, and return the results by rank.

    Parameters
    ----------
    function : callable
        Called with the `Communicator` of each rank.
    devices : sequence of Device or str
        Different CUDA devices; their number is that of the ranks.

    Raises
    ------
    ValueError
        If a device is not a CUDA device, or a GPU occurs twice.
    Exception
        The first exception of a rank, with a note that names it. That rank is aborted. On emulated GPUs, calls of the
        others fail then; with real GPUs, NCCL may leave them waiting.

    Examples
    --------
    ::

        def total(comm):
            part = sk.full(3, comm.rank, device=comm.device)
            return comm.all_reduce(part)

        totals = skerry.comm.run(total, ["cuda:0", "cuda:1"])

    """
    ranks = [_core.Device(device) for device in devices]
    is_cuda = all(device.kind == "cuda" for device in ranks)
    if not is_cuda or len({device.info.physical_index for device in ranks}) != len(ranks):
        names = ", ".join(map(str, ranks))
        raise ValueError(
            f"run: devices must be different CUDA devices: {names}; for CPU devices use from_mpi"
        )
    return _run_ranks(function, ranks)


def _run_ranks(
    function: Callable[[Communicator], _Result], devices: Sequence[_core.Device]
) -> list[_Result]:
    unique_id = NcclBackend.new_id()
    results: list[Any] = [None] * len(devices)
    errors: list[BaseException] = []

    def call(rank: int) -> None:
        comm = None
        try:
            comm = Communicator(NcclBackend(rank, len(devices), unique_id, devices[rank]))
            results[rank] = function(comm)
            _core.synchronize(comm.device)
            comm.close()
        except BaseException as error:
            error.add_note(f"on rank {rank}, {devices[rank]}")
            errors.append(error)
            if comm is not None:
                comm.abort()

    threads = [threading.Thread(target=call, args=(rank,)) for rank in range(len(devices))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
