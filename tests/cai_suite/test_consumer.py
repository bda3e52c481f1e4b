# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Consumers: what becomes of a dictionary."""

import gc
import weakref

import numpy as np
import pytest

from tests.device_suite.report import not_offered

from .dictionaries import ABSENT, ERROR, ODD, PRODUCERS, VALUES, Exporter, describe, odd_dictionary

DTYPES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
#: Views of a 3 by 4 array; all start in its memory.
VIEWS = {
    "transposed": lambda x: x.T,
    "sliced": lambda x: x[1:, 1:3],
    "step": lambda x: x[::2, ::3],
    "reversed": lambda x: x[::-1, ::-1],
    "broadcast": lambda x: np.broadcast_to(x[0], (3, 4)),
    "column": lambda x: x[:, 1:2],
    "0-d": lambda x: x[2, 3, ...],
}


def view(consumer, host, **changes):
    """Return the consumer's array of memory with these elements, and the exporting object."""
    address, owner = consumer.memory(host)
    exporter = Exporter(describe(address, host, **changes), owner)
    return consumer.consume(exporter), exporter


def check(consumer, host, **changes):
    result, exporter = view(consumer, host, **changes)
    assert np.array_equal(consumer.values(result), host)
    return exporter


def need_rank(consumer, host):
    """End the test if the library rejects all arrays of this rank."""
    if host.ndim != 1 and (error := attempt(consumer, exporter_of(consumer, host))[1]):
        not_offered(f"{host.ndim} axes: {type(error).__name__}: {error}")


def exporter_of(consumer, host):
    address, owner = consumer.memory(host)
    return Exporter(describe(address, host), owner)


def attempt(consumer, exporter):
    """Return the result and no error, or no result and the error."""
    try:
        return consumer.consume(exporter), None
    except Exception as error:
        return None, error


def optional(consumer, name):
    if not hasattr(consumer, name):
        not_offered(f"the adapter has no {name}")
    return getattr(consumer, name)


@pytest.mark.recommendation("consumer-versions")
@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_every_version_is_taken(consumer, flat, version):
    check(consumer, flat, version=version, stream=None if version == 3 else ABSENT)


@pytest.mark.recommendation("consumer-producers")
@pytest.mark.parametrize("name", PRODUCERS)
def test_dictionaries_of_known_producers_are_taken(consumer, flat, name):
    check(consumer, flat, **PRODUCERS[name])


@pytest.mark.recommendation("consumer-types")
@pytest.mark.parametrize("dtype", DTYPES)
def test_typestr_gives_the_type(consumer, dtype):
    host = np.asarray([0, 1, 1, 0, 1], dtype)
    try:
        result, _ = view(consumer, host)
    except Exception as error:
        not_offered(f"the library has no {dtype}: {type(error).__name__}: {error}")
    values = consumer.values(result)
    assert values.dtype == host.dtype
    assert np.array_equal(values, host)


@pytest.mark.recommendation("consumer-types")
@pytest.mark.parametrize("shape", [(12,), (3, 4), (2, 1, 6), (1, 1, 12, 1)], ids=str)
def test_shape_gives_the_shape(consumer, shape):
    host = np.arange(12.0).reshape(shape)
    need_rank(consumer, host)
    result, _ = view(consumer, host)
    assert consumer.values(result).shape == shape


@pytest.mark.recommendation("consumer-strides")
@pytest.mark.parametrize("strides", [None, ABSENT, (8,)], ids=["None", "absent", "explicit"])
def test_c_order_in_three_ways(consumer, flat, strides):
    check(consumer, flat, strides=strides)


@pytest.mark.recommendation("consumer-strides")
@pytest.mark.parametrize("name", VIEWS)
def test_strides_give_the_elements_of_a_view(consumer, host, name):
    need_rank(consumer, host)
    expected = VIEWS[name](host)
    offset = expected.__array_interface__["data"][0] - host.__array_interface__["data"][0]
    address, owner = consumer.memory(host)
    description = describe(address + offset, expected, strides=expected.strides)
    result = consumer.consume(Exporter(description, owner))
    assert np.array_equal(consumer.values(result), expected)


@pytest.mark.recommendation("consumer-strides")
def test_strides_of_axes_of_length_1_are_ignored(consumer, host):
    row = host[:1]
    need_rank(consumer, row)
    check(consumer, row, strides=(1000 * 8, 8))


@pytest.mark.recommendation("consumer-zero-size")
@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("is_strided", [False, True], ids=["None", "strides"])
def test_arrays_without_elements_are_taken(consumer, shape, is_strided):
    host = np.empty(shape)
    need_rank(consumer, np.ones(host.ndim * (1,)))
    strides = host.strides if is_strided else None
    description = describe(0, host, strides=strides)
    assert consumer.values(consumer.consume(Exporter(description))).shape == shape


