# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""jax.numpy on two CPU devices, named cpu:0 and cpu:1: every pair of devices compiles all functions once more."""

import os

os.environ.setdefault("JAX_NUM_CPU_DEVICES", "2")
os.environ.setdefault("JAX_ENABLE_X64", "1")

import jax
import jax.numpy

namespace = jax.numpy
version = jax.__version__
device_context = jax.default_device


def devices():
    return jax.devices()


def device(name):
    kind, number = name.split(":")
    return jax.devices(kind)[int(number)]


def set_default_device(device):
    jax.config.update("jax_default_device", device)
