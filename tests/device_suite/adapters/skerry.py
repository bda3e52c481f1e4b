# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry on all kinds of devices; CUDA devices are rehearsed where there is no GPU."""

import os
import pathlib

os.environ.setdefault("SKERRY_CPU_DEVICES", "2")
if pathlib.Path("/dev/nvidiactl").exists():
    os.environ.setdefault("SKERRY_CUDA_LOGICAL", "2")
else:
    os.environ.setdefault("SKERRY_REHEARSE", "2")

import skerry
from skerry.testing import instruments

namespace = skerry
device = skerry.Device
device_context = skerry.device
set_default_device = skerry.set_default_device
limited_devices = instruments.devices_without_float64


def no_default_device():
    return skerry.device(None)


def streams(device):
    if device.kind == "cpu":
        return [None]
    stream = skerry.Stream(device)
    return [None, 1, stream, stream.handle]
