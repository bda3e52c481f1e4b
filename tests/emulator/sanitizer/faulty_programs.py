# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Faulty programs: each faulty kernel of tests/emulator/users_kernels with each producer of arrays; prints JSON.

main(COMPILER, SEEDS, STEP) runs every STEP-th program in SEEDS schedules; the compiler is nvrtc, numba or
numba_cuda_mlir. A program counts as found if all reports are of its kind, one has its line with the line's text, and
those of memory name the array and the line that allocated it.
"""

from __future__ import annotations

import contextlib
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from skerry.exceptions import EmulationError
from skerry.testing import emulated_gpu
from skerry_emulator._reports import KernelReport

from tests.emulator.sanitizer.producers import (
    PRODUCERS,
    ForeignArray,
    compiler_in_use,
    lines_of,
    of_skerry,
    pointer_of,
)
from tests.emulator.users_kernels import faulty_kernels
from tests.emulator.users_kernels.checked_kernels import Memory, Program, synchronize

LIMIT = 200_000
# What numba-cuda-mlir 0.6.0 does with these.
NOT_IN_MLIR = {
    "lock_that_is_kept": "can't compile an atomic operation on a view of another dtype",
    "recursion_without_end": "can't compile a recursive device function",
    "writes_other_device": "launches the kernel on the device of its first array",
}


@dataclass
class Argument:
    """The array of a kernel's first parameter, what a report says of it, and what it refers to."""

    array: Any
    text: str
    base: int
    owner: Any = None


def argument(kind: str, producer: str) -> Argument:
    """Return an argument of a kind of faulty_kernels and faulty_numba_kernels."""
    if kind == "host":
        host = np.arange(128, dtype=np.float32)
        return Argument(_foreign(host.ctypes.data, host), "", 0)
    make = PRODUCERS[producer]
    array = make(1 if kind == "other_device" else 0, is_filled=kind != "empty")
    base = pointer_of(array)
    text = "" if isinstance(array, ForeignArray) else "float32 (128,)"
    if kind not in ("freed", "odd"):
        return Argument(array, text, base)
    moved = _foreign(base + 2 if kind == "odd" else base, None)
    if kind == "odd":
        return Argument(moved, text, base, array)
    if isinstance(array, ForeignArray):
        array.memory.free()
    del array
    if (cuda := compiler_in_use()) is not None:
        cuda.current_context().memory_manager.deallocations.clear()
    return Argument(moved, text, base)


def _foreign(pointer: int, owner: Any) -> ForeignArray:
    memory = Memory.__new__(Memory)
    memory.pointer, memory.values = pointer, owner
    return ForeignArray(memory, (128,), np.float32)


def _cuda() -> Any:
    from tests.emulator.users_kernels.kernel_library import cuda

    return cuda


@dataclass
class Case:
    """A faulty kernel: how to launch it, and where its error is."""

    kind: str
    a: str
    launch: Callable[[Any, Any], None]
    lines: list[int]
    result_size: int


def cases(compiler: str) -> dict[str, Case]:
    return _cuda_cases() if compiler == "nvrtc" else _python_cases(compiler)


def _cuda_cases() -> dict[str, Case]:
    table: dict[str, Case] = {}
    for name, kernel in faulty_kernels.KERNELS.items():
        program = Program(faulty_kernels.source(name), f"{name}.cu")

        def launch(
            a: Any, b: Any, name: str = name, kernel: Any = kernel, program: Any = program
        ) -> None:
            pointers = pointer_of(a), pointer_of(b)
            program.launch(name, kernel.blocks, kernel.threads, *pointers, np.int32(kernel.n))
            synchronize()

        lines = [faulty_kernels.line_of(name, mark) for mark in ("HERE", "OTHER")]
        table[name] = Case(kernel.kind, kernel.a, launch, lines, kernel.blocks * kernel.threads)
    return table


