# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Memory shared with other libraries: their allocators for skerry's arrays, and skerry's pool for them."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from skerry import _core

_Device = _core.Device
_Allocate = Callable[[int, _core.Stream], "int | None"]
_Free = Callable[[int, int, _core.Stream], object]
_LEGACY_STREAM = 1


class LibraryAllocator:
    """An allocator of another library, for `set_allocator`: from `rmm`, `torch_allocator` or `cupy_allocator`."""

    def __init__(self, text: str, functions: Callable[[_Device], tuple[_Allocate, _Free]]) -> None:
        self._text = text
        self._functions = functions

    def functions(self, device: _Device) -> tuple[_Allocate, _Free]:
        """Return the pair of functions that allocate and free memory of a device."""
        return self._functions(device)

    def __repr__(self) -> str:
        return self._text


class _OwnedBlocks:
    """Memory of objects that are kept, by address, until it is freed."""

    def __init__(
        self,
        create: Callable[[int, _core.Stream], tuple[int, Any]],
        release: Callable[[Any, _core.Stream], object],
    ) -> None:
        self._create = create
        self._release = release
        self._owners: dict[int, Any] = {}

    def allocate(self, nbytes: int, stream: _core.Stream) -> int:
        address, owner = self._create(nbytes, stream)
        if address:
            self._owners[address] = owner
        return address

    def free(self, address: int, nbytes: int, stream: _core.Stream) -> None:
        self._release(self._owners.pop(address), stream)


def set_allocator(device: _Device | str, allocator: Any) -> None:
    """Allocate the arrays of a CUDA device from memory of another library.

    Holds for later arrays and for the scratch memory of operations. Each array is freed by the allocator that it came
    from, also after another one was set. Nothing is cached by skerry: the allocator is called for each array, without
    a lock, on any thread, with the device current. Arrays that the allocator itself creates come from skerry's pool,
    as do those with ``managed=True``.

    Parameters
    ----------
    device : Device or str
        A CUDA device.
    allocator : object
        A pair of functions ``allocate(nbytes, stream) -> address`` and ``free(address, nbytes, stream)``; an object
        with the protocol of ``MemoryResource`` of cuda.core, whose ``allocate(nbytes, stream=stream)`` returns a buffer
        with ``handle`` and ``close(stream)``; a memory resource of RMM; `rmm`, `torch_allocator` or `cupy_allocator`;
        or None: skerry's own pool. ``stream`` is a `Stream`: work that is enqueued there after ``allocate`` may use the
        memory, and work that was enqueued there before ``free`` may still use it.

    Raises
    ------
    DeviceUnavailableError
        If the device can't be used.
    NotImplementedError
        For a device that is not a CUDA device.
    TypeError
        If ``allocator`` is none of these.

    Notes
    -----
    Where the allocator raises an exception or returns 0 or None, arrays that are no longer needed are collected, then
    `OutOfMemoryError` is raised, with the exception as its cause. An address that is not a multiple of 256 or not in
    memory of the device is given back, and raises ValueError.

    """
    device = _core.as_device(device)
    if allocator is None:
        _core.set_allocator(device, None, None)
        return
    allocate, free = _functions_of(allocator, device)
    _core.set_allocator(device, allocate, free)


def _functions_of(allocator: Any, device: _Device) -> tuple[_Allocate, _Free]:
    if isinstance(allocator, LibraryAllocator):
        return allocator.functions(device)
    if isinstance(allocator, tuple):
        if len(allocator) == 2 and all(map(callable, allocator)):
            return allocator
    elif _is_rmm_resource(allocator):
        return rmm(allocator).functions(device)
    elif callable(getattr(allocator, "allocate", None)):
        blocks = _OwnedBlocks(
            lambda nbytes, stream: _create_buffer(allocator, nbytes, stream),
            lambda buffer, stream: buffer.close(_stream_for(allocator, stream)),
        )
        return blocks.allocate, blocks.free
    raise TypeError(
        f"set_allocator: allocator must be a pair of functions, an object with allocate(nbytes, stream=...) or None, "
        f"not {type(allocator).__name__}"
    )


