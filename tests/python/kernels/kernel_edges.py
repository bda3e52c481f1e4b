# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Compares calls on operands at any offset in larger arrays with NumPy's.

The whole arrays are compared: only operands that the call writes may change, and nothing around them.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import skerry as sk

from tests.python.oracle import kind_of

Shape = tuple[int, ...]
OFFSETS = (0, 1, 7)
DEVICE = "cuda:0"
GUARD = 9  # items after an operand
EVERY = ("int8", "int16", "float32", "float64", "complex128")


def numbers(dtype: str, shape: Shape, seed: int = 1) -> np.ndarray:
    """Returns small integers in random order, negative ones included where the dtype has them, so that results are exact."""
    values = np.random.default_rng(seed).integers(-9, 10, int(np.prod(shape)))
    kind = kind_of(dtype)
    values = np.abs(values) if kind == "u" else values
    values = values + 1j * values[::-1] if kind == "c" else values
    return values.astype(dtype).reshape(shape)


def one(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [numbers(dtype, shape)]


class Case(NamedTuple):
    """A call, which takes a namespace and operands and returns an array, several, or None.

    Dtypes alternate: each shape has another one at each offset.
    """

    call: Callable
    shapes: list[Shape]
    wave: Shape | None = None  # a shape of more blocks than 132 multiprocessors run at once
    dtypes: tuple[str, ...] = EVERY
    inputs: Callable[[str, Shape], list[np.ndarray]] = one
    want: Callable | None = None  # NumPy's call, where it differs
    tolerance: float = 0  # relative, for float64; scaled by epsilon for other dtypes


class Operand:
    """An operand for NumPy and on the device, inside a larger array."""

    def __init__(self, values: np.ndarray, offset: int):
        prefix, behind = np.ones(offset, values.dtype), np.ones(GUARD, values.dtype)
        self.host = np.concatenate((prefix, values.ravel(), behind))
        self.memory = sk.asarray(self.host, device="cpu:0", copy=True).to_device(DEVICE)
        part = slice(offset, offset + values.size)
        self.theirs = self.host[part].reshape(values.shape)
        self.mine = sk.reshape(self.memory[part], values.shape, copy=False)


def results_of(result: object) -> list:
    if result is None:
        return []
    return list(result) if isinstance(result, (tuple, list)) else [result]


def on_host(x: sk.Array) -> np.ndarray:
    return np.asarray(x.to_device("cpu:0"))


class Trial(NamedTuple):
    shape: Shape
    dtype: str
    offset: int  # of the first operand
    apart: int = 0  # offsets between one operand and the next

    def operands(self, case: Case) -> list[Operand]:
        first = OFFSETS.index(self.offset)
        inputs = case.inputs(self.dtype, self.shape)
        return [
            Operand(x, OFFSETS[(first + n * self.apart) % len(OFFSETS)])
            for n, x in enumerate(inputs)
        ]


def trials(case: Case, offset: int) -> Iterator[Trial]:
    """Yields the case's shapes, each with another dtype at another offset."""
    for number, shape in enumerate(case.shapes):
        turn = number + OFFSETS.index(offset)
        yield Trial(shape, case.dtypes[turn % len(case.dtypes)], offset, number % len(OFFSETS))


def wave_of(cases: dict[str, Case], name: str) -> Trial | None:
    """Returns the trial of more than a wave of blocks. Its dtype and offset alternate among cases."""
    case, number = cases[name], list(cases).index(name)
    if case.wave is None:
        return None
    offset = OFFSETS[number % len(OFFSETS)]
    return Trial(case.wave, case.dtypes[number % len(case.dtypes)], offset, 1)


def compare(case: Case, trial: Trial) -> None:
    operands = trial.operands(case)
    description = str(trial)
    got = results_of(case.call(sk, *(operand.mine for operand in operands)))
    want = results_of((case.want or case.call)(np, *(operand.theirs for operand in operands)))
    for actual, host in zip(got, map(np.asarray, want), strict=True):
        assert actual.device == sk.Device(DEVICE), description
        assert actual.shape == host.shape, description
        values = on_host(actual)
        if case.tolerance and kind_of(host.dtype) in "fc":
            tolerance = case.tolerance * float(np.finfo(host.dtype).eps / np.finfo("float64").eps)
            scale = float(np.abs(host).max(initial=1))
            np.testing.assert_allclose(
                values, host, tolerance, tolerance * scale, err_msg=description
            )
        else:
            np.testing.assert_array_equal(values, host, err_msg=description)
    for number, operand in enumerate(operands):
        label = f"{description}: operand {number} and the memory around it"
        np.testing.assert_array_equal(on_host(operand.memory), operand.host, err_msg=label)


def checksum(case: Case, trial: Trial) -> int:
    """Returns a digest of the bits of results, operands and the memory around them."""
    operands = trial.operands(case)
    results = results_of(case.call(sk, *(operand.mine for operand in operands)))
    arrays = [*results, *(operand.memory for operand in operands)]
    return functools.reduce(lambda crc, x: zlib.crc32(on_host(x).tobytes(), crc), arrays, 0)


def print_checksums(cases: dict[str, Case], share: str) -> None:
    """Prints the checksums of the I-th of N parts of the cases, for "I/N"."""
    part, parts = (int(word) for word in share.split("/"))
    for name in list(cases)[part - 1 :: parts]:
        case, wave = cases[name], wave_of(cases, name)
        chosen = [trial for offset in OFFSETS for trial in trials(case, offset)]
        for trial in [*chosen, wave] if wave else chosen:
            print(f"{checksum(case, trial):08x} {name}, {trial}")
