# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs in which a user's kernel reads results of skerry, with all checks enabled. Prints the reports as JSON.

main("right") calls every public function and writes in every way; main("wrong") leaves elements unwritten.
"""

import contextlib
import inspect
import json
import warnings

import numpy as np
import skerry as sk
from skerry.testing import emulated_gpu, instruments
from skerry_emulator import _reports

from tests.emulator.users_kernels.checked_kernels import Program

# The addition makes every bit of a byte count as used.
SOURCE = """
extern "C" __global__ void read(const unsigned char* a, unsigned char* out, long long n1, long long n0,
                                long long step1, long long step0, int itemsize) {
  long long n = n1 * n0 * itemsize;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    long long element = i / itemsize;
    out[i] = a[element / n0 * step1 + element % n0 * step0 + i % itemsize] + 1;
  }
}
"""
DEVICE = "cuda:0"
ROW = object()  # replaced by a new array in each call, as some calls modify it
# Functions that change global state or return no array. `empty` is among the wrong programs.
LEFT_OUT = {
    "Array", "DLDeviceType", "Device", "Event", "Stream", "asnumpy", "cuda_array_interface_version", "device",
    "devices", "default_device", "empty", "empty_like", "exceptions", "fuse", "memory_statistics", "rehearse",
    "reset_peak", "set_default_device", "set_memory_limit", "set_num_threads", "show_config", "stream",
    "strict_promotion", "synchronize", "trim", "save", "savetxt", "savez", "savez_compressed",
    "save_safetensors",
}  # fmt: skip


def planes(x):
    """Yield views with two axes that together cover the array."""
    if x.ndim <= 2:
        yield x[(None,) * (2 - x.ndim)]
        return
    for k in range(x.shape[0]):
        yield from planes(x[k])


class Reader:
    """A user's kernel that computes with every byte of arrays."""

    def __init__(self):
        self._program = Program(SOURCE, "read.cu")
        self._emulator = _reports.library()

    def reports(self, *arrays):
        """Return the reports of a kernel that reads the arrays."""
        from cuda.core import Device

        self._emulator.clear()
        for x in arrays:
            Device(x.device.index).set_current()
            for plane in planes(x):
                if plane.size == 0:
                    continue
                out = sk.empty((plane.size * x.itemsize,), dtype=sk.uint8, device=x.device)
                pointer, out_pointer = (a.__cuda_array_interface__["data"][0] for a in (plane, out))
                numbers = [np.int64(n) for n in (*plane.shape, *plane.strides)]
                self._program.launch(
                    "read", 2, 32, pointer, out_pointer, *numbers, np.int32(x.itemsize)
                )
                sk.synchronize(x.device)
        return [report.kind for report in self._emulator.reports()]


def arrays_in(result):
    """Return all arrays in a call's result."""
    if isinstance(result, sk.Array):
        return [result]
    if isinstance(result, dict):
        result = result.values()
    if isinstance(result, str | bytes | np.ndarray) or not hasattr(result, "__iter__"):
        return []
    return [x for part in result for x in arrays_in(part)]


def argument_lists(dtype, device):
    """Return argument lists to try with each function: each accepted one is a program."""

    def put(values, dtype):
        return sk.asarray(np.asarray(values), dtype=dtype, device=device)

    n = 6
    row = put(np.arange(1, n + 1), dtype)
    other = put([3, 1, 2, 2, 5, 1], dtype)
    square = put([[4, 1, 0], [1, 5, 1], [0, 1, 6]], dtype)
    wide = put(np.arange(12).reshape(3, 4), dtype)
    indices = put([2, 0, 1, 1, 3, 0], sk.int64)
    mask = put([True, False, True, True, False, True], sk.bool)
    return [
        (row,), (square,), (wide,), (wide[:, ::2],), (row[::-1],), (row, other), (square, square), (wide, wide[:, ::-1]),
        (row, indices), (wide, put([1, 0], sk.int64)), (row, 2), (wide, 1), (row, (2, 3)), (row, 1, 4), (row, mask),
        (mask, row), (mask, row, other), (row, other, row), (row, indices, other), ([row, other],), ([wide, wide],),
        (square, row[:3]), (row, [1, 2]), (wide, [[1, 1], [0, 2]]), (row, mask, 7), (row, indices, 7), (wide, (0, 1)),
        (row, row, 1), ("i,i->i", row, other), (row, [mask], [other]), ([mask], [row]), (row, other, indices),
    ]  # fmt: skip