def _create_buffer(resource: Any, nbytes: int, stream: _core.Stream) -> tuple[int, Any]:
    buffer = resource.allocate(nbytes, stream=_stream_for(resource, stream))
    return int(buffer.handle), buffer


def _stream_for(resource: Any, stream: _core.Stream) -> Any:
    """Return the stream as cuda.core's class for a resource of that library, which requires it; otherwise unchanged."""
    core = sys.modules.get("cuda.core")
    if core is None or not isinstance(resource, core.MemoryResource):
        return stream
    return core.Stream.from_handle(stream.handle)


def _is_rmm_resource(allocator: Any) -> bool:
    resources = sys.modules.get("rmm.mr")
    return resources is not None and isinstance(allocator, resources.DeviceMemoryResource)


_Function = TypeVar("_Function", bound=Callable[..., LibraryAllocator])


def _documented(library: str) -> Callable[[_Function], _Function]:
    """Append to a docstring what the allocators of all libraries have in common."""

    def append(function: _Function) -> _Function:
        function.__doc__ = inspect.cleandoc(
            f"{(function.__doc__ or '').rstrip()}\n\n"
            f"    Returns\n    -------\n    LibraryAllocator\n\n"
            f"    Raises\n    ------\n    ImportError\n        If {library} is not installed.\n"
        )
        return function

    return append


@_documented("RMM")
def rmm(resource: Any = None) -> LibraryAllocator:
    """Return an allocator of RMM's memory, for `set_allocator`.

    Parameters
    ----------
    resource : rmm.mr.DeviceMemoryResource, optional
        By default RMM's current resource of the device at the time of `set_allocator`.

    """
    resources = importlib.import_module("rmm.mr")
    stream_class = importlib.import_module("rmm.pylibrmm.stream").Stream

    def functions(device: _Device) -> tuple[_Allocate, _Free]:
        used = resource
        if used is None:
            used = resources.get_per_device_resource(device.info.physical_index)
        return (
            lambda nbytes, stream: used.allocate(nbytes, stream_class(stream)),
            lambda address, nbytes, stream: used.deallocate(address, nbytes, stream_class(stream)),
        )

    return LibraryAllocator(f"rmm({'' if resource is None else repr(resource)})", functions)


@_documented("PyTorch")
def torch_allocator() -> LibraryAllocator:
    """Return PyTorch's caching allocator, for `set_allocator`."""
    torch = importlib.import_module("torch")

    def functions(device: _Device) -> tuple[_Allocate, _Free]:
        ordinal = device.info.physical_index
        return (
            lambda nbytes, stream: torch.cuda.caching_allocator_alloc(
                nbytes, ordinal, _handle_of_torch(stream)
            ),
            lambda address, nbytes, stream: torch.cuda.caching_allocator_delete(address),
        )

    return LibraryAllocator("torch_allocator()", functions)


def _handle_of_torch(stream: _core.Stream) -> int:
    """Return the handle that selects the blocks of a stream: PyTorch calls the legacy default stream 0."""
    return 0 if stream.handle == _LEGACY_STREAM else stream.handle


@_documented("CuPy")
def cupy_allocator(pool: Any = None) -> LibraryAllocator:
    """Return a pool of CuPy 14 or newer, for `set_allocator`.

    Parameters
    ----------
    pool : cupy.cuda.MemoryPool or cupy.cuda.MemoryAsyncPool, optional
        By default CuPy's default pool.

    """
    cupy = importlib.import_module("cupy")
    used = cupy.get_default_memory_pool() if pool is None else pool

    def create(nbytes: int, stream: _core.Stream) -> tuple[int, Any]:
        # By another handle, the legacy default stream would have a part of the pool of its own.
        is_default = stream.handle == _LEGACY_STREAM
        with cupy.cuda.Stream.null if is_default else cupy.cuda.Stream.from_external(stream):
            memory = used.malloc(nbytes)
        return memory.ptr, memory

    def functions(device: _Device) -> tuple[_Allocate, _Free]:
        blocks = _OwnedBlocks(create, lambda memory, stream: None)  # frees itself in stream order
        return blocks.allocate, blocks.free

    return LibraryAllocator(f"cupy_allocator({'' if pool is None else repr(pool)})", functions)


