# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``out``, ``where``, ``dtype`` and ``casting`` of elementwise functions, against those of NumPy's ufuncs."""

import itertools

import numpy as np
import pytest
import skerry as sk
from skerry import _numpy_counterparts as counterparts
from skerry.exceptions import ShapeError
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, sample, to_device, to_numpy

FUNCTIONS = {
    ours.__name__: theirs for theirs, ours in counterparts.UFUNCS.items() if hasattr(ours, "nin")
}
INTEGERS = {
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "bitwise_left_shift", "bitwise_right_shift",
    "bitwise_count", "gcd", "lcm",
}  # fmt: skip


def operands(name, shape=(3, 8)):
    theirs = FUNCTIONS[name]
    if name in ("atanh", "asin", "acos"):
        return [sample("float64", shape, 1) % 0.9]
    dtype = "int64" if name in INTEGERS else "float64"
    hosts = [np.abs(sample(dtype, shape, seed)) + 1 for seed in range(theirs.nin)]
    if name == "ldexp":
        hosts[1] = hosts[1].astype("int32")
    if "shift" in name:
        hosts[1] = hosts[1] % 5
    return hosts


def results(value):
    return value if isinstance(value, tuple) else (value,)


@loop_over("name", FUNCTIONS)
def test_out_and_where_of_every_function(name, device):
    function, hosts = getattr(sk, name), operands(name)
    arrays = [to_device(device, x) for x in hosts]
    plain = results(function(*arrays))
    mask = sample("bool", (8,), 5)
    empty = tuple(sk.zeros_like(x) for x in plain)
    out = empty if len(empty) > 1 else empty[0]
    got = results(function(*arrays, out=out))
    assert all(one is other for one, other in zip(got, empty, strict=True))
    for one, want in zip(empty, plain, strict=True):
        assert_same(one, to_numpy(want), device)
    targets = tuple(sk.full_like(x, 1) for x in plain)
    function(*arrays, *targets, where=to_device(device, mask))
    for one, want in zip(targets, plain, strict=True):
        assert_same(one, np.where(mask, to_numpy(want), np.ones((), want.dtype)), device)
    for one, want in zip(
        results(function(*arrays, where=to_device(device, mask))), plain, strict=True
    ):
        assert_same(one, np.where(mask, to_numpy(want), np.zeros((), want.dtype)), device)
    assert all(np.array_equal(to_numpy(x), host) for x, host in zip(arrays, hosts, strict=True))


OUTS = {
    "contiguous": lambda x: x,
    "reversed": lambda x: x[::-1, ::-1],
    "columns": lambda x: x[:, ::2],
    "transposed": lambda x: x.T,
}


@loop_over("layout", OUTS)
@pytest.mark.parametrize("name", ["add", "less", "sqrt", "pow", "isfinite", "fmod", "maximum"])
def test_out_in_every_layout(name, layout, device):
    theirs = FUNCTIONS[name]
    hosts = [np.abs(sample("float32", (6, 6), seed)) for seed in range(theirs.nin)]
    for rows in (6, 1):
        hosts[-1] = hosts[-1][:rows] if theirs.nin > 1 else hosts[-1]
        want = theirs(*hosts)
        shape = {"columns": (6, 12)}.get(layout, (6, 6))
        out = OUTS[layout](sk.zeros(shape, dtype=want.dtype, device=device))
        plain = getattr(sk, name)(*(to_device(device, x) for x in hosts))
        assert getattr(sk, name)(*(to_device(device, x) for x in hosts), out=out) is out
        assert_same(out, to_numpy(plain), device)


def test_out_may_overlap_the_operands(device):
    host = np.arange(20.0)
    for out, one, two in (
        (np.s_[1:11], np.s_[0:10], np.s_[5:15]),
        (np.s_[0:10], np.s_[1:11], np.s_[0:10]),
        (np.s_[9::-1], np.s_[0:10], np.s_[10:20]),
        (np.s_[0:10], np.s_[0:10], np.s_[0:10]),
    ):
        x, want = to_device(device, host), host.copy()
        want[out] = want[one] - 2 * want[two]
        sk.subtract(x[one], 2 * x[two], out=x[out])
        assert_same(x, want, device)
    x = to_device(device, host)
    flags = x.view(sk.bool)[: x.size]
    sk.less(x, 10.0, out=flags)
    assert_same(flags, host < 10, device)


