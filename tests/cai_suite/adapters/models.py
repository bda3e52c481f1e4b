# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Models of other consumers: the checks of each library, in its order, as functions of the dictionary.

A library that takes a dictionary of memory that is not there would read it later, at the latest in a kernel. The models
read nothing outside the memory of the test: their result is then ``ELSEWHERE``.
"""

import functools
import operator
from types import SimpleNamespace

import numpy as np

from tests.python.interchange import consumer_models
from tests.python.interchange.consumer_models import MODELS, c_strides

#: The result of a library that has taken memory outside that of the test.
ELSEWHERE = np.empty(0)
MEMORY = []
read_memory = consumer_models.read


class ReadsElsewhere(BaseException):
    """No error of a library: no test of a library's errors catches it."""


def memory(host):
    copy = host.copy()
    MEMORY.append(copy)
    return copy.__array_interface__["data"][0], copy


def is_inside(low, high):
    starts = ((x.__array_interface__["data"][0], x.nbytes) for x in MEMORY)
    return any(start <= low and high <= start + nbytes for start, nbytes in starts)


def read(pointer, shape, strides, dtype, *, read_only=False):
    """As the models' function, without NumPy's own checks of addresses, which the libraries do not have."""
    shape, dtype = [operator.index(n) for n in shape], np.dtype(dtype)
    if pointer is not None and pointer >= 2**64:
        raise OverflowError("the pointer exceeds 64 bits")
    steps = c_strides(shape, dtype.itemsize) if strides is None else strides
    if 0 not in shape and len(steps) == len(shape):
        distances = [step * (length - 1) for step, length in zip(steps, shape, strict=True)]
        low = pointer + sum(distance for distance in distances if distance < 0)
        high = pointer + sum(distance for distance in distances if distance > 0) + dtype.itemsize
        if min(shape, default=1) < 0 or not is_inside(low, high):
            raise ReadsElsewhere
    return read_memory(pointer, shape, strides, dtype, read_only=read_only)


consumer_models.read = read


def as_array(result, description):
    """Return what a library reads in the shape and dtype of the dictionary: some read bytes, or one or two axes."""
    try:
        dtype = np.dtype(description["typestr"])
        result = result.view(dtype) if result.dtype == np.uint8 else result
        return result.reshape(description["shape"])
    except (TypeError, ValueError):
        return result


def consume(name, producer):
    description = producer.__cuda_array_interface__
    try:
        return as_array(MODELS[name](description), description)
    except ReadsElsewhere:
        return ELSEWHERE


def party(name):
    return SimpleNamespace(
        title=name,
        memory=memory,
        consume=functools.partial(consume, name),
        values=lambda view: view,
        keeps_owner=False,
        reads_attribute=False,
    )


parties = {name: party(name) for name in MODELS}