class CudaAllocatorFunctions:
    """skerry's pool as an allocator of other libraries: the result of `cuda_allocator_functions`."""

    device: _Device
    """The CUDA device of `allocate`."""
    library: str
    """Path of the shared library that has the C functions."""
    allocate_name: str = "skerry_cuda_allocate"
    """Name of the C function ``void* (ssize_t size, int device, cudaStream_t stream)``. It throws a std::exception."""
    free_name: str = "skerry_cuda_free"
    """Name of the C function ``void (void* address, ssize_t size, int device, cudaStream_t stream)``."""
    allocate_address: int
    """Address of the C function that allocates."""
    free_address: int
    """Address of the C function that frees."""

    def __init__(self, device: _Device) -> None:
        self.device = device
        self.library = _core.__file__
        self.allocate_address, self.free_address = _core.allocator_addresses()

    def allocate(self, nbytes: int, stream: Any = None) -> int:
        """Allocate memory of the device in order with a stream, and return its address: for RMM."""
        return _core.allocate_block(self.device, nbytes, stream)

    def deallocate(self, address: int, nbytes: int, stream: Any = None) -> None:
        """Free memory in order with a stream."""
        _core.free_block(self.device, address, stream)

    def malloc(self, nbytes: int, device_id: int) -> int:
        """Allocate memory of a device of CUDA's number on CuPy's current stream: for CuPy."""
        device = _core.device_of_ordinal(device_id)
        return _core.allocate_block(device, nbytes, _current_stream_of_cupy())

    def free(self, address: int, device_id: int) -> None:
        """Free memory of `malloc` in order with CuPy's current stream."""
        device = _core.device_of_ordinal(device_id)
        _core.free_block(device, address, _current_stream_of_cupy())

    def __repr__(self) -> str:
        return f"CudaAllocatorFunctions({self.device})"


def _current_stream_of_cupy() -> int | None:
    cupy = sys.modules.get("cupy")
    return None if cupy is None else cupy.cuda.get_current_stream().ptr or _LEGACY_STREAM


def cuda_allocator_functions(device: _Device | str | None = None) -> CudaAllocatorFunctions:
    """Return functions that allocate from skerry's pool, for other libraries.

    Parameters
    ----------
    device : Device or str, optional
        The device of the method ``allocate``; by default the first CUDA device. The other functions take the number of
        a device.

    Returns
    -------
    CudaAllocatorFunctions
        With the arguments of PyTorch's ``CUDAPluggableAllocator`` (``library``, ``allocate_name``, ``free_name``), the
        functions of RMM's ``CallbackMemoryResource`` (``allocate``, ``deallocate``) and those of CuPy's
        ``PythonFunctionAllocator`` (``malloc``, ``free``).

    Raises
    ------
    DeviceUnavailableError
        If the device can't be used.
    ValueError
        If it is not a CUDA device.

    Notes
    -----
    The memory counts as live memory of the device in `memory_statistics`, and towards `set_memory_limit`. It comes from
    the pool also where `set_allocator` has set another allocator. Memory is allocated and freed in the order of the
    stream that is passed. The C function throws a C++ exception if there is no memory, since PyTorch does not expect 0.

    """
    chosen = _core.as_device("cuda:0" if device is None else device)
    if chosen.kind != "cuda":
        raise ValueError(
            f"cuda_allocator_functions: {chosen} is not a CUDA device; choose one, such as 'cuda:0'"
        )
    chosen.info  # noqa: B018 - raises if it can't be used
    return CudaAllocatorFunctions(chosen)
