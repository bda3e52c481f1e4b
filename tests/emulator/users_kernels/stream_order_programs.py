# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A user's kernel and an operation of skerry, with and without order between their streams. Prints reports as JSON.

The kernel adds 1 to every element of an array, on a stream of cuda.core for which the default stream does not wait.
"""

import json

import numpy as np
import skerry as sk
from skerry.testing import emulated_gpu
from skerry_emulator import _reports

from tests.emulator.users_kernels.checked_kernels import Program

SOURCE = """
extern "C" __global__ void add_one(float* a, long long step, long long n) {
  for (long long i = threadIdx.x; i < n; i += blockDim.x) a[i * step] += 1;
}
"""
DEVICE = "cuda:0"


class Kernel:
    """The kernel and its stream."""

    def __init__(self):
        from cuda.core import Device

        device = Device(0)
        device.set_current()
        self._program = Program(SOURCE, "add_one.cu")
        self._stream = device.create_stream()
        self.stream = sk.Stream.from_handle(DEVICE, int(self._stream.handle))

    def run(self, x, pointer):
        from cuda.core import LaunchConfig, launch

        numbers = np.int64(x.strides[0] // x.itemsize), np.int64(x.size)
        config = LaunchConfig(grid=1, block=32)
        launch(self._stream, config, self._program.code.get_kernel("add_one"), pointer, *numbers)

    def wait_for_skerry(self):
        self.stream.wait(sk.current_stream(DEVICE))

    def let_skerry_wait(self):
        sk.current_stream(DEVICE).wait(self.stream)


KEPT = []  # arrays kept alive, as a free would be reported, too


def new():
    """Return an array whose initial write is complete."""
    x = sk.zeros(64, dtype=sk.float32, device=DEVICE)
    KEPT.append(x)
    sk.synchronize(DEVICE)
    return x


def located(x):
    """Return the array and its address, read before the test: reading __cuda_array_interface__ makes streams wait."""
    pointer = x.__cuda_array_interface__["data"][0]
    KEPT.append(x)
    sk.synchronize(DEVICE)
    return x, pointer


def written_before(kernel):
    x, pointer = located(new())
    x[...] = 1
    kernel.run(x, pointer)


def read_before(kernel):
    x, pointer = located(new())
    KEPT.append(x * 2)
    kernel.run(x, pointer)


def written_behind(kernel):
    x, pointer = located(new())
    kernel.run(x, pointer)
    x += 1


def read_behind(kernel):
    x, pointer = located(new())
    kernel.run(x, pointer)
    KEPT.append(sk.sum(x))


def sorted_behind(kernel):
    x, pointer = located(new())
    kernel.run(x, pointer)
    KEPT.append(sk.sort(x))


WRONG = [written_before, read_before, written_behind, read_behind, sorted_behind]


def waits_on_both_sides(kernel):
    x, pointer = located(new())
    x[...] = 1
    kernel.wait_for_skerry()
    kernel.run(x, pointer)
    kernel.let_skerry_wait()
    x += 1


def on_the_stream_itself(kernel):
    x, pointer = located(new())
    with kernel.stream:
        x[...] = 1
        kernel.run(x, pointer)
        x += 1


def after_the_host_has_waited(kernel):
    x, pointer = located(new())
    x += 1
    sk.synchronize(DEVICE)
    kernel.run(x, pointer)
    kernel.stream.synchronize()
    x += 1


def halves(kernel):
    x = new()
    right, pointer = located(x[32:])
    x[:32] = 1
    kernel.run(right, pointer)
    x[:32] += 1


def columns(kernel):
    x = new().reshape(16, 4)
    second, pointer = located(x[:, 1])
    x[:, 0] = 1
    kernel.run(second, pointer)
    x[:, 2:] += 1


def backwards(kernel):
    x = new()
    odd, pointer = located(x[1::2])
    x[::-2][1:] = 1
    kernel.run(odd, pointer)
    KEPT.append(sk.max(x[::2]))


def chosen_elements(kernel):
    x = new()
    right, pointer = located(x[32:])
    indices = sk.arange(32, device=DEVICE)
    mask = sk.arange(64, device=DEVICE) < 32
    sk.synchronize(DEVICE)
    kernel.run(right, pointer)
    x[indices] = 3
    KEPT.append(sk.take(x, indices))
    KEPT.append(x[mask])
    KEPT.append(sk.searchsorted(x, 2.0))


def reads_beside_reads(kernel):
    """Concurrent reads are not a race."""
    x = new()
    KEPT.extend([x * 2, x.copy(), x.to_device("cuda:1")])
    with kernel.stream:
        KEPT.extend([x * 3, x.copy()])


RIGHT = [
    waits_on_both_sides, on_the_stream_itself, after_the_host_has_waited, halves, columns, backwards, chosen_elements,
    reads_beside_reads,
]  # fmt: skip


def main():
    with emulated_gpu(checks="races"):
        kernel = Kernel()
        emulator = _reports.library()

        def reports(program):
            emulator.wait()
            emulator.clear()
            program(kernel)
            emulator.wait()
            return [
                [one.kind, one.kernel, (one.other or {}).get("by")] for one in emulator.reports()
            ]

        results = {
            name: {program.__name__: reports(program) for program in programs}
            for name, programs in (("wrong", WRONG), ("right", RIGHT))
        }
        emulator.clear()
    print(json.dumps(results))
