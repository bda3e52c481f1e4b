# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Real libraries on a real GPU: `make gpu-check`. Each is skipped, with the reason, if it is not installed.

Stream order is tested with a slow producer, and once without synchronization, where the same reader must see old values.
Without a GPU, `test_stream_order.py` and `test_consumer_models.py` test the same on rehearsed devices.
"""

import gc
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk

from tests.python.libraries import library, missing
from tests.python.oracle import to_numpy
from tests.python.session import HAS_GPU

if not HAS_GPU:
    pytest.skip("needs a GPU: make gpu-check", allow_module_level=True)
pytestmark = pytest.mark.not_emulated("other libraries load CUDA's own runtime")

DEVICE = "cuda:0"
DTYPES = ["float32", "float64", "int32", "int64", "uint8", "complex64"]
# About 50 ms of work: additions to 256 MiB.
LARGE, STEPS = 1 << 26, 200


def numba_cuda():
    """Return NVIDIA's numba-cuda if it is installed with Numba, else Numba's own CUDA target."""
    folder = pathlib.Path(sys.prefix) / "numba-cuda"
    if folder.exists() and "numba.cuda" not in sys.modules:
        sys.path.append(str(folder))
        library("_numba_cuda_redirector")
    library("numba")
    cuda = library("numba.cuda")
    cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
    if not cuda.is_available():
        missing(f"numba.cuda finds no GPU: {cuda.cuda_error()}")
    return cuda


class Numba:
    """Imports, creates and reads arrays as Numba does, on its default stream. The classes below use other libraries."""

    def __init__(self):
        self.cuda = numba_cuda()

    def take(self, x):
        return self.cuda.as_cuda_array(x)

    def make(self, host):
        return self.cuda.to_device(host)

    def values(self, theirs):
        return theirs.copy_to_host()


class CuPy:
    def __init__(self):
        self.cupy = library("cupy")

    def take(self, x):
        return self.cupy.asarray(x)

    def make(self, host):
        return self.cupy.asarray(host)

    def values(self, theirs):
        return self.cupy.asnumpy(theirs)


class CuPyByDLPack(CuPy):
    def take(self, x):
        return self.cupy.from_dlpack(x)


class Torch:
    def __init__(self):
        self.torch = library("torch")
        if not self.torch.cuda.is_available():
            missing("this PyTorch has no CUDA")

    def take(self, x):
        return self.torch.from_dlpack(x)

    def make(self, host):
        return self.torch.as_tensor(host).to("cuda")

    def values(self, theirs):
        return theirs.cpu().numpy()


class TorchByInterface(Torch):
    def take(self, x):
        return self.torch.as_tensor(x, device="cuda")


class Jax:
    def __init__(self):
        self.jax = library("jax")
        if self.jax.default_backend() != "gpu":
            missing("this JAX has no GPU backend")
        self.jax.config.update("jax_enable_x64", True)

    def take(self, x):
        return self.jax.dlpack.from_dlpack(x)

    def make(self, host):
        return self.jax.block_until_ready(self.jax.device_put(host))

    def values(self, theirs):
        return np.asarray(theirs)


class TvmFfi:
    def __init__(self):
        self.ffi = library("tvm_ffi")

    def take(self, x):
        return self.ffi.from_dlpack(x)

    def make(self, host):
        return self.ffi.from_dlpack(sk.asarray(host, device=DEVICE))

    def values(self, theirs):
        return to_numpy(sk.from_dlpack(theirs))


LIBRARIES = [Numba, CuPy, CuPyByDLPack, Torch, TorchByInterface, Jax, TvmFfi]
IMMUTABLE = {Jax}


@pytest.fixture(params=LIBRARIES, ids=lambda kind: kind.__name__)
def theirs(request):
    return request.param()


@pytest.mark.parametrize("dtype", DTYPES)
def test_libraries_import_arrays(theirs, dtype):
    host = np.arange(12).astype(dtype).reshape(3, 4)
    x = sk.asarray(host, device=DEVICE)
    for array, want in ((x, host), (x.T, host.T), (x[1:], host[1:])):
        assert np.array_equal(theirs.values(theirs.take(array)), want)
    foreign_array = theirs.take(x)
    if type(theirs) not in IMMUTABLE:
        x[0, 0] = 7
        assert theirs.values(foreign_array)[0, 0] == 7, "one memory"
    del x
    gc.collect()
    others = [sk.zeros((3, 4), dtype=dtype, device=DEVICE) for _ in range(8)]
    assert np.array_equal(theirs.values(foreign_array)[1:], host[1:]), "the memory was reused"
    del others


@pytest.mark.parametrize("dtype", DTYPES)
def test_libraries_export_arrays(theirs, dtype):
    host = np.arange(12).astype(dtype).reshape(3, 4)
    foreign_array = theirs.make(host)
    for take in (sk.asarray, sk.from_dlpack):
        if take is sk.from_dlpack and not hasattr(foreign_array, "__dlpack__"):
            continue
        x = take(foreign_array)
        assert x.device.kind == "cuda"
        assert np.array_equal(to_numpy(x), host)
    del foreign_array
    gc.collect()
    theirs.make(np.zeros((3, 4), dtype))
    assert np.array_equal(to_numpy(x), host), "the owner was freed"


def slow_work(x):
    for _ in range(STEPS):
        x += 1


def test_consumers_wait_for_work_before_the_export(theirs):
    stream = sk.Stream(DEVICE)
    x = sk.zeros((LARGE,), dtype=sk.float32, device=DEVICE)
    sk.synchronize(DEVICE)
    with sk.stream(stream):
        slow_work(x)
        assert not stream.idle, "the work was complete already: the test proves nothing"
        seen = theirs.values(theirs.take(x))
    assert seen[-1] == STEPS


def test_without_order_a_reader_sees_old_values():
    """An array imported before the work is read on another stream, too early: the test above can fail."""
    cuda = Numba().cuda
    stream = sk.Stream(DEVICE)
    x = sk.zeros((LARGE,), dtype=sk.float32, device=DEVICE)
    early = cuda.as_cuda_array(x)
    last = early[-1:]
    reader, seen = cuda.stream(), np.full(1, -1.0, np.float32)
    sk.synchronize(DEVICE)
    with sk.stream(stream):
        slow_work(x)
    last.copy_to_host(seen, stream=reader)
    reader.synchronize()
    assert seen[0] < STEPS
    stream.synchronize()
    assert last.copy_to_host()[0] == STEPS


def slow_kernel(cuda):
    @cuda.jit
    def spin_and_write(x):
        for _ in range(50_000):
            cuda.nanosleep(1000)
        x[0] = 5.0

    return spin_and_write


def test_an_import_waits_for_the_producers_stream_and_not_with_sync_false():
    cuda = Numba().cuda
    kernel, stream = slow_kernel(cuda), cuda.stream()
    for sync, want in ((True, {5.0}), (False, {0.0})):
        d = cuda.to_device(np.zeros(1), stream=stream)
        stream.synchronize()
        kernel[1, 1, stream](d)
        consumer_stream = sk.Stream(DEVICE)
        with sk.stream(consumer_stream):
            about = d.__cuda_array_interface__
            x = sk.from_cuda_array_interface(about, owner=d, sync=sync) + 0.0
            consumer_stream.synchronize()
            seen = float(x[0])
        stream.synchronize()
        assert seen in want, f"sync={sync}: Numba's interface names stream {about['stream']}"


def test_numba_kernels_accept_arrays_directly_and_wrapped():
    cuda = Numba().cuda

    @cuda.jit
    def add_one(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    for dtype in DTYPES:
        x = sk.astype(sk.arange(100, device=DEVICE), dtype)
        add_one[1, 128](x)
        add_one[1, 128](cuda.as_cuda_array(x))
        every_other = x[::2]
        add_one[1, 128](every_other)
        cuda.synchronize()
        want = np.arange(100).astype(dtype) + 2
        want[::2] += 1
        assert np.array_equal(to_numpy(x), want.astype(dtype))


def test_cuda_core_views_arrays_in_order():
    utils = library("cuda.core.utils")
    x = sk.reshape(sk.arange(12, device=DEVICE), (3, 4))
    for view in (
        utils.StridedMemoryView.from_any_interface(x.T, stream_ptr=1),
        utils.StridedMemoryView.from_cuda_array_interface(x.T, stream_ptr=1),
        utils.StridedMemoryView.from_dlpack(x.T, stream_ptr=1),
    ):
        assert view.ptr == x.__cuda_array_interface__["data"][0]
        assert (tuple(view.shape), tuple(view.strides)) == ((4, 3), (1, 4))
        assert view.is_device_accessible
        assert not view.readonly


@pytest.mark.filterwarnings("ignore:ExternalStream is deprecated")
def test_streams_of_cuda_core_and_cupy_are_imported():
    cupy = library("cupy")
    theirs = cupy.cuda.Stream(non_blocking=True)
    stream = sk.Stream.from_handle(DEVICE, theirs.ptr)
    with sk.stream(stream):
        x = sk.zeros((LARGE,), dtype=sk.float32, device=DEVICE)
        slow_work(x)
    theirs.synchronize()
    assert stream.idle
    assert float(x[-1]) == STEPS
    external = cupy.cuda.ExternalStream(sk.Stream(DEVICE).handle)
    external.synchronize()


def test_arrow_imports_arrays_on_the_gpu():
    library("pyarrow")
    cuda = library("pyarrow.cuda")
    context = cuda.Context(0)
    x = sk.arange(100, device=DEVICE)
    buffer = context.buffer_from_object(x)
    assert np.frombuffer(buffer.copy_to_host(), np.int64).tolist() == list(range(100))
    with pytest.raises(ValueError, match="non-contiguous"):
        context.buffer_from_object(x[::2])


def test_arrays_that_pytorch_rejects():
    torch = Torch().torch
    x = sk.arange(4, device=DEVICE)
    with pytest.raises(TypeError, match="read only"):
        torch.as_tensor(sk.broadcast_to(x[:1], (3,)), device="cuda")
    needs_gradient = torch.ones(3, device="cuda", requires_grad=True)
    with pytest.raises((RuntimeError, BufferError)):
        sk.asarray(needs_gradient)
    assert sk.asarray(needs_gradient.detach()).tolist() == [1.0] * 3


def test_pytorch_rejects_negative_strides():
    """PyTorch 2.11 does not raise but aborts the process: "Storage size calculation overflowed"."""
    Torch()
    program = f"""
import torch, skerry as sk
x = sk.arange(4, device="{DEVICE}")
print(torch.as_tensor(x[::-1].copy(), device="cuda").tolist(), flush=True)
torch.as_tensor(x[::-1], device="cuda")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[3, 2, 1, 0]", done.stderr
    assert done.returncode != 0


def test_the_current_device_of_other_libraries_is_left_alone():
    torch = Torch().torch
    old_device = torch.cuda.current_device()
    x = sk.asarray(torch.ones(3, device="cuda"))
    torch.from_dlpack(x + 1)
    assert torch.cuda.current_device() == old_device