def creations(device):
    """Yield calls that create arrays on a device."""
    for name, arguments in {
        "arange": (7,), "eye": (4,), "full": ((3, 4), 7), "identity": (3,), "linspace": (0, 1, 9), "logspace": (0, 1, 5),
        "geomspace": (1, 8, 4), "ones": ((3, 4),), "tri": (4,), "zeros": ((3, 4),), "asarray": ([[1, 2], [3, 4]],),
        "indices": ((2, 3),), "fromfunction": (lambda i, j: i + j, (2, 3)),
    }.items():  # fmt: skip
        if hasattr(sk, name):
            yield name, lambda name=name, a=arguments: getattr(sk, name)(*a, device=device)
    yield "from_dlpack", lambda: sk.from_dlpack(np.arange(4), device=device)
    yield "to_device of a NumPy array", lambda: sk.asarray(np.arange(5)).to_device(device)
    yield "to_device of a pinned array", lambda: sk.ones(5, device="cpu:0").to_device(device)
    yield "to_device of another device", lambda: sk.ones(5, device="cuda:1").to_device(device)
    yield (
        "to_device of a view",
        lambda: sk.ones((5, 4), device="cuda:1")[::2, ::-1].to_device(device),
    )
    yield "result on another device", lambda: sk.arange(5, device=device).to_device("cuda:1") * 2


def random_calls(device):
    """Yield calls of all methods of a generator."""
    lists = [(), (4,), (0.5,), (2, 0.5), (1.0, 2.0), (ROW,), (ROW, 3), (1.0, 2.0, 3.0)]

    def call(name, arguments, more):
        new = [
            sk.arange(6, device=device) if argument is ROW else argument for argument in arguments
        ]
        return getattr(sk.random.default_rng(3, device=device), name)(*new, **more)

    for name in sorted(name for name in dir(sk.random.Generator) if not name.startswith("_")):
        for k, arguments in enumerate(lists):
            for more in ({"size": (3, 5)}, {"shape": (3, 5)}, {}):
                yield (
                    f"rng.{name}, {k}, {more}",
                    lambda name=name, a=arguments, more=more: call(name, a, more),
                )


def public_functions():
    """Yield the functions of all public modules with their names."""
    for prefix, module in (("", sk), ("linalg.", sk.linalg), ("fft.", sk.fft)):
        for name in sorted(set(module.__all__) - LEFT_OUT):
            function = getattr(module, name)
            if callable(function) and not inspect.isclass(function):
                yield prefix + name, function


def in_place(name):
    def keep(function):
        IN_PLACE[name] = function
        return function

    return keep


IN_PLACE = {}


@in_place("elements")
def _(x):
    x[...] = 1


@in_place("halves by slices")
def _(x):
    x[::2] = 1
    x[1::2] = x[::2][: x[1::2].shape[0]]


@in_place("from the back")
def _(x):
    x[::-1] = sk.arange(x.shape[0], dtype=x.dtype, device=x.device)[:, None]


@in_place("rows by indices")
def _(x):
    x[sk.asarray([4, 0, 2, 1, 3, 5], device=x.device)] = 2


@in_place("elements by a mask and its complement")
def _(x):
    mask = sk.arange(x.size, device=x.device).reshape(x.shape) % 3 == 0
    x[mask] = 1
    x[~mask] = x[mask][0]


@in_place("columns, one after the other")
def _(x):
    for k in range(x.shape[1]):
        x[:, k] = k


@in_place("single elements")
def _(x):
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            x[i, k] = 1


@in_place("by put")
def _(x):
    sk.put(x, sk.arange(x.size, device=x.device), sk.arange(x.size, dtype=x.dtype, device=x.device))


