# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Steps of random programs that run other libraries' kernels on skerry's arrays, for ``programs.py --kernels``.

Kernels of CUDA C++ (NVRTC, launched by cuda.core) and of Numba run on emulated GPUs, on skerry's streams, on their
libraries' own and on the default one. They are ordered only by the protocols: DLPack's stream, the CUDA array
interface's, ``__cuda_stream__``, and waits of one stream for another.
"""

from __future__ import annotations

import ctypes
import pathlib
import sys

from tests.fuzz.programs import DEVICES, SIZE, Program

SOURCE = """
using number = long long;
extern "C" __global__ void add_to(number* a, int as, const number* b, int bs, int n) {
  int i = threadIdx.x;
  if (i < n) a[i * as] = (a[i * as] + b[i * bs]) % 1009;
}
extern "C" __global__ void combine(number* out, const number* a, int as, const number* b, int bs, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = (3 * a[i * as] + b[i * bs]) % 1009;
}
extern "C" __global__ void scan(number* out, const number* a, int as, int n) {
  __shared__ number s[64];
  int i = threadIdx.x;
  s[i] = i < n ? a[i * as] : 0;
  __syncthreads();
  for (int k = 1; k < 64; k *= 2) {
    number before = i >= k ? s[i - k] : 0;
    __syncthreads();
    s[i] += before;
    __syncthreads();
  }
  if (i < n) out[i] = s[i] % 1009;
}
extern "C" __global__ void fill(number* a, int as, int value, int n) {
  int i = threadIdx.x;
  if (i < n) a[i * as] = value + i;
}
"""
THREADS = 64
DEFAULT = 1  # the legacy default stream's handle


class Kernels:
    """Kernels and streams of their libraries, for one process."""

    def __init__(self, sk, *, without_order=""):
        self.sk = sk
        self.waits_before, self.waits_after = without_order != "before", without_order != "after"
        sys.path.append(str(pathlib.Path(sys.prefix) / "numba-cuda"))
        import _numba_cuda_redirector  # noqa: F401
        from cuda import core
        from numba import cuda
        from skerry_emulator import _reports

        self.core, self.cuda = core, cuda
        self.emulator = _reports.library()
        cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
        options = core.ProgramOptions(arch="sm_80")
        code = core.Program(SOURCE, "c++", options).compile("ptx")
        self.compiled = {
            name: code.get_kernel(name) for name in ("add_to", "combine", "scan", "fill")
        }
        self.devices = dict(zip(DEVICES, map(core.Device, range(2)), strict=True))
        self.own = {device: self._streams_of(device) for device in DEVICES}
        self._core_streams = {}

        @cuda.jit
        def add_one(a):
            i = cuda.threadIdx.x
            if i < a.size:
                a[i] = (a[i] + 1) % 1009

        @cuda.jit
        def difference(out, a, b):
            i = cuda.threadIdx.x
            if i < out.size:
                out[i] = (a[i] - b[i]) % 1009

        self.add_one, self.difference = add_one, difference

    def _streams_of(self, device):
        """Create a stream of cuda.core, which is non-blocking, and one of Numba, which is ordered with the default stream."""
        self.devices[device].set_current()
        with self.cuda.gpus[DEVICES.index(device)]:
            return [self.devices[device].create_stream(), self.cuda.stream()]

    def handles(self, device):
        """Return the handles of streams that are not skerry's."""
        theirs, numbas = self.own[device]
        return [int(theirs.handle), int(numbas.handle), DEFAULT]

    def numba_stream(self, device):
        return self.own[device][1]

    def address(self, array, handle):
        """Return address and stride of an array; the stream waits for its pending work."""
        if handle == DEFAULT and self.waits_before:
            interface = array.__cuda_array_interface__
            strides = interface["strides"]
            return interface["data"][0], strides[0] // 8 if strides else 1
        from cuda.core.utils import StridedMemoryView

        stream_pointer = handle if self.waits_before else -1
        view = StridedMemoryView.from_dlpack(array, stream_ptr=stream_pointer)
        return view.ptr, view.strides[0] if view.strides else 1

    def launch(self, name, device, handle, *arguments):
        """Launch one block. Numbers that are not addresses are passed as C int."""
        self.devices[device].set_current()
        stream = self._core_streams.get(handle)
        if stream is None:
            stream = self._core_streams[handle] = self.core.Stream.from_handle(handle)
        values = [
            argument if argument > 1 << 20 else ctypes.c_int(argument) for argument in arguments
        ]
        config = self.core.LaunchConfig(grid=1, block=THREADS)
        self.core.launch(stream, config, self.compiled[name], *values)

    def wait(self):
        self.emulator.wait()

    def count_reports(self):
        """Wait for all work; return the number of reports."""
        self.wait()
        return self.emulator.count()


