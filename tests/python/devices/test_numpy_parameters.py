# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Any array argument of a public function may be a numpy.ndarray, which counts as an array on cpu:0, or a list.

The calls are generated from signatures, with the tables of ``test_parameter_devices``.
"""

import contextlib
import gc
import inspect
import operator
import sys
import threading
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry import _extra
from skerry.exceptions import DeviceMismatchError
from skerry.testing import instruments

from tests.python.devices.test_parameter_devices import (
    ANY_DEVICE,
    ARRAYS,
    CLASSES,
    ONLY_REFUSED,
    call,
    functions,
    right_arguments,
)
from tests.python.oracle import to_numpy

#: Functions without array parameters, or that take objects of other kinds.
WITHOUT = (
    CLASSES
    | ONLY_REFUSED
    | {"__array_namespace_info__", "as_cuda_array", "is_cuda_array", "memory_statistics"}
)
#: Functions whose results are not compared by value, such as uninitialized memory or state of the process.
NOT_COMPARED = {"empty_like", "from_dlpack", "asarray", "trim"}
#: Optional array parameters, with valid shapes.
OPTIONAL = {
    ("clip", "min"): (3, 3),
    ("clip", "max"): (3, 3),
    ("diff", "prepend"): (3, 1),
    ("diff", "append"): (3, 1),
}


def host_of(value):
    """Returns the value with its arrays as NumPy arrays."""
    if isinstance(value, sk.Array):
        return to_numpy(value)
    if isinstance(value, list):
        return [host_of(element) for element in value]
    return value


def flattened(result):
    if isinstance(result, tuple | list):
        return [leaf for element in result for leaf in flattened(element)]
    return [result]


def assert_same(got, want, name):
    for actual, theirs in zip(flattened(got), flattened(want), strict=True):
        assert type(actual) is type(theirs), name
        if isinstance(actual, sk.Array):
            assert actual.device == theirs.device == sk.Device("cpu:0")
            assert actual.dtype == theirs.dtype
            np.testing.assert_array_equal(np.asarray(actual), np.asarray(theirs))
        else:
            assert actual == theirs


def array_parameters(name, function, home):
    """Returns the arguments on ``home``, and the names of the arrays among them."""
    named = right_arguments(name, function, home)
    for parameter in inspect.signature(function).parameters:
        if (name, parameter) in OPTIONAL:
            named[parameter] = sk.ones(OPTIONAL[name, parameter], device=home)
    array_names = [
        key
        for key, value in named.items()
        if isinstance(value, sk.Array)
        or (isinstance(value, list) and value and isinstance(value[0], sk.Array))
    ]
    return named, [key for key in array_names if (name, key) not in ANY_DEVICE]


EACH = [p for p in functions() if p.values[0] not in WITHOUT]


@pytest.mark.parametrize(("name", "function"), EACH)
def test_numpy_arrays_are_accepted_for_arrays_on_cpu_0(name, function):
    named, arrays = array_parameters(name, function, "cpu:0")
    want = call(function, named)
    for chosen in [[key] for key in arrays] + [arrays]:
        arguments = {key: host_of(x) if key in chosen else x for key, x in named.items()}
        got = call(function, arguments)
        if name not in NOT_COMPARED:
            assert_same(got, want, f"{name}({chosen})")


@pytest.mark.parametrize("home", ["cpu:1", "cuda:0"])
@pytest.mark.parametrize(("name", "function"), EACH)
def test_numpy_array_with_an_array_on_another_device_raises(name, function, home):
    named, arrays = array_parameters(name, function, home)
    if name == "from_dlpack":
        pytest.skip("from_dlpack converts its only argument")
    sk.synchronize()
    for key in arrays:
        others = [x for x in arrays if x != key]
        arguments = {**named, key: host_of(named[key])}
        if isinstance(named[key], list):
            arguments[key] = [*named[key], host_of(named[key][0])]
        elif not others:
            with sk.device(home):  # a NumPy array alone is on cpu:0, whatever the default
                for result in flattened(call(function, arguments)):
                    assert not isinstance(result, sk.Array) or result.device == sk.Device("cpu:0")
            continue
        old_transfers = instruments.transfers()
        with pytest.raises(DeviceMismatchError, match=r"numpy\.ndarray .* on cpu:0.*asarray\("):
            call(function, arguments)
        new_transfers = instruments.transfers()
        assert new_transfers["device_to_host_bytes"] == old_transfers["device_to_host_bytes"]


def test_lists_without_arrays_are_converted_as_by_asarray(device):
    with sk.device(device):
        for got, want in (
            (sk.mean([1.0, 2.0, 3.0]), 2.0),
            (sk.sqrt([1.0, 4.0]), [1.0, 2.0]),
            (sk.add([1, 2], [3, 4]), [4, 6]),
            (sk.concat([[1, 2], [3]]), [1, 2, 3]),
            (sk.stack(([1, 2], [3, 4])), [[1, 2], [3, 4]]),
            (sk.matmul([[1, 2]], [[3], [4]]), [[11]]),
            (sk.where([True, False], [1, 2], 3), [1, 3]),
            (sk.take([5, 6, 7], [2, 0]), [7, 5]),
            (sk.linalg.det([[2.0, 0.0], [0.0, 3.0]]), 6.0),
        ):
            assert got.device == sk.Device(device)
            assert np.allclose(to_numpy(got), want)


def test_lists_with_arrays_are_arrays_on_their_device(device):
    x = sk.ones((3,), device=device)
    for got, want in (
        (x + [1.0, 2.0, 3.0], [2, 3, 4]),
        ([1.0, 2.0, 3.0] * x, [1, 2, 3]),
        (x == [1.0, 2.0, 3.0], [True, False, False]),
        (x @ [1.0, 2.0, 3.0], 6),
        (sk.add(x, [1.0, 2.0, 3.0]), [2, 3, 4]),
        (sk.concat([x, [2.0]]), [1, 1, 1, 2]),
        (sk.where(x > 0, x, [1.0, 2.0, 3.0]), [1, 1, 1]),
        (sk.searchsorted(x, [1.0, 2.0]), [0, 3]),
        (operator.iadd(sk.ones((3,), device=device), [1.0]), [2, 2, 2]),
    ):
        assert got.device == sk.Device(device)
        assert np.allclose(to_numpy(got), want)
    n = sk.asarray(2, device=device)
    assert [0] * n == [0, 0]


def test_index_lists_work_on_any_device(device):
    values = np.arange(12.0).reshape(3, 4)
    x = sk.asarray(values, device=device)
    for key in (
        [0, 2],
        [True, False, True],
        [[0, 1], [2, 0]],
        ([0, 2], [1, 3]),
        ([0, 2],),
        (slice(None), [True, False, False, True]),
        ([[0], [2]], [1, 3]),
        ((0, 1), (1, 1)),
        [],
        [-1],
    ):
        assert np.array_equal(to_numpy(x[key]), values[key])
        assert x[key].device == x.device
        want, got = values.copy(), sk.asarray(values, device=device, copy=True)
        want[key] = 5.0
        got[key] = 5.0
        assert np.array_equal(to_numpy(got), want)
    assert np.array_equal(to_numpy(sk.take(x, [2, 0], axis=1)), values[:, [2, 0]])
    assert np.array_equal(
        to_numpy(sk.repeat(x, [1, 0, 2], axis=0)), np.repeat(values, [1, 0, 2], axis=0)
    )
    along = sk.take_along_axis(x, [[1], [0], [2]], axis=1)
    assert np.array_equal(to_numpy(along), [[1.0], [4.0], [10.0]])


def test_numpy_index_arrays_are_on_cpu_0(device):
    values = np.arange(12.0).reshape(3, 4)
    x = sk.asarray(values, device=device, copy=True)
    keys = (
        np.array([0, 2]),
        values > 5,
        (np.array([0, 1]), [3, 3]),
        np.array(1),
        slice(np.array(1), None),
        (Ellipsis, np.array([True, False, False, True])),
    )
    for key in keys:
        if x.device == sk.Device("cpu:0"):
            assert np.array_equal(to_numpy(x[key]), values[key])
            want, got = values.copy(), sk.asarray(values, copy=True)
            want[key] = got[key] = -1.0
            assert np.array_equal(to_numpy(got), want)
        else:
            with pytest.raises(DeviceMismatchError):
                x[key]
            with pytest.raises(DeviceMismatchError):
                x[key] = 1.0
    if x.device == sk.Device("cpu:0"):
        x[...] = values + 1
        assert np.array_equal(to_numpy(x), values + 1)
        x[[0, 1]] = values[:2]
        assert np.array_equal(to_numpy(x)[:2], values[:2])
        return
    with pytest.raises(DeviceMismatchError, match=r"value \(numpy\.ndarray"):
        x[...] = values + 1
    assert np.array_equal(to_numpy(x), values)


USES = [
    lambda x, host: x + host,
    lambda x, host: host + x,
    lambda x, host: x == host,
    lambda x, host: sk.add(host, x),
    lambda x, host: sk.sum(host),
    lambda x, host: sk.concat([x, host, host]),
    lambda x, host: x[host.astype(int) % 6],
    lambda x, host: x.__setitem__(slice(None), host),
    lambda x, host: np.add(x, host),
    lambda x, host: np.median(x - host),
    lambda x, host: sk.add(host, sk.ones((6,), device="cuda:0")),
    lambda x, host: sk.add(host, sk.ones((5,))),
    lambda x, host: sk.matmul(host, x),
    lambda x, host: np.add.at(x, [0], host[:1]),
    lambda x, host: operator.iadd(host, x),
]


def test_numpy_memory_is_shared_and_freed_with_the_result():
    host = np.arange(6.0)
    reference = weakref.ref(host)
    count = sys.getrefcount(host)
    view = sk.reshape(host, (2, 3))
    assert np.shares_memory(np.asarray(view), host)
    view[0, 0] = 7.0
    assert host[0] == 7.0
    del view
    gc.collect()
    x = sk.ones((6,))
    for use in USES:
        for _ in range(20):
            with contextlib.suppress(ValueError):
                use(x, host)
        gc.collect()
        assert sys.getrefcount(host) == count
    view = sk.reshape(host, (3, 2))
    del host
    gc.collect()
    assert reference() is not None
    assert view.shape == (3, 2)
    del view
    gc.collect()
    assert reference() is None


def test_read_only_numpy_memory_stays_read_only():
    host = np.arange(3.0)
    host.flags.writeable = False
    view = sk.reshape(host, (3, 1))
    assert not np.asarray(view).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0
    x = sk.ones((3,))
    with pytest.raises(ValueError, match=r"read-only|output array"):
        host += x
    assert to_numpy(x + host).tolist() == [1.0, 2.0, 3.0]


def test_threads_share_one_numpy_array():
    host = np.arange(1000.0)
    count = sys.getrefcount(host)
    wrong = []

    def work():
        x = sk.ones((1000,))
        for _ in range(300):
            if float(sk.sum(x + host)) != 1000 + 999 * 500 or float((host * x)[999]) != 999.0:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert not wrong
    assert sys.getrefcount(host) == count


# Functions of arrays: others convert an object to an array, as asarray does, or are NumPy's.
OF_ARRAYS = [
    name
    for name, topic in _extra.TOPIC_OF.items()
    if _extra.LISTS_IN.get(topic) != "untouched" and not topic.startswith("numpy_names.")
]


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_extra_functions_reject_numpy_arrays_with_arrays_on_other_devices(name):
    """These functions are implemented in Python, not in the bindings."""
    function = getattr(sk, name)
    if not inspect.isroutine(function):
        pytest.skip("not a function")
    x = sk.ones((3,), device="cuda:0")
    with pytest.raises(DeviceMismatchError, match=r"numpy\.ndarray"):
        function(x, np.ones(3))


def test_asarray_of_a_list_needs_arrays_on_one_device(device):
    x, host = sk.ones((2,), device=device), np.ones(2)
    assert sk.asarray([host, host], device=device).shape == (2, 2)
    if x.device == sk.Device("cpu:0"):
        assert sk.asarray([x, host]).shape == (2, 2)
        return
    with pytest.raises(DeviceMismatchError):
        sk.asarray([x, host])


def test_every_array_parameter_is_covered():
    walked = {(p.values[0], key) for p in EACH for key in array_parameters(*p.values, "cpu:0")[1]}
    assert len(walked) > 150
    assert {"x", "x1", "x2", "arrays", "condition", "indices"} <= {key for _, key in walked}
    assert {key for _, key in walked} <= ARRAYS | {"arrays", "arrays_and_dtypes"}
