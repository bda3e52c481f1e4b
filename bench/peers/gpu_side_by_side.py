# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Timing of several libraries on one GPU in one process, with the driver's CUDA events and the wall clock.

Device time: events around back-to-back calls that fill 20 ms, at least ten, over rotating inputs with a total of more
than 240 MB; the median of five such batches. Host time: the fastest of many short bursts, each with an empty queue.
"""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import itertools
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

BATCH_MS = 20.0
ROTATED_BYTES = 240_000_000


class Driver:
    """Events and copies of the CUDA driver API."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        self.begin, self.end = self._event(), self._event()

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a driver function; raises if it fails."""
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} returned error {status}")

    def _event(self) -> ctypes.c_void_p:
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 0)
        return event

    def milliseconds(self, stream: int, enqueue: Callable[[], Any]) -> float:
        """Returns the device time of the work that ``enqueue`` submits to a stream."""
        handle = ctypes.c_void_p(stream)
        self.call("cuEventRecord", self.begin, handle)
        enqueue()
        self.call("cuEventRecord", self.end, handle)
        self.call("cuEventSynchronize", self.end)
        elapsed = ctypes.c_float()
        try:  # the name in newer toolkits
            self.call("cuEventElapsedTime_v2", ctypes.byref(elapsed), self.begin, self.end)
        except AttributeError:
            self.call("cuEventElapsedTime", ctypes.byref(elapsed), self.begin, self.end)
        return elapsed.value

    def copy(self, target: int, source: int, nbytes: int, stream: int) -> None:
        """Enqueues a copy between two addresses of CUDA memory."""
        self.call(
            "cuMemcpyAsync",
            ctypes.c_uint64(target),
            ctypes.c_uint64(source),
            ctypes.c_size_t(nbytes),
            ctypes.c_void_p(stream),
        )


class Skerry:
    """skerry on cuda:0."""

    name = "skerry"

    def __init__(self, *, is_timed: bool = True) -> None:
        import skerry

        self.module, self.version = skerry, skerry.__version__
        self.device = skerry.Device("cuda:0")
        info = self.device.info
        if info.rehearsal:
            raise RuntimeError("a rehearsed device is no GPU")
        if is_timed and info.name.startswith("emulated GPU"):
            raise RuntimeError("an emulated device is no GPU: its times are a CPU's")
        self.stream = skerry.current_stream(self.device).handle

    def put(self, host: np.ndarray) -> Any:
        """Copies an array to the GPU."""
        return self.module.asarray(host, device=self.device)

    def fetch(self, array: Any) -> np.ndarray:
        """Copies an array to the host."""
        return np.asarray(array.to_device("cpu"))

    def synchronize(self) -> None:
        """Waits for the device."""
        self.module.synchronize(self.device)

    def release(self) -> None:
        """Frees cached memory for the other libraries."""
        self.module.trim(self.device)


class CuPy:
    """CuPy on its current device."""

    name = "cupy"

    def __init__(self) -> None:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        self.module, self.version = cupy, cupy.__version__
        self.stream = cupy.cuda.get_current_stream().ptr
        self.put, self.fetch = cupy.asarray, cupy.asnumpy

    def synchronize(self) -> None:
        """Waits for the device."""
        self.module.cuda.Device().synchronize()

    def release(self) -> None:
        """Frees cached memory for the other libraries."""
        self.module.get_default_memory_pool().free_all_blocks()


class Torch:
    """PyTorch on cuda:0, without TF32."""

    name = "torch"

    def __init__(self) -> None:
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch finds no GPU")
        torch.backends.cuda.matmul.allow_tf32 = False
        self.module, self.version = torch, torch.__version__
        self.stream = torch.cuda.current_stream().cuda_stream

    def put(self, host: np.ndarray) -> Any:
        """Copies an array to a tensor on the GPU."""
        return self.module.from_numpy(host).to("cuda")

    def fetch(self, array: Any) -> np.ndarray:
        """Copies a tensor to the host."""
        return array.cpu().numpy()

    def synchronize(self) -> None:
        """Waits for the device."""
        self.module.cuda.synchronize()

    def release(self) -> None:
        """Frees cached memory for the other libraries."""
        self.module.cuda.empty_cache()


Library = Any  # one of the three above
Operation = Callable[..., Any]  # (module, *arrays) -> result


@dataclasses.dataclass
class Figure:
    """The measurement of one library in one benchmark."""

    case: str
    library: str
    value: float  # ms of device time (of wall time for wall_row), or us of host time
    unit: str
    wall: float | None = None  # time per call by the wall clock, in ms
    least: float = 0.0
    most: float = 0.0
    rate: float | None = None  # GB/s of the bytes that the benchmark states, or TFLOP/s
    check: str = ""


class Bench:
    """The libraries, the time limit, and all figures measured so far."""

    def __init__(self, seconds: float, shrink: int) -> None:
        self.driver: Driver | None = None
        self.libraries: dict[str, Library] = {}
        self.shrink = shrink
        self.end = time.monotonic() + seconds
        self.figures: list[Figure] = []
        self.notes: list[str] = []

    def open(self, kinds: Sequence[type]) -> None:
        """Loads the installed libraries. The first is required; it creates the CUDA context of the events."""
        for kind in kinds:
            try:
                self.libraries[kind.name] = kind()
            except Exception as error:
                if not self.libraries:
                    raise
                self.note(f"{kind.name} left out", error)
        self.libraries["skerry"].synchronize()
        self.driver = Driver()

    def note(self, subject: str, error: BaseException) -> None:
        """Records what could not be measured."""
        first = (str(error).strip().splitlines() or [""])[0][:120]
        self.notes.append(f"{subject}: {type(error).__name__}: {first}")
        print("  " + self.notes[-1], flush=True)

    def late(self) -> bool:
        """Returns whether the time limit has passed."""
        return time.monotonic() > self.end

    def size(self, count: int) -> int:
        """Returns the number of elements of a benchmark, reduced in a quick trial."""
        return max(count >> self.shrink, 64)

    def side(self, count: int) -> int:
        """Returns the extent of a square matrix, reduced in a quick trial."""
        return max(count >> (self.shrink // 2), 8)

    def release(self) -> None:
        """Frees memory between benchmarks."""
        gc.collect()
        for library in self.libraries.values():
            library.release()

    # --- benchmarks: rows of the table ---

    def row(
        self,
        case: str,
        operations: Operation | dict[str, Operation],
        inputs: Callable[[], Sequence[np.ndarray]],
        *,
        nbytes: float = 0,
        flops: float = 0,
        tolerance: float | None = 1e-4,
        rotate: bool = True,
    ) -> None:
        """Times one case in every library, and compares the results with the first library's.

        ``operations`` is one function ``(module, *arrays)`` for all, or one for each library. With ``tolerance`` None
        the results may differ (uninitialized memory, an unspecified order).
        """
        if self.late():
            self.notes.append(f"{case}: not measured, the time limit had passed")
            return
        hosts = list(inputs())
        expected: np.ndarray | None = None
        for name, library in self.libraries.items():
            call = operations.get(name) if isinstance(operations, dict) else operations
            if call is None:
                continue
            try:
                figure, result = self._device_time(case, library, call, hosts, rotate)
                if tolerance is not None:
                    if expected is None:
                        expected = result
                    else:
                        figure.check = agreement(result, expected, tolerance)
                if nbytes:
                    figure.rate = nbytes / figure.value / 1e6
                if flops:
                    figure.rate = flops / figure.value / 1e9
                self._keep(figure)
            except Exception as error:  # the failure of a library is noted; the others continue
                self.note(f"{case} ({name})", error)
            self.release()

    def _device_time(
        self, case: str, library: Library, call: Operation, hosts: list[np.ndarray], rotate: bool
    ) -> tuple[Figure, np.ndarray]:
        driver = self.driver
        assert driver is not None
        input_nbytes = sum(host.nbytes for host in hosts)
        copies = max(1, min(64, math.ceil(ROTATED_BYTES / max(input_nbytes, 1)))) if rotate else 1
        sets = [[library.put(host) for host in hosts] for _ in range(copies)]
        module = library.module
        result = call(module, *sets[0])
        fetched = flattened(library, result)
        del result
        turn = itertools.cycle(sets)

        def batch(calls: int) -> None:
            for _ in range(calls):
                call(module, *next(turn))

        batch(2)
        library.synchronize()
        probe = max(driver.milliseconds(library.stream, lambda: batch(1)), 1e-4)
        calls = max(10 if probe < 200 else 1, min(200, round(BATCH_MS / probe)))
        batches = 5 if probe < 200 else 1
        times = [driver.milliseconds(library.stream, lambda: batch(calls)) for _ in range(batches)]
        library.synchronize()
        begin = time.perf_counter()
        batch(calls)
        library.synchronize()
        wall = (time.perf_counter() - begin) * 1e3 / calls
        times = [value / calls for value in times]
        figure = Figure(
            case, library.name, statistics.median(times), "ms", wall, min(times), max(times)
        )
        return figure, fetched

    def host_row(
        self, case: str, operation: Operation | dict[str, Operation], host: np.ndarray
    ) -> None:
        """Measures the host time of a call, without waiting for the device."""
        for name, library in self.libraries.items():
            call = operation.get(name) if isinstance(operation, dict) else operation
            if call is None or self.late():
                continue
            try:
                array, module = library.put(host), library.module
                for _ in range(50):
                    call(module, array)
                library.synchronize()
                times = []
                for _ in range(20):
                    begin = time.perf_counter()
                    for _ in range(100):
                        call(module, array)
                    times.append((time.perf_counter() - begin) * 1e4)
                    library.synchronize()
                self._keep(Figure(case, name, min(times), "us", None, min(times), max(times)))
            except Exception as error:
                self.note(f"{case} ({name})", error)

    def wall_row(self, case: str, calls: dict[str, Callable[[], Any]], nbytes: float) -> None:
        """Measures the wall time of a synchronous call, such as a transfer."""
        for name, call in calls.items():
            library = self.libraries.get(name)
            if library is None or self.late():
                continue
            try:
                call()
                library.synchronize()
                times = []
                for _ in range(5):
                    begin = time.perf_counter()
                    call()
                    library.synchronize()
                    times.append((time.perf_counter() - begin) * 1e3)
                value = statistics.median(times)
                self._keep(
                    Figure(
                        case, name, value, "ms", value, min(times), max(times), nbytes / value / 1e6
                    )
                )
            except Exception as error:
                self.note(f"{case} ({name})", error)

    def ceiling(self, case: str, copy: Callable[[], Any], nbytes: float) -> None:
        """Measures a copy by the driver: its rate is the upper bound."""
        assert self.driver is not None
        driver, stream = self.driver, self.libraries["skerry"].stream
        for _ in range(3):
            copy()
        times = [
            driver.milliseconds(stream, lambda: [copy() for _ in range(10)]) / 10 for _ in range(5)
        ]
        value = statistics.median(times)
        self._keep(
            Figure(case, "driver", value, "ms", None, min(times), max(times), nbytes / value / 1e6)
        )

    def _keep(self, figure: Figure) -> None:
        self.figures.append(figure)
        rate = f" {figure.rate:.4g}" if figure.rate else ""
        print(
            f"  {figure.case}: {figure.library} {figure.value:.4g} {figure.unit}{rate} {figure.check}",
            flush=True,
        )

    def find(self, case: str, library: str) -> Figure | None:
        """Returns a figure by case and library, or None."""
        for figure in self.figures:
            if (figure.case, figure.library) == (case, library):
                return figure
        return None


def flattened(library: Library, result: Any) -> np.ndarray:
    """Returns the first 2**20 elements of a result, or of its first array, as a float64 or complex128 vector."""
    if isinstance(result, (tuple, list)):
        result = result[0]
    if not hasattr(result, "shape"):
        return np.asarray([result])
    host = np.asarray(library.fetch(result)).reshape(-1)[: 1 << 20]
    return host.astype(np.complex128 if host.dtype.kind == "c" else np.float64)


def agreement(actual: np.ndarray, expected: np.ndarray, tolerance: float) -> str:
    """Returns an empty string if the results agree within the tolerance, otherwise a message with the difference."""
    if actual.shape != expected.shape:
        return f"DIFFERS in shape: {actual.shape}, {expected.shape}"
    scale = np.maximum(np.abs(expected), 1.0)
    worst = float(np.nanmax(np.abs(actual - expected) / scale)) if actual.size else 0.0
    return "" if worst <= tolerance else f"DIFFERS by {worst:.3g}"
