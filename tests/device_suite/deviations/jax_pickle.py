# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX: an unpickled array is on the default device."""

import os
import pickle

os.environ["JAX_NUM_CPU_DEVICES"] = "2"

import jax
import jax.numpy as jnp

one, another = jax.devices()
y = pickle.loads(pickle.dumps(jnp.ones(2, device=another)))
print("deviates:" if y.device != another else "on", y.device)
