# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy: devices() is a list."""

import numpy as np

devices = np.__array_namespace_info__().devices()
print("deviates:" if type(devices) is not tuple else "", devices)
