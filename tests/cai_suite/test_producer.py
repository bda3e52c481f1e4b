# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Producers: what the attribute of an array says."""

import gc
import weakref

import numpy as np
import pytest

from tests.device_suite.report import not_offered

VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T,
    "sliced": lambda x: x[1:, 1:3],
    "rows": lambda x: x[1:],
    "reversed": lambda x: x[::-1, ::-1],
    "step": lambda x: x[::2, ::3],
    "column": lambda x: x[:, 1:2],
    "0-d": lambda x: x[2, 3, ...],
    "zero size": lambda x: x[:, 2:2],
}
ALL_VIEWS = pytest.mark.parametrize("name", VIEWS)
DTYPES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]


class HostMemory:
    """NumPy's interface of the same memory; for memory that the host can read."""

    def __init__(self, description):
        keys = ("shape", "typestr", "data", "strides")
        self.__array_interface__ = {key: description.get(key) for key in keys} | {"version": 3}


def view_of(x, name):
    try:
        view = VIEWS[name](x)
    except Exception as error:
        not_offered(f"{name}: {type(error).__name__}: {error}")
    if np.isscalar(view):
        not_offered(f"{name}: a {type(view).__name__}")
    return view


def description_of(producer, host, name="whole"):
    """Return the dictionary of a view, and the view, which owns the memory."""
    x = view_of(producer.array(host), name)
    return x.__cuda_array_interface__, x


def span(description):
    """Return the first and the last address of the elements."""
    shape, pointer = description["shape"], description["data"][0]
    itemsize = np.dtype(description["typestr"]).itemsize
    strides = description.get("strides") or np.empty(shape, description["typestr"]).strides
    distances = [stride * (length - 1) for stride, length in zip(strides, shape, strict=True)]
    low = pointer + sum(distance for distance in distances if distance < 0)
    return low, pointer + sum(distance for distance in distances if distance > 0) + itemsize


def read(producer, description):
    """Return the elements that the dictionary describes."""
    if hasattr(producer, "read"):
        return producer.read(description)
    if not getattr(producer, "host_memory", False):
        not_offered("the host can't read the memory")
    if (stream := description.get("stream")) is not None:
        producer.synchronize(stream)
    if 0 in description["shape"]:
        return np.empty(description["shape"], description["typestr"])
    return np.asarray(HostMemory(description)).copy()


def optional(producer, name):
    if not hasattr(producer, name):
        not_offered(f"the adapter has no {name}")
    return getattr(producer, name)


@pytest.mark.recommendation("producer-attribute")
def test_arrays_on_the_device_have_the_attribute(producer, host):
    assert hasattr(producer.array(host), "__cuda_array_interface__")


@pytest.mark.recommendation("producer-attribute")
def test_other_arrays_do_not_have_it(producer):
    assert not hasattr(optional(producer, "host_array")(), "__cuda_array_interface__")


@pytest.mark.recommendation("producer-dict")
@ALL_VIEWS
def test_the_value_is_a_new_dict(producer, host, name):
    description, x = description_of(producer, host, name)
    assert isinstance(description, dict)
    assert x.__cuda_array_interface__ is not description
    assert x.__cuda_array_interface__ == description


@pytest.mark.recommendation("producer-shape")
@ALL_VIEWS
def test_shape_is_a_tuple_of_ints(producer, host, name):
    shape = description_of(producer, host, name)[0]["shape"]
    assert type(shape) is tuple
    assert all(type(length) is int for length in shape)
    assert shape == VIEWS[name](host).shape


@pytest.mark.recommendation("producer-typestr")
@pytest.mark.parametrize("dtype", DTYPES)
def test_typestr_is_that_of_numpy(producer, dtype):
    host = np.zeros((2, 3), dtype)
    typestr = description_of(producer, host)[0]["typestr"]
    assert type(typestr) is str
    assert np.dtype(typestr) == host.dtype


@pytest.mark.recommendation("producer-data")
@ALL_VIEWS
def test_data_is_a_tuple_of_an_int_and_a_bool(producer, host, name):
    data = description_of(producer, host, name)[0]["data"]
    assert type(data) is tuple
    assert [type(item) for item in data] == [int, bool]
    assert 0 <= data[0] < 2**64


@pytest.mark.recommendation("producer-address")
@pytest.mark.parametrize("name", [name for name in VIEWS if name != "zero size"])
def test_the_pointer_is_that_of_the_first_element(producer, host, name):
    whole = producer.array(host)
    view = view_of(whole, name)
    description = view.__cuda_array_interface__
    start = whole.__cuda_array_interface__["data"][0]
    low, high = span(description)
    # Outside, reading could end the process. A library may transpose into other memory.
    assert name == "transposed" or start <= low
    assert name == "transposed" or high <= start + host.nbytes
    assert np.array_equal(read(producer, description), VIEWS[name](host))


