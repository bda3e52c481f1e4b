# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""dask: array-api-compat lists the device DASK_DEVICE, but an array created there is on "cpu"."""

import array_api_compat
import array_api_compat.dask.array as xp

for device in xp.__array_namespace_info__().devices():
    device_of_array = array_api_compat.device(xp.ones(2, device=device))
    print("deviates:" if device_of_array != device else "", device, "array on", device_of_array)
