# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of runtime.py that are about memory, one function per subject."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import skerry as sk
from skerry import _core
from skerry._memory_snapshot import start_trace

from bench.gpu.runtime_rows import BURSTS, MIB, Runtime, difference, wrong_count

KIB = 1 << 10


def libraries(runtime: Runtime) -> Iterator[tuple[str, Callable[[], Any], Callable[[int], Any]]]:
    """Yields the name of each library with a pool, its allocator for skerry, and its own function ``empty``."""
    if runtime.is_rehearsed:
        runtime.note("pools of CuPy, PyTorch and cuda.core", "left out: they need a GPU")
        return
    try:
        import cupy

        yield "CuPy", sk.cupy_allocator, lambda nbytes: cupy.empty(nbytes, cupy.uint8)
    except Exception as error:
        runtime.note("pool of CuPy", error)
    try:
        import torch

        yield (
            "PyTorch",
            sk.torch_allocator,
            lambda nbytes: torch.empty(nbytes, dtype=torch.uint8, device="cuda"),
        )
    except Exception as error:
        runtime.note("pool of PyTorch", error)
    try:
        from cuda.core import Device as CoreDevice

        core_device = CoreDevice(runtime.device.info.physical_index)
        core_device.set_current()
        resource, stream = core_device.memory_resource, core_device.default_stream
        yield (
            "cuda.core",
            lambda: resource,
            lambda nbytes: resource.allocate(nbytes, stream=stream),
        )
    except Exception as error:
        runtime.note("pool of cuda.core", error)


@contextmanager
def allocator_of(runtime: Runtime, allocator: Any) -> Iterator[None]:
    """Takes arrays from another allocator in this block."""
    sk.set_allocator(runtime.device, allocator)
    try:
        yield
    finally:
        sk.set_allocator(runtime.device, None)


def allocators(runtime: Runtime) -> None:
    """Measures ``empty`` by skerry's pool, by a plain pair of functions, and by pools of other libraries."""
    functions = sk.cuda_allocator_functions(runtime.device)
    live: dict[int, int] = {}
    blocks = 0

    def allocate(nbytes: int, stream: Any) -> int:
        nonlocal blocks
        address = functions.allocate(nbytes, stream)
        live[address] = nbytes
        blocks += 1
        return address

    def free(address: int, nbytes: int, stream: Any) -> None:
        del live[address]
        functions.deallocate(address, nbytes, stream)

    sizes = {"empty, 1 KiB": KIB, "empty, 64 MiB": 64 * MIB}

    def measure(case: str, variant: str) -> None:
        nbytes = sizes[case]
        expected = np.resize(np.arange(251, dtype=np.uint8), nbytes)

        def empty() -> Any:
            return sk.empty(nbytes, dtype=sk.uint8, device=runtime.device)

        microseconds = runtime.host_us(empty)
        filled = empty()
        filled[...] = runtime.put(expected)
        runtime.add(case, variant, microseconds, difference(filled, expected))

    for case in sizes:
        measure(case, "skerry's pool")
        blocks = 0
        with allocator_of(runtime, (allocate, free)):
            measure(case, "pair of functions")
        sk.synchronize(runtime.device)
        if blocks <= BURSTS * runtime.calls or live:
            runtime.rows[-1].check = f"{blocks} blocks of the pair, {len(live)} not freed"
    for name, allocator, own_empty in libraries(runtime):
        for case, nbytes in sizes.items():
            try:
                with allocator_of(runtime, allocator()):
                    measure(case, f"{name}'s pool")
                runtime.add(case, f"{name} itself", runtime.host_us(lambda: own_empty(nbytes)))  # noqa: B023
            except Exception as error:
                runtime.note(f"{case}, {name}", error)


@contextmanager
def traced() -> Iterator[None]:
    """Traces memory in this block, as SKERRY_TRACE_MEMORY=1 does for a process."""
    start_trace()
    try:
        yield
    finally:
        _core.trace_memory(False, "")


SNAPSHOT_BLOCKS = 1000


def snapshots(runtime: Runtime) -> None:
    """Measures ``empty`` without and with a trace of memory, and ``memory_snapshot``."""

    def empty() -> Any:
        return sk.empty(KIB, dtype=sk.uint8, device=runtime.device)

    case = "empty, 1 KiB, trace of memory"
    runtime.add(case, "off", runtime.host_us(empty))
    with traced():
        runtime.add(case, "on", runtime.host_us(empty))
        count = len(sk.memory_snapshot(runtime.device).blocks)
        runtime.rows[-1].check = wrong_count("blocks", count, BURSTS * runtime.calls)
    with traced():
        arrays = [empty() for _ in range(SNAPSHOT_BLOCKS)]
        snapshot = sk.memory_snapshot(runtime.device)
        live_bytes = sum(block.nbytes for block in snapshot.blocks if block.state == "live")
        problem = wrong_count("live bytes", live_bytes, len(arrays) * KIB)
        microseconds = runtime.host_us(lambda: sk.memory_snapshot(runtime.device), 1)
        runtime.add("memory_snapshot, 1000 blocks", "snapshot", microseconds, problem)


SUBJECTS: dict[str, Callable[[Runtime], None]] = {
    subject.__name__: subject for subject in (allocators, snapshots)
}
