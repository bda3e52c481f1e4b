# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Device arrays that skerry, NumPy and a library like CuPy make, for the programs of right_programs and faulty_programs.

Each producer of PRODUCERS allocates an array of floats on one line, which is marked with its name.
"""

from __future__ import annotations

import importlib
import inspect
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import skerry as sk

from tests.emulator.users_kernels.checked_kernels import Memory, done

N = 128


class ForeignArray:
    """An array of a library that has only the CUDA Array Interface, as CuPy's has for other libraries."""

    def __init__(self, memory: Memory, shape: tuple[int, ...], dtype: Any, offset: int = 0) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = {
            "data": (memory.pointer + offset, False),
            "shape": shape,
            "typestr": np.dtype(dtype).str,
            "strides": None,
            "version": 3,
        }


def pointer_of(array: Any) -> int:
    return int(array.__cuda_array_interface__["data"][0])


def _set_device(number: int) -> None:
    from cuda.core import Device

    Device(number).set_current()


def compiler_in_use() -> Any:
    """Return the module of tests' kernels in Python, if they are compiled in this process."""
    name = "tests.emulator.users_kernels.kernel_library"
    return importlib.import_module(name).cuda if name in sys.modules else None


def of_skerry(device: int, *, is_filled: bool) -> Any:
    if not is_filled:
        return sk.empty(N, dtype=sk.float32, device=f"cuda:{device}")  # skerry, empty
    return sk.arange(N, dtype=sk.float32, device=f"cuda:{device}")  # skerry


def of_numpy(device: int, *, is_filled: bool) -> Any:
    """Copy a NumPy array by the compiler's own library; without one, by skerry."""
    values = np.arange(N, dtype=np.float32)
    cuda = compiler_in_use()
    if cuda is None:
        if not is_filled:
            return sk.empty(N, dtype=sk.float32, device=f"cuda:{device}")  # NumPy's copy, empty
        return sk.asarray(values, device=f"cuda:{device}")  # NumPy's copy
    with cuda.gpus[device]:
        if not is_filled:
            return cuda.device_array(N, np.float32)  # NumPy's copy, empty
        return cuda.to_device(values)  # NumPy's copy


def of_another_library(device: int, *, is_filled: bool) -> Any:
    _set_device(device)
    values = np.arange(N, dtype=np.float32)
    memory = Memory(values, is_filled=is_filled)  # another library
    _set_device(0)
    return ForeignArray(memory, (N,), np.float32)


PRODUCERS: dict[str, Callable[..., Any]] = {
    "skerry": of_skerry,
    "NumPy's copy": of_numpy,
    "another library": of_another_library,
}


def lines_of(producer: str) -> list[int]:
    """Return the lines where a producer allocates its arrays. For memory of another library, that is in its code."""
    if producer == "another library":
        lines, first = inspect.getsourcelines(Memory)
        return [first + k for k, line in enumerate(lines) if "cuMemAlloc(" in line]
    text = pathlib.Path(__file__).read_text().splitlines()
    return [
        k
        for k, line in enumerate(text, 1)
        if line.endswith((f"# {producer}", f"# {producer}, empty"))
    ]


def loaded_arrays(folder: pathlib.Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield calls that read files to a device."""
    values = np.arange(N, dtype=np.float32).reshape(8, 16)
    np.save(folder / "array.npy", values)
    np.savez(folder / "arrays.npz", first=values, second=values.astype(np.int16))
    np.savez_compressed(folder / "compressed.npz", first=values)
    np.savetxt(folder / "array.txt", values)
    values.tofile(folder / "array.bin")
    device = "cuda:0"
    yield "load of .npy", lambda: sk.load(folder / "array.npy", device=device)
    yield "load, mapped", lambda: sk.load(folder / "array.npy", mmap_mode="r").to_device(device)
    yield "load of .npz", lambda: list(sk.load(folder / "arrays.npz", device=device).values())
    yield "load, compressed", lambda: sk.load(folder / "compressed.npz", device=device)["first"]
    yield "loadtxt", lambda: sk.loadtxt(folder / "array.txt", device=device)
    yield "fromfile", lambda: sk.fromfile(folder / "array.bin", dtype=sk.float32, device=device)


def foreign_arrays() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield calls that make arrays of other libraries."""
    for name, producer in PRODUCERS.items():
        yield name, lambda producer=producer: producer(0, is_filled=True)
    yield "import of another library's", lambda: sk.asarray(of_another_library(0, is_filled=True))
    yield "copied in another library", _copied_elsewhere
    yield "filled in another library", _filled_elsewhere


def _copied_elsewhere() -> ForeignArray:
    from cuda.bindings import driver

    source = sk.arange(N, dtype=sk.float32, device="cuda:1")
    sk.synchronize("cuda:1")
    _set_device(0)
    memory = Memory(np.zeros(N, np.float32), is_filled=False)
    done(driver.cuMemcpyDtoD(memory.pointer, pointer_of(source), memory.values.nbytes))
    return ForeignArray(memory, (N,), np.float32)


def _filled_elsewhere() -> ForeignArray:
    from cuda.bindings import driver

    _set_device(0)
    memory = Memory(np.zeros(N, np.float32), is_filled=False)
    done(driver.cuMemsetD32(memory.pointer, 7, N))
    return ForeignArray(memory, (N,), np.float32)
