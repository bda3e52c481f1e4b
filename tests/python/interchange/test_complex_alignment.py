# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Complex arrays need only the alignment of their components, as in NumPy, C and Fortran: for import and computation."""

import numpy as np
import pytest
import skerry as sk

from tests.python.interchange.cai_producers import Producer
from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device, to_numpy

pytestmark = pytest.mark.two_gpus
PARTS = {"complex64": "float32", "complex128": "float64"}
DTYPES = loop_over("dtype", PARTS)


def numbers(dtype, size=5000):
    """Return nonzero numbers with few digits, whose sums are exact."""
    step = np.arange(size) % 61
    return (1 + step + 1j * (step % 7 - 3)).astype(dtype)


def odd_host(dtype, values=None):
    """Return a NumPy array whose address is a multiple of the component's size, but not of the itemsize."""
    values = numbers(dtype) if values is None else values
    size = values.dtype.itemsize
    buffer = np.zeros(values.nbytes + size, np.uint8)
    first = size // 2 if buffer.ctypes.data % size == 0 else 0
    x = buffer[first : first + values.nbytes].view(dtype).reshape(values.shape)
    x[...] = values
    assert x.flags.aligned
    assert x.ctypes.data % size == size // 2
    return x


def odd_array(device, dtype, values=None):
    """Like odd_host, but an array on a device."""
    values = numbers(dtype) if values is None else values
    if device.startswith("cpu"):
        return sk.asarray(odd_host(dtype, values), device=device, copy=False)
    flat = np.ascontiguousarray(values).view(PARTS[dtype]).reshape(-1)
    memory = to_device(device, np.concatenate([flat[:1], flat]))[1:]
    typestr = np.dtype(dtype).str
    return sk.as_cuda_array(
        Producer(memory, shape=values.shape, strides=None, typestr=typestr, descr=[("", typestr)])
    )


@DTYPES
@pytest.mark.parametrize(
    "take",
    [
        lambda x: sk.asarray(x, copy=False),
        sk.from_dlpack,
        lambda x: sk.from_dlpack(x.__dlpack__()),
        lambda x: sk.asarray(x.__dlpack__(), copy=False),
        lambda x: sk.asarray(memoryview(x), copy=False),
    ],
)
def test_memory_of_the_host_is_shared(dtype, take):
    host = odd_host(dtype)
    x = take(host)
    assert np.asarray(x).ctypes.data == host.ctypes.data
    assert_same(x, host, "cpu:0")


@pytest.mark.not_guarded("blocks have only the alignment that their elements require")
@DTYPES
def test_memory_of_a_gpu_is_shared(dtype, cuda_device):
    x = odd_array(cuda_device, dtype)
    pointer = x.__cuda_array_interface__["data"][0]
    assert pointer % np.dtype(dtype).itemsize == np.dtype(dtype).itemsize // 2
    assert_same(x, numbers(dtype), cuda_device)
    for y in (sk.from_dlpack(x), sk.asarray(Producer(x), copy=False)):
        assert y.__cuda_array_interface__["data"][0] == pointer
        assert_same(y, numbers(dtype), cuda_device)


@DTYPES
def test_less_than_component_alignment_is_rejected(dtype, cuda_device):
    x = odd_array(cuda_device, dtype)
    step = np.dtype(dtype).itemsize // 4
    pointer = x.__cuda_array_interface__["data"][0]
    with pytest.raises(ValueError, match="aligned"):
        sk.as_cuda_array(Producer(x, data=(pointer + step, False), shape=(2,)))


@DTYPES
def test_strides_of_an_odd_number_of_components(dtype, cuda_device):
    """The stride is three components."""
    part = np.dtype(PARTS[dtype])
    values = np.arange(1, 40, dtype=part)
    memory = to_device(cuda_device, values)
    about = {"shape": (12,), "strides": (3 * part.itemsize,), "typestr": np.dtype(dtype).str}
    x = sk.as_cuda_array(Producer(memory, **about, descr=[("", about["typestr"])]))
    want = np.lib.stride_tricks.as_strided(
        values.view(), (12, 2), (3 * part.itemsize, part.itemsize)
    )
    want = (want[:, 0] + 1j * want[:, 1]).astype(dtype)
    assert_same(x, want, cuda_device)
    assert_same(x + x, want + want, cuda_device)
    assert_same(sk.sum(x), np.sum(want), cuda_device)
    assert_same(sk.reshape(x, (3, 4)) @ sk.reshape(x, (4, 3)), want.reshape(3, 4) @ want.reshape(4, 3), cuda_device)  # fmt: skip
    stack = sk.as_cuda_array(
        Producer(
            memory,
            shape=(5, 2, 2),
            strides=(3 * part.itemsize, 4 * part.itemsize, 2 * part.itemsize),
            typestr=about["typestr"],
            descr=[("", about["typestr"])],
        )
    )
    host = to_numpy(stack)
    assert_same(stack @ stack, host @ host, cuda_device)


CALLS = {
    "copy": (lambda s, x: s.asarray(x, copy=True), lambda x: x),
    "add": (lambda s, x: s.add(x, x), lambda x: x + x),
    "scalar": (lambda s, x: s.multiply(x, 2), lambda x: x * 2),
    "abs of real": (lambda s, x: s.real(x), np.real),
    "strided": (lambda s, x: s.add(x[::3], x[1::3][: x[::3].shape[0]]), None),
    "sum": (lambda s, x: s.sum(x), np.sum),
    "prod": (lambda s, x: s.prod(x[:4]), lambda x: np.prod(x[:4])),
    "sum of columns": (lambda s, x: s.sum(s.reshape(x, (50, 100)), axis=0), None),
    "cumulative_sum": (lambda s, x: s.cumulative_sum(x), np.cumsum),
    "unique": (lambda s, x: s.unique_values(x), np.unique),
    "where": (lambda s, x: s.where(s.real(x) > 20, x, x + x), None),
    "take": (lambda s, x: s.take(x, s.asarray([7, 4999, 3], device=x.device)), None),
    "mask": (lambda s, x: x[s.real(x) > 20], None),
    "matmul": (lambda s, x: s.reshape(x, (50, 100)) @ s.reshape(x, (100, 50)), None),
    "vecdot": (lambda s, x: s.vecdot(x, x), None),
    "roll": (lambda s, x: s.roll(x, 7), None),
}


@DTYPES
@pytest.mark.parametrize("name", CALLS)
def test_results_match_those_of_an_aligned_copy(name, dtype, device):
    call, reference = CALLS[name]
    x = odd_array(device, dtype)
    aligned = to_device(device, numbers(dtype))
    got, want = call(sk, x), call(sk, aligned)
    assert_same(got, to_numpy(want), device, label=name)
    if reference is not None:
        assert_same(got, reference(numbers(dtype)), device, label=name)


@DTYPES
def test_assignment_and_slices_of_an_aligned_array(dtype, device):
    """Slices of an aligned array start at addresses that a GPU's wide copies can't use."""
    host = numbers(dtype)
    x = to_device(device, host)
    for first in (1, 2, 3, 8):
        assert_same(sk.asarray(x[first:], copy=True), host[first:], device)
        assert_same(x[first:] + x[:-first], host[first:] + host[:-first], device)
    x[1:] = odd_array(device, dtype)[:-1]
    host[1:] = numbers(dtype)[:-1]
    assert_same(x, host, device)
