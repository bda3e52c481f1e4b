# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Producers of the CUDA array interface for tests: memory of a skerry array with a modified interface."""

import os
import subprocess
import sys

import numpy as np

ABSENT = ...


def describe(x, **changes):
    """Return the interface of an array with keys changed, or removed if ABSENT; no stream unless given."""
    about = {**x.__cuda_array_interface__, "stream": None, **changes}
    return {key: value for key, value in about.items() if value is not ABSENT}


class Producer:
    """An object with the interface that keeps the memory alive and counts reads of the attribute."""

    def __init__(self, x, **changes):
        self.memory = x
        self.description = describe(x, **changes)
        self.reads = 0

    @property
    def __cuda_array_interface__(self):
        self.reads += 1
        return self.description


class HostView:
    """The interface as NumPy's array interface: the oracle for values in rehearsed memory."""

    def __init__(self, about, owner):
        self.owner = owner
        self.__array_interface__ = {
            "shape": tuple(about["shape"]),
            "typestr": about["typestr"],
            "data": about["data"],
            "strides": about.get("strides"),
            "version": 3,
        }


def as_host(about, owner):
    """Return NumPy's view of rehearsed memory with the same interface; its work must be complete."""
    if 0 in about["shape"]:
        return np.empty(tuple(about["shape"]), about["typestr"])
    return np.asarray(HostView(about, owner))


def python(code, **environment):
    """Run code in a new interpreter with rehearsed devices and return its stdout."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-W", "error", "-c", code],
        env={**clean, "SKERRY_REHEARSE": "2", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
