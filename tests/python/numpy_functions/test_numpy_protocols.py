# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on skerry arrays run on the device, with NumPy's values, and never copy to the host.

Functions without a counterpart use NumPy's own on cpu:0 and raise TypeError elsewhere. NumPy arrays are arrays on cpu:0.
"""

import operator
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry import _extra
from skerry import _numpy_counterparts as counterparts
from skerry._numpy_creation import MAKERS
from skerry._numpy_protocols import _title

from tests.python.loops import loop_over
from tests.python.numpy_functions.numpy_calls import CALLS, HOST
from tests.python.numpy_functions.numpy_comparison import PLACES, arrays, assert_alike
from tests.python.oracle import to_device, to_numpy


@pytest.fixture(params=PLACES)
def array_device(request):
    return request.param


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", CALLS)
def test_numpy_functions_stay_on_the_device(name, array_device):
    for call in CALLS[name] or ():
        assert_alike(call(arrays(array_device)), call(arrays()), array_device)


def test_every_counterpart_has_a_case():
    """Functions beyond the standard have theirs in tests/python/extra."""
    names = {_title(function) for function in counterparts.FUNCTIONS}
    beyond = {f"numpy.{name}" for name in _extra.__all__}
    assert names - beyond == set(CALLS) - beyond


def ufunc_operands(a, ufunc):
    """Returns operands in the domain of a ufunc, as many as it takes."""
    name = ufunc.__name__
    if name.startswith("logical"):
        pair = (a.b, ~a.b)
    elif name.startswith("bitwise") or name in (
        "gcd",
        "invert",
        "lcm",
        "left_shift",
        "right_shift",
    ):
        pair = (a.n, a.n[::-1])
    elif name == "ldexp":
        pair = (a.x, a.n)
    elif name in ("matmul", "vecmat"):
        pair = (a.m, a.x)
    elif name == "arccosh":
        pair = (a.x + 1, None)
    else:
        pair = (a.x, a.y)
    return pair[: ufunc.nin]


@pytest.mark.parametrize("ufunc", counterparts.UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_stay_on_the_device(ufunc, array_device):
    want = ufunc(*ufunc_operands(arrays(), ufunc))
    operands = ufunc_operands(arrays(array_device), ufunc)
    assert_alike(ufunc(*operands), want, array_device)
    if ufunc.nout > 1:
        return
    target = sk.empty(want.shape, dtype=want.dtype, device=array_device)
    assert ufunc(*operands, out=target) is target
    assert_alike(target, want, array_device)


UNKNOWN = [
    lambda a: np.emath.sqrt(a.x - 0.5),
    lambda a: np.emath.logn(2, a.x),
    lambda a: np.emath.power(a.x, 2),
]


@pytest.mark.parametrize("index", range(len(UNKNOWN)))
def test_functions_without_counterpart_work_on_cpu_0_only(index, array_device):
    call = UNKNOWN[index]
    if array_device == "cpu:0":
        assert_alike(call(arrays(array_device)), call(arrays()), array_device)
        return
    with pytest.raises(TypeError, match=r'np\.asarray\(x\.to_device\("cpu"\)\)'):
        call(arrays(array_device))


NAMED = [
    lambda a: np.corrcoef(a.x),
    lambda a: np.convolve(a.v, a.w),
    lambda a: np.average(a.x, axis=0, weights=a.v),
    lambda a: np.median(a.x),
    lambda a: np.histogram(a.x),
    lambda a: np.einsum("ij->i", a.x),
    lambda a: np.partition(a.n, 2, axis=0)[2],
    lambda a: np.nansum(a.u),
    lambda a: np.nanmax(a.u),
    lambda a: np.percentile(a.x, 50),
    lambda a: np.pad(a.x, 1),
]


@pytest.mark.parametrize("index", range(len(NAMED)))
def test_common_numpy_functions_work_on_cpu_0(index):
    assert_alike(NAMED[index](arrays("cpu:0")), NAMED[index](arrays()), "cpu:0")


def test_numpy_functions_share_host_memory(tmp_path):
    x = sk.asarray(HOST["x"].copy())
    assert np.shares_memory(x, x[1:])
    assert not np.may_share_memory(x, sk.ones((3,)))
    np.put_along_axis(x, np.array([[0]] * 3), 5.0, axis=1)
    assert x[:, 0].tolist() == [5.0] * 3
    windows = np.lib.stride_tricks.sliding_window_view(x, 2, axis=1)
    assert type(windows) is sk.Array
    assert np.shares_memory(windows, x)
    np.save(tmp_path / "x.npy", x)
    assert np.array_equal(np.load(tmp_path / "x.npy"), np.asarray(x))
    total = sk.empty((4,))
    assert np.nansum(x, axis=0, out=total) is total
    assert np.allclose(np.asarray(total), np.asarray(x).sum(0))
    whole, part = np.modf(x, out=(None, total := sk.empty((3, 4))))
    assert part is total
    assert np.array_equal(np.asarray(whole) + np.asarray(part), np.asarray(x))


def test_ufuncs_of_other_libraries_work_on_host_memory_only(array_device):
    special = pytest.importorskip("scipy.special")
    if array_device == "cpu:0":
        got = special.erf(to_device(array_device, HOST["x"]))
        assert type(got) is sk.Array
        assert np.array_equal(np.asarray(got), special.erf(HOST["x"]))
        return
    with pytest.raises(TypeError, match="another library's"):
        special.erf(to_device(array_device, HOST["x"]))


def test_products_take_numpys_options(array_device):
    a, host = arrays(array_device), arrays()
    for call in (
        lambda a: np.matmul(a.m, a.m, axes=[(1, 0), (0, 1), (0, 1)]),
        lambda a: np.vecdot(a.m, a.m, axes=[0, 0]),
        lambda a: np.vecdot(a.m, a.m, dtype="float32", casting="same_kind"),
        lambda a: np.matvec(a.m, a.m, axes=[(0, 1), -1, -1], order="F"),
    ):
        assert_alike(call(a), call(host), array_device)


REFUSED = [
    lambda a: np.add(a.x, a.y, signature="dd->d"),
]


@loop_over("index", range(len(REFUSED)))
def test_arguments_without_counterpart_work_on_cpu_0_only(index, array_device):
    if array_device == "cpu:0":
        assert_alike(REFUSED[index](arrays(array_device)), REFUSED[index](arrays()), array_device)
        return
    with pytest.raises(TypeError):
        REFUSED[index](arrays(array_device))


def test_where_of_a_ufunc_fills_out(array_device):
    a, out = arrays(array_device), sk.full((3, 4), 9.0, device=array_device)
    assert np.add(a.x, a.y, where=a.b, out=out) is out
    want = np.add(HOST["x"], HOST["y"], where=HOST["b"], out=np.full((3, 4), 9.0))
    assert_alike(out, want, array_device)


def test_invalid_arguments_raise_on_all_devices(array_device):
    a = arrays(array_device)
    for call in (
        lambda: np.add(a.x, [["a"] * 4] * 3),
        lambda: np.cross(a.v, a.w, axisa=5),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_np_take_accepts_index_lists_on_any_device(array_device):
    x = to_device(array_device, HOST["x"])
    assert_alike(np.take(x, [0, 1], axis=0), np.take(HOST["x"], [0, 1], axis=0), array_device)


def test_numpy_functions_promote_by_the_rule_of_skerry(array_device):
    n = sk.asarray([1, 4], device=array_device)
    for call, want in (
        (lambda: np.float64(2.5) * n, [2.5, 10.0]),
        (lambda: n * np.float64(2.5), [2.5, 10.0]),
        (lambda: np.sqrt(n), [1.0, 2.0]),
        (lambda: np.multiply(n, sk.asarray([0.5, 0.5], device=array_device)), [0.5, 2.0]),
    ):
        got = call()
        assert (type(got), got.device, got.dtype) == (sk.Array, sk.Device(array_device), np.float64)
        assert to_numpy(got).tolist() == want
        with sk.strict_promotion(), pytest.raises(TypeError):
            call()


def test_numpy_scalars_keep_the_precision_of_the_array(array_device):
    assert (np.complex64(1j) * sk.ones((2,), device=array_device)).dtype == np.complex128
    x = sk.ones((2,), dtype=sk.float32, device=array_device)
    x += np.float64(2)
    assert x.dtype == np.float32
    assert to_numpy(x).tolist() == [3.0, 3.0]


def test_masked_arrays_read_host_memory_and_never_a_gpu():
    """``numpy.ma`` does not call ``__array_ufunc__``: it accepts any array-like and returns masked arrays."""
    masked = np.ma.MaskedArray([1.0, 2.0], mask=[True, False])
    x = sk.ones((2,))
    assert (masked + x).tolist() == (x + masked).tolist() == [None, 3.0]
    x = x.to_device("cuda:0")
    for pair in ((masked, x), (x, masked)):
        with pytest.raises(TypeError, match="to_device"):
            operator.add(*pair)


def test_numpy_functions_of_mixed_devices_raise():
    x, y = sk.ones((2,), device="cpu:0"), sk.ones((2,), device="cuda:0")
    for call in (np.add, np.dot, np.array_equal, lambda a, b: np.concatenate([a, b])):
        with pytest.raises(sk.exceptions.DeviceMismatchError):
            call(x, y)
    with pytest.raises(sk.exceptions.DeviceMismatchError):
        np.add(x, x, out=y)
    assert to_numpy(y).tolist() == [1.0, 1.0]


def test_out_must_have_the_shape_of_the_result_and_a_dtype_that_it_casts_to(array_device):
    x = sk.ones((2, 3), device=array_device)
    with pytest.raises(ValueError, match="out has shape"):
        np.add(x, x, out=sk.empty((3, 2), device=array_device))
    with pytest.raises(TypeError, match="does not cast to the int64"):
        np.add(x, x, out=sk.empty((2, 3), dtype=sk.int64, device=array_device))
    narrow = sk.empty((2, 3), dtype=sk.float32, device=array_device)
    assert np.add(x, x, out=narrow) is narrow
    assert to_numpy(narrow).tolist() == [[2.0] * 3] * 2
    assert np.add(x, 1.0, out=x) is x
    assert to_numpy(x).tolist() == [[2.0] * 3] * 2
    total = sk.empty((3,), device=array_device)
    assert np.sum(x, axis=0, out=total) is total
    assert np.sum(x, 0, None, total) is total
    assert np.add.reduce(x, out=total) is total
    assert to_numpy(total).tolist() == [4.0] * 3


def test_functions_that_are_not_compared_by_value(array_device):
    x = sk.ones((2, 3), device=array_device)
    assert np.empty_like(x).shape == np.empty_like(x, shape=(2, 3)).shape == (2, 3)
    assert np.empty_like(x, dtype="int8").device == x.device
    np.copyto(x, sk.zeros((3,), device=array_device))
    assert to_numpy(x).tolist() == [[0.0] * 3] * 2
    np.copyto(x, 2.0)
    assert to_numpy(x).tolist() == [[2.0] * 3] * 2
    assert np.array_repr(x) == np.array_str(x) == repr(x)
    assert np.can_cast(x, "complex128")
    assert not np.can_cast(x, "float32")
    m = to_device(array_device, HOST["m"])
    got = np.sort(np.real(np.linalg.eigvals(m)))
    assert_alike(got, np.sort(np.linalg.eigvals(HOST["m"]).real), array_device)
    assert np.linalg.eig(m).eigenvectors.shape == (3, 3)
    x = sk.ones((2, 3), device=array_device)
    got, step = np.linspace(x, 3.0, 5, retstep=True, axis=1)
    want, theirs = np.linspace(np.ones((2, 3)), 3.0, 5, retstep=True, axis=1)
    assert_alike(got, want, array_device)
    assert_alike(step, theirs, array_device)
    got = np.logspace(x, [1.0, 2, 3], 4, base=2.0)
    assert_alike(got, np.logspace(np.ones((2, 3)), [1.0, 2, 3], 4, base=2.0), array_device)
    assert_alike(np.geomspace(x, 8.0, 4), np.geomspace(np.ones((2, 3)), 8.0, 4), array_device)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_creation_with_like_uses_its_device(name, array_device):
    function = getattr(np, name.removeprefix("numpy."))
    example = sk.ones((1,), device=array_device)
    args = {
        "numpy.arange": (3,),
        "numpy.eye": (3, 4),
        "numpy.identity": (3,),
        "numpy.full": ((2, 3), 7),
    }.get(name, ([2, 3],))
    got, want = function(*args, like=example), function(*args)
    assert type(got) is sk.Array
    assert got.device == sk.Device(array_device)
    assert got.dtype == want.dtype
    if name != "numpy.empty":
        assert np.array_equal(to_numpy(got), want)
    assert function(*args, dtype="float32", like=example).dtype == np.float32


@pytest.mark.parametrize("order", ["C", "F"])
def test_creation_with_like_has_the_order_of_numpy(order, array_device):
    example = sk.ones((1,), device=array_device)
    host = np.zeros((2, 3, 4)).transpose(1, 0, 2)
    for name, args in (
        ("zeros", ((2, 3),)),
        ("ones", ((2, 3),)),
        ("empty", ((2, 3),)),
        ("full", ((2, 3), 7)),
        ("eye", (3, 4)),
        ("asarray", (host,)),
        ("array", (host,)),
        ("asanyarray", (host,)),
    ):
        function = getattr(np, name)
        got = function(*args, order=order, like=example)
        assert got.device == sk.Device(array_device)
        assert got.strides == function(*args, order=order).strides, name


def test_other_array_types_can_override():
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "mine"

        def __array_function__(self, func, types, args, kwargs):
            return "mine"

    x = sk.ones((2,))
    assert np.add(x, Other()) == "mine"
    assert np.concatenate([x, Other()]) == "mine"


def test_numpy_indexing_reads_host_memory_only():
    """NumPy's treatment of any array-like: a view of host memory, and an error for a GPU's."""
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


def test_import_does_not_load_the_numpy_tables():
    code = "import skerry, sys; print([m for m in sys.modules if m.startswith('skerry._numpy')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("ask", [np.may_share_memory, np.shares_memory])
def test_shares_memory_works_on_every_device(ask, device):
    x = sk.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device=device)
    assert ask(x, x[:, 1])
    assert ask(x[1:], x)
    assert not ask(x[0], x[1])
    assert not ask(x, sk.zeros_like(x))
    assert not ask(x, np.ones(3))
    assert not ask(x[:0], x)
    for other in ("cpu:0", "cpu:1", "cuda:0", "cuda:1"):
        assert not ask(x, sk.ones((3,), device=other))


def test_shares_memory_of_strided_views(device):
    x = sk.zeros((6,), device=device)
    assert np.may_share_memory(x[::2], x[1::2])
    assert not np.shares_memory(x[::2], x[1::2])
    if device.startswith("cpu"):
        assert np.shares_memory(x, np.asarray(x))


def test_each_output_of_a_ufunc_is_written_to_its_out(device):
    x = sk.asarray([1.25, -2.5], device=device)
    whole = sk.empty((2,), device=device)
    fraction, integral_part = np.modf(x, out=(None, whole))
    assert integral_part is whole
    assert whole.tolist() == [1.0, -2.0]
    assert fraction.tolist() == [0.25, -0.5]
