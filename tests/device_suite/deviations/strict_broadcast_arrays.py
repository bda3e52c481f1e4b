# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""array-api-strict: broadcast_arrays takes arrays on different devices; all results are on the device of the first."""

import array_api_strict as xp

one, another = (xp.Device(name) for name in ("device1", "device2"))
try:
    results = xp.broadcast_arrays(xp.ones(2, device=one), xp.ones(2, device=another))
    print("deviates: results on", [x.device for x in results])
except ValueError as error:
    print("raises", error)
