# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX: meshgrid takes arrays on different devices; each result is on the device of its input."""

import os

os.environ["JAX_NUM_CPU_DEVICES"] = "2"

import jax
import jax.numpy as jnp

one, another = jax.devices()
try:
    results = jnp.meshgrid(jnp.ones(2, device=one), jnp.ones(2, device=another))
    print("deviates: results on", [x.device for x in results])
except ValueError as error:
    print("raises", error)
