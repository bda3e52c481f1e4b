# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Runs every operation with its k-th allocation failing, and on rehearsed devices with its k-th CUDA call failing.

The method is SQLite's: fail the first allocation, check that nothing was lost, then fail the second, and so on until
the operation succeeds. Either only the k-th call fails, or all calls from the k-th on.
"""

import contextlib
import functools
import gc

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceError, FatalDeviceError, InterchangeError, OutOfMemoryError
from skerry.testing import instruments
from skerry.testing.instruments import failing_allocation, failing_cuda_call

from tests.python.oracle import sample, to_device, to_numpy
from tests.python.session import HAS_GPU


def share_with_the_host(x, y):
    """Creates an array in managed memory and reads it on the host."""
    z = sk.full((40,), 2.0, device="cuda:0", managed=True)
    z += 1
    return np.asarray(z).sum()


def operations():
    """Yields (name, call of two float64 arrays of shape (6, 5) on one device)."""
    for entry in instruments.op_table():
        name, arity = entry["name"], entry["arity"]
        dtype = next(d for d in ("float64", "complex128", "int64", "bool") if d in entry["loops"])
        function = getattr(sk, name)

        def call(x, y, function=function, arity=arity, dtype=dtype):
            args = [x, y, y][:arity]
            return function(
                *(sk.astype(a, np.dtype(dtype)) if dtype != "float64" else a for a in args)
            )

        yield name, call
    for entry in instruments.reduction_table():
        function = getattr(sk, entry["name"])
        yield entry["name"], lambda x, y, function=function: function(x)
        yield entry["name"] + "_axis", lambda x, y, function=function: function(x.T, axis=0)
    yield "mixed dtypes", lambda x, y: x + sk.astype(y, sk.float32)
    yield "scalar", lambda x, y: 2.0 * x
    yield "where", lambda x, y: sk.where(x > y, x, y)
    yield "clip arrays", lambda x, y: sk.clip(x, y, y)
    yield "reshape copy", lambda x, y: sk.reshape(x.T, (-1,))
    yield "astype", lambda x, y: sk.astype(x.T, sk.int32)
    yield "tril", lambda x, y: sk.tril(x)
    yield "arange", lambda x, y: sk.arange(10, device=x.device)
    yield "sort", lambda x, y: sk.sort(sk.reshape(x, (-1,)))
    yield "sort axis", lambda x, y: sk.sort(x, axis=0)
    yield "argsort axis", lambda x, y: sk.argsort(x, axis=0, descending=True)
    yield "searchsorted", lambda x, y: sk.searchsorted(sk.reshape(x, (-1,)), y)
    yield "unique_all", lambda x, y: sk.unique_all(x.T)
    yield "unique_values", lambda x, y: sk.unique_values(x)
    yield "isin", lambda x, y: sk.isin(x.T, y)
    yield "fft", lambda x, y: sk.fft.fft(x.T, n=9)
    yield "fftn complex", lambda x, y: sk.fft.fftn(x + 1j * y, s=(4, 7), axes=(1, 0))
    yield "rfftn", lambda x, y: sk.fft.rfftn(x)
    yield "irfftn", lambda x, y: sk.fft.irfftn(x)
    yield "fftfreq", lambda x, y: sk.fft.fftfreq(9, device=x.device)
    yield "fftshift", lambda x, y: sk.fft.fftshift(x)
    yield "eye", lambda x, y: sk.eye(4, device=x.device)
    yield (
        "to other device",
        lambda x, y: x.to_device("cuda:1" if str(x.device) != "cuda:1" else "cpu:1"),
    )
    yield "to host", lambda x, y: x.T.to_device("cpu:1")
    yield "by DLPack", lambda x, y: sk.from_dlpack(x.__dlpack__(max_version=(1, 0)))
    yield "by DLPack, copied", lambda x, y: sk.from_dlpack(x.__dlpack__(copy=True))
    yield (
        "by DLPack, to the host",
        lambda x, y: sk.from_dlpack(x.__dlpack__(dl_device=(1, 0), copy=True)),
    )
    yield "managed memory", share_with_the_host
    yield "concat", lambda x, y: sk.concat([x, sk.astype(y.T, sk.float32)], axis=None)
    yield "stack", lambda x, y: sk.stack([x, y], axis=1)
    yield "tile", lambda x, y: sk.tile(x, (2, 2))
    yield "roll", lambda x, y: sk.roll(x.T, 1)
    yield "repeat", lambda x, y: sk.repeat(x, 2, axis=0)
    yield "repeat by an array", lambda x, y: sk.repeat(x, sk.arange(5, device=x.device), axis=1)
    yield "take", lambda x, y: sk.take(x.T, sk.arange(3, device=x.device), axis=1)
    yield "take_along_axis", lambda x, y: sk.take_along_axis(x, sk.astype(y, sk.int32), axis=0)
    yield "nonzero", lambda x, y: sk.nonzero(x.T)
    yield "mask", lambda x, y: x.T[y.T > 0.5]
    yield "mask of rows", lambda x, y: x[y[:, 0] > 0.5]
    yield (
        "two index arrays",
        lambda x, y: x[sk.arange(3, device=x.device), sk.astype(y[:3, 0], "i4")],
    )
    yield "diff", lambda x, y: sk.diff(x, n=2, append=y)
    yield "matmul", lambda x, y: x @ y.T
    yield "matmul copies", lambda x, y: x[::2, ::2] @ sk.astype(y, sk.float32)[::2, ::2].T
    yield "matmul int", lambda x, y: sk.astype(x, sk.int64) @ sk.astype(y, sk.int64).T
    yield "vecdot", lambda x, y: sk.vecdot(x, y)
    yield from linear_algebra()
    yield "tensordot", lambda x, y: sk.tensordot(x, y, axes=((0,), (0,)))
    yield "cumulative_sum", lambda x, y: sk.cumulative_sum(x, axis=0)
    yield "cumulative_prod of a view", lambda x, y: sk.cumulative_prod(x.T[::2], axis=1)
    yield "cumulative_sum dtype", lambda x, y: sk.cumulative_sum(x, axis=1, dtype=sk.int8)
    yield "many axes", lambda x, y: sk.sum(sk.reshape(x, (2, 3, 5, 1)), axis=(0, 2))


def linear_algebra():
    for name in ("det", "slogdet", "inv", "eig", "eigvals"):
        function = getattr(sk.linalg, name)
        yield (
            name,
            lambda x, y, function=function: function(x[:5, :5] + 9 * sk.eye(5, device=x.device)),
        )
    for name in ("cholesky", "eigh", "eigvalsh"):
        function = getattr(sk.linalg, name)
        yield name, lambda x, y, function=function: function(x.T @ x)
    for name in (
        "qr",
        "svd",
        "svdvals",
        "pinv",
        "matrix_rank",
        "matrix_norm",
        "vector_norm",
        "trace",
    ):
        function = getattr(sk.linalg, name)
        yield name, lambda x, y, function=function: function(x)
    yield "solve", lambda x, y: sk.linalg.solve(x.T @ x, y.T)
    yield "matrix_power", lambda x, y: sk.linalg.matrix_power(x[:5, :], 5)
    yield "cross", lambda x, y: sk.linalg.cross(x[:, :3], y[:, :3])
    yield "outer", lambda x, y: sk.linalg.outer(x[0, :], y[0, :])
    yield "vector_norm 3", lambda x, y: sk.linalg.vector_norm(x, ord=3, axis=0)


def in_place():
    """Yields (name, call that modifies x)."""
    yield "iadd", lambda x, y: x.__iadd__(y)
    yield "iadd overlapping", lambda x, y: x[1:].__iadd__(x[:-1])
    yield "setitem", lambda x, y: x.__setitem__(slice(None), y)
    yield "setitem moved", lambda x, y: x.__setitem__(slice(1, None), x[:-1])
    yield "setitem overlapping", lambda x, y: x.__setitem__(slice(None), x[::-1])
    yield "setitem scalar", lambda x, y: x.__setitem__(0, 3.0)
    yield "set indices", lambda x, y: x.__setitem__(sk.arange(3, device=x.device), y[:3])
    yield "set mask", lambda x, y: x.__setitem__(y > 2, y[0, :0])
    yield "set mask scalar", lambda x, y: x.__setitem__(y > 0.5, 1.0)
    yield "iadd cast", lambda x, y: x.__iadd__(sk.astype(y, sk.float32))


OPERATIONS, IN_PLACE = dict(operations()), dict(in_place())
EVERY_DEVICE = ("cpu:0", "cpu:1", "cuda:0", "cuda:1")


def live_bytes():
    for device in EVERY_DEVICE:
        sk.synchronize(device)
    return [sk.memory_statistics(device).live_bytes for device in EVERY_DEVICE]


def is_back_to(old_live_bytes):
    """True if live bytes have their old value. Collects garbage only if they differ, as that takes long."""
    if live_bytes() == old_live_bytes:
        return True
    gc.collect()
    return live_bytes() == old_live_bytes


def fail_until_it_works(failing, error, call, make, unchanged, limit):
    """Calls within ``failing(k)`` for k = 1, 2, … until the call succeeds. Returns the number of failures."""
    k = 1
    while True:
        x, y = make()
        old_live_bytes = live_bytes()
        has_failed = False
        with failing(k) as fault:
            try:
                result = call(x, y)
                # Device work runs later: its errors appear at the next synchronization.
                for device in EVERY_DEVICE:
                    sk.synchronize(device)
            except error:
                result, has_failed = None, True
        if has_failed:
            unchanged(x, y)
            assert is_back_to(old_live_bytes), f"failure {k} lost memory"
            call(*make())  # and the next attempt succeeds
        elif not fault.was_met:
            return k - 1
        del result
        k += 1
        assert k < limit, "the operation never succeeds"


def inputs(device):
    a, b = sample("float64", (6, 5), 1, 0.1, 0.9), sample("float64", (6, 5), 2, 0.1, 0.9)
    return a, b, lambda: (to_device(device, a), to_device(device, b))


@pytest.mark.parametrize("from_then_on", [False, True], ids=["once", "from_then_on"])
@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
@pytest.mark.parametrize("name", [*OPERATIONS, *IN_PLACE])
def test_operations_survive_failed_allocations(name, device, from_then_on):
    a, b, make = inputs(device)
    call = OPERATIONS.get(name) or IN_PLACE[name]

    def unchanged(x, y):
        assert np.array_equal(to_numpy(x), a)
        assert np.array_equal(to_numpy(y), b)

    failing = functools.partial(failing_allocation, from_then_on=from_then_on)
    failures = fail_until_it_works(failing, OutOfMemoryError, call, make, unchanged, 30)
    # Views, real() of real numbers, which returns its argument, and on a CPU overlapping copies allocate nothing.
    without_memory = {"iadd", "setitem", "setitem scalar", "by DLPack", "real"}
    if device.startswith("cpu"):
        without_memory.add("setitem moved")
    assert failures >= (0 if name in without_memory else 1)


@pytest.mark.skipif(
    HAS_GPU, reason="failures of CUDA calls are injected into rehearsed devices only"
)
@pytest.mark.parametrize("name", [*OPERATIONS, *IN_PLACE])
def test_operations_survive_failed_cuda_calls(name):
    a, b, make = inputs("cuda:0")
    call = OPERATIONS.get(name) or IN_PLACE[name]

    def unchanged(x, y):
        # If a call fails after an in-place kernel was enqueued, the operation took effect. Otherwise nothing changed.
        assert np.array_equal(to_numpy(y), b)
        if name in OPERATIONS:
            assert np.array_equal(to_numpy(x), a)

    errors = (DeviceError, OutOfMemoryError)
    if name.startswith("by DLPack"):
        # The injected code is the runtime's answer for an unknown pointer.
        errors += (InterchangeError,)
    failing = functools.partial(failing_cuda_call, status=1)  # cudaErrorInvalidValue: not fatal
    fail_until_it_works(failing, errors, call, make, unchanged, 200)


def is_lost(x, y):
    """True if the device of x and y is reported as lost, with the cause. Otherwise checks that x + y is right."""
    try:
        assert np.array_equal(to_numpy(x + y), to_numpy(x) + to_numpy(y))
    except FatalDeviceError as caught:
        text = str(caught)
    else:
        return False
    assert all(word in text for word in (f"{x.device} is lost", "700", "restart")), text
    return True


@pytest.mark.skipif(HAS_GPU, reason="only rehearsed devices can be repaired after a loss")
@pytest.mark.parametrize("name", [*OPERATIONS, *IN_PLACE])
def test_illegal_access_loses_only_its_device(name):
    """The k-th CUDA call fails with an illegal address: cuda:0 is lost, other devices are not."""
    a, b, make = inputs("cuda:0")
    call = OPERATIONS.get(name) or IN_PLACE[name]
    sk.synchronize("cuda:0")
    k = met = 0
    while k == met:
        k += 1
        old_live_bytes = live_bytes()
        x, y = make()
        host_array, elsewhere = to_device("cpu:0", a), to_device("cuda:1", b)
        sk.synchronize("cuda:0")
        sk.synchronize("cuda:1")
        with failing_cuda_call(k, 700, is_sticky=True) as fault:
            with contextlib.suppress(FatalDeviceError, InterchangeError):
                call(x, y)
                sk.synchronize("cuda:0")
            if not fault.was_met:
                break
            met = k
            # From now on the device is lost, with the first cause, however the call itself ended.
            if name == "to other device":
                # A transfer between two devices may lose either, or both.
                assert is_lost(x, y) or is_lost(elsewhere, elsewhere)
            else:
                assert is_lost(x, y)
                assert not is_lost(elsewhere, elsewhere)
            assert np.array_equal(to_numpy(host_array + host_array), a + a)
            del x, y
        del host_array, elsewhere
        assert is_back_to(old_live_bytes), f"failure {k} lost memory"
        assert k < 200
    assert met >= 1 or name in ("arange", "eye", "fftfreq")