def test_scalars_and_out_of_range_integers_with_out(device):
    x = sk.asarray([1, 2, 3], dtype=sk.uint8, device=device)
    flags = sk.zeros((3,), dtype=sk.bool, device=device)
    assert sk.less(x, 300, out=flags) is flags
    assert to_numpy(flags).tolist() == [True] * 3
    assert sk.pow(x, 2, out=x) is x
    assert to_numpy(x).tolist() == [1, 4, 9]
    with pytest.raises(OverflowError):
        sk.add(x, 300, out=x)
    assert to_numpy(x).tolist() == [1, 4, 9]


def test_literals_alone_go_to_the_device_of_the_options(device):
    out = sk.zeros((2,), device=device)
    calls = [
        (lambda: sk.add([1, 2], 3, out=out), [4.0, 5.0]),
        (lambda: sk.sqrt((4, 9.0), out=out), [2.0, 3.0]),
        (lambda: sk.maximum(1, 2.5, out=out, casting="safe"), [2.5, 2.5]),
        (lambda: sk.divide([1, 2], 2, out, dtype=sk.float32), [0.5, 1.0]),
        (lambda: sk.fmod([5, 7], 3, out=out), [2.0, 1.0]),
        (lambda: sk.square(3.0, out=out, where=[True, False]), [9.0, 1.0]),
    ]
    for call, values in calls:
        assert call() is out
        assert to_numpy(out).tolist() == values
    masked = sk.square(3.0, where=sk.asarray([True, False], device=device))
    assert_same(masked, np.asarray([9.0, 0.0]), device)


def test_lists_beside_arrays_take_their_dtype_with_options(device):
    x = sk.asarray([1, 2], dtype=sk.float32, device=device)
    assert_same(sk.add(x, [1, 2.5], dtype=sk.float64), np.asarray([2.0, 4.5]), device)
    assert_same(sk.add(x, [1, 2.5], casting="no"), np.float32([2.0, 4.5]), device)
    flags = sk.zeros((2,), dtype=sk.bool, device=device)
    assert sk.less(sk.astype(x, sk.int8), [300, 1], out=flags) is flags
    assert to_numpy(flags).tolist() == [True, False]


def test_out_broadcasts_and_casts_as_in_numpy(device):
    x = sk.asarray([1.5, 2.5], device=device)
    for dtype in ("float16", "float32", "complex64"):
        out = sk.zeros((3, 2), dtype=dtype, device=device)
        assert sk.add(x, 1, out=out) is out
        assert_same(out, np.add([1.5, 2.5], 1, out=np.zeros((3, 2), dtype)), device)
    out = sk.zeros((2,), dtype=sk.int64, device=device)
    assert sk.add(x, 1, out, casting="unsafe") is out
    assert to_numpy(out).tolist() == [2, 3]
    host = np.zeros(2)
    assert sk.add(sk.asarray([1.0, 2.0]), 1, out=host) is host
    assert host.tolist() == [2.0, 3.0]


@loop_over(
    "name",
    ["add", "multiply", "divide", "sqrt", "sin", "fmod", "less", "isfinite", "negative", "hypot"],
)
def test_dtype_is_that_of_the_result(name, device):
    function, theirs = getattr(sk, name), FUNCTIONS[name]
    host = [np.asarray([1, 2, 3], "int32")] * theirs.nin
    arrays = [to_device(device, x) for x in host]
    for dtype in ("float32", "float64", "complex128", "int64", "bool", "int8"):
        try:
            want = theirs(*host, dtype=dtype)
        except TypeError:
            want = None
        if want is None or np.dtype(dtype) != want.dtype:
            with pytest.raises(TypeError):
                function(*arrays, dtype=dtype)
        else:
            exact = np.dtype(dtype).kind in "biu"
            assert_same(function(*arrays, dtype=dtype), want, device, exact=exact, label=dtype)