def _python_cases(compiler: str) -> dict[str, Case]:
    from tests.emulator.users_kernels import faulty_numba_kernels

    cuda = _cuda()
    table: dict[str, Case] = {}
    for name, kernel in faulty_numba_kernels.KERNELS.items():
        if kernel.raises or (compiler != "numba" and name in NOT_IN_MLIR):
            continue
        compiled = cuda.jit(**(dict(kernel.options) or {"lineinfo": True}))(kernel.function)

        def launch(a: Any, b: Any, kernel: Any = kernel, compiled: Any = compiled) -> None:
            streams: list[Any] = [0]
            freed = [of_skerry(0, is_filled=True)]
            if kernel.a == "two_streams":
                streams = [cuda.stream(), cuda.stream()]
                # An import waits for the array's stream, which would order the launches.
                a, b = cuda.as_cuda_array(a), cuda.as_cuda_array(b)
            for stream in streams:
                compiled[kernel.blocks, kernel.threads, stream](_as_numba(a), b)
                freed.clear()  # which orders no streams, as when Python collects garbage
            cuda.synchronize()

        lines = [kernel.line_of(mark) for mark in ("HERE", "OTHER")]
        table[name] = Case(kernel.kind, kernel.a, launch, lines, kernel.blocks * kernel.threads)
    return table


def _as_numba(array: Any) -> Any:
    """Return what a kernel takes: an array of skerry or Numba itself, and another library's without its owner's name."""
    return _cuda().as_cuda_array(array) if isinstance(array, ForeignArray) else array


def array_problem(report: KernelReport, arguments: dict[int, Argument], lines: list[int]) -> str:
    """Return what a report of a device's memory says wrong about it, or an empty string."""
    allocation = report.allocation
    if allocation is None or "base" not in allocation:
        return "no allocation"
    used = arguments.get(allocation["base"])
    if used is None:
        return f"another allocation: {allocation}"
    if used.text and (report.array is None or report.array["text"] != used.text):
        return f"array: {report.array}, not {used.text}"
    if allocation.get("line") not in lines or not allocation.get("source"):
        return (
            f"allocated at line {allocation.get('line')}, not {lines}: {allocation.get('source')}"
        )
    return ""


def has_memory(report: KernelReport, case: Case, kernel: str) -> bool:
    """Return whether a report is about a device's memory rather than a block's shared memory or the order of threads."""
    space = (report.access or {}).get("space", "global")
    of_memory = (
        "out_of_bounds",
        "use_after_free",
        "wrong_device",
        "misaligned",
        "race_global",
        "race_streams",
    )
    return (report.kind in of_memory and space == "global") or (
        report.kind == "uninitialised" and case.a == "empty"
    )


def complaint(
    kernel: str,
    case: Case,
    reports: list[KernelReport],
    arguments: dict[int, Argument],
    lines: list[int],
) -> str:
    """Return why a program does not count as found, or an empty string."""
    if {report.kind for report in reports} != {case.kind}:
        return f"expected {case.kind}: {[report.text for report in reports]}"
    positions = [(report.line, report.source) for report in reports]
    positions += [
        (entry.get("line"), entry.get("source")) for report in reports for entry in report.waiting
    ]
    if any(case.lines) and not any(line in case.lines and source for line, source in positions):
        return f"expected line {case.lines} with its text: {positions}"
    problems = [
        array_problem(report, arguments, lines)
        for report in reports
        if has_memory(report, case, kernel)
    ]
    return next(filter(None, problems), "")


def run(kernel: str, case: Case, producer: str, seed: int) -> str:
    gpu = emulated_gpu(limit=LIMIT, seed=seed, checks="all")
    arguments: dict[int, Argument] = {}
    with contextlib.suppress(EmulationError), gpu:
        a = argument(case.a, producer)
        b = Argument(PRODUCERS["skerry"](0, is_filled=True), "float32 (128,)", 0)
        b.base = pointer_of(b.array)
        arguments = {a.base: a, b.base: b}
        with contextlib.suppress(Exception):
            case.launch(a.array, b.array)
    lines = lines_of(producer) + lines_of("skerry")
    return complaint(kernel, case, gpu.reports, arguments, lines)


def main(compiler: str, seeds: str, step: str = "1") -> None:
    warnings.simplefilter("ignore")
    start = time.monotonic()
    with emulated_gpu(checks="none"):
        table = cases(compiler)
    programs = [
        (kernel, producer)
        for producer in PRODUCERS
        for kernel in table
        if producer == "skerry" or table[kernel].a != "host"
    ]
    chosen = programs[:: int(step)]
    missed: dict[str, str] = {}
    for kernel, producer in chosen:
        for seed in range(int(seeds)):
            if problem := run(kernel, table[kernel], producer, seed):
                missed[f"{kernel}, {producer}, seed {seed}"] = problem
    kinds = sorted({table[kernel].kind for kernel, _ in chosen})
    seconds = round(time.monotonic() - start, 1)
    print(json.dumps({"count": len(chosen), "kinds": kinds, "missed": missed, "seconds": seconds}))
