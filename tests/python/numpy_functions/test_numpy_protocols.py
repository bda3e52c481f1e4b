# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on skerry arrays: on the device, with NumPy's values, or a TypeError; never a copy to the host."""

import operator
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import skerry as sk
from numpy_calls import CALLS, HOST
from oracle import on, to_numpy
from skerry import _numpy_counterparts as counterparts
from skerry._numpy_creation import MAKERS
from skerry._numpy_protocols import _title


def arrays(device=None):
    """The operands, NumPy's or on a device."""
    made = HOST if device is None else {name: on(device, host) for name, host in HOST.items()}
    return SimpleNamespace(**made)


def assert_alike(got, want, device):
    """Equal up to rounding, and an array on the device where NumPy gives an array or one of its scalars."""
    if isinstance(want, (tuple, list)):
        assert isinstance(got, (tuple, list))
        assert len(got) == len(want)
        for mine, theirs in zip(got, want, strict=True):
            assert_alike(mine, theirs, device)
    elif isinstance(want, (np.ndarray, np.generic)) and not isinstance(want, np.bool_):
        assert type(got) is sk.Array
        assert got.device == sk.Device(device)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(to_numpy(got), want, rtol=1e-6, atol=1e-9)
        assert got.shape == want.shape
    elif isinstance(got, sk.Array):
        assert got.device == sk.Device(device)
        assert got.item() == want
    else:
        assert got == want
        assert type(got) in (bool, int, tuple) or isinstance(got, np.dtype)


@pytest.fixture(params=["cpu:0", "cpu:1", "cuda:0"])
def place(request):
    return request.param


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", CALLS)
def test_functions_stay_on_the_device(name, place):
    for call in CALLS[name] or ():
        assert_alike(call(arrays(place)), call(arrays()), place)


def test_every_counterpart_has_a_case():
    assert {_title(function) for function in counterparts.FUNCTIONS} == set(CALLS)


def ufunc_operands(a, ufunc):
    """Operands in the domain of a ufunc, as many as it takes."""
    name = ufunc.__name__
    if name.startswith("logical"):
        pair = (a.b, ~a.b)
    elif name.startswith("bitwise") or name in ("invert", "left_shift", "right_shift"):
        pair = (a.n, a.n[::-1])
    elif name == "matmul":
        pair = (a.m, a.x)
    elif name == "arccosh":
        pair = (a.x + 1, None)
    else:
        pair = (a.x, a.y)
    return pair[: ufunc.nin]


