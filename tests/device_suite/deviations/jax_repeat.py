# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX: repeat takes repeats on another device."""

import os

os.environ["JAX_NUM_CPU_DEVICES"] = "2"

import jax
import jax.numpy as jnp

one, another = jax.devices()
try:
    y = jnp.repeat(jnp.ones(2, device=one), jnp.asarray([1, 2], device=another))
    print("deviates: result on", y.device)
except ValueError as error:
    print("raises", error)
