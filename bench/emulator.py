# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Speed of the emulated GPU: kernels of CUDA C++ plain and with each check, launches, and two devices at a time.

    python -m bench.emulator

Each time is the shortest of some runs: of the wall clock, and of the processor, which other programs disturb less. A
ratio is relative to the plain kernel, or for two devices, the speedup over one that does the work of both.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import skerry as sk
from skerry.testing import emulated_gpu

RUNS = 7
LAUNCHES = 2000
BLOCK = 256
N = 1_000_000
SIDE, TILE = 512, 16
SOURCE = """
#define TILE 16
extern "C" __global__ void nothing() {}
extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}
extern "C" __global__ void block_sum(const float* x, const float*, float* out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void product(const float* x, const float* y, float* out, int n) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    a[threadIdx.y][threadIdx.x] = x[row * n + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = y[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int j = 0; j < TILE; ++j) sum += a[threadIdx.y][j] * b[j][threadIdx.x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}
"""
#: The longest times in milliseconds that are acceptable, without checks.
LIMITS = {"add": 9.0, "block_sum": 40.0, "product": 2500.0}
LAUNCH_LIMIT = 25.0  # microseconds
STREAMS_LIMIT = 1.5  # of the processor time without checks


class Seconds(NamedTuple):
    """Times of the wall clock and of the processor."""

    wall: float
    processor: float


class Kernels:
    """The kernels of SOURCE with their arrays, on each device."""

    def __init__(self) -> None:
        from cuda.core import Device, Program, ProgramOptions

        self._devices = [Device(0), Device(1)]
        code = []
        for device in self._devices:
            device.set_current()
            program = Program(SOURCE, "c++", ProgramOptions(arch="sm_80"))
            code.append(program.compile("ptx"))
        self._code = code
        self._arrays = [
            [sk.ones(N, dtype=sk.float32, device=f"cuda:{k}") for _ in range(3)] for k in range(2)
        ]

    def launch(self, name: str, device: int = 0) -> None:
        """Launch a kernel; does not wait for it."""
        from cuda.core import LaunchConfig, launch

        self._devices[device].set_current()
        if name == "product":
            blocks = SIDE // TILE
            config = LaunchConfig(grid=(blocks, blocks), block=(TILE, TILE))
        else:
            grid = 1 if name == "nothing" else -(-N // BLOCK)
            config = LaunchConfig(grid=grid, block=32 if name == "nothing" else BLOCK)
        pointers = [x.__cuda_array_interface__["data"][0] for x in self._arrays[device]]
        size = np.int32(SIDE if name == "product" else N)
        arguments = () if name == "nothing" else (*pointers, size)
        kernel = self._code[device].get_kernel(name)
        launch(self._devices[device].default_stream, config, kernel, *arguments)

    def wait(self) -> None:
        """Wait for both devices."""
        for device in self._devices:
            device.set_current()
            device.sync()


def measure(run: Callable[[], None], runs: int = RUNS) -> Seconds:
    """Return the shortest times of several runs, after one that is not measured."""
    run()
    wall: list[float] = []
    processor: list[float] = []
    for _ in range(runs):
        begin, begin_processor = time.perf_counter(), time.process_time()
        run()
        wall.append(time.perf_counter() - begin)
        processor.append(time.process_time() - begin_processor)
    return Seconds(min(wall), min(processor))


def kernel_times(kernels: Kernels, name: str, checks: str) -> Seconds:
    """Return the times of a kernel with a check."""

    def run() -> None:
        kernels.launch(name)
        kernels.wait()

    with emulated_gpu(checks=checks):
        return measure(run, 2 if name == "product" else RUNS)


def launch_time(kernels: Kernels, checks: str) -> Seconds:
    """Return the times of one of many launches."""

    def run() -> None:
        for _ in range(LAUNCHES):
            kernels.launch("nothing")
        kernels.wait()

    with emulated_gpu(checks=checks):
        total = measure(run, 3)
    return Seconds(total.wall / LAUNCHES, total.processor / LAUNCHES)


def operation_time(checks: str) -> Seconds:
    """Return the times of one of many operations of skerry on small arrays, each of which makes a new array."""

    def run() -> None:
        y = x
        for _ in range(LAUNCHES):
            y = x + y
        sk.synchronize("cuda:0")

    x = sk.ones(1000, dtype=sk.float32, device="cuda:0")
    with emulated_gpu(checks=checks):
        total = measure(run, 3)
    return Seconds(total.wall / LAUNCHES, total.processor / LAUNCHES)


def speedup(kernels: Kernels) -> float:
    """Return how much sooner two devices have done two products than one device."""

    def run(devices: tuple[int, int]) -> None:
        for device in devices:
            kernels.launch("product", device)
        kernels.wait()

    one, two = (measure(lambda devices=devices: run(devices), 2) for devices in ((0, 0), (0, 1)))
    return one.wall / two.wall


def main() -> None:
    """Print a table."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    os.environ.setdefault("SKERRY_EMULATE_NOTICE", "1000")  # of kernels that run for long
    sk.rehearse(cuda=2, kernels=True)
    kernels = Kernels()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    for name, limit in LIMITS.items():
        plain = kernel_times(kernels, name, "none")
        print(
            f"{name:10} {1e3 * plain.wall:9.2f} ms, processor {1e3 * plain.processor:9.2f} ms; at most {limit:g} ms"
        )
        for checks in ("streams", "races", "uninitialised", "synchronisation", "all"):
            times = kernel_times(kernels, name, checks)
            print(
                f"  {checks:15} {1e3 * times.wall:9.2f} ms, ratio {times.wall / plain.wall:.2f}, of processor times "
                f"{times.processor / plain.processor:.2f}"
            )
    print(f"streams: at most {STREAMS_LIMIT:g} times the processor time")
    launch = launch_time(kernels, "none")
    print(
        f"launch {1e6 * launch.wall:.1f} us, processor {1e6 * launch.processor:.1f} us; at most {LAUNCH_LIMIT:g} us"
    )
    for name, run in (
        ("launch", lambda checks: launch_time(kernels, checks)),
        ("operation of skerry", operation_time),
    ):
        unchecked, checked = run("none"), run("streams")
        print(
            f"{name}: processor {1e6 * unchecked.processor:.1f} us, with streams {1e6 * checked.processor:.1f} us, "
            f"ratio {checked.processor / unchecked.processor:.2f}"
        )
    print(f"two devices: {speedup(kernels):.2f} times as fast as one")


if __name__ == "__main__":
    main()
