# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""array-api-strict: asarray(x, device=d, copy=False) of an array on another device copies."""

import array_api_strict as xp

one, another = (xp.Device(name) for name in ("device1", "device2"))
try:
    y = xp.asarray(xp.ones(2, device=one), device=another, copy=False)
    print("deviates: result on", y.device)
except ValueError as error:
    print("raises", error)
