# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Correct programs: every producer of arrays, with a kernel that reads each byte, under all checks; prints JSON.

main(COMPILER, SEEDS, STEP) runs every STEP-th program in SEEDS schedules; the compiler is nvrtc, numba or
numba_cuda_mlir. A producer's first call that returns an array of a device counts; the kernels take turns.
"""

from __future__ import annotations

import contextlib
import json
import pathlib
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import skerry as sk
from skerry.testing import emulated_gpu
from skerry_emulator import _reports

from tests.emulator.sanitizer import byte_kernels, producers
from tests.emulator.users_kernels import written_memory_programs
from tests.emulator.users_kernels.checked_kernels import Program

LIMIT = 10_000_000
MOST_BYTES = 2048


class Bytes:
    """The bytes of a contiguous array, as an array of uint8."""

    def __init__(self, array: Any) -> None:
        self.owner = array
        interface = dict(array.__cuda_array_interface__)
        size = int(np.prod(interface["shape"])) * np.dtype(interface["typestr"]).itemsize
        self.__cuda_array_interface__ = interface | {
            "shape": (size,), "typestr": "|u1", "descr": [("", "|u1")], "strides": None,
        }  # fmt: skip
        self.size = size


class Kernels:
    """The kernels of byte_kernels, by a compiler."""

    def __init__(self, compiler: str) -> None:
        self.program = Program(byte_kernels.SOURCE, "bytes.cu") if compiler == "nvrtc" else None
        self.functions = {} if self.program else byte_kernels.python_kernels()

    def launch(self, name: str, a: Bytes, b: Any, device: int) -> None:
        from cuda.core import Device

        blocks = -(-a.size // byte_kernels.BLOCK)
        Device(device).set_current()
        if self.program is not None:
            pointers = producers.pointer_of(a), producers.pointer_of(b)
            self.program.launch(name, blocks, byte_kernels.BLOCK, *pointers, np.int32(a.size))
            return
        from tests.emulator.users_kernels.kernel_library import cuda

        with cuda.gpus[device]:
            self.functions[name][blocks, byte_kernels.BLOCK](cuda.as_cuda_array(a), b)


def arrays_of(result: Any) -> list[Any]:
    """Return the device arrays in a result whose bytes a kernel can read: not empty, contiguous, few bytes."""
    if isinstance(result, producers.ForeignArray) or not hasattr(result, "__iter__"):
        arrays = [result] if hasattr(result, "__cuda_array_interface__") else []
    elif hasattr(result, "__cuda_array_interface__"):
        arrays = [result]
    else:
        arrays = written_memory_programs.arrays_in(result)
    usable = []
    for x in arrays:
        is_of_skerry = isinstance(x, sk.Array)
        if is_of_skerry and (x.device.kind != "cuda" or x.size == 0):
            continue
        if is_of_skerry and x.__cuda_array_interface__["strides"] is not None:
            x = sk.concat([x], axis=None)
        if Bytes(x).size <= MOST_BYTES:
            usable.append(x)
    return usable


def programs(folder: pathlib.Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield from producers.foreign_arrays()
    yield from producers.loaded_arrays(folder)
    for name, program in written_memory_programs.right_programs("cuda:0"):
        yield name.partition(",")[0], program


def accepted(folder: pathlib.Path) -> dict[str, Callable[[], Any]]:
    """Return each producer's first call that returns arrays of a device."""
    calls: dict[str, Callable[[], Any]] = {}
    for name, program in programs(folder):
        if name not in calls:
            with contextlib.suppress(Exception):
                if arrays_of(program()):
                    calls[name] = program
    return calls


def run(kernels: Kernels, kernel: str, program: Callable[[], Any]) -> str:
    """Run a kernel with the arrays of a program. Return what is wrong with the result, or an empty string."""
    for x in arrays_of(program()):
        device = x.device.index if isinstance(x, sk.Array) else 0
        a = Bytes(x)
        b = sk.zeros(a.size, dtype=sk.int32, device=f"cuda:{device}")
        kernels.launch(kernel, a, b, device)
        result = b.to_numpy()
        values = sk.asarray(a).to_numpy().astype(np.int64)
        if not np.array_equal(result, byte_kernels.EXPECTED[kernel](values)):
            return f"{kernel}: wrong result: {result[:8]} of {values[:8]}"
    return ""


def main(compiler: str, seeds: str, step: str = "1") -> None:
    warnings.simplefilter("ignore")
    wrong: dict[str, str] = {}
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        with emulated_gpu(checks="none"):
            kernels = Kernels(compiler)
            calls = accepted(pathlib.Path(name))
        emulator = _reports.library()
        chosen = list(enumerate(calls.items()))[:: int(step)]
        for seed in range(int(seeds)):
            with emulated_gpu(checks="all", seed=seed, limit=LIMIT):
                for k, (producer, program) in chosen:
                    kernel = list(byte_kernels.EXPECTED)[k % len(byte_kernels.EXPECTED)]
                    problem = run(kernels, kernel, program)
                    sk.synchronize()
                    reports = [report.text for report in emulator.reports()]
                    emulator.clear()
                    if problem or reports:
                        wrong[f"{producer}, {kernel}, seed {seed}"] = problem or reports[0]
    seconds = round(time.monotonic() - start, 1)
    print(json.dumps({"count": len(chosen), "wrong": wrong, "seconds": seconds}))
