# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""array-api-strict: searchsorted takes a sorter on another device."""

import array_api_strict as xp

one, another = (xp.Device(name) for name in ("device1", "device2"))
try:
    y = xp.searchsorted(
        xp.ones(2, device=one), xp.ones(2, device=one), sorter=xp.asarray([0, 1], device=another)
    )
    print("deviates: result on", y.device)
except ValueError as error:
    print("raises", error)
