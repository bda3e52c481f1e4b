# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``asarray`` of all kinds of objects: which protocol is used, and what is shared, copied or rejected."""

import array
import contextlib
import ctypes
import gc
import sys
import weakref

import array_api_strict
import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, odd_bytes, to_numpy

VALUES = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
HOST = np.array(VALUES)
# Type code of an array of characters; Python 3.13 deprecates "u" and adds "w".
CHARACTER = "w" if sys.version_info >= (3, 13) else "u"
DEVICES = [None, "cpu:0", "cpu:1", "cuda:0", "cuda:1"]


class Only:
    """An object with only the named attributes of another."""

    def __init__(self, owner, *names):
        self.owner = owner
        for name in names:
            setattr(self, name, getattr(owner, name))


class WithArray:
    def __init__(self, host):
        self.host = host

    def __array__(self, dtype=None, copy=None):
        return np.array(self.host, dtype=dtype, copy=copy)


class WithDLPack:
    def __init__(self, owner):
        self.owner = owner

    def __dlpack__(self, **keywords):
        return self.owner.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.owner.__dlpack_device__()


def misaligned():
    view = odd_bytes(HOST.nbytes).view(np.float64).reshape(HOST.shape)
    view[...] = HOST
    assert not view.flags.aligned
    return view


def field_of_records():
    records = np.zeros(HOST.shape, dtype=[("a", "u1"), ("b", "f8")])
    records["b"] = HOST
    return records["b"]


def pinned_interface():
    x = sk.empty((2, 3), pinned=True)
    x[...] = sk.asarray(HOST, device=x.device)
    return Only(x, "__cuda_array_interface__")


# Name -> (factory, location of the memory). "host": the memory belongs to no device; "copied": it can't be shared.
SOURCES = {
    "array": (HOST.copy, "host"),
    "Fortran order": (lambda: np.asfortranarray(HOST), "host"),
    "negative strides": (lambda: HOST[::-1, ::-1].copy()[::-1, ::-1], "host"),
    "strided": (lambda: np.repeat(np.repeat(HOST, 2, 0), 3, 1)[::2, ::3], "host"),
    "memmap-like subclass": (lambda: HOST.copy().view(type("Sub", (np.ndarray,), {})), "host"),
    "big-endian": (lambda: HOST.astype(">f8"), "copied"),
    "misaligned": (misaligned, "copied"),
    "field of records": (field_of_records, "copied"),
    "memoryview": (lambda: memoryview(HOST.copy()), "host"),
    "ctypes": (lambda: ((ctypes.c_double * 3) * 2)(*map(tuple, VALUES)), "host"),
    "array interface": (lambda: Only(HOST.copy(), "__array_interface__"), "host"),
    "array struct": (lambda: Only(HOST.copy(), "__array_struct__"), "host"),
    "__array__": (lambda: WithArray(HOST.copy()), "host"),
    "DLPack on the host": (lambda: WithDLPack(HOST.copy()), "host"),
    "array-api-strict": (lambda: array_api_strict.asarray(HOST.copy()), "host"),
    "capsule": (lambda: HOST.copy().__dlpack__(), "host"),
    "DLPack on a GPU": (lambda: WithDLPack(sk.asarray(HOST, device="cuda:1")), "cuda:1"),
    "CUDA array interface": (
        lambda: Only(sk.asarray(HOST, device="cuda:1"), "__cuda_array_interface__"),
        "cuda:1",
    ),
    "pinned": (pinned_interface, "pinned"),
    "own on a CPU": (lambda: sk.asarray(HOST.copy(), device="cpu:1"), "cpu:1"),
    "own on a GPU": (lambda: sk.asarray(HOST.copy(), device="cuda:1"), "cuda:1"),
    "list": (lambda: [list(row) for row in VALUES], "copied"),
    "tuple of arrays": (lambda: tuple(HOST.copy()), "copied"),
    "list of own arrays": (lambda: [sk.asarray(row, device="cpu:0") for row in VALUES], "copied"),
}


