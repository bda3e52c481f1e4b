# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""array-api-strict: a mask on another device is taken as a key of an assignment."""

import array_api_strict as xp

one, another = (xp.Device(name) for name in ("device1", "device2"))
x = xp.ones(2, device=one)
try:
    x[xp.asarray([True, False], device=another)] = 5.0
    print("deviates: assigned", x)
except ValueError as error:
    print("raises", error)
