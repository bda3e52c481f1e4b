# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""array-api-strict on its devices, by their short names: CPU_DEVICE, device1, ..."""

import array_api_strict

namespace = array_api_strict
device = array_api_strict.Device
