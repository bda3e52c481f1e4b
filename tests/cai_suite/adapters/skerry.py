# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry, whose CUDA devices are rehearsed: their memory is host memory."""

import os

os.environ.setdefault("SKERRY_REHEARSE", "2")

import skerry as sk
from skerry.testing import instruments

DEVICE = "cuda:0"
title = f"skerry {sk.__version__}"
host_memory = sk.Device(DEVICE).info.rehearsal
export_version = sk.cuda_array_interface_version
broadcast = sk.broadcast_to
keeps_owner = reads_attribute = True


def array(host):
    return sk.asarray(host).to_device(DEVICE)


def host_array():
    return sk.ones((3,), device="cpu")


def read_only(x):
    description = x.__cuda_array_interface__
    pointer, _ = description["data"]
    return sk.from_cuda_array_interface({**description, "data": (pointer, True)}, x)


def pending(host):
    with instruments.delayed_work(0.002), sk.stream(sk.Stream(DEVICE)):
        x = array(host)
        for _ in range(10):
            x += 1
        return x, host + 10


def synchronize(stream):
    sk.Stream.from_handle(DEVICE, stream).synchronize()


def memory(host):
    x = array(host)
    sk.synchronize(DEVICE)
    return x.__cuda_array_interface__["data"][0], x


def consume(producer):
    return sk.as_cuda_array(producer)


def values(view):
    return view.to_numpy()


def is_read_only(view):
    return view.__cuda_array_interface__["data"][1]


def slow_stream(owner):
    stream = sk.Stream(DEVICE)
    with instruments.delayed_work(0.02), sk.stream(stream):
        owner += 1
    return stream.handle