def write(source, value):
    """Change element [0, 0] of the source itself; return whether that is possible."""
    if isinstance(source, ctypes.Array):
        source[0][0] = value
        return True
    if isinstance(source, memoryview):
        source[0, 0] = value
        return True
    if isinstance(source, (list, tuple)):
        return False
    while not hasattr(source, "__setitem__"):
        source = getattr(source, "owner", getattr(source, "host", None))
        if source is None:
            return False
    source[0, 0] = value
    return True


FOREIGN_ON_A_GPU = ("DLPack on a GPU", "CUDA array interface")


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=pytest.mark.two_gpus(always=True) if name in FOREIGN_ON_A_GPU else ()
        )
        for name in SOURCES
    ],
)
def test_sources(name, device, copy):
    make, location = SOURCES[name]
    source = make()
    home = {"host": device or "cpu:0", "copied": device or "cpu:0", "pinned": "cpu:0"}.get(
        location, location
    )
    target = device or home
    shares = location != "copied" and sk.Device(target) == sk.Device(home)
    shares = shares and not (location == "host" and target.startswith("cuda"))
    if copy is False and not shares:
        with pytest.raises(ValueError, match="copy"):
            sk.asarray(source, device=device, copy=copy)
        return
    x = sk.asarray(source, device=device, copy=copy)
    assert x.device == sk.Device(target)
    assert x.dtype == np.float64
    assert x.tolist() == VALUES
    sk.synchronize()
    if write(source, 9.0):
        assert (float(x[0, 0]) == 9.0) == (shares and copy is not True)


@pytest.mark.parametrize("name", SOURCES)
def test_dtype_argument_converts(name):
    make, _ = SOURCES[name]
    x = sk.asarray(make(), dtype=sk.float32)
    assert x.dtype == np.float32
    assert x.tolist() == VALUES
    with pytest.raises(ValueError, match="copy"):
        sk.asarray(make(), dtype=sk.float32, copy=False)
    with pytest.raises(TypeError):
        sk.asarray(make(), dtype="longdouble")


@pytest.mark.parametrize(
    "name", [n for n, (_, location) in SOURCES.items() if location != "copied"]
)
def test_the_owner_lives_as_long_as_the_memory_is_used(name):
    source = SOURCES[name][0]()
    memory_owner = getattr(source, "owner", getattr(source, "host", source))
    # A skerry array shares its storage; the object may be freed.
    owner = (
        None
        if isinstance(memory_owner, (sk.Array, type(HOST.__dlpack__())))
        else weakref.ref(memory_owner)
    )
    del memory_owner
    x = sk.asarray(source)
    view = x[1]
    del source, x
    gc.collect()
    assert view.tolist() == VALUES[1]
    if owner is None:
        return
    if "strict" not in name:
        assert owner() is not None
    del view
    gc.collect()
    sk.synchronize()
    assert owner() is None


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        lambda a: memoryview(a),
        lambda a: Only(a, "__array_interface__"),
        lambda a: Only(a, "__array_struct__"),
        lambda a: WithDLPack(a),
        lambda a: WithArray(a),
    ],
)
def test_read_only_stays_read_only(make):
    host = HOST.copy()
    host.flags.writeable = False
    x = sk.asarray(make(host))
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 1.0
    assert not np.asarray(x).flags.writeable
    y = sk.asarray(make(host), copy=True)
    y[0, 0] = 1.0
    assert host[0, 0] == 1.0
    y[0, 0] = 5.0
    assert host[0, 0] == 1.0


@loop_over("dtype", DTYPES)
@loop_over("order", ["<", ">"])
@loop_over("shape", [(), (0,), (3, 0, 2), (4,), (2, 3)])
def test_dtypes_orders_and_shapes(dtype, order, shape, device):
    host = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3).astype(
        np.dtype(dtype).newbyteorder(order)
    )
    x = sk.asarray(host, device=device)
    assert x.dtype == np.dtype(dtype)
    assert x.shape == shape
    assert np.array_equal(to_numpy(x), host)
    if device.startswith("cpu") and host.dtype.isnative:
        assert sk.asarray(host, device=device, copy=False).shape == shape


