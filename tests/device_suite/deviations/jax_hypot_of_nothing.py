# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX: hypot of zero-size arrays is on the default device."""

import os

os.environ["JAX_NUM_CPU_DEVICES"] = "2"

import jax
import jax.numpy as jnp

one, another = jax.devices()
x = jnp.ones(0, device=another)
y = jnp.hypot(x, x)
print("deviates:" if y.device != another else "on", y.device)
