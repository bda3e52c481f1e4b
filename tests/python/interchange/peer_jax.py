# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""JAX on the CPU, both directions; `test_consumers.py` runs this file in its own process, since JAX forbids fork."""

import gc
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import DTYPES, sample, to_device

jax.config.update("jax_enable_x64", True)


def address(x):
    return np.asarray(x).__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0, 3)], ids=str)
def test_arrays_go_to_jax_and_back(dtype, shape):
    host = sample(dtype, shape)
    x = to_device("cpu:0", host)
    theirs = jnp.from_dlpack(x)
    assert theirs.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(theirs), host)
    back = sk.from_dlpack(theirs)
    assert back.device == sk.Device("cpu:0")
    np.testing.assert_array_equal(np.asarray(back), host)


def test_aligned_memory_is_not_copied():
    x = sk.arange(1000.0)
    assert jnp.from_dlpack(x).unsafe_buffer_pointer() == address(x)
    theirs = jnp.arange(1000.0)
    assert address(sk.from_dlpack(theirs)) == theirs.unsafe_buffer_pointer()


def test_transposed_arrays_are_accepted_and_strided_ones_rejected():
    x = sk.reshape(sk.arange(12.0), (3, 4))
    np.testing.assert_array_equal(np.asarray(jnp.from_dlpack(x.T)), np.asarray(x).T)
    with pytest.raises(Exception, match=r"(?i)strid|layout|compact|unimplemented"):
        jnp.from_dlpack(x[:, ::2])


def live_bytes():
    return sk.memory_statistics("cpu:0").live_bytes


def live_bytes_fall_to(most):
    """Whether live bytes soon drop to `most`; JAX's threads may release memory with a delay."""
    deadline = time.monotonic() + 10
    while live_bytes() > most and time.monotonic() < deadline:
        time.sleep(0.01)
    return live_bytes() <= most


def test_memory_lives_as_long_as_the_jax_array():
    old_live_bytes = live_bytes()
    x = sk.full((100_000,), 3.0)
    theirs = jnp.from_dlpack(x)
    del x
    gc.collect()
    sk.zeros((100_000,))
    assert live_bytes() >= 800_000
    assert float(theirs.sum()) == 300_000
    del theirs
    gc.collect()
    assert live_bytes_fall_to(old_live_bytes)


def test_memory_of_jax_lives_as_long_as_the_array():
    theirs = jnp.full((100_000,), 3.0)
    x = sk.from_dlpack(theirs)
    del theirs
    gc.collect()
    jnp.zeros((100_000,)).block_until_ready()
    assert float(sk.sum(x)) == 300_000


def test_results_of_compiled_functions_can_be_imported():
    double = jax.jit(lambda x: 2 * x)
    x = sk.from_dlpack(double(jnp.from_dlpack(sk.arange(5.0))))
    assert x.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_read_only_arrays_are_not_exported():
    """JAX requests an unversioned capsule, which has no read-only flag."""
    with pytest.raises(BufferError, match="read-only"):
        jnp.from_dlpack(sk.broadcast_to(sk.ones((1,)), (4,)))


def test_cpu_jax_rejects_cuda_arrays_and_accepts_them_after_to_device():
    x = sk.arange(3, device="cuda:0")
    with pytest.raises(Exception, match=r"(?i)cuda|gpu|device"):
        jnp.from_dlpack(x)
    assert np.asarray(jnp.from_dlpack(x.to_device("cpu"))).tolist() == [0, 1, 2]