def test_equivalent_c_types_map_to_one_dtype():
    for name in (
        "long",
        "longlong",
        "intc",
        "short",
        "byte",
        "uint",
        "ulong",
        "ulonglong",
        "uintc",
    ):
        kind = np.dtype(name)
        for source in (np.ones(2, kind), kind.type(1)):
            assert sk.asarray(source).dtype == np.dtype(f"{kind.kind}{kind.itemsize}")
    assert sk.asarray(np.ulonglong(2**64 - 1)).item() == 2**64 - 1
    for code in "bBhHiIlLqQfd":
        assert sk.asarray(array.array(code, [1, 2]), copy=False).dtype == np.dtype(code)
    halves = memoryview(np.ones(2, np.float16))
    assert halves.format == "e"
    assert sk.asarray(halves, copy=False).dtype == np.float16
    assert sk.asarray((ctypes.c_bool * 2)(True, False)).dtype == np.bool_
    assert sk.asarray(ctypes.c_double(2.5)).item() == 2.5
    assert sk.asarray((ctypes.c_int.__ctype_be__ * 2)(1, 2)).tolist() == [1, 2]


def test_bytes_are_uint8():
    for source in (b"abc", bytearray(b"abc"), memoryview(b"abc")):
        x = sk.asarray(source, copy=False)
        assert x.dtype == np.uint8
        assert x.tolist() == [97, 98, 99]
    with pytest.raises(ValueError, match="read-only"):
        sk.asarray(b"abc")[0] = 1
    assert sk.asarray(b"").shape == (0,)


class Record(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_float))


