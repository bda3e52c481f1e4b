# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Mock modules of libraries that need a GPU, so that the recipes for them run without one.

They import arrays with the checks of `consumer_models`, as views of rehearsed memory, and export arrays with the same
interface as the library: CuPy's has version 3 with a stream, cuDF's has no stream, RMM's has version 0.
"""

import contextlib
import sys
import types

import numpy as np
import skerry as sk

from tests.python.interchange import consumer_models as models


def consumer_view(name, x):
    """Return a library's view of an array after synchronizing with the array's stream."""
    about = x.__cuda_array_interface__
    sk.Stream.from_handle("cuda:0", about.get("stream") or 1).synchronize()
    return models.MODELS[name](about)


class Made:
    """An array of a library; its interface has this version, without the entries `leave_out`."""

    def __init__(self, values, version=3, leave_out=()):
        self.memory = sk.asarray(np.asarray(values), device="cuda:0")
        self.version, self.leave_out = version, leave_out

    @property
    def __cuda_array_interface__(self):
        with sk.cuda_array_interface_version(self.version):
            about = self.memory.__cuda_array_interface__
        return {key: value for key, value in about.items() if key not in self.leave_out}


class Tensor(Made):
    def __init__(self, values):
        super().__init__(values, version=2)

    def __dlpack__(self, **keywords):
        return self.memory.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()


class Series(Made):
    def __init__(self, x):
        super().__init__(consumer_view("cudf", x).copy(), leave_out=("stream",))

    def sum(self):
        return float(sk.sum(self.memory))


class DeviceBuffer(Made):
    def __init__(self, *, size):
        super().__init__(np.zeros(size, np.uint8), version=0)

    def copy_from_device(self, x):
        self.memory[:] = sk.asarray(consumer_view("rmm", x).view(np.uint8), device="cuda:0")


class QuantileDMatrix:
    def __init__(self, data, label):
        self.data, self.label = consumer_view("xgboost", data), consumer_view("xgboost", label)

    def num_row(self):
        return len(self.data)


class Context:
    def __init__(self, ordinal):
        assert ordinal == 0

    def buffer_from_object(self, x):
        return types.SimpleNamespace(size=consumer_view("pyarrow", x).nbytes)


MEMBERS = {
    "cupy": {
        "asarray": lambda x: consumer_view("cupy", x),
        "arange": lambda n: Made(np.arange(n)),
        "cuda": types.SimpleNamespace(Device=lambda ordinal: contextlib.nullcontext()),
    },
    "torch": {
        "from_dlpack": lambda x: consumer_view("torch", x),
        "ones": lambda n, device: Tensor(np.ones(n, np.float32)),
    },
    "cudf": {"Series": Series},
    "rmm": {"DeviceBuffer": DeviceBuffer},
    "xgboost": {"QuantileDMatrix": QuantileDMatrix},
    "pyarrow.cuda": {"Context": Context},
}


def install(name):
    """Make ``import name`` return the mock."""
    module = types.ModuleType(name)
    vars(module).update(MEMBERS[name])
    package, _, child = name.rpartition(".")
    if package:
        parent = sys.modules[package] = types.ModuleType(package)
        setattr(parent, child, module)
    sys.modules[name] = module
