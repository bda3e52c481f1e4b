# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX: devices() is a list, and contains None."""

import jax.numpy as jnp

devices = jnp.__array_namespace_info__().devices()
print("deviates:" if type(devices) is not tuple else "", devices)
