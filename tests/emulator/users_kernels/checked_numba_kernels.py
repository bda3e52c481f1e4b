# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run Numba kernels with all checks of the emulated GPU, and print the reports as JSON.

main("faulty", "NAME,NAME", SEEDS), main("right", "NAME,NAME", SEEDS); numba.cuda must be that of numba-cuda.
"""

import contextlib
import dataclasses
import json
import warnings

import numpy as np
from skerry.exceptions import EmulationError
from skerry.testing import emulated_gpu

LIMIT = 200_000
N = 128
SIZES = (33, 1000)


@dataclasses.dataclass
class Memory:
    """Memory at an address, as imported from another library."""

    pointer: int
    n: int

    @property
    def __cuda_array_interface__(self):
        return {"data": (self.pointer, False), "shape": (self.n,), "typestr": "<f4", "version": 3}


def argument(kind):
    """Return an array of that kind, and the object that owns its memory."""
    from numba import cuda

    host = np.arange(N, dtype=np.float32)
    if kind == "host":
        context = cuda.current_context()
        memory = cuda.driver.MemoryPointer(context, host.ctypes.data, host.nbytes)
        return cuda.cudadrv.devicearray.DeviceNDArray((N,), (4,), host.dtype, gpu_data=memory), host
    if kind == "other_device":
        with cuda.gpus[1]:
            return cuda.to_device(host), None
    if kind == "empty":
        return cuda.device_array(N, np.float32), None
    owner = cuda.to_device(np.append(host, np.zeros(1, np.float32)))
    pointer = owner.device_ctypes_pointer.value
    if kind == "freed":
        array = cuda.as_cuda_array(Memory(pointer, N))
        del owner
        cuda.current_context().memory_manager.deallocations.clear()
        return array, None
    if kind == "odd":
        return cuda.as_cuda_array(Memory(pointer + 2, N)), owner
    return cuda.to_device(host), None


def launch(case, compiled):
    from numba import cuda

    b = cuda.to_device(np.zeros(case.blocks * case.threads, np.float32))
    a, owner = argument(case.a)
    streams = [cuda.stream(), cuda.stream()] if case.a == "two_streams" else [0]
    for stream in streams:
        compiled[case.blocks, case.threads, stream](a, b)
    cuda.synchronize()
    del owner


def run_faulty(case, compiled, seed):
    raised = ""
    gpu = emulated_gpu(limit=LIMIT, seed=seed)
    with contextlib.suppress(EmulationError), gpu:
        try:
            launch(case, compiled)
        except Exception as problem:
            raised = f"{type(problem).__name__}: {problem}"
    return {"raised": raised, "reports": [dataclasses.asdict(report) for report in gpu.reports]}


def all_faulty(names, seeds, *, lineinfo=True):
    """Return the expected finding of each kernel, and the reports of each seed."""
    with emulated_gpu():
        from numba import cuda

        from tests.emulator.users_kernels import faulty_numba_kernels as kernels
    results = {}
    for name in names:
        case = kernels.KERNELS[name]
        options = dict(case.options) or {"lineinfo": lineinfo}
        compiled = cuda.jit(**options)(case.function)
        results[name] = {
            "kind": case.kind,
            "error": case.error,
            "raises": case.raises,
            "here": case.line_of("HERE"),
            "other": case.line_of("OTHER"),
            "runs": [run_faulty(case, compiled, seed) for seed in range(seeds)],
        }
    return results


def run_right(case, compiled, n, seed):
    """Return what is wrong, or an empty string."""
    from numba import cuda

    from tests.emulator.users_kernels import right_numba_kernels as kernels

    values = kernels.values(n)
    try:
        with emulated_gpu(limit=500 * LIMIT, seed=seed):
            a, b = cuda.to_device(values), cuda.to_device(np.zeros(n, np.float32))
            blocks = -(-n // kernels.BLOCK)
            compiled[blocks, kernels.BLOCK, 0, case.shared_nbytes](a, b)
            result = b.copy_to_host()
    except (EmulationError, RuntimeError) as problem:
        return f"seed {seed}: {problem}"
    is_right = np.array_equal(result, case.expected(values).astype(np.float32))
    return "" if is_right else f"seed {seed}: wrong result"


def all_right(names, seeds):
    """Return the errors of kernels, by name and size."""
    with emulated_gpu():
        from numba import cuda

        from tests.emulator.users_kernels import right_numba_kernels as kernels
    wrong = {}
    for name in names:
        case = kernels.KERNELS[name]
        compiled = cuda.jit(lineinfo=True)(case.function)
        for n in SIZES:
            failures = [run_right(case, compiled, n, seed) for seed in range(seeds)]
            wrong |= {f"{name}-{n}": text for text in failures if text}
    return wrong


def main(mode, names, seeds="1"):
    warnings.filterwarnings("ignore", message="(?s).*(under-utilization|copy overhead|Debug mode)")
    chosen = names.split(",")
    runs = {
        "faulty": lambda: all_faulty(chosen, int(seeds)),
        "faulty_without_lines": lambda: all_faulty(chosen, 1, lineinfo=False),
        "right": lambda: all_right(chosen, int(seeds)),
    }
    print(json.dumps(runs[mode]()))