@pytest.mark.recommendation("consumer-read-only")
@pytest.mark.parametrize("flag", [True, False])
def test_read_only_memory_stays_read_only(consumer, flat, flag):
    is_read_only = optional(consumer, "is_read_only")
    address, owner = consumer.memory(flat)
    try:
        result = consumer.consume(Exporter(describe(address, flat, data=(address, flag)), owner))
    except Exception as error:
        not_offered(f"the library takes no read-only memory: {error}")
    assert is_read_only(result) == flag


@pytest.mark.recommendation("consumer-descr")
@pytest.mark.parametrize("descr", [ABSENT, [("", "<f8")]], ids=["absent", "plain"])
def test_descr_is_optional(consumer, flat, descr):
    check(consumer, flat, descr=descr)


@pytest.mark.recommendation("consumer-mask")
@pytest.mark.parametrize("mask", [None, ABSENT], ids=["None", "absent"])
def test_no_mask_means_all_elements(consumer, flat, mask):
    check(consumer, flat, mask=mask)


@pytest.mark.recommendation("consumer-mask")
def test_a_mask_is_not_ignored(consumer, flat):
    address, owner = consumer.memory(flat)
    mask = flat > 3
    mask_address, mask_owner = consumer.memory(mask)
    description = describe(address, flat, mask=Exporter(describe(mask_address, mask), mask_owner))
    try:
        result = consumer.consume(Exporter(description, owner))
    except Exception:
        return
    assert not np.array_equal(consumer.values(result), flat), "the mask is ignored"


@pytest.mark.recommendation("consumer-stream")
@pytest.mark.parametrize("stream", [None, ABSENT, 1, 2], ids=["None", "absent", "1", "2"])
def test_streams_are_taken(consumer, flat, stream):
    check(consumer, flat, stream=stream)


@pytest.mark.recommendation("consumer-stream")
def test_stream_0_is_rejected(consumer, flat):
    optional(consumer, "slow_stream")
    with pytest.raises(Exception):  # noqa: B017
        view(consumer, flat, stream=0)


@pytest.mark.recommendation("consumer-stream-order")
def test_the_exported_stream_is_waited_for(consumer, flat):
    address, owner = consumer.memory(flat)
    stream = optional(consumer, "slow_stream")(owner)
    result = consumer.consume(Exporter(describe(address, flat, stream=stream), owner))
    assert np.array_equal(consumer.values(result), flat + 1)


@pytest.mark.recommendation("consumer-lifetime")
def test_the_exporting_object_lives_as_long_as_the_result(consumer, flat):
    if not optional(consumer, "keeps_owner"):
        not_offered("the caller keeps the object alive")
    result, exporter = view(consumer, flat)
    alive = weakref.ref(exporter)
    del exporter
    gc.collect()
    assert alive() is not None, "the object is released while the result is in use"
    assert np.array_equal(consumer.values(result), flat)
    del result
    gc.collect()
    assert alive() is None, "the object is kept after the result is gone"


@pytest.mark.recommendation("consumer-attribute")
def test_the_attribute_is_read_once(consumer, flat):
    if not optional(consumer, "reads_attribute"):
        not_offered("the adapter reads the attribute")
    _, exporter = view(consumer, flat)
    assert exporter.reads == 1


class Failing:
    """An object whose attribute raises."""

    def __init__(self, error):
        self.error = error

    @property
    def __cuda_array_interface__(self):
        raise self.error


@pytest.mark.recommendation("consumer-attribute")
def test_an_error_of_the_attribute_is_passed_on(consumer):
    if not optional(consumer, "reads_attribute"):
        not_offered("the adapter reads the attribute")
    with pytest.raises(RuntimeError, match="needs a gradient"):
        consumer.consume(Failing(RuntimeError("needs a gradient")))


@pytest.mark.recommendation("consumer-malformed")
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.name)
def test_an_odd_dictionary_gets_what_it_should(consumer, flat, odd, outcomes):
    address, owner = consumer.memory(flat)
    description = odd_dictionary(odd, address, flat)
    result, error = attempt(consumer, Exporter(description, owner))
    if error is not None:
        outcomes[odd.name] = type(error).__name__
        assert odd.should_get != VALUES, f"raises {type(error).__name__}: {error}"
        return
    if "stream" in odd.changes:
        optional(consumer, "slow_stream")
    outcomes[odd.name] = "takes it"
    assert odd.should_get != ERROR, f"takes {odd.changes}"
    if odd.should_get == VALUES:
        expected = flat if 0 not in description["shape"] else np.empty(0)
        assert np.array_equal(consumer.values(result), expected)
