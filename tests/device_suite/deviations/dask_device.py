# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""dask: arrays have no attribute device; array_api_compat.device(x) stands in."""

import dask.array

print("has device" if hasattr(dask.array.ones(2), "device") else "deviates: no attribute device")
