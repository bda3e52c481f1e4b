# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Malformed CUDA array interfaces: the cases B1 to B35, each rejected with the documented error.

Each case is tested with all three import functions, and must leave no reference, no pending CUDA error and no changed
array.
"""

import contextlib
import ctypes
import types
import warnings

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import InterchangeError
from skerry.testing import count_cuda_calls

from tests.python.interchange.cai_producers import ABSENT, Producer, describe
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy
from tests.python.session import HAS_GPU


@pytest.fixture
def x(cuda_device):
    return to_device(cuda_device, np.arange(12.0).reshape(3, 4))


def pointer_of(x):
    return x.__cuda_array_interface__["data"][0]


WAYS = {
    "asarray": sk.asarray,
    "as_cuda_array": sk.as_cuda_array,
    "from_cuda_array_interface": lambda p: sk.from_cuda_array_interface(
        p.__cuda_array_interface__, p
    ),
}


def refused(x, error, match, **changes):
    """Check that all import functions raise, the memory is unchanged, and the next valid import works."""
    old_values = to_numpy(x)
    for name, take in WAYS.items():
        producer = Producer(x, **changes)
        with pytest.raises(error, match=match) as caught:
            take(producer)
        assert not isinstance(caught.value, KeyError), name
        assert str(caught.value).split(":")[0] in WAYS, caught.value
    assert np.array_equal(to_numpy(x), old_values)
    assert np.array_equal(to_numpy(sk.as_cuda_array(Producer(x)) + 1), old_values + 1)


def test_import_bad_B01_no_attribute():
    for thing in (object(), types.SimpleNamespace(), np.ones(3), None):
        with pytest.raises(TypeError, match="__cuda_array_interface__"):
            sk.as_cuda_array(thing)
    with pytest.raises(TypeError, match="__cuda_array_interface__"):
        sk.as_cuda_array(sk.ones((3,)))


@pytest.mark.parametrize("value", [[("shape", (3,))], (1, 2), "shape", 3, ...], ids=repr)
def test_import_bad_B02_not_a_dict(value):
    thing = types.SimpleNamespace(__cuda_array_interface__=value)
    for take in (sk.asarray, sk.as_cuda_array):
        with pytest.raises(TypeError, match="must be a dict"):
            take(thing)
    with pytest.raises(TypeError, match="must be a dict"):
        sk.from_cuda_array_interface(value)


def test_import_bad_B02_mappings_are_rejected_from_version_2_on(x):
    for version in (2, 3):
        thing = types.SimpleNamespace(
            __cuda_array_interface__=types.MappingProxyType(describe(x, version=version))
        )
        with pytest.raises(TypeError, match="must be a dict"):
            sk.as_cuda_array(thing)


def test_import_bad_B02_none_means_not_supported(x):
    thing = types.SimpleNamespace(__cuda_array_interface__=None)
    with pytest.raises(TypeError, match="does not implement"):
        sk.as_cuda_array(thing)
    assert not sk.is_cuda_array(thing)


def test_import_bad_B02_object_instead_of_a_dict(x):
    with pytest.raises(TypeError, match="as_cuda_array"):
        sk.from_cuda_array_interface(Producer(x))


@pytest.mark.parametrize("key", ["shape", "typestr", "data"])
def test_import_bad_B03_missing_key(key, x):
    refused(x, ValueError, f"'{key}'", **{key: ABSENT})


def test_import_bad_B04_missing_version(x):
    refused(x, ValueError, "'version'", version=ABSENT)


@pytest.mark.parametrize("shape", [12, "34", None, {3: 4}, range(3), 3.0], ids=repr)
def test_import_bad_B05_shape_is_not_a_tuple(shape, x):
    refused(x, TypeError, "'shape' must be a tuple", shape=shape)


@pytest.mark.parametrize(
    "n",
    [
        3.0,
        True,
        pytest.param(
            np.True_,
            marks=pytest.mark.skipif(
                hasattr(np.bool_, "__index__"), reason="this NumPy takes numpy.bool as an index"
            ),
        ),
        "3",
        None,
        (3,),
    ],
    ids=repr,
)
def test_import_bad_B06_shape_element_is_not_an_int(n, x):
    refused(x, TypeError, "'shape' must hold ints", shape=(n, 4))


def test_import_bad_B07_negative_dimension(x):
    refused(x, ValueError, "negative", shape=(-1,))
    refused(x, ValueError, "negative", shape=(3, -(2**63)))
    refused(x, ValueError, "negative", shape=(0, -3))


@pytest.mark.parametrize(
    "shape",
    [(2**40, 2**40), (2**60,), (2**63,), (2**64,), (10**30,), (2**32, 2**32), (0, 2**62, 2**62)],
    ids=str,
)
def test_import_bad_B08_shape_product_overflows(shape, x):
    with count_cuda_calls() as calls, pytest.raises(ValueError):
        sk.as_cuda_array(Producer(x, shape=shape, strides=None))
    assert calls == {}, "validated before use"
    refused(x, ValueError, "large|range", shape=shape, strides=None)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((3,), (2**62,)),
        ((3,), (-(2**62),)),
        ((3, 3), (2**61, 2**61)),
        ((2,), (-(2**63),)),
        ((2,), (2**63,)),
        ((2, 2), (2**62, -(2**62))),
        ((2,), (2**63 - 8,)),
        ((2,), (-(2**62),)),
    ],
    ids=str,
)
def test_import_bad_B09_strides_overflow(shape, strides, x):
    with count_cuda_calls() as calls, pytest.raises(ValueError):
        sk.as_cuda_array(Producer(x, shape=shape, strides=strides))
    assert calls == {}, "validated before use"
    refused(x, ValueError, "span|range", shape=shape, strides=strides)


def test_import_bad_B09_range_leaves_the_address_space(x):
    top = 2**64 - 8
    refused(x, ValueError, "span", shape=(2,), strides=None, data=(top, False))
    refused(x, ValueError, "span", shape=(3,), strides=(-8,), data=(8, False))


def test_import_bad_B10_strides_of_another_length(x):
    for strides in ((8,), (), (96, 32, 8)):
        refused(x, ValueError, "lengths", strides=strides)


def test_import_bad_B11_strides_that_misalign_elements(x):
    for strides in ((32, 7), (33, 8), (32, 4), (-30, 8)):
        refused(x, ValueError, "multiples", shape=(2, 2), strides=strides)


@pytest.mark.parametrize("strides", [8, "88", {32: 8}, 8.0, (32.0, 8), (True, 8)], ids=repr)
def test_import_bad_B12_strides_are_not_a_tuple_of_ints(strides, x):
    refused(x, TypeError, "'strides' must", strides=strides)


@pytest.mark.parametrize("typestr", [None, 8, b"<f8", np.dtype("f8"), float], ids=repr)
def test_import_bad_B13_typestr_is_not_a_str(typestr, x):
    refused(x, TypeError, "'typestr' must be a str", typestr=typestr)


@loop_over("typestr", ["<f3", "<i3", "<fX", "", "<", "f8", "float64", "<f16", "<V2", "<c4", "|f8", "<f8 ", "<f8\0",
     "\udcff", "<b1x", "=f8", "é"])  # fmt: skip
def test_import_bad_B14_typestr_is_unknown(typestr, x):
    refused(x, TypeError, "'typestr'", typestr=typestr)


@pytest.mark.parametrize("typestr", [">f8", ">i2", ">c16", ">u4", "#f8"])
def test_import_bad_B15_other_byte_order(typestr, x):
    refused(x, ValueError, "byte order", typestr=typestr, shape=(1,), strides=None)


def test_import_bad_B15_a_byte_has_no_order(x):
    y = sk.as_cuda_array(Producer(x, typestr=">u1", shape=(96,), strides=None))
    assert y.dtype == np.uint8
    assert np.array_equal(to_numpy(y), to_numpy(x).view("u1").reshape(-1))


@pytest.mark.parametrize("typestr", ["|O8", "<M8[ns]", "<m8[s]", "<U2", "|S8", "|V8", "|t1"])
def test_import_bad_B16_typestr_is_not_numeric(typestr, x):
    refused(x, TypeError, "'typestr'", typestr=typestr)


@pytest.mark.parametrize("data", [None, 4096, [4096], (4096,), (1, 2, 3), "ab", {}, ()], ids=repr)
def test_import_bad_B17_data_is_not_a_pair(data, x):
    refused(x, TypeError, "'data' must be a tuple", data=data)


@pytest.mark.parametrize("flag", [None, "no", 1.0, ..., ()], ids=repr)
def test_import_bad_B17_read_only_flag_is_not_a_bool(flag, x):
    refused(x, TypeError, "flag", data=(pointer_of(x), flag))


@pytest.mark.parametrize("pointer", [4096.0, "4096", True, b"abc", (4096,)], ids=repr)
def test_import_bad_B18_pointer_is_not_an_int(pointer, x):
    refused(x, TypeError, "pointer", data=(pointer, False))


@pytest.mark.parametrize("pointer", [-1, -(2**63), 2**64, 10**30])
def test_import_bad_B18_pointer_is_not_an_address(pointer, x):
    refused(x, OverflowError, "pointer", data=(pointer, False))


def test_import_bad_B19_pointer_0_with_elements(x):
    refused(x, ValueError, "pointer of 'data' is 0", data=(0, False))
    refused(x, ValueError, "pointer of 'data' is 0", data=(0, True), shape=(), strides=None)


def test_import_bad_B20_pointer_none_with_elements(x):
    refused(x, TypeError, "None", data=(None, False))


def test_import_bad_B21_pointer_of_the_host(x):
    host = np.ones((3, 4))
    refused(x, ValueError, "not a device pointer", data=(host.ctypes.data, False))
    host_buffer = ctypes.create_string_buffer(200)
    address = (ctypes.addressof(host_buffer) + 63) // 64 * 64
    refused(x, ValueError, "not a device pointer", data=(address, False))


def test_import_bad_B22_bogus_or_freed_pointer(x, cuda_device):
    for pointer in (0xDEAD0000, 64, 2**63, 2**64 - 4096):
        refused(x, ValueError, "not a device pointer", data=(pointer, False))
    # Larger than any cached block, and trimmed, so that the memory is returned to the driver.
    freed = sk.ones((1 << 20,), device=cuda_device)
    pointer = pointer_of(freed)
    sk.synchronize(cuda_device)
    del freed
    sk.trim(cuda_device)
    if HAS_GPU:
        pytest.skip("a GPU's pool may keep the address mapped")
    refused(x, ValueError, "not a device pointer", data=(pointer, False))


@pytest.mark.skipif(
    HAS_GPU, reason="two logical devices of one GPU can't be told apart by a pointer"
)
def test_import_bad_B23_device_is_another_one(x, cuda_device):
    other = "cuda:1" if cuda_device == "cuda:0" else "cuda:0"
    about = describe(x)
    with pytest.raises(ValueError, match=f"{cuda_device}, not on {other}.*to_device"):
        sk.from_cuda_array_interface(about, x, device=other)
    with pytest.raises(ValueError, match="to_device"):
        sk.from_cuda_array_interface(about, x, device="cpu")
    # asarray copies to the requested device, unless copy=False.
    assert sk.asarray(Producer(x), device=other).device == sk.Device(other)
    with pytest.raises(ValueError, match="copy"):
        sk.asarray(Producer(x), device=other, copy=False)


def test_import_bad_B24_pointer_is_misaligned(x):
    for offset in (1, 2, 4, 7):
        data = (pointer_of(x) + offset, False)
        refused(x, ValueError, "aligned", data=data, shape=(2,), strides=None)


def test_import_bad_B25_elements_beyond_the_allocation(x):
    refused(x, ValueError, "allocation", shape=(1 << 24,), strides=None)
    refused(x, ValueError, "allocation", shape=(2,), strides=(-8,))
    refused(x, ValueError, "allocation", shape=(2, 2), strides=(1 << 30, 8))
    refused(x, ValueError, "broadcast", shape=(1 << 20, 4), strides=None)


def test_import_bad_B25_all_own_memory_passes(cuda_device):
    for n in (1, 31, 32, 33, 511, 512, 513, 4095, 4096, 4097, 100_003, 1 << 20, (1 << 23) + 1):
        z = sk.zeros((n,), dtype="uint8", device=cuda_device)
        assert sk.as_cuda_array(Producer(z)).shape == (n,)
        assert sk.as_cuda_array(Producer(z[::-1])).shape == (n,)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_import_bad_B26_mask(version, x):
    mask = sk.ones((3, 4), dtype="bool", device=x.device)
    for value in (mask, Producer(mask), object(), 0):
        refused(x, NotImplementedError, "fill.*separately", mask=value, version=version)


def test_import_bad_B27_stream_0(x):
    refused(x, ValueError, "'stream' 0 is ambiguous and disallowed", stream=0)
    refused(x, ValueError, "'stream' 0 is ambiguous and disallowed", stream=np.int64(0))


@pytest.mark.parametrize("stream", [1.0, "1", sum, True, (1,)], ids=repr)
def test_import_bad_B28_stream_is_not_an_int(stream, x):
    refused(x, TypeError, "'stream' must be an int", stream=stream)


@pytest.mark.parametrize("stream", [-1, -2, 2**63, -(2**70)])
def test_import_bad_B28_stream_is_out_of_range(stream, x):
    refused(x, ValueError, "'stream'", stream=stream)


@pytest.mark.skipif(HAS_GPU, reason="a driver may crash on an invalid handle")
def test_import_bad_B28_stream_that_does_not_exist(x):
    refused(x, ValueError, "not a stream", stream=0x1234567)


@pytest.mark.skipif(HAS_GPU, reason="needs two GPUs, or rehearsal")
def test_import_bad_B28_stream_of_another_device(x, cuda_device):
    s = sk.Stream("cuda:1" if cuda_device == "cuda:0" else "cuda:0")
    refused(x, ValueError, "belongs to", stream=s.handle)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_import_bad_B29_stream_before_version_3_is_honoured(version, x, cuda_device):
    s = sk.Stream(cuda_device)
    with count_cuda_calls() as calls:
        sk.as_cuda_array(Producer(x, version=version, stream=s.handle))
    assert calls["stream_wait_event"] == 1


@pytest.mark.parametrize("version", [4, 99, 10**30])
def test_import_bad_B30_newer_version_with_a_warning(version, x):
    for take in WAYS.values():
        with pytest.warns(UserWarning, match="newer"):
            y = take(Producer(x, version=version))
        assert np.array_equal(to_numpy(y), to_numpy(x))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="newer"):
                take(Producer(x, version=version))


def test_import_bad_B30_negative_version(x):
    refused(x, ValueError, "'version' is negative", version=-1)


@pytest.mark.parametrize("version", ["3", True, 3.0, None, (3,)], ids=repr)
def test_import_bad_B30_version_is_not_an_int(version, x):
    refused(x, TypeError, "'version' must be an int", version=version)


@pytest.mark.parametrize("error", [RuntimeError, KeyError, KeyboardInterrupt, TypeError])
def test_import_bad_B31_exceptions_of_the_property_propagate(error):
    class Raises:
        @property
        def __cuda_array_interface__(self):
            raise error("requires_grad, say")

    for call in (sk.asarray, sk.as_cuda_array, sk.is_cuda_array):
        with pytest.raises(error, match="requires_grad"):
            call(Raises())


def test_import_bad_B31_an_attribute_error_means_not_supported():
    class Raises:
        @property
        def __cuda_array_interface__(self):
            raise AttributeError("on the CPU")

        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    assert not sk.is_cuda_array(Raises())
    with pytest.raises(TypeError):
        sk.as_cuda_array(Raises())
    assert sk.asarray(Raises()).tolist() == [0, 1, 2]


def test_import_bad_B32_another_description_at_each_access(x):
    good, reads = describe(x), []

    class Changes:
        memory = x

        @property
        def __cuda_array_interface__(self):
            reads.append(1)
            return good if len(reads) == 1 else {"shape": "nonsense"}

    for take in (sk.asarray, sk.as_cuda_array):
        reads.clear()
        assert np.array_equal(to_numpy(take(Changes())), to_numpy(x))


def test_import_bad_B32_a_description_that_changes_while_it_is_read(x):
    class Saboteur:
        def __init__(self, value, sabotage):
            self.value, self.sabotage = value, sabotage

        def __index__(self):
            self.sabotage()
            return self.value

    def clear(about):
        return lambda: (about.clear(), about.update(shape=None, data=None, version="x"))

    about = describe(x)
    about["shape"] = (Saboteur(3, clear(about)), 4)
    assert np.array_equal(to_numpy(sk.from_cuda_array_interface(about, x)), to_numpy(x))

    sizes = [3, 4]
    about = describe(x, shape=sizes, strides=None)
    sizes[0] = Saboteur(3, sizes.clear)
    assert np.array_equal(to_numpy(sk.from_cuda_array_interface(about, x)), to_numpy(x))

    def fail():
        raise ZeroDivisionError

    for changes in ({"shape": (Saboteur(3, fail), 4)}, {"version": Saboteur(3, fail)},
                    {"stream": Saboteur(1, fail)}, {"data": (Saboteur(64, fail), False)}):  # fmt: skip
        with pytest.raises(ZeroDivisionError):
            sk.as_cuda_array(Producer(x, **changes))


def test_import_bad_B33_read_only_memory_as_a_target(x):
    y = sk.as_cuda_array(Producer(x, data=(pointer_of(x), True)))
    old_values = to_numpy(x)

    def assign():
        y[...] = 1.0

    def add():
        z = y
        z += 1

    def mask():
        y[y > 3] = 0.0

    for write in (assign, add, mask):
        with pytest.raises(ValueError, match="read-only"):
            write()
    assert np.array_equal(to_numpy(x), old_values)


def test_import_bad_B34_elements_without_bytes(x):
    for typestr in ("|V0", "|S0", "<U0", "<f0"):
        refused(x, TypeError, "'typestr'", typestr=typestr)


def test_import_bad_B35_too_many_axes(x):
    assert sk.as_cuda_array(Producer(x, shape=(1,) * 64, strides=None)).ndim == 64
    refused(x, ValueError, "64", shape=(1,) * 65, strides=None)
    refused(x, ValueError, "64", shape=(1,) * 1000, strides=None)
    refused(x, ValueError, "64", shape=(3, 4), strides=(8,) * 65)


@pytest.mark.parametrize("owner_given", [True, False])
def test_import_bad_rejected_owner_is_not_kept_alive(owner_given, x):
    import sys

    producer = Producer(x, stream=0)
    old_refcounts = sys.getrefcount(producer), sys.getrefcount(producer.description)
    for _ in range(10):
        with contextlib.suppress(InterchangeError):
            sk.from_cuda_array_interface(producer.description, producer if owner_given else None)
        with contextlib.suppress(InterchangeError):
            sk.as_cuda_array(producer)
    assert (sys.getrefcount(producer), sys.getrefcount(producer.description)) == old_refcounts


def test_import_bad_errors_are_buffer_and_value_errors(x):
    with pytest.raises(InterchangeError) as caught:
        sk.as_cuda_array(Producer(x, stream=0))
    assert isinstance(caught.value, BufferError)
    assert isinstance(caught.value, ValueError)