@pytest.mark.parametrize("name", ["add", "floor_divide", "fmod", "hypot", "maximum"])
def test_operands_that_do_not_promote_are_converted_to_dtype(name, device):
    """uint64 and signed integers have no common dtype; a scalar may be out of range of the array's dtype."""
    host, signed = np.asarray([1, 7, 200], "uint8"), np.asarray([3, -2, 5], "int8")
    large = host.astype("uint64")
    cases = [(large, signed), (signed, large), (host, -2), (-2, host), (host, 300)]
    dtypes = ["float64", "float32"] + ["int64", "int16"] * (name != "hypot")
    for (x, y), dtype in itertools.product(cases, dtypes):
        arrays = [z if isinstance(z, int) else to_device(device, z) for z in (x, y)]
        want = FUNCTIONS[name](x, y, dtype=dtype)
        exact = np.dtype(dtype).kind == "i"
        got = getattr(sk, name)(*arrays, dtype=dtype)
        assert_same(got, want, device, exact=exact, label=f"{x} {y} {dtype}")


def test_integers_out_of_range_of_the_array_and_of_dtype(device):
    x = sk.asarray([1, 7, 200], dtype=sk.uint8, device=device)
    assert_same(sk.less(x, 300, dtype=sk.bool), np.ones(3, bool), device)
    for dtype in ("uint8", None):
        with pytest.raises(OverflowError, match=r"^add: x2: int out of range of uint8: -2 is not"):
            sk.add(x, -2, dtype=dtype)
    with pytest.raises(OverflowError, match=r"^add: x2: int out of range of int8: 300 is not"):
        sk.add(x, 300, dtype="int8")


CASTS = {
    "equal dtypes": lambda add, sqrt, x, n, casting: add(x, x, casting=casting),
    "promotion": lambda add, sqrt, x, n, casting: add(x, n, casting=casting),
    "floats of integers": lambda add, sqrt, x, n, casting: sqrt(n, casting=casting),
    "narrower": lambda add, sqrt, x, n, casting: add(x, x, dtype="float32", casting=casting),
    "integers": lambda add, sqrt, x, n, casting: add(x, x, dtype="int64", casting=casting),
}


