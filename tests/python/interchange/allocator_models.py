# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Models of other libraries' allocators, on memory of skerry's pool: they check their calls and keep books.

The modules have the functions that skerry calls in RMM (``rmm.mr.DeviceMemoryResource``), PyTorch
(``torch.cuda.caching_allocator_alloc``), CuPy (``cupy.cuda.MemoryPool``) and cuda.core (``MemoryResource``).
"""

import contextlib
import threading
import types

import skerry as sk


@contextlib.contextmanager
def allocator(value, device="cuda:0"):
    """Sets the allocator of a device in the block."""
    sk.set_allocator(device, value)
    try:
        yield
    finally:
        sk.set_allocator(device, None)


class StreamOrderedPool:
    """A pool that reuses freed memory at once on the stream that it was freed on, as RMM's pool does."""

    def __init__(self, device):
        self.functions = sk.cuda_allocator_functions(device)
        self.lock = threading.Lock()
        self.live = {}  # address: (nbytes, handle of the stream)
        self.cached = {}  # (nbytes, handle): addresses
        self.blocks = []
        self.calls = 0

    def allocate(self, nbytes, stream):
        assert type(nbytes) is int
        assert stream.device == self.functions.device
        with self.lock:
            self.calls += 1
            addresses = self.cached.get((nbytes, stream.handle))
            address = addresses.pop() if addresses else None
        if address is None:
            address = self.functions.allocate(nbytes, stream)
            self.blocks.append(address)
        self.live[address] = nbytes, stream.handle
        return address

    def free(self, address, nbytes, stream):
        with self.lock:
            assert self.live.pop(address)[0] == nbytes
            self.cached.setdefault((nbytes, stream.handle), []).append(address)

    def close(self):
        assert not self.live
        sk.synchronize(self.functions.device)
        for address in self.blocks:
            self.functions.deallocate(address, 0)


class Buffer:
    """cuda.core's Buffer."""

    def __init__(self, pool, nbytes, stream):
        self._pool, self._nbytes = pool, nbytes
        self.handle = pool.allocate(nbytes, stream)

    def close(self, stream=None):
        self._pool.free(self.handle, self._nbytes, stream)
        self.handle = 0


class MemoryResource:
    """cuda.core's MemoryResource."""

    def __init__(self, pool):
        self._pool = pool

    def allocate(self, size, *, stream):
        return Buffer(self._pool, size, stream)


def rmm_modules(pools):
    """RMM with a resource for each device ordinal."""

    class Stream:
        def __init__(self, obj):
            self.object = obj

    class DeviceMemoryResource:
        def __init__(self, pool):
            self.pool = pool

        def allocate(self, nbytes, stream):
            assert type(stream) is Stream
            return self.pool.allocate(nbytes, stream.object)

        def deallocate(self, ptr, nbytes, stream):
            assert type(stream) is Stream
            self.pool.free(ptr, nbytes, stream.object)

    resources = {ordinal: DeviceMemoryResource(pool) for ordinal, pool in pools.items()}
    return {
        "rmm": types.SimpleNamespace(),
        "rmm.mr": types.SimpleNamespace(
            DeviceMemoryResource=DeviceMemoryResource,
            get_per_device_resource=resources.__getitem__,
        ),
        "rmm.pylibrmm": types.SimpleNamespace(),
        "rmm.pylibrmm.stream": types.SimpleNamespace(Stream=Stream),
    }


def _stream_of(device, handle):
    assert type(handle) is int
    assert handle != 1, "PyTorch and CuPy call the legacy default stream 0"
    return sk.Stream.from_handle(device, handle or 1)


def torch_module(pools):
    """PyTorch's caching allocator, which needs no stream to free memory."""
    blocks = {}

    def caching_allocator_alloc(size, device=None, stream=None):
        pool = pools[device]
        stream = _stream_of(pool.functions.device, stream)
        address = pool.allocate(size, stream)
        blocks[address] = pool, size, stream
        return address

    def caching_allocator_delete(mem_ptr):
        pool, size, stream = blocks.pop(mem_ptr)
        pool.free(mem_ptr, size, stream)

    return types.SimpleNamespace(
        cuda=types.SimpleNamespace(
            caching_allocator_alloc=caching_allocator_alloc,
            caching_allocator_delete=caching_allocator_delete,
        )
    )


def cupy_module(pool):
    """CuPy's pool of one device: its memory is freed with its last reference, on the stream of the allocation."""
    current = [0]

    class Stream:
        def __init__(self, ptr):
            self.ptr = ptr

        @classmethod
        def from_external(cls, obj):
            return cls(obj.__cuda_stream__()[1])

        def __enter__(self):
            current.append(self.ptr)

        def __exit__(self, *error):
            current.pop()

    class MemoryPointer:
        def __init__(self, size):
            self._size = size
            self._stream = _stream_of(pool.functions.device, current[-1])
            self.ptr = pool.allocate(size, self._stream)

        def __del__(self):
            pool.free(self.ptr, self._size, self._stream)

    Stream.null = Stream(0)
    return types.SimpleNamespace(
        get_default_memory_pool=lambda: types.SimpleNamespace(malloc=MemoryPointer),
        cuda=types.SimpleNamespace(
            Stream=Stream,
            get_current_stream=lambda: types.SimpleNamespace(ptr=current[-1]),
        ),
    )