REFUSED = {
    "masked": (lambda: np.ma.MaskedArray([1.0, 2.0], mask=[0, 1]), "filled"),
    "masked without a mask": (lambda: np.ma.MaskedArray([1.0]), "filled"),
    "matrix": (lambda: np.asmatrix(np.ones((2, 2))), "numpy.asarray"),
    "structured": (lambda: np.zeros(2, [("a", "f8")]), "field"),
    "records": (lambda: np.zeros(2, [("a", "f8")]).view(np.recarray), "field"),
    "void": (lambda: np.zeros(2, "V8"), "view"),
    "objects": (lambda: np.array([1, None]), "astype"),
    "dates": (lambda: np.array(["2020-01-01"], "M8[D]"), "int64"),
    "spans": (lambda: np.array([1], "m8[s]"), "int64"),
    "text": (lambda: np.array(["a"]), "text"),
    "byte strings": (lambda: np.array([b"a"]), "text"),
    "longdouble": (lambda: np.ones(2, np.longdouble), "dtype="),
    "clongdouble": (lambda: np.ones(2, np.clongdouble), "dtype="),
    "longdouble scalar": (lambda: np.longdouble(1), "dtype="),
    "date scalar": (lambda: np.datetime64("2020-01-01"), "datetime64"),
    "span scalar": (lambda: np.timedelta64(1, "s"), "timedelta64"),
    "text scalar": (lambda: np.str_("a"), "str"),
    "bytes scalar": (lambda: np.bytes_(b"a"), "bytes"),
    "void scalar": (lambda: np.zeros(1, [("a", "f8")])[0], "void"),
    "array of characters": (lambda: array.array(CHARACTER, "ab"), "text"),
    "memoryview of characters": (lambda: memoryview(b"ab").cast("c"), "text"),
    "ctypes structure": (lambda: Record(), "field"),
    "array interface of dates": (
        lambda: Only(np.array(["2020-01-01"], "M8[D]"), "__array_interface__"),
        "int64",
    ),
    "__array__ of objects": (lambda: WithArray(np.array([1, None])), "astype"),
    "str": (lambda: "12", "str"),
    "None": (lambda: None, "NoneType"),
    "set": (lambda: {1, 2}, "set"),
    "dict": (lambda: {"a": 1}, "dict"),
    "generator": (lambda: (i for i in range(3)), "generator"),
    "masked in a list": (lambda: [np.ma.MaskedArray([1.0])], "filled"),
    "text in a list": (lambda: [np.array(["a"])], "text"),
    "str in a list": (lambda: ["a"], "str"),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_objects_are_rejected_with_a_remedy(name, copy):
    make, remedy = REFUSED[name]
    if copy is False and name.endswith("in a list"):
        with pytest.raises(ValueError, match="copy=False"):
            sk.asarray(make(), copy=copy)
        return
    with pytest.raises(TypeError, match=remedy):
        sk.asarray(make(), copy=copy)


def test_longdouble_converts_where_a_dtype_is_given():
    for source in (np.ones(2, np.longdouble), np.longdouble(1)):
        assert sk.asarray(source, dtype=sk.float32).dtype == np.float32
        assert sk.asarray(source, dtype=sk.float64).dtype == np.float64
    assert sk.asarray(np.ones(2, np.clongdouble), dtype=sk.complex64).dtype == np.complex64
    with pytest.raises(ValueError, match="copy"):
        sk.asarray(np.ones(2, np.longdouble), dtype=sk.float32, copy=False)
    with pytest.raises(TypeError):
        sk.asarray(np.array([1, None]), dtype=sk.float64)


def test_an_array_interface_with_a_mask_is_rejected():
    source = Only(HOST, "__array_interface__")
    source.__array_interface__ = {**source.__array_interface__, "mask": np.ones(HOST.shape, bool)}
    with pytest.raises(NotImplementedError, match="mask"):
        sk.asarray(source)


def test_numpy_arrays_in_sequences_keep_their_dtype():
    single = np.ones((2,), np.float32)
    x = sk.asarray([single, single])
    assert (x.dtype, x.shape) == (np.float32, (2, 2))
    assert sk.asarray([single, [0.5, 2]]).dtype == np.float32
    assert sk.asarray([np.ones(2, np.int8), np.ones(2, np.int32)]).dtype == np.int32
    assert sk.asarray([[np.array(1.0), 2], [3, sk.asarray(4.0)]]).tolist() == [
        [1.0, 2.0],
        [3.0, 4.0],
    ]
    assert sk.asarray([np.zeros((0, 3)), np.zeros((0, 3))]).shape == (2, 0, 3)
    assert sk.asarray([np.arange(6).reshape(2, 3).T, np.zeros((3, 2), int)]).tolist()[0] == [
        [0, 3],
        [1, 4],
        [2, 5],
    ]
    assert sk.asarray([np.arange(2).astype(">i4")]).dtype == np.int32
    assert sk.asarray([np.ones(2, np.float32), np.ones(2, int)]).dtype == np.float32
    with sk.strict_promotion(), pytest.raises(TypeError, match="promote"):
        sk.asarray([np.ones(2), np.ones(2, int)])
    with pytest.raises(ValueError, match="nested sequences are ragged"):
        sk.asarray([np.ones(2), np.ones(3)])
    with pytest.raises(ValueError, match="nested sequences are ragged"):
        sk.asarray([np.ones((2, 2)), np.ones(2)])


@pytest.mark.parametrize("device", ["cpu:1", "cuda:1"])
def test_sequences_of_arrays_stay_on_their_device(device):
    row = sk.asarray([1.0, 2.0], device=device)
    x = sk.asarray([row, row[::-1], [row[0], 7]])
    assert x.device == sk.Device(device)
    assert x.tolist() == [[1.0, 2.0], [2.0, 1.0], [1.0, 7.0]]
    assert sk.asarray([row, row], device="cpu:0").device == sk.Device("cpu:0")
    with pytest.raises(sk.exceptions.DeviceMismatchError):
        sk.asarray([row, row.to_device("cpu:0")])


def test_the_default_device_is_for_memory_without_a_device():
    with sk.device("cuda:1"):
        for name in (
            "array",
            "big-endian",
            "memoryview",
            "__array__",
            "DLPack on the host",
            "list",
        ):
            assert sk.asarray(SOURCES[name][0]()).device == sk.Device("cuda:1"), name
        assert sk.asarray(SOURCES["own on a CPU"][0]()).device == sk.Device("cpu:1")
        with pytest.raises(ValueError, match="copy"):
            sk.asarray(HOST, copy=False)
    with sk.device("cpu:1"):
        for name in ("array", "array interface", "DLPack on the host"):
            assert sk.asarray(SOURCES[name][0](), copy=False).device == sk.Device("cpu:1"), name
        assert sk.asarray(SOURCES["own on a GPU"][0]()).device == sk.Device("cuda:1")


def test_the_order_of_protocols():
    """The CUDA array interface comes first, unless its version is below 3 and the object also has DLPack."""
    x, y, z = (sk.full((2,), value, device="cuda:0") for value in (1.0, 2.0, 3.0))

    class Both(WithDLPack):
        def __init__(self, version):
            super().__init__(x)
            self.__cuda_array_interface__ = {**y.__cuda_array_interface__, "version": version}
            self.__array_interface__ = np.zeros(2).__array_interface__
            self.keep = y

        def __array__(self, dtype=None, copy=None):
            raise AssertionError("__array__ comes last")

    assert sk.asarray(Both(3)).tolist() == [2.0, 2.0]
    assert sk.asarray(Both(2)).tolist() == [1.0, 1.0]
    without = Only(z, "__cuda_array_interface__")
    without.__cuda_array_interface__["version"] = 2
    assert sk.asarray(without).tolist() == [3.0, 3.0]
    none = WithDLPack(x)
    none.__cuda_array_interface__ = None
    assert sk.asarray(none).tolist() == [1.0, 1.0]
    host = WithDLPack(np.ones(2))
    host.__array_interface__ = np.zeros(2).__array_interface__
    assert sk.asarray(host).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "name", ["__cuda_array_interface__", "__dlpack__", "__array_interface__", "__array__"]
)
def test_exceptions_of_protocol_properties_propagate(name):
    def fail(self):
        raise RuntimeError("it requires grad; use detach()")

    def absent(self):
        raise AttributeError("not on this device")

    with pytest.raises(RuntimeError, match="detach"):
        sk.asarray(type("Fails", (), {name: property(fail)})())
    with pytest.raises(TypeError, match="not an array, a number or a sequence of them"):
        sk.asarray(type("Lacks", (), {name: property(absent)})())


