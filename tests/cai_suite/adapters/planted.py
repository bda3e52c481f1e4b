# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry as a producer and a consumer with one fault each, by recommendation: for planted_faults.py."""

import pathlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.cai_suite.dictionaries import Exporter
from tests.cai_suite.party import load

skerry = load(str(pathlib.Path(__file__).with_name("skerry.py")))


class Altered:
    """An array with another interface."""

    def __init__(self, x: Any, change: Callable[[dict[str, Any], Any], Any]) -> None:
        self.x = x
        self.change = change

    def __getitem__(self, key):
        return Altered(self.x[key], self.change)

    @property
    def T(self):
        return Altered(self.x.T, self.change)

    @property
    def __cuda_array_interface__(self):
        return self.change(self.x.__cuda_array_interface__, self)


def put(**keys: Any) -> Callable[[dict[str, Any], Any], dict[str, Any]]:
    """Return a change of keys of the dictionary; functions are called with the dictionary."""
    return lambda description, x: (
        description
        | {key: value(description) if callable(value) else value for key, value in keys.items()}
    )


def first_address(description):
    """Return the lowest address of an array, which is not that of its first element for negative strides."""
    pointer, flag = description["data"]
    strides = description["strides"] or ()
    spans = (stride * (n - 1) for stride, n in zip(strides, description["shape"], strict=False))
    return pointer + sum(span for span in spans if span < 0), flag


KEPT = []


def keep(description, x):
    KEPT.append(x)
    return description


SAME = {}

#: Fault: its recommendation and the change of the dictionary.
PRODUCER_FAULTS = {
    "host arrays have the attribute": ("producer-attribute", lambda d, x: d),
    "the value is a list of pairs": ("producer-dict", lambda d, x: list(d.items())),
    "the value is one dict": ("producer-dict", lambda d, x: SAME.setdefault(d["data"], d)),
    "shape is a list": ("producer-shape", put(shape=lambda d: list(d["shape"]))),
    "typestr has no byte order": (
        "producer-typestr",
        put(typestr=lambda d: d["typestr"][1:] + "?"),
    ),
    "data is a list": ("producer-data", put(data=lambda d: list(d["data"]))),
    "the lowest address is exported": ("producer-address", put(data=first_address)),
    "zero size has a pointer": (
        "producer-zero-size",
        put(data=lambda d: (d["data"][0] or 64, False)),
    ),
    "strides are always None": ("producer-strides", put(strides=None)),
    "strides count elements": (
        "producer-strides",
        put(strides=lambda d: d["strides"] and tuple(s // 8 for s in d["strides"])),
    ),
    "descr is another type": ("producer-descr", put(descr=[("", "<f4")])),
    "mask is always there": ("producer-mask", put(mask=Exporter({}))),
    "version is a str": ("producer-version", put(version="3")),
    "stream is 0": ("producer-stream", put(stream=0)),
    "stream is None with work pending": ("producer-stream-order", put(stream=None)),
    "the array is kept by reading": ("producer-lifetime", keep),
    "read-only is never said": ("producer-read-only", put(data=lambda d: (d["data"][0], False))),
}


def faulty_producer(change):
    def array(host):
        return Altered(skerry.array(host), change)

    def pending(host):
        x, expected = skerry.pending(host)
        return Altered(x, change), expected

    def read_only(x):
        return Altered(skerry.read_only(x.x), change)

    return SimpleNamespace(
        **{**vars(skerry), "array": array, "pending": pending, "read_only": read_only}
    )


def altered_import(change):
    """Return a consumer that changes the dictionary before it reads it."""

    def consume(producer):
        description = change(dict(producer.__cuda_array_interface__))
        return skerry.sk.as_cuda_array(Exporter(description, producer))

    return consume


def without(key):
    return lambda d: {k: v for k, v in d.items() if k != key}


def only_version_3(d):
    if d["version"] < 3:
        raise BufferError("version")
    return d


def only_with_strides(d):
    d["strides"].__len__()
    return d


def reject_zero_size(d):
    if d["data"][0] == 0:
        raise ValueError("pointer")
    return d


def read_twice(producer):
    producer.__cuda_array_interface__
    return skerry.sk.as_cuda_array(producer)


def swallow(producer):
    try:
        return skerry.sk.as_cuda_array(producer)
    except RuntimeError:
        raise TypeError("no interface") from None


def forget_owner(producer):
    return skerry.sk.from_cuda_array_interface(producer.__cuda_array_interface__, producer.owner)


def import_unordered(producer):
    return skerry.sk.as_cuda_array(producer, sync=False)


CONSUMER_FAULTS = {
    "versions before 3 are rejected": ("consumer-versions", altered_import(only_version_3)),
    "strides are required": ("consumer-producers", altered_import(only_with_strides)),
    "all types are float32": ("consumer-types", altered_import(lambda d: d | {"typestr": "<f4"})),
    "strides are ignored": ("consumer-strides", altered_import(without("strides"))),
    "zero size is rejected": ("consumer-zero-size", altered_import(reject_zero_size)),
    "read-only is ignored": (
        "consumer-read-only",
        altered_import(lambda d: d | {"data": (d["data"][0], False)}),
    ),
    "descr is required": ("consumer-descr", altered_import(lambda d: d | {"descr": d["descr"]})),
    "a mask is ignored": ("consumer-mask", altered_import(without("mask"))),
    "stream 0 is taken for 1": (
        "consumer-stream",
        altered_import(lambda d: d | {"stream": d.get("stream") or 1}),
    ),
    "the stream is not waited for": ("consumer-stream-order", import_unordered),
    "the object is not kept": ("consumer-lifetime", forget_owner),
    "the attribute is read twice": ("consumer-attribute", read_twice),
    "its errors are hidden": ("consumer-attribute", swallow),
    "the byte order is ignored": (
        "consumer-malformed",
        altered_import(lambda d: d | {"typestr": d["typestr"].replace(">", "<")}),
    ),
}
parties = {name: faulty_producer(change) for name, (_, change) in PRODUCER_FAULTS.items()}
parties |= {
    name: SimpleNamespace(**{**vars(skerry), "consume": consume})
    for name, (_, consume) in CONSUMER_FAULTS.items()
}
parties["host arrays have the attribute"].host_array = lambda: skerry.array(np.ones(3))
