# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of the emulated GPU, for libraries that need a driver. Imported before them, as they look for it once."""

import os

os.environ["SKERRY_REHEARSE"] = "2"
os.environ["SKERRY_REHEARSE_KERNELS"] = "1"

import skerry as sk

DEVICE = "cuda:0"


def memory(host):
    x = sk.asarray(host).to_device(DEVICE)
    sk.synchronize(DEVICE)
    return x.__cuda_array_interface__["data"][0], x


def read(description):
    """Return the elements that a dictionary describes, imported by skerry."""
    return sk.from_cuda_array_interface(description).to_numpy()


def slow_stream(owner):
    """Start work that adds 1 to the elements of an array; return its stream."""
    stream = sk.Stream(DEVICE)
    with sk.stream(stream):
        owner += 1
    return stream.handle