@in_place("by the unchanged half")
def _(x):
    x[:3] = 5
    x[3:] = x[:3] + 1
    x[:3] += x[3:]


@in_place("where nothing unwritten is chosen")
def _(x):
    mask = sk.arange(x.size, device=x.device).reshape(x.shape) % 2 == 0
    x[mask] = 3
    x[...] = sk.where(mask, x, 4)


@in_place("from another device")
def _(x):
    x[...] = sk.ones(x.shape, dtype=x.dtype, device="cuda:1").to_device(x.device)


@in_place("from NumPy")
def _(x):
    x[...] = sk.asarray(np.ones(x.shape), dtype=x.dtype, device=x.device)


@in_place("transposed")
def _(x):
    x.T[...] = sk.ones(x.T.shape, dtype=x.dtype, device=x.device)


def fused(device):
    @sk.fuse
    def scaled(x, y):
        z = sk.exp(x) * 2 + y
        return z / sk.sum(z, axis=-1, keepdims=True), sk.max(z), z > 1

    x = sk.linspace(0, 1, 300, device=device).reshape(3, 100)
    return scaled(x, x[:, ::-1])


def dtypes():
    return [
        sk.bool,
        sk.int8,
        sk.uint16,
        sk.int32,
        sk.int64,
        sk.float16,
        sk.float32,
        sk.float64,
        sk.complex64,
        sk.complex128,
    ]


def right_programs(device):
    """Yield names, and functions that return arrays."""
    yield from creations(device)
    yield from random_calls(device)
    yield "fused", lambda: fused(device)
    for dtype in dtypes():
        for name, write in IN_PLACE.items():

            def run(write=write, dtype=dtype):
                x = sk.empty((6, 5), dtype=dtype, device=device)
                write(x)
                return x, x.T, x[::2, 1::2]

            yield f"written {name}, {np.dtype(dtype)}", run
    operators = {entry["name"] for entry in instruments.op_table()}
    for name, function in public_functions():
        tested_dtypes = [sk.float64, sk.int32] if name not in operators else dtypes()
        for dtype in tested_dtypes:
            for k, arguments in enumerate(argument_lists(dtype, device)):
                # Elementwise operations share their code; a few argument lists suffice.
                if name in operators and k not in (0, 3, 5, 7, 10):
                    continue
                yield f"{name}, {np.dtype(dtype)}, {k}", lambda f=function, a=arguments: (f(*a), a)


def half(dtype=sk.float32, **options):
    """Return ten elements of which the first five are written."""
    x = sk.empty((10,), dtype=dtype, **({"device": DEVICE} | options))
    x[:5] = 1
    return x


def every_second():
    x = sk.empty((10,), device=DEVICE)
    x[::2] = 1
    return x


def by_indices():
    x = sk.empty((10,), device=DEVICE)
    x[sk.asarray([0, 3, 4, 9], device=DEVICE)] = 1
    return x


def by_a_mask():
    x = sk.empty((10,), device=DEVICE)
    x[sk.arange(10, device=DEVICE) % 3 == 0] = 1
    return x


def by_columns():
    x = sk.empty((4, 3), device=DEVICE)
    x[:, 0] = 1
    x[:, 2] = 1
    return x


def copied_in_parts():
    x = sk.empty((10,), device=DEVICE)
    x[:3] = sk.ones(3, device="cuda:1").to_device(DEVICE)
    x[4:] = sk.asarray(np.ones(6), device=DEVICE)
    return x


