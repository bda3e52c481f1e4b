# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX: __dlpack_device__ of a second CPU device is (1, 0), its capsule says (1, 1)."""

import ctypes
import os

os.environ["JAX_NUM_CPU_DEVICES"] = "2"

import jax
import jax.numpy as jnp

x = jnp.ones(2, device=jax.devices()[1])
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
# A DLTensor begins with the pointer and the device.
capsule = x.__dlpack__()
device = tuple((ctypes.c_int32 * 4).from_address(get_pointer(capsule, b"dltensor")))[2:]
method = tuple(map(int, x.__dlpack_device__()))
print("deviates:" if device != method else "", "method", method, "capsule", device)
