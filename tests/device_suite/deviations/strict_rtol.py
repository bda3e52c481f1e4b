# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""array-api-strict: linalg.pinv and linalg.matrix_rank take rtol on another device."""

import array_api_strict as xp

one, another = (xp.Device(name) for name in ("device1", "device2"))
for function in (xp.linalg.pinv, xp.linalg.matrix_rank):
    try:
        y = function(xp.eye(2, device=one), rtol=xp.asarray(0.5, device=another))
        print("deviates: result on", y.device)
    except ValueError as error:
        print("raises", error)
