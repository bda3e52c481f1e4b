# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX: copysign takes zero-size arrays on different devices."""

import os

os.environ["JAX_NUM_CPU_DEVICES"] = "2"

import jax
import jax.numpy as jnp

one, another = jax.devices()
try:
    y = jnp.copysign(jnp.ones(0, device=one), jnp.ones(0, device=another))
    print("deviates: result on", y.device)
except ValueError as error:
    print("raises", error)
