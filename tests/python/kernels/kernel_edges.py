# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls on operands that begin anywhere in longer arrays, compared with NumPy's.

The arrays are compared whole: an operand is changed where the call says so, and nothing around it is.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import skerry as sk

Shape = tuple[int, ...]
OFFSETS = (0, 1, 7)
DEVICE = "cuda:0"
GUARD = 9  # items behind an operand
EVERY = ("int8", "int16", "float32", "float64", "complex128")


def numbers(dtype: str, shape: Shape, seed: int = 1) -> np.ndarray:
    """Small integers in no order, negative ones among them where there are any: results are exact."""
    values = np.random.default_rng(seed).integers(-9, 10, int(np.prod(shape)))
    kind = np.dtype(dtype).kind
    values = np.abs(values) if kind == "u" else values
    values = values + 1j * values[::-1] if kind == "c" else values
    return values.astype(dtype).reshape(shape)


def one(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [numbers(dtype, shape)]


class Case(NamedTuple):
    """A call, which takes a namespace and operands and gives an array, several, or nothing.

    Dtypes take turns: a shape meets another one at each offset.
    """

    call: Callable
    shapes: list[Shape]
    wave: Shape | None = None  # more than 132 multiprocessors hold at a time
    dtypes: tuple[str, ...] = EVERY
    inputs: Callable[[str, Shape], list[np.ndarray]] = one
    want: Callable | None = None  # NumPy's, where it does not take the same call
    tolerance: float = 0  # relative, of float64; that of float32 is as much more as its unit is


class Operand:
    """The same values for NumPy and on the device, in the midst of more of them."""

    def __init__(self, values: np.ndarray, offset: int):
        before, behind = np.ones(offset, values.dtype), np.ones(GUARD, values.dtype)
        self.host = np.concatenate((before, values.ravel(), behind))
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
    apart: int = 0  # how many offsets further each of the others begins

    def operands(self, of: Case) -> list[Operand]:
        first = OFFSETS.index(self.offset)
        inputs = of.inputs(self.dtype, self.shape)
        return [
            Operand(x, OFFSETS[(first + n * self.apart) % len(OFFSETS)])
            for n, x in enumerate(inputs)
        ]


def trials(of: Case, offset: int) -> Iterator[Trial]:
    """The case's shapes; each has another dtype at another offset."""
    for number, shape in enumerate(of.shapes):
        turn = number + OFFSETS.index(offset)
        yield Trial(shape, of.dtypes[turn % len(of.dtypes)], offset, number % len(OFFSETS))


def wave_of(cases: dict[str, Case], name: str) -> Trial | None:
    """What is more than a wave; its dtype and offset take turns among cases."""
    of, number = cases[name], list(cases).index(name)
    if of.wave is None:
        return None
    offset = OFFSETS[number % len(OFFSETS)]
    return Trial(of.wave, of.dtypes[number % len(of.dtypes)], offset, 1)


def compare(of: Case, trial: Trial) -> None:
    operands = trial.operands(of)
    what = str(trial)
    got = results_of(of.call(sk, *(each.mine for each in operands)))
    want = results_of((of.want or of.call)(np, *(each.theirs for each in operands)))
    for mine, host in zip(got, map(np.asarray, want), strict=True):
        assert mine.device == sk.Device(DEVICE), what
        assert mine.shape == host.shape, what
        values = on_host(mine)
        if of.tolerance and host.dtype.kind in "fc":
            tolerance = of.tolerance * float(np.finfo(host.dtype).eps / np.finfo("float64").eps)
            scale = float(np.abs(host).max(initial=1))
            np.testing.assert_allclose(values, host, tolerance, tolerance * scale, err_msg=what)
        else:
            np.testing.assert_array_equal(values, host, err_msg=what)
    for number, each in enumerate(operands):
        label = f"{what}: operand {number} and what surrounds it"
        np.testing.assert_array_equal(on_host(each.memory), each.host, err_msg=label)


def checksum(of: Case, trial: Trial) -> int:
    """Return a digest of the bits of results and of all that surrounds operands."""
    operands = trial.operands(of)
    results = results_of(of.call(sk, *(each.mine for each in operands)))
    arrays = [*results, *(each.memory for each in operands)]
    return functools.reduce(lambda crc, x: zlib.crc32(on_host(x).tobytes(), crc), arrays, 0)


def print_checksums(cases: dict[str, Case], share: str) -> None:
    """Those of the I-th of N parts of the cases, for "I/N"."""
    part, parts = (int(word) for word in share.split("/"))
    for name in list(cases)[part - 1 :: parts]:
        of, wave = cases[name], wave_of(cases, name)
        chosen = [trial for offset in OFFSETS for trial in trials(of, offset)]
        for trial in [*chosen, wave] if wave else chosen:
            print(f"{checksum(of, trial):08x} {name}, {trial}")
