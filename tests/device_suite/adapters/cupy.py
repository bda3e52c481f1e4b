# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy through array-api-compat on all GPUs."""

import array_api_compat
import array_api_compat.cupy
import cupy

namespace = array_api_compat.cupy
version = cupy.__version__
device = cupy.cuda.Device
device_of = array_api_compat.device
to_device = array_api_compat.to_device
device_context = cupy.cuda.Device


def devices():
    return [cupy.cuda.Device(i) for i in range(cupy.cuda.runtime.getDeviceCount())]
