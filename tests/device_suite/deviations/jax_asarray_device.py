# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX: asarray(x, device=d) of an array on another device raises."""

import os

os.environ["JAX_NUM_CPU_DEVICES"] = "2"

import jax
import jax.numpy as jnp

one, another = jax.devices()
x = jnp.ones(2, device=one)
try:
    print("on", jnp.asarray(x, device=another).device)
except ValueError as error:
    print("deviates:", str(error).splitlines()[0])