# Results with bytes that were never written, or that depend on such bytes.
WRONG = {
    "empty": lambda: sk.empty((10,), device=DEVICE),
    "empty_like": lambda: sk.empty_like(sk.ones(10, device=DEVICE)),
    "empty after an array that was written": lambda: (
        sk.ones(10, device=DEVICE), sk.empty((10,), device=DEVICE))[1],
    "half": half,
    "half of bool": lambda: half(sk.bool),
    "half of complex128": lambda: half(sk.complex128),
    "half of another device": lambda: half(device="cuda:1"),
    "every second": every_second,
    "by indices": by_indices,
    "by a mask": by_a_mask,
    "by columns": by_columns,
    "copied in parts": copied_in_parts,
    "a copy": lambda: half().copy(),
    "a cast copy": lambda: half().astype(sk.float64),
    "a copy to another device": lambda: half().to_device("cuda:1"),
    "a transposed copy": lambda: sk.asarray(by_columns().T, copy=True),
    "a concatenation": lambda: sk.concat([sk.ones(3, device=DEVICE), half()]),
    "a sum": lambda: sk.sum(half()),
    "a cumulative sum": lambda: sk.cumulative_sum(half()),
    "a sum of rows": lambda: sk.sum(by_columns(), axis=0),
    "a product of matrices": lambda: by_columns() @ sk.ones((3, 2), device=DEVICE),
    "a multiple": lambda: half() * 2,
    "in place": lambda: half().__iadd__(1),
    "a sorted array": lambda: sk.sort(half(sk.int32)),
    "rows that were not written": lambda: sk.take(half(), sk.asarray([7, 1], device=DEVICE)),
    "the other choice": lambda: sk.where(sk.arange(10, device=DEVICE) > 3, half(), 0),
    "padded": lambda: sk.pad(half(), 2),
    "fused": lambda: sk.fuse(lambda x: sk.exp(x) + 1)(half()),
    "a transform": lambda: sk.fft.fft(half(sk.complex128)),
    "added to what is there": lambda: sk.empty((10,), device=DEVICE).__iadd__(sk.ones(10, device=DEVICE)),
}  # fmt: skip
# Parts of such results that are written: there must be no report for them.
WRITTEN_PARTS = {
    "half": lambda: half()[:5],
    "every second": lambda: every_second()[::2],
    "by indices": lambda: sk.take(by_indices(), sk.asarray([0, 3, 4, 9], device=DEVICE)),
    "by columns": lambda: by_columns()[:, ::2],
    "a copy": lambda: half().copy()[:5],
    "a cast copy": lambda: half().astype(sk.float64)[:5],
    "a concatenation": lambda: sk.concat([sk.ones(3, device=DEVICE), half()])[:8],
    "a cumulative sum": lambda: sk.cumulative_sum(half())[:5],
    "a sum of rows": lambda: sk.sum(by_columns(), axis=0)[::2],
    "a choice": lambda: sk.where(sk.arange(10, device=DEVICE) > 4, 0, half()),
    "what is left of a product with zero": lambda: half(sk.int32) * 0,
}


def are_close(arrays, others):
    """Return whether both are equal up to rounding: transforms and norms use other algorithms on CUDA devices."""
    pairs = zip(arrays, others, strict=True)
    values = ([np.asarray(x.to_device("cpu")) for x in pair] for pair in pairs)
    return all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-3, equal_nan=True) for a, b in values
    )


def right(reader):
    """Return the number of programs, those with reports, and those whose results differ from the CPU's."""
    count, reported, other = 0, {}, []
    for (name, program), (_, same) in zip(
        right_programs(DEVICE), right_programs("cpu:0"), strict=True
    ):
        with contextlib.suppress(Exception):
            arrays = arrays_in(program())
            on_device = [x for x in arrays if x.device.kind == "cuda"]
            if on_device:
                count += 1
                if kinds := reader.reports(*on_device):
                    reported[name] = kinds
                if not are_close(arrays, arrays_in(same())):
                    other.append(name)
    return {"count": count, "reported": reported, "other": other}


def wrong(reader):
    """Return the reports of each program."""
    return {
        "wrong": {name: reader.reports(make()) for name, make in WRONG.items()},
        "written": {name: reader.reports(make()) for name, make in WRITTEN_PARTS.items()},
    }


def main(mode):
    warnings.simplefilter("ignore")
    gpu = emulated_gpu(checks="all")
    with gpu:
        reader = Reader()
        result = {"right": right, "wrong": wrong}[mode](reader)
        _reports.library().clear()
    print(json.dumps(result))
