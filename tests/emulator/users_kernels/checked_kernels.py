# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run kernels of CUDA C++ with all checks of the emulated GPU, and print the reports as JSON.

python -m tests.emulator.users_kernels.checked_kernels faulty SEEDS
python -m tests.emulator.users_kernels.checked_kernels right SEEDS
"""

import contextlib
import dataclasses
import json
import sys

import numpy as np
from skerry.exceptions import EmulationError
from skerry.testing import emulated_gpu

from tests.emulator.users_kernels import faulty_kernels, right_kernels

LIMIT = 200_000


class Program:
    """A program of CUDA C++, compiled by NVRTC with line numbers."""

    def __init__(self, source, name):
        from cuda.core import Program, ProgramOptions

        options = ProgramOptions(arch="sm_80", lineinfo=True, name=name)
        self.code = Program(source, "c++", options).compile("ptx")

    def launch(self, name, blocks, threads, *arguments, shared_bytes=0):
        from cuda.core import Device, LaunchConfig, launch

        config = LaunchConfig(grid=blocks, block=threads, shmem_size=shared_bytes)
        launch(Device().default_stream, config, self.code.get_kernel(name), *arguments)


def done(result):
    code, *values = result
    if code != 0:
        raise RuntimeError(str(code))
    return values[0] if values else None


class Memory:
    """Memory of the current device."""

    def __init__(self, values, *, is_filled=True):
        from cuda.bindings import driver

        self.driver = driver
        self.values = np.ascontiguousarray(values)
        self.pointer = int(done(driver.cuMemAlloc(self.values.nbytes)))
        if is_filled:
            done(driver.cuMemcpyHtoD(self.pointer, self.values.ctypes.data, self.values.nbytes))

    def read(self):
        done(self.driver.cuMemcpyDtoH(self.values.ctypes.data, self.pointer, self.values.nbytes))
        return self.values

    def free(self):
        done(self.driver.cuMemFree(self.pointer))


def argument(kind, n):
    """Return a pointer of that kind, and the object that owns its memory."""
    from cuda.core import Device

    host = np.arange(n, dtype=np.float32)
    if kind == "host":
        return host.ctypes.data, host
    if kind == "other_device":
        Device(1).set_current()
        memory = Memory(host)
        Device(0).set_current()
        return memory.pointer, memory
    memory = Memory(host, is_filled=kind != "empty")
    if kind == "freed":
        memory.free()
    return memory.pointer, memory


def synchronize():
    from cuda.bindings import driver

    return int(driver.cuCtxSynchronize()[0])


def run_faulty(name, seed):
    from cuda.core import Device

    case = faulty_kernels.KERNELS[name]
    status = 0
    gpu = emulated_gpu(limit=LIMIT, seed=seed)
    with contextlib.suppress(EmulationError), gpu:
        Device(0).set_current()
        program = Program(faulty_kernels.source(name), f"{name}.cu")
        b = Memory(np.zeros(case.blocks * case.threads, np.float32))
        a, owner = argument(case.a, case.n)
        program.launch(name, case.blocks, case.threads, a, b.pointer, np.int32(case.n))
        status = synchronize()
        del owner
    return {"status": status, "reports": [dataclasses.asdict(report) for report in gpu.reports]}


def run_right(seeds):
    """Return the errors of each kernel and size."""
    program = None
    errors = {}
    for seed in range(seeds):
        for name, (_, expected) in right_kernels.KERNELS.items():
            for n in right_kernels.SIZES:
                wrong = errors.setdefault(f"{name}-{n}", [])
                gpu = emulated_gpu(limit=500 * LIMIT, seed=seed)
                try:
                    with gpu:
                        from cuda.core import Device

                        Device(0).set_current()
                        program = program or Program(right_kernels.source(), "right.cu")
                        values = right_kernels.values(n)
                        a, b = Memory(values), Memory(np.zeros(n, np.float32))
                        blocks = -(-n // right_kernels.BLOCK)
                        pointers = (a.pointer, b.pointer, np.int32(n))
                        program.launch(
                            name, blocks, right_kernels.BLOCK, *pointers, shared_bytes=512
                        )
                        if not np.array_equal(b.read(), expected(values).astype(np.float32)):
                            wrong.append(f"seed {seed}: wrong result")
                        a.free()
                        b.free()
                except (EmulationError, RuntimeError) as problem:
                    wrong.append(f"seed {seed}: {problem}")
    return errors


def main(mode, seeds="1"):
    runs = {
        "faulty": lambda: {
            name: [run_faulty(name, seed) for seed in range(1, 1 + int(seeds))]
            for name in faulty_kernels.KERNELS
        },
        "right": lambda: run_right(int(seeds)),
    }
    print(json.dumps(runs[mode]()))


if __name__ == "__main__":
    main(*sys.argv[1:])