class KernelProgram(Program):
    """Random steps, many of which launch kernels."""

    def __init__(self, kernels, *arguments, in_order):
        super().__init__(*arguments)
        self.kernels, self.in_order = kernels, in_order

    def step(self, name):
        super().step(name)
        if self.in_order:
            self.kernels.wait()

    def stream(self, device):
        """Draw a stream to launch on, skerry's current one or another library's; return its handle."""
        current = self.sk.current_stream(device).handle
        return self.rng.choice([current, current, *self.kernels.handles(device)])

    def launch(self, name, array, *others, more=()):
        """Launch a kernel that writes an array, on its device."""
        device = str(array.device)
        handle = self.stream(device)
        addresses = [self.kernels.address(operand, handle) for operand in (array, *others)]
        flat = [number for address in addresses for number in address]
        # The kernel takes no stride for its output, a new array.
        if name in ("combine", "scan"):
            del flat[1]
        self.kernels.launch(name, device, handle, *flat, *more, array.shape[0])
        self.take_back(device, handle, array, *others)

    def take_back(self, device, handle, written, *read):
        """Order later uses after the kernel: skerry's stream waits, then uses the arrays, which skerry tracks."""
        if not self.kernels.waits_after:
            return
        current = self.sk.current_stream(device)
        if current.handle != handle:
            current.wait(self.sk.Stream.from_handle(device, handle))
        written[:1] *= 1
        for array in read:
            array[:1] + 0

    def new(self, prototype):
        return self.sk.empty(prototype.shape, dtype=self.sk.int64, device=prototype.device)

    def do_kernel_add(self):
        a, b = self.pair()
        self.launch("add_to", a, b)

    def do_kernel_combine(self):
        a, b = self.pair()
        out = self.new(a)
        self.launch("combine", out, a, b)
        self.keep(out)

    def do_kernel_scan(self):
        a = self.part(self.pick())
        out = self.new(a)
        self.launch("scan", out, a)
        self.keep(out)

    def do_kernel_fill(self):
        self.launch("fill", self.part(self.pick()), more=(self.rng.randrange(50),))

    def do_kernel_dropped(self):
        """Free the array before its kernel starts, so that its memory may be reused."""
        a = self.pick()
        for _ in range(2):
            out = self.new(a)
            self.launch("scan", out, a)
            del out
        self.keep(self.sk.full((SIZE,), self.rng.randrange(9), device=a.device))

    def do_kernel_chain(self):
        """Run kernels on different streams."""
        a, b = self.pair()
        out = self.new(a)
        self.launch("combine", out, a, b)
        self.launch("add_to", out, b)
        self.launch("add_to", a, out)
        self.keep(out)

    def do_kernel_and_copy(self):
        """Copy to the other device with the driver, with explicit order."""
        a = self.pick() + 0  # contiguous
        here, target_device = str(a.device), DEVICES[a.device == DEVICES[0]]
        out = self.sk.empty(a.shape, dtype=self.sk.int64, device=target_device)
        source = self.sk.Stream.from_handle(here, self.stream(here))
        target = self.sk.Stream.from_handle(target_device, self.stream(target_device))
        source_place, _ = self.kernels.address(a, source.handle)
        target_place, _ = self.kernels.address(out, target.handle)
        if self.kernels.waits_before:
            target.wait(source)
        self.copy(target_place, source_place, a.nbytes, target_device, target.handle)
        self.take_back(target_device, target.handle, out)
        if self.kernels.waits_after:
            source.wait(target)
        self.take_back(here, source.handle, a)
        self.keep(out)

    def copy(self, destination, source, nbytes, device, handle):
        from cuda.bindings import driver

        self.kernels.devices[device].set_current()
        (status,) = driver.cuMemcpyAsync(destination, source, nbytes, handle)
        assert int(status) == 0

    def launch_numba(self, kernel, array, *others):
        """Launch on the default stream or one of Numba's; Numba reads the arrays' CUDA array interface."""
        device = str(array.device)
        stream = self.rng.choice([0, self.kernels.numba_stream(device)])
        with self.kernels.cuda.gpus[DEVICES.index(device)]:
            kernel[1, THREADS, stream](array, *others)
        handle = int(stream.handle) if stream else DEFAULT
        self.take_back(device, handle, array, *others)

    def do_numba_in_place(self):
        self.launch_numba(self.kernels.add_one, self.part(self.pick()))

    def do_numba_difference(self):
        a, b = self.pair()
        out = self.new(a)
        self.launch_numba(self.kernels.difference, out, a, b)
        self.keep(out)

    def do_numba_array(self):
        """Import memory of Numba while its kernel runs."""
        device = self.rng.choice(DEVICES)
        stream = self.kernels.numba_stream(device)
        with self.kernels.cuda.gpus[DEVICES.index(device)]:
            values = self.np.arange(SIZE) * self.rng.randrange(9)
            theirs = self.kernels.cuda.to_device(values, stream=stream)
            self.kernels.add_one[1, THREADS, stream](theirs)
            self.keep(self.sk.as_cuda_array(theirs))

    WEIGHTS = Program.WEIGHTS | {
        name.removeprefix("do_"): 4 if "kernel" in name else 2
        for name in dir()
        if name.startswith("do_")
    }