def test_exceptions_of_protocol_methods_propagate():
    class Fails:
        def __array__(self, dtype=None, copy=None):
            raise KeyError("mine")

    class Wrong:
        def __array__(self, dtype=None, copy=None):
            return 3

    with pytest.raises(KeyError, match="mine"):
        sk.asarray(Fails())
    with pytest.raises((TypeError, ValueError)):
        sk.asarray(Wrong())

    class Copies:
        def __dlpack__(self, copy=None, **keywords):
            if copy is False:
                raise BufferError("by a copy only")
            return HOST.__dlpack__(copy=copy, **keywords)

        def __dlpack_device__(self):
            return (1, 0)

    assert sk.asarray(Copies()).tolist() == VALUES
    with pytest.raises(ValueError, match="copy=False"):
        sk.asarray(Copies(), copy=False)


def test_array_method_receives_the_copy_argument():
    copy_arguments = []

    class Notes:
        def __array__(self, dtype=None, copy=None):
            copy_arguments.append(copy)
            if copy is False:
                raise ValueError("a copy is needed")
            return HOST.copy()

    for copy in (None, True):
        assert sk.asarray(Notes(), copy=copy).tolist() == VALUES
    assert copy_arguments in ([None, True], [None, None])
    with pytest.raises(ValueError, match="copy"):
        sk.asarray(Notes(), copy=False)


def test_timedelta_scalars_are_not_integers():
    x = sk.arange(3)
    for scalar in (np.timedelta64(1, "s"), np.datetime64("2020-01-01")):
        with pytest.raises(TypeError):
            x + scalar
        with pytest.raises(TypeError):
            scalar + x


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_failed_conversion_leaks_nothing():
    gc.collect()
    old_live_bytes = [sk.memory_statistics(d).live_bytes for d in DEVICES[1:]]
    reference = []
    for make, _ in REFUSED.values():
        source = make()
        with pytest.raises(TypeError):
            sk.asarray(source)
        with contextlib.suppress(TypeError):
            reference.append(weakref.ref(source))
        del source
    gc.collect()
    assert [sk.memory_statistics(d).live_bytes for d in DEVICES[1:]] == old_live_bytes
    assert not [r() for r in reference if r() is not None]
