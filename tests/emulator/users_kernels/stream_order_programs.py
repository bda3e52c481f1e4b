# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A kernel of another library and an operation of skerry, with and without order between their streams.

main(LIBRARY) runs all programs with the kernels of a library of foreign_stream_kernels.py and prints reports as JSON.
Only the kernel's line and the marked lines access the memory.
"""

import contextlib
import inspect
import json
import pathlib

import skerry as sk
from skerry.exceptions import EmulationError
from skerry.testing import emulated_gpu

from tests.emulator.users_kernels import foreign_stream_kernels
from tests.emulator.users_kernels.foreign_stream_kernels import DEVICE, LIBRARIES, Located

KEPT = []  # arrays kept alive, as a free would be reported, too


def new():
    """Return an array whose initial write is complete."""
    x = sk.zeros(64, dtype=sk.float32, device=DEVICE)
    KEPT.append(x)
    sk.synchronize(DEVICE)
    return x


def written_before(kernel):
    x = new()
    memory = Located(x)
    x[...] = 1  # skerry
    kernel.run("read", memory)


def updated_before(kernel):
    x = new()
    memory = Located(x)
    x += 1  # skerry
    kernel.run("read", memory)


def read_before(kernel):
    x = new()
    memory = Located(x)
    KEPT.append(x * 2)  # skerry
    kernel.run("add", memory)


def sent_before(kernel):
    x = new()
    memory = Located(x)
    KEPT.append(x.to_device("cuda:1"))  # skerry
    kernel.run("add", memory)


def zeroed_before(kernel):
    x = new()
    memory = Located(x)
    x.fill(0)  # skerry
    kernel.run("read", memory)


def written_behind(kernel):
    x = new()
    kernel.run("add", Located(x))
    x[...] = 1  # skerry


def written_behind_a_read(kernel):
    x = new()
    kernel.run("read", Located(x))
    x += 1  # skerry


def read_behind(kernel):
    x = new()
    kernel.run("add", Located(x))
    KEPT.append(sk.sum(x))  # skerry


def sorted_behind(kernel):
    x = new()
    kernel.run("add", Located(x))
    KEPT.append(sk.sort(x))  # skerry


def copied_behind(kernel):
    x = new()
    kernel.run("add", Located(x))
    KEPT.append(x.copy())  # skerry


def sent_behind(kernel):
    x = new()
    kernel.run("add", Located(x))
    KEPT.append(x.to_device("cuda:1"))  # skerry


def fetched_behind(kernel):
    x = new()
    kernel.run("add", Located(x))
    KEPT.append(x.to_device("cpu"))  # skerry


def received_behind(kernel):
    x = new()
    source = sk.ones(64, dtype=sk.float32, device="cuda:1")
    kernel.run("read", Located(x))
    x[...] = source.to_device(DEVICE)  # skerry


def reused_behind(kernel):
    """The memory is free for new arrays while the kernel may still read it."""
    x = sk.zeros(64, dtype=sk.float32, device=DEVICE)
    kernel.run("read", Located(x))
    del x  # skerry
    KEPT.append(sk.ones(64, dtype=sk.float32, device=DEVICE))  # skerry


WRONG = [
    written_before, updated_before, read_before, sent_before, zeroed_before,
    written_behind, written_behind_a_read, read_behind, sorted_behind, copied_behind, sent_behind, fetched_behind,
    received_behind, reused_behind,
]  # fmt: skip


def waits_on_both_sides(kernel):
    x = new()
    memory = Located(x)
    x[...] = 1
    kernel.stream.wait(sk.current_stream(DEVICE))
    kernel.run("add", memory)
    sk.current_stream(DEVICE).wait(kernel.stream)
    x += 1


def on_the_stream_itself(kernel):
    x = new()
    memory = Located(x)
    with kernel.stream:
        x[...] = 1
        kernel.run("add", memory)
        x += 1


def after_the_host_has_waited(kernel):
    x = new()
    memory = Located(x)
    x += 1
    sk.synchronize(DEVICE)
    kernel.run("add", memory)
    kernel.stream.synchronize()
    x += 1


def halves(kernel):
    x = new()
    right = Located(x[32:])
    x[:32] = 1
    kernel.run("add", right)
    x[:32] += 1


def columns(kernel):
    x = new().reshape(16, 4)
    second = Located(x[:, 1])
    x[:, 0] = 1
    kernel.run("add", second)
    x[:, 2:] += 1


def backwards(kernel):
    x = new()
    odd = Located(x[1::2])
    x[::-2][1:] = 1
    kernel.run("add", odd)
    KEPT.append(sk.max(x[::2]))


def chosen_elements(kernel):
    x = new()
    right = Located(x[32:])
    indices = sk.arange(32, device=DEVICE)
    mask = sk.arange(64, device=DEVICE) < 32
    sk.synchronize(DEVICE)
    kernel.run("add", right)
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


def lines_marked(function, mark):
    """Return the lines of a function or module that end with a mark."""
    text, first = inspect.getsourcelines(function)
    return [max(first, 1) + k for k, line in enumerate(text) if line.rstrip().endswith(f"# {mark}")]


def main(library):
    kernel_lines = [
        (pathlib.Path(foreign_stream_kernels.__file__).name, line)
        for line in lines_marked(LIBRARIES[library], "the kernel")
    ]
    with emulated_gpu(checks="none"):
        kernel = LIBRARIES[library]()

    def reports(program):
        gpu = emulated_gpu(checks="streams")
        with contextlib.suppress(EmulationError), gpu:
            program(kernel)
        return [_described(one) for one in gpu.reports]

    results = {
        name: {
            program.__name__: {
                "reports": reports(program),
                "kernel": kernel_lines,
                "skerry": [
                    (pathlib.Path(__file__).name, line) for line in lines_marked(program, "skerry")
                ],
            }
            for program in programs
        }
        for name, programs in (("wrong", WRONG), ("right", RIGHT))
    }
    print(json.dumps(results))


def _described(report):
    other = report.other or {}
    positions = [(report.file, report.line), (other.get("file"), other.get("line"))]
    return {
        "kind": report.kind,
        "positions": [(pathlib.Path(file or "").name, line) for file, line in positions],
        "sources": [report.source, other.get("source")],
        "names": [report.kernel, other.get("by")],
        "text": report.text,
    }