@pytest.mark.recommendation("producer-address")
def test_views_share_the_memory(producer, host):
    x = producer.array(host)
    start = x.__cuda_array_interface__["data"][0]
    for name, distance in (("rows", 32), ("sliced", 40), ("column", 8)):
        view = view_of(x, name)
        assert view.__cuda_array_interface__["data"][0] == start + distance


@pytest.mark.recommendation("producer-address")
def test_a_reversed_view_points_to_its_first_element(producer, host):
    x = producer.array(host)
    view = view_of(x, "reversed")
    start = x.__cuda_array_interface__["data"][0]
    assert view.__cuda_array_interface__["data"][0] == start + 88


@pytest.mark.recommendation("producer-zero-size")
@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0), (2, 0, 3)], ids=str)
def test_the_pointer_of_an_array_without_elements_is_0(producer, shape):
    description, _x = description_of(producer, np.empty(shape))
    assert description["data"][0] == 0
    assert description["shape"] == shape


@pytest.mark.recommendation("producer-zero-size")
def test_the_pointer_of_a_view_without_elements_is_0(producer, host):
    assert description_of(producer, host, "zero size")[0]["data"][0] == 0


@pytest.mark.recommendation("producer-strides")
@ALL_VIEWS
def test_strides_are_none_only_in_c_order(producer, host, name):
    whole = producer.array(host)
    description = view_of(whole, name).__cuda_array_interface__
    strides = description.get("strides")
    expected = VIEWS[name](host)
    if strides is None:
        distance = description["data"][0] - whole.__cuda_array_interface__["data"][0]
        is_copy = not 0 <= distance < host.nbytes
        assert expected.flags.c_contiguous or (is_copy and name == "transposed")
    else:
        assert type(strides) is tuple
        assert all(type(stride) is int for stride in strides)
        long_axes = [axis for axis in range(expected.ndim) if expected.shape[axis] > 1]
        if expected.size:
            assert [strides[i] for i in long_axes] == [expected.strides[i] for i in long_axes]


@pytest.mark.recommendation("producer-strides")
def test_strides_of_a_broadcast_array_are_not_none(producer, host):
    broadcast = optional(producer, "broadcast")(producer.array(host[0]), (3, 4))
    assert broadcast.__cuda_array_interface__["strides"] == (0, 8)


@pytest.mark.recommendation("producer-descr")
@pytest.mark.parametrize("dtype", DTYPES)
def test_descr_agrees_with_typestr(producer, dtype):
    description, _x = description_of(producer, np.zeros(3, dtype))
    if "descr" not in description:
        not_offered("no descr")
    assert description["descr"] == [("", description["typestr"])]


@pytest.mark.recommendation("producer-mask")
def test_there_is_no_mask_for_plain_arrays(producer, host):
    assert description_of(producer, host)[0].get("mask") is None


@pytest.mark.recommendation("producer-version")
def test_version_is_an_int(producer, host):
    version = description_of(producer, host)[0]["version"]
    assert type(version) is int
    assert 0 <= version <= 3


@pytest.mark.recommendation("producer-version")
@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_the_selected_version_is_exported(producer, host, version):
    with optional(producer, "export_version")(version):
        description, _x = description_of(producer, host)
    assert description["version"] == version
    assert version == 3 or "stream" not in description


@pytest.mark.recommendation("producer-stream")
@ALL_VIEWS
def test_stream_is_none_or_not_0(producer, host, name):
    description, _x = description_of(producer, host, name)
    stream = description.get("stream")
    assert stream is None or (type(stream) is int and stream > 0)
    assert description["version"] == 3 or "stream" not in description


@pytest.mark.recommendation("producer-stream-order")
def test_pending_work_is_complete_after_the_exported_stream(producer, host):
    x, expected = optional(producer, "pending")(host)
    description = x.__cuda_array_interface__
    assert np.array_equal(read(producer, description), expected)


@pytest.mark.recommendation("producer-lifetime")
def test_reading_does_not_keep_the_array_alive(producer, host):
    description, x = description_of(producer, host)
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert alive() is None
    assert description["shape"] == (3, 4)


@pytest.mark.recommendation("producer-read-only")
def test_read_only_arrays_say_so(producer, host):
    x = producer.array(host)
    assert x.__cuda_array_interface__["data"][1] is False
    assert optional(producer, "read_only")(x).__cuda_array_interface__["data"][1] is True