@loop_over("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@loop_over("kind", CASTS)
def test_castings(kind, casting, device):
    host, theirs_n = np.ones(2), np.ones(2, "int32")
    x, n = to_device(device, host), to_device(device, theirs_n)
    try:
        want = CASTS[kind](np.add, np.sqrt, host, theirs_n, casting)
    except TypeError:
        with pytest.raises(TypeError, match="does not cast"):
            CASTS[kind](sk.add, sk.sqrt, x, n, casting)
    else:
        assert_same(CASTS[kind](sk.add, sk.sqrt, x, n, casting), want, device)


def test_order_and_subok_change_nothing(device):
    x = sk.ones((2, 3), device=device)
    assert_same(sk.add(x, 1, order="F", subok=False), np.full((2, 3), 2.0), device)


@pytest.mark.parametrize("name", ["add", "sqrt", "fmod"])
def test_plain_calls_do_not_import_the_slow_path(name, monkeypatch):
    """Options are evaluated in Python only if the result does not go straight into out."""

    def fail(*args, **kwargs):
        raise AssertionError("the slow path ran")

    x = sk.ones((3,))
    arrays = [x] * getattr(sk, name).nin
    getattr(sk, name)(*arrays, out=sk.zeros((3,)))
    monkeypatch.setattr("skerry._ufunc_calls.evaluate", fail)
    getattr(sk, name)(*arrays)
    if name != "fmod":
        getattr(sk, name)(*arrays, out=sk.zeros((3,)))
        getattr(sk, name)(*arrays, sk.zeros((3,)))
    with pytest.raises(AssertionError, match="slow path"):
        getattr(sk, name)(*arrays, dtype="float64")


def test_options_inside_a_fused_function(device):
    @sk.fuse
    def compute(x, y, out):
        total = sk.add(x, y, out=out)
        return sk.multiply(total, 2.0, dtype="float64")

    x = sk.ones((10_000,), device=device)
    out = sk.zeros((10_000,), device=device)
    result = compute(x, x, out)
    assert to_numpy(out).tolist() == [2.0] * 10_000
    assert to_numpy(result).tolist() == [4.0] * 10_000


def test_out_allocates_nothing():
    x, out = sk.ones((1000,)), sk.zeros((1000,))
    with instruments.failing_allocation() as fault:
        sk.add(x, x, out=out)
        sk.sqrt(x, out)
    assert not fault.was_met


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: sk.add(x), TypeError, "add() takes 2 positional arguments, got 1"),
        (lambda x: sk.add(x, 1, 2), TypeError, "add: out must be an Array, not int"),
        (lambda x: sk.add(x, 1, x, x), TypeError, "add() takes 2 positional arguments, got 4"),
        (
            lambda x: sk.add(x, 1, foo=2),
            TypeError,
            "add() got an unexpected keyword argument 'foo'",
        ),
        (lambda x: sk.add(x, 1, x, out=x), TypeError, "add() got two values for argument 'out'"),
        (
            lambda x: sk.add(x, 1, out=[1, 2]),
            TypeError,
            "add: out must be an Array, not list",
        ),
        (
            lambda x: sk.add(x, 1, out=sk.zeros((2, 2))),
            ShapeError,
            "add: out has shape (2, 2), but the result (2, 3); create out with skerry.empty",
        ),
        (
            lambda x: sk.add(x, 1, out=sk.zeros((2, 3), dtype=sk.int64)),
            TypeError,
            "add: the result is float64, which does not cast to the int64 of out by casting='same_kind'; use skerry.astype",
        ),
        (
            lambda x: sk.sqrt(x, dtype="int64"),
            TypeError,
            "sqrt: has no results of int64 for these arguments; leave dtype out, and convert the result",
        ),
        (
            lambda x: sk.add(sk.arange(3), 1.5, dtype="int64"),
            TypeError,
            "add: a Python scalar among the arguments makes the result float64, not int64; convert it first",
        ),
        (
            lambda x: sk.add(x, 1, casting="loose"),
            ValueError,
            "add: casting must be one of same_kind, unsafe, safe, equiv, no, not 'loose'",
        ),
        (
            lambda x: sk.add(x, 1, order="Z"),
            ValueError,
            "add: order must be one of K, C, F, A, not 'Z'",
        ),
        (
            lambda x: sk.add(x, 1, where=x),
            TypeError,
            "add: where must be bool, not float64; pass where != 0",
        ),
        (
            lambda x: sk.modf(x, out=x),
            ValueError,
            "modf: out has 1 arrays for 2 results",
        ),
    ],
)
def test_errors_of_options(call, error, text):
    with pytest.raises(error) as raised:
        call(sk.ones((2, 3)))
    assert str(raised.value) == text


def views(arrays, length, stride, offset):
    """Return the same view of each of some vectors: of a length, with a stride in elements; 0 repeats an element."""
    for x, broadcast_to in zip(arrays, (np.broadcast_to, sk.broadcast_to), strict=True):
        if stride == 0:
            yield broadcast_to(x[offset : offset + 1], (length,))
        else:
            part = x[offset : offset + abs(stride) * length : abs(stride)]
            yield part if stride > 0 else part[::-1]


@loop_over("dtype", ["float32", "float64", "int32", "uint8"])
def test_out_and_operands_are_any_views_of_one_memory(dtype, device):
    rng = np.random.default_rng(5)
    lengths = (1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257)
    for length, name in itertools.product(lengths, ("add", "multiply", "maximum", "square")):
        dense = [1, 1, 1]  # computed in place unless they overlap
        some = [*rng.choice([-2, -1, 0, 1, 2], 2), rng.choice([-2, -1, 1, 2])]
        for strides in (dense, dense, some):
            host = (rng.random(4 * length + 8) * 50).astype(dtype)
            memory = to_device(device, host)
            offsets = rng.integers(0, length + 3, 3)
            pairs = [
                tuple(views((host, memory), length, int(stride), int(offset)))
                for stride, offset in zip(strides, offsets, strict=True)
            ]
            if name == "square":
                del pairs[1]
            theirs, ours = zip(*pairs, strict=True)
            getattr(np, name)(*theirs[:-1], out=theirs[-1])
            assert getattr(sk, name)(*ours[:-1], out=ours[-1]) is ours[-1]
            assert to_numpy(memory).tobytes() == host.tobytes(), (name, length, strides, offsets)
