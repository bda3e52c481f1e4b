# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""array-api-strict: on the device no_x64, argmax raises, though the default dtype of indices there is int32."""

import array_api_strict as xp

device = xp.Device("no_x64")
print(xp.__array_namespace_info__().default_dtypes(device=device)["indexing"])
try:
    print(xp.argmax(xp.ones(2, dtype=xp.float32, device=device)).dtype)
except ValueError as error:
    print("deviates:", error)
