# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Dictionaries of the interface: plain ones, those of known producers, and 46 odd ones with what each should get."""

import dataclasses
from typing import Any

import numpy as np

ABSENT = ...
#: What an odd dictionary should get: an error; the elements; or either, as the text leaves it open.
ERROR, VALUES, EITHER = "error", "values", "either"


class Exporter:
    """An object with the interface; counts how often the attribute is read."""

    def __init__(self, description: Any, owner: Any = None) -> None:
        self.description = description
        self.owner = owner
        self.reads = 0

    @property
    def __cuda_array_interface__(self) -> Any:
        self.reads += 1
        return self.description


def describe(address: int, host: Any, **changes: Any) -> dict[str, Any]:
    """Return the dictionary of version 3 for memory with the elements of a NumPy array; keys may be ABSENT."""
    description = {
        "shape": host.shape,
        "typestr": host.dtype.str,
        "data": (address, False),
        "strides": None,
        "version": 3,
        "stream": None,
        **changes,
    }
    return {key: value for key, value in description.items() if value is not ABSENT}


#: Keys as known producers export them, each from the source of its library.
PRODUCERS = {
    "RMM": {"version": 0, "stream": ABSENT},
    "cuML": {"version": 1, "strides": ABSENT, "stream": ABSENT, "order": "C"},
    "PyTorch": {"version": 2, "stream": ABSENT},
    "JAX": {"version": 2, "stream": ABSENT, "strides": ABSENT},
    "CuPy": {"descr": [("", "<f8")], "stream": 1},
    "Numba": {},
    "cuDF": {"strides": (8,), "stream": ABSENT},
}


@dataclasses.dataclass(frozen=True)
class Odd:
    """A dictionary that differs from a plain one in some keys; the address is filled in for ADDRESS."""

    name: str
    changes: dict[str, Any]
    should_get: str


class Address:
    """Stands for the address, with something added."""


ADDRESS = Address()
ZERO_SIZE = {"shape": (0,)}
#: Changes of a dictionary for 12 elements of 8 bytes on one axis, which every consumer takes.
ODD = [
    Odd("shape is a list", {"shape": [12]}, EITHER),
    Odd("shape is an int", {"shape": 12}, ERROR),
    Odd("shape is None", {"shape": None}, ERROR),
    Odd("shape has a float", {"shape": (12.0,)}, ERROR),
    Odd("shape has a str", {"shape": ("12",)}, ERROR),
    Odd("shape is negative", {"shape": (-12,)}, ERROR),
    Odd("shape overflows", {"shape": (2**61,)}, ERROR),
    Odd("shape of NumPy ints", {"shape": (np.int64(12),)}, VALUES),
    Odd("shape is absent", {"shape": ABSENT}, ERROR),
    Odd("typestr is absent", {"typestr": ABSENT}, ERROR),
    Odd("typestr is None", {"typestr": None}, ERROR),
    Odd("typestr is empty", {"typestr": ""}, ERROR),
    Odd("typestr of 3 bytes", {"typestr": "<f3"}, ERROR),
    Odd("typestr of the other byte order", {"typestr": ">f8"}, ERROR),
    Odd("typestr of objects", {"typestr": "|O8"}, ERROR),
    Odd("typestr of dates", {"typestr": "<M8[ns]"}, EITHER),
    Odd("typestr is a dtype's name", {"typestr": "float64"}, EITHER),
    Odd("data is absent", {"data": ABSENT}, ERROR),
    Odd("data is None", {"data": None}, ERROR),
    Odd("data is an int", {"data": ADDRESS}, ERROR),
    Odd("data has one item", {"data": (ADDRESS,)}, ERROR),
    Odd("data has three items", {"data": (ADDRESS, False, 0)}, ERROR),
    Odd("data is a list", {"data": [ADDRESS, False]}, EITHER),
    Odd("pointer is a str", {"data": ("64", False)}, ERROR),
    Odd("pointer is negative", {"data": (-64, False)}, ERROR),
    Odd("pointer of 65 bits", {"data": (2**64, False)}, ERROR),
    Odd("pointer is 0", {"data": (0, False)}, ERROR),
    Odd("pointer is None", {"data": (None, False)}, ERROR),
    Odd("zero size, pointer 0", {**ZERO_SIZE, "data": (0, False)}, VALUES),
    Odd("zero size, pointer None", {**ZERO_SIZE, "data": (None, False)}, EITHER),
    Odd("zero size, another pointer", {**ZERO_SIZE, "data": (64, False)}, VALUES),
    Odd("strides is a list", {"strides": [8]}, EITHER),
    Odd("strides is an int", {"strides": 8}, ERROR),
    Odd("strides has no item", {"strides": ()}, ERROR),
    Odd("strides overflows", {"strides": (2**62,)}, ERROR),
    Odd("strides of C order", {"strides": (8,)}, VALUES),
    Odd("version is absent", {"version": ABSENT}, EITHER),
    Odd("version is 99", {"version": 99}, EITHER),
    Odd("version is a str", {"version": "3"}, EITHER),
    Odd("mask", {"mask": Exporter({})}, ERROR),
    Odd("stream is 0", {"stream": 0}, ERROR),
    Odd("stream is -5", {"stream": -5}, ERROR),
    Odd("stream is a str", {"stream": "1"}, ERROR),
    Odd("unknown keys", {"order": "C", "device": 3}, VALUES),
    Odd("descr is None", {"descr": None}, EITHER),
    Odd("read-only is an int", {"data": (ADDRESS, 0)}, VALUES),
]


def odd_dictionary(odd: Odd, address: int, host: Any) -> dict[str, Any]:
    def fill(value: Any) -> Any:
        if value is ADDRESS:
            return address
        if isinstance(value, tuple | list):
            return type(value)(map(fill, value))
        return value

    return describe(address, host, **{key: fill(value) for key, value in odd.changes.items()})