@pytest.mark.parametrize("ufunc", counterparts.UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_stay_on_the_device(ufunc, place):
    want = ufunc(*ufunc_operands(arrays(), ufunc))
    mine = ufunc_operands(arrays(place), ufunc)
    assert_alike(ufunc(*mine), want, place)
    target = sk.empty(want.shape, dtype=want.dtype, device=place)
    assert ufunc(*mine, out=target) is target
    assert_alike(target, want, place)


@pytest.mark.parametrize("ufunc", counterparts.REDUCTIONS, ids=lambda ufunc: ufunc.__name__)
def test_methods_of_ufuncs(ufunc, place):
    mine, theirs = arrays(place), arrays()
    name = "b" if ufunc.__name__.startswith("logical") else "x"
    for options in ({}, {"axis": 1}, {"axis": None}, {"axis": (0, 1), "keepdims": True}):
        got = ufunc.reduce(getattr(mine, name), **options)
        assert_alike(got, ufunc.reduce(getattr(theirs, name), **options), place)
    if ufunc in counterparts.SCANS:
        assert_alike(ufunc.accumulate(mine.x), ufunc.accumulate(theirs.x), place)
        assert_alike(ufunc.accumulate(mine.n, 1, "int64"), ufunc.accumulate(theirs.n, 1), place)
        assert_alike(ufunc.reduce(mine.n, 0, "int32"), ufunc.reduce(theirs.n, 0, "int32"), place)
    else:
        with pytest.raises(TypeError, match="dtype="):
            ufunc.reduce(getattr(mine, name), dtype="float32")
    if name == "x":
        assert_alike(ufunc.outer(mine.x, mine.v), ufunc.outer(theirs.x, theirs.v), place)
        assert_alike(ufunc.outer(mine.x, 2.0), ufunc.outer(theirs.x, 2.0), place)


UNKNOWN = [
    lambda a: np.fmod(a.x, a.y),
    lambda a: np.heaviside(a.x, 1.0),
    lambda a: np.modf(a.x),
    lambda a: np.subtract.reduce(a.x),
    lambda a: np.add.reduceat(a.x, [0]),
    lambda a: np.add.at(a.x, [0], 1.0),
    lambda a: np.percentile(a.x, 50),
    lambda a: np.median(a.x),
    lambda a: np.histogram(a.x),
    lambda a: np.einsum("ij->i", a.x),
    lambda a: np.save("/nowhere/x.npy", a.x),
    lambda a: np.nansum(a.x),
    lambda a: np.linalg.lstsq(a.m, a.v),
    lambda a: np.pad(a.x, 1),
    lambda a: np.divmod(a.x, a.y),
]


@pytest.mark.parametrize("index", range(len(UNKNOWN)))
def test_functions_without_counterpart_name_the_remedy(index, place):
    with pytest.raises(TypeError, match=r'np\.asarray\(x\.to_device\("cpu"\)\)'):
        UNKNOWN[index](arrays(place))


REFUSED = [
    lambda a: np.sum(a.x, where=a.b),
    lambda a: np.sum(a.x, initial=1.0),
    lambda a: np.add(a.x, a.y, where=a.b),
    lambda a: np.add(a.x, a.y, dtype="float32"),
    lambda a: np.add(a.x, a.y, casting="unsafe"),
    lambda a: np.matmul(a.m, a.m, axes=[(0, 1), (0, 1), (0, 1)]),
    lambda a: np.mean(a.x, dtype="float32"),
    lambda a: np.round(a.x, 2),
    lambda a: np.unique(a.n, axis=0),
    lambda a: np.unique(a.u, return_counts=True),
    lambda a: np.concatenate([a.x, a.y], dtype="float32"),
    lambda a: np.linalg.eigh(a.s, "U"),
    lambda a: np.linalg.matrix_rank(a.m, 0.1),
    lambda a: np.meshgrid(a.v, a.w, sparse=True),
    lambda a: np.reshape(a.x, (4, 3), order="F"),
    lambda a: np.ravel(a.x, "F"),
    lambda a: np.zeros_like(a.x, order="F"),
    lambda a: np.cross(a.v, a.w, axisa=0),
    lambda a: np.take(a.x, a.i, axis=0, mode="clip"),
    lambda a: np.take(a.x, [0, 1], axis=0),
    lambda a: np.add(a.x, [[1.0] * 4] * 3),
    lambda a: np.sqrt(a.n),
]


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_arguments_without_counterpart_are_refused(index, place):
    with pytest.raises(TypeError):
        REFUSED[index](arrays(place))


def test_a_numpy_array_beside_skerry_arrays_is_refused(place):
    x, host = on(place, HOST["x"]), HOST["x"].copy()
    for call in (
        lambda: np.add(x, host),
        lambda: np.concatenate([x, host]),
        lambda: np.where(on(place, HOST["b"]), x, host),
        lambda: np.array_equal(host, x),
        lambda: np.copyto(host, x),
        lambda: np.add(host, 1.0, out=x),
        lambda: np.add(x, 1.0, out=host),
        lambda: np.sum(x, axis=0, out=np.zeros(4)),
        lambda: np.add.outer(host, x),
    ):
        with pytest.raises(TypeError, match=r"skerry"):
            call()
    assert np.array_equal(host, HOST["x"])
    assert np.array_equal(to_numpy(x), HOST["x"])


OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift matmul".split()
COMPARISONS = "eq ne lt le gt ge".split()
IN_PLACE = (
    "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift imatmul".split()
)


@pytest.mark.parametrize("name", [*OPERATORS, *COMPARISONS, *IN_PLACE])
def test_operators_with_numpy_arrays_are_refused(name, place):
    """The 13 operators, reflected and in place: NumPy's own slots ask ``__array_ufunc__`` in each case."""
    operation = getattr(operator, name)
    for host in (np.ones((2, 2)), np.ones((2, 2), int), np.ones((), int)):
        for x in (
            sk.ones((2, 2), device=place),
            sk.asarray(2, device=place),
            sk.asarray(True, device=place),
        ):
            before = to_numpy(x)
            # NumPy turns its scalars into such arrays of no axes before it compares.
            scalar_like = name in COMPARISONS and host.ndim == 0
            for pair in ((x, host),) if scalar_like else ((x, host), (host, x)):
                with pytest.raises(TypeError):
                    operation(*pair)
            assert np.array_equal(host, np.ones(host.shape))
            assert np.array_equal(to_numpy(x), before)


@pytest.mark.parametrize("name", [n for n in OPERATORS if n not in ("matmul",)] + COMPARISONS)
def test_operators_with_numpy_scalars_take_the_dtype_of_the_array(name, place):
    operation = getattr(operator, name)
    if name in ("and_", "or_", "xor", "lshift", "rshift"):
        x, scalars = on(place, HOST["n"].astype(np.int32)), (np.int8(3), np.int64(3), np.uint8(3))
    else:
        x, scalars = (
            on(place, HOST["x"].astype(np.float32)),
            (np.float64(2), np.float32(2), np.int64(2)),
        )
    for scalar in scalars:
        plain = scalar.item()
        for got, want in (
            (operation(x, scalar), operation(x, plain)),
            (operation(scalar, x), operation(plain, x)),
        ):
            assert type(got) is sk.Array
            assert got.dtype == want.dtype
            assert got.device == sk.Device(place)
            assert np.array_equal(to_numpy(got), to_numpy(want))


def test_numpy_scalars_do_not_mix_kinds(place):
    with pytest.raises(TypeError):
        np.float64(2.5) * sk.ones((2,), dtype=sk.int64, device=place)
    assert (np.complex64(1j) * sk.ones((2,), device=place)).dtype == np.complex128
    x = sk.ones((2,), dtype=sk.float32, device=place)
    x += np.float64(2)
    assert x.dtype == np.float32
    assert to_numpy(x).tolist() == [3.0, 3.0]


def test_masked_arrays_read_host_memory_and_never_a_gpu():
    """``numpy.ma`` asks no ``__array_ufunc__``: it takes any array-like, and gives masked arrays."""
    masked = np.ma.MaskedArray([1.0, 2.0], mask=[True, False])
    x = sk.ones((2,))
    assert (masked + x).tolist() == (x + masked).tolist() == [None, 3.0]
    x = x.to_device("cuda:0")
    for pair in ((masked, x), (x, masked)):
        with pytest.raises(TypeError, match="to_device"):
            operator.add(*pair)


def test_devices_are_not_mixed():
    x, y = sk.ones((2,), device="cpu:0"), sk.ones((2,), device="cuda:0")
    for call in (np.add, np.dot, np.array_equal, lambda a, b: np.concatenate([a, b])):
        with pytest.raises(sk.exceptions.DeviceMismatchError):
            call(x, y)
    with pytest.raises(sk.exceptions.DeviceMismatchError):
        np.add(x, x, out=y)
    assert to_numpy(y).tolist() == [1.0, 1.0]


def test_out_must_be_made_for_the_result(place):
    x = sk.ones((2, 3), device=place)
    for wrong in (sk.empty((3, 2), device=place), sk.empty((2, 3), dtype=sk.float32, device=place)):
        with pytest.raises(ValueError, match="out"):
            np.add(x, x, out=wrong)
    assert np.add(x, 1.0, out=x) is x
    assert to_numpy(x).tolist() == [[2.0] * 3] * 2
    total = sk.empty((3,), device=place)
    assert np.sum(x, axis=0, out=total) is total
    assert np.sum(x, 0, None, total) is total
    assert np.add.reduce(x, out=total) is total
    assert to_numpy(total).tolist() == [4.0] * 3


def test_functions_that_are_not_compared_by_value(place):
    x = sk.ones((2, 3), device=place)
    assert np.empty_like(x).shape == np.empty_like(x, shape=(2, 3)).shape == (2, 3)
    assert np.empty_like(x, dtype="int8").device == x.device
    np.copyto(x, sk.zeros((3,), device=place))
    assert to_numpy(x).tolist() == [[0.0] * 3] * 2
    np.copyto(x, 2.0)
    assert to_numpy(x).tolist() == [[2.0] * 3] * 2
    assert np.array_repr(x) == np.array_str(x) == repr(x)
    assert np.can_cast(x, "complex128")
    assert not np.can_cast(x, "float32")
    m = on(place, HOST["m"])
    got = np.sort(np.real(np.linalg.eigvals(m)))
    assert_alike(got, np.sort(np.linalg.eigvals(HOST["m"]).real), place)
    assert np.linalg.eig(m).eigenvectors.shape == (3, 3)
    with pytest.raises(TypeError):
        np.linspace(x, 1.0)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_like_makes_arrays_on_the_device_of_the_example(name, place):
    function = getattr(np, name.removeprefix("numpy."))
    example = sk.ones((1,), device=place)
    args = {
        "numpy.arange": (3,),
        "numpy.eye": (3, 4),
        "numpy.identity": (3,),
        "numpy.full": ((2, 3), 7),
    }.get(name, ([2, 3],))
    got, want = function(*args, like=example), function(*args)
    assert type(got) is sk.Array
    assert got.device == sk.Device(place)
    assert got.dtype == want.dtype
    if name != "numpy.empty":
        assert np.array_equal(to_numpy(got), want)
    assert function(*args, dtype="float32", like=example).dtype == np.float32
    with pytest.raises(TypeError, match="order"):
        np.zeros((2,), order="F", like=example)


def test_other_types_have_their_turn():
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "mine"

        def __array_function__(self, func, types, args, kwargs):
            return "mine"

    x = sk.ones((2,))
    assert np.add(x, Other()) == "mine"
    assert np.concatenate([x, Other()]) == "mine"


def test_indexing_and_assignment_of_numpy_arrays_follow_the_memory():
    """What NumPy does with any array-like: views of host memory, and a refusal of a GPU's."""
    host = np.zeros(3)
    host[...] = sk.arange(3, dtype=sk.float64)
    assert host.tolist() == [0.0, 1.0, 2.0]
    assert host[sk.asarray([2, 0])].tolist() == [2.0, 0.0]
    x = sk.arange(3, dtype=sk.float64, device="cuda:0")
    with pytest.raises(TypeError, match="to_device"):
        host[...] = x
    with pytest.raises((TypeError, IndexError)):
        host[sk.asarray([2, 0], device="cuda:0")]
    for call in (
        np.array,
        np.asarray,
        np.asanyarray,
        np.ascontiguousarray,
        lambda a: np.array([a, a]),
    ):
        with pytest.raises(TypeError, match="to_device"):
            call(x)


def test_the_import_of_skerry_does_not_load_the_tables():
    code = "import skerry, sys; print([m for m in sys.modules if m.startswith('skerry._numpy')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
