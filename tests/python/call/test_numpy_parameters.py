# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments by position and by NumPy's names: functions of C++ are called as NumPy's function of the same name."""

import inspect
import types

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError, DTypeError

from tests.python.oracle import BASE_SHAPE, assert_same, layouts_of, sample, to_device, to_numpy

# By call: with NumPy's arrays, and with skerry's on a device. x, y and c are float64 and complex128 of shape (3, 4), v
# ascending of shape (4,), i int64 indices, b a mask, e without elements.
CALLS = """
zeros((2, 3), int)
zeros((2, 3), np.float32, "F")
ones(3, dtype=int, order="C")
full((2, 2), 3.0, np.float32)
full((2, 3), fill_value=3.0, order="F")
eye(3, 4, 1)
eye(N=3, M=2, k=-1, order="F")
arange(0, 10, 2, np.float32)
arange(start=0, stop=5)
linspace(0, 1)
linspace(start=0, stop=1, num=5, endpoint=False)
linspace(0, 2, 5, dtype=int, axis=-1)
linspace(v, 2.5 * v, 5)
linspace(x, 9, 4, axis=1)
linspace(x, y, 3, False, axis=-1)
linspace(0, x[::-1, ::2], 6, dtype=np.float32)
linspace(i, 9 - i, 6, dtype=int)
linspace(x, y, 4, retstep=True)
linspace(c, 1, 4)
linspace(e, 1, 4)
linspace(x, y, 0)
linspace([0, 1], [3.0, 5.0], 4)
zeros_like(x, int, "F")
zeros_like(x, shape=(2, 2))
zeros_like(a=x, subok=False)
full_like(x, 3, shape=5)
ones_like(x.T, order="K")
tril(x, 1)
triu(m=x, k=-1)
reshape(x, (4, 3), "F")
reshape(x, (2, -1), order="A")
reshape(x.T, (2, -1), order="A")
reshape(e, (0, 7), "F")
squeeze(x[None])
squeeze(a=x[None], axis=0)
permute_dims(x)
flip(x, 0)
moveaxis(x, source=0, destination=1)
take(x, 1)
take(x, -1, 0)
take(x, indices=i, axis=0)
take(x, 100 * i, mode="clip")
take(x, -100 * i, 1, None, "clip")
take(x, 7 * i - 9, 1, None, "wrap")
take_along_axis(x, i, None)
sort(-x, 0)
sort(-x, None)
sort(a=-x, axis=1, kind="stable", stable=None)
argsort(-x, 0, kind="quicksort")
argsort(-x, 0, kind="quick")
sort(-x, 1, kind="heap")
sort(-x, 1, kind="merge")
argsort(-x, None)
searchsorted(v, y, "right")
searchsorted(a=v, v=y, side="left")
concat((x, y), 1)
concat((x, y), axis=0, dtype=np.float32)
concat((x, i), None)
stack((x, y), 1)
stack((x, y), axis=-1, dtype=np.complex128, casting="safe")
diff(x, 2)
diff(x, 1, 0)
diff(x, n=1, axis=0)
repeat(x, 2, 0)
repeat(a=x, repeats=2)
roll(x, 1, 1)
tile(A=x, reps=2)
clip(x, 0.2, 0.5)
clip(x, a_min=0.2, a_max=None)
clip(a=x, a_min=y, a_max=0.5)
isin(x, x[1], True)
isin(x, x[1], False, True)
isin(x, x[1], kind="sort")
count_nonzero(b, 0)
sum(x, 0)
sum(a=x, axis=1)
sum(x, 1, np.float32)
sum(x, (0, 1), None, None, True)
sum(x, where=b)
sum(x, 0, where=b, initial=2.0)
prod(x, initial=2.0, where=b)
prod(e, 0)
mean(x, 0, np.float32)
mean(i, dtype=np.float32)
var(x, 0, None, None, 1)
var(c)
var(c, 0, ddof=1)
var(c, axis=1, keepdims=True, correction=2)
std(x, ddof=1)
std(c, -1)
std(x, 0, np.float32)
std(i, 0, np.float32)
max(x, 0)
max(x, 1, None, True, 0.5)
max(x, axis=1, initial=0.1, where=b)
min(e, 0, initial=4.0)
argmax(x, 0)
argmin(x, axis=1, keepdims=True)
all(b, 1)
any(b, where=x > 0.5)
any(b, 0, None, True)
where(b)
fft.fft(x, 3)
fft.fft(x, None, 0, None)
fft.fftn(x, (2, 2), (0, 1))
fft.fftshift(x, 1)
fft.fftfreq(4, 0.5)
asarray(x, np.float32, "F")
asarray(a=x, order="F")
amax(a=x, axis=0)
stack(arrays=(x, y), axis=1)
""".strip().splitlines()
INEXACT = ("mean", "var", "std", "fft", "sum", "prod", "linspace")


def operands():
    x = sample("float64", (3, 4), low=0.0625, high=0.9375)
    return {
        "x": x,
        "y": x[::-1] + 0.125,
        "c": x + 1j * x[::-1] ** 2,
        "v": np.sort(x[0]),
        "i": np.array([2, 0, 1]),
        "b": x > 0.4,
        "e": np.zeros((0, 3)),
    }


def compare(got, want, device, label):
    if isinstance(want, (tuple, list)):
        assert isinstance(got, tuple), label
        assert len(got) == len(want), label
        for part, expected in zip(got, want, strict=True):
            compare(part, expected, device, label)
        return
    exact = not label.startswith(INEXACT) or np.asarray(want).dtype.kind in "bi"
    assert_same(got, np.asarray(want), device, exact=exact, scale=4.0, label=label)


@pytest.mark.parametrize("call", CALLS)
def test_calls_match_numpy(call, device):
    host = operands()
    arrays = {name: to_device(device, x) for name, x in host.items()}
    want = eval(f"np.{call}", {"np": np, **host})
    with sk.device(device):
        got = eval(f"sk.{call}", {"np": np, "sk": sk, **arrays})
    compare(got, want, device, call)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_variance_of_complex_numbers_in_any_layout(dtype, device):
    host = sample(dtype, BASE_SHAPE)
    for name, x, want in layouts_of(host, device):
        for function in ("var", "std"):
            expected = getattr(np, function)(want.astype("complex128"))
            got = getattr(sk, function)(x)
            assert got.dtype == np.empty(0, dtype).real.dtype, name
            assert got.device == sk.Device(device)
            np.testing.assert_allclose(to_numpy(got), expected, rtol=2e-6, err_msg=name)


def test_variance_of_complex_numbers_is_rejected_under_strict_promotion():
    with sk.strict_promotion(), pytest.raises(TypeError, match="complex128"):
        sk.var(sk.ones((2,), dtype=sk.complex128))


def test_linspace_returns_the_step():
    for args in ((0, 1, 5), (0, 1, 5, False), (2.0, 1, 1), (1j, 2, 3)):
        got, step = sk.linspace(*args, retstep=True)
        want, expected = np.linspace(*args, retstep=True)
        np.testing.assert_allclose(to_numpy(got), want)
        np.testing.assert_equal(step, expected)
    with pytest.raises(sk.exceptions.AxisError, match="linspace: axis 1"):
        sk.linspace(0, 1, 5, axis=1)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid_may_be_sparse_or_copied(sparse, indexing, device):
    vectors = [np.arange(2.0), np.arange(3), np.arange(4.0)]
    for count in (1, 2, 3):
        want = np.meshgrid(*vectors[:count], sparse=sparse, indexing=indexing)
        arrays = [to_device(device, x) for x in vectors[:count]]
        for copied in (False, True):
            got = sk.meshgrid(*arrays, copy=copied, sparse=sparse, indexing=indexing)
            compare(got, want, device, "meshgrid")
            assert not copied or all(x.flags.writeable for x in got)


ORDERS = [
    ("zeros", ((2, 3),)),
    ("ones", ((2, 3),)),
    ("empty", ((2, 3),)),
    ("full", ((2, 3), 1.0)),
    ("eye", (3, 4)),
]


@pytest.mark.parametrize(("name", "args"), ORDERS)
def test_order_of_new_arrays_is_that_of_numpy(name, args, device):
    for order in ("C", "F", "c", "f"):
        got = getattr(sk, name)(*args, order=order, device=device)
        assert got.strides == getattr(np, name)(*args, order=order).strides
        assert got.device == sk.Device(device)
    with pytest.raises(ValueError, match=f"{name}: order must be 'C' or 'F', not 'X'"):
        getattr(sk, name)(*args, order="X")


@pytest.mark.parametrize("order", ["c", "f", "a", "k"])
def test_orders_in_lower_case_are_those_of_numpy(order, device):
    host = np.arange(6.0).reshape(2, 3)
    x = to_device(device, host)
    assert_same(x.flatten(order), host.flatten(order), device)
    assert_same(sk.ravel(x, order), host.ravel(order), device)
    assert sk.zeros_like(x, order=order).strides == np.zeros_like(host, order=order).strides
    assert x.astype("float32", order=order).strides == host.astype("float32", order).strides
    if order != "k":
        assert_same(x.reshape((3, 2), order=order), host.reshape((3, 2), order=order), device)
    if order in "cf":
        assert sk.empty((2, 3), order=order).strides == np.empty((2, 3), order=order).strides
    with pytest.raises(
        ValueError, match="flatten: order must be 'C' or 'F' or 'A' or 'K', not 'cf'"
    ):
        x.flatten("cf")


def test_linspace_between_arrays_does_not_overflow(device):
    host = np.asarray([-1.7e308, 1.0])
    got = to_numpy(sk.linspace(to_device(device, host), 1.7e308, 3))
    assert got.tolist() == [[-1.7e308, 1.0], [0.0, 0.85e308], [1.7e308, 1.7e308]]


def test_linspace_between_arrays_is_checked(device):
    x = to_device(device, np.asarray([1.0, 2.0]))
    elsewhere = "cuda:1" if device == "cuda:0" else "cuda:0"
    with pytest.raises(DeviceMismatchError, match="linspace"):
        sk.linspace(x, sk.ones((2,), device=elsewhere))
    with pytest.raises(DeviceMismatchError, match="linspace"):
        sk.linspace(x, 1, device=elsewhere)
    with pytest.raises(ValueError, match="linspace: num must not be negative: -1"):
        sk.linspace(x, 1, -1)
    with pytest.raises(sk.exceptions.AxisError, match="linspace: axis 2 is out of bounds"):
        sk.linspace(x, 1, 3, axis=2)
    assert sk.linspace([0, 1], 2, 3, device=device).device == sk.Device(device)


#: Shapes, axes and numbers as sequences that NumPy takes: arrays and ranges.
SEQUENCES = [
    ("zeros(s)", [2, 3]),
    ("full(s, 1.5)", [2, 3]),
    ("empty(s, dtype=int) * 0", []),
    ("reshape(x, s)", [4, 3]),
    ("x.reshape(s)", [2, -1]),
    ("transpose(x, s)", [1, 0]),
    ("x.transpose(s)", [1, 0]),
    ("broadcast_to(x, s)", [2, 3, 4]),
    ("moveaxis(x[None], s, (2, 0))", [0, 1]),
    ("tile(x, s)", [2, 1]),
    ("roll(x, s, (0, 1))", [1, 2]),
    ("flip(x, s)", [0, 1]),
    ("partition(x, s, 0)", [0, 2]),
]


@pytest.mark.parametrize("kind", ["int64", "uint8", "int16", "range"])
@pytest.mark.parametrize(("call", "sequence"), SEQUENCES)
def test_sequences_of_ints_may_be_arrays(call, sequence, kind, device):
    host = np.arange(12.0).reshape(3, 4)
    x = to_device(device, host)
    if kind == "range":
        step = sequence[1] - sequence[0] if len(sequence) > 1 else 1
        sequence = range(sequence[0], sequence[-1] + np.sign(step), step) if sequence else range(0)
        theirs = ours = sequence
    else:
        theirs = np.asarray(sequence).astype(kind)
        if kind == "uint8" and -1 in sequence:
            pytest.skip("uint8 has no -1")
        ours = to_device(device, theirs)
    want = eval(call if call.startswith("x.") else f"np.{call}", {"np": np, "x": host, "s": theirs})
    with sk.device(device):
        got = eval(call if call.startswith("x.") else f"sk.{call}", {"sk": sk, "x": x, "s": ours})
        assert_same(got, want, device)
        if device == "cpu:0" and kind != "range":  # NumPy's arrays are on cpu:0
            got = eval(
                call if call.startswith("x.") else f"sk.{call}", {"sk": sk, "x": x, "s": theirs}
            )
            assert_same(got, want, device)


def test_sequences_of_ints_are_checked(device):
    elsewhere = "cuda:1" if device == "cuda:0" else "cuda:0"
    x = to_device(device, np.arange(12.0).reshape(3, 4))
    with pytest.raises(DeviceMismatchError, match="reshape: shape is int64"):
        sk.reshape(x, sk.asarray([4, 3], device=elsewhere))
    with pytest.raises(TypeError, match="reshape: shape must be an int, not float"):
        sk.reshape(x, sk.asarray([4.0, 3.0], device=device))
    with pytest.raises(TypeError, match="reshape: shape must be a scalar, not int64"):
        sk.reshape(x, sk.asarray([[4, 3]], device=device))
    with pytest.raises(TypeError, match="zeros: shape must be an int or a tuple of ints, not set"):
        sk.zeros({3})


def test_order_of_arrays_like_another():
    host = np.zeros((2, 3, 4))
    for model in (host, host.T, host.transpose(1, 0, 2), host[:, ::2]):
        x = sk.asarray(model)
        for order in ("C", "F", "A", "K", "c", "f", "a", "k"):
            for name, value in (("empty_like", ()), ("zeros_like", ()), ("full_like", (2.0,))):
                got = getattr(sk, name)(x, *value, order=order)
                want = getattr(np, name)(model, *value, order=order)
                assert got.strides == want.strides, (model.strides, order, name)
        assert sk.zeros_like(x, order="K", shape=(5, 6)).strides == (48, 8)
        for order in ("C", "F", "c", "f"):
            assert sk.asarray(x, order=order).strides == np.asarray(model, order=order).strides
            assert (
                x.astype("float32", order=order).strides == model.astype("float32", order).strides
            )
    fortran = sk.asarray(host.T)
    assert sk.asarray(fortran, order="F") is fortran
    with pytest.raises(ValueError, match="asarray: copy=False, but order='C' requires a copy"):
        sk.asarray(fortran, order="C", copy=False)


OUT = [
    "sum(x, 0, None, out)",
    "mean(x, 0, out=out)",
    "max(x, 0, out)",
    "any(x, 0, out)",
    "argmax(x, 0, out)",
    "std(x, 0, out=out)",
    "sum(x, 0, out=out, where=x > 0.5)",
    "max(x, 0, out=out, initial=0.5)",
    "take(x, 1, 0, out)",
    "clip(x, 0.25, 0.5, out)",
    "concat((x, x), 1, out)",
    "stack((x, x), 1, out)",
    "cumulative_sum(x, axis=0, out=out)",
    "fft.fft(x, out=out)",
    "fft.fftn(x, out=out)",
]


@pytest.mark.parametrize("call", OUT)
def test_result_is_stored_into_out(call, device):
    host = operands()["x"]
    x = to_device(device, host)
    want = np.asarray(eval(f"np.{call}", {"np": np, "x": host, "out": None}))
    out = sk.zeros(want.shape, dtype=want.dtype, device=device)
    scope = {"sk": sk, "x": x}
    assert eval(f"sk.{call}", {**scope, "out": out}) is out
    assert_same(out, want, device, exact=want.dtype.kind in "bi", scale=4.0)
    name = call.split("(")[0].split(".")[-1]
    other = sk.zeros((7,), device=device)
    text = rf"{name}: out has shape \(7,\), but the result .*; create out with skerry.empty"
    with pytest.raises(ValueError, match=text):
        eval(f"sk.{call}", {**scope, "out": other})
    with pytest.raises(TypeError, match=rf"{name}: out must be an Array, not list"):
        eval(f"sk.{call}", {**scope, "out": [1.0]})
    host_out = np.zeros(want.shape, dtype=want.dtype)
    if device == "cpu:0":
        assert eval(f"sk.{call}", {**scope, "out": host_out}) is host_out
        assert_same(sk.asarray(host_out), want, device, exact=want.dtype.kind in "bi", scale=4.0)
    else:
        with pytest.raises(DeviceMismatchError):
            eval(f"sk.{call}", {**scope, "out": host_out})
        assert not host_out.any()
    elsewhere = "cuda:1" if device == "cuda:0" else "cuda:0"
    remote = sk.zeros(want.shape, dtype=want.dtype, device=elsewhere)
    with pytest.raises(DeviceMismatchError, match="out is"):
        eval(f"sk.{call}", {**scope, "out": remote})
    assert not to_numpy(remote).any()


def test_out_may_be_an_operand_or_a_view(device):
    x = to_device(device, np.arange(12.0).reshape(3, 4))
    assert sk.clip(x, 2, 5, out=x) is x
    assert_same(x, np.clip(np.arange(12.0).reshape(3, 4), 2, 5), device)
    sk.sum(x, 0, out=x[0])
    assert_same(x[0], np.array([11.0, 12, 12, 13]), device)


ERRORS = [
    (lambda x: sk.var(x, ddof=1, correction=1), ValueError, "var: correction and ddof are the same parameter"),
    (lambda x: sk.mean(x, dtype="int32"), DTypeError, "mean: dtype must be a floating dtype, not int32"),
    (lambda x: sk.max(x, 0, None, False, None, x > 0), ValueError, "max: where= needs initial=, as this reduction has no identity"),
    (lambda x: sk.sum(x, 0, a=x), TypeError, "sum() got two values for argument 'a'"),
    (lambda x: sk.sum(b=x), TypeError, "sum() got an unexpected keyword argument 'b'"),
    (lambda x: sk.sum(axis=0), TypeError, "sum() is missing the argument 'x'"),
    (lambda x: sk.take(x, 1, mode="none"), ValueError, "take: mode must be 'raise' or 'wrap' or 'clip', not 'none'"),
    (lambda x: sk.take(x, 99), IndexError, "take: index 99 is out of bounds"),
    (lambda x: sk.reshape(x, (6,), "K"), ValueError, "reshape: order must be 'C', 'F' or 'A', not 'K'"),
    (
        lambda x: sk.concat((x, x), dtype="int32"),
        DTypeError,
        "concat: float64 does not cast to int32 with casting='same_kind'; use casting='unsafe'",
    ),
    (
        lambda x: sk.stack((x, x), casting="loose"),
        ValueError,
        "stack: casting must be 'no' or 'equiv' or 'safe' or 'same_kind' or 'unsafe', not 'loose'",
    ),
    (
        lambda x: sk.empty_like(x, subok=sk.ones((), device="cpu:1")),
        DeviceMismatchError,
        "empty_like: subok is ",
    ),
    (lambda x: sk.where(x, x), TypeError, "where: x1 and x2 must be passed both, or neither of them"),
    (lambda x: sk.isin(x, x, kind="hash"), ValueError, "isin: kind must be 'sort' or 'table', not 'hash'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_errors_name_the_argument(call, error, text):
    with pytest.raises(error) as caught:
        call(sk.ones((2, 3)))
    assert text in str(caught.value)


def positional(function):
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def shared_functions(ours, theirs):
    for name in sorted(vars(ours)):
        function, peer = getattr(ours, name), getattr(theirs, name, None)
        if (
            isinstance(function, types.BuiltinFunctionType)
            and callable(peer)
            and not isinstance(peer, np.ufunc)
        ):
            yield name, function, peer


@pytest.mark.parametrize(
    ("ours", "theirs"), [(sk, np), (sk.fft, np.fft)], ids=["numpy", "numpy.fft"]
)
def test_positional_parameters_are_those_of_numpy(ours, theirs):
    """A call with positional arguments means the same, or more arguments than the standard has are rejected."""
    different = {}
    for name, function, peer in shared_functions(ours, theirs):
        try:
            expected = positional(peer)
        except ValueError:  # a builtin of NumPy's without a signature
            continue
        got = positional(function)
        rest = [
            pair
            for pair in zip(got[1:], expected[1:], strict=False)
            if pair[0] != pair[1] and pair not in RENAMED
        ]
        if rest:
            different[name] = rest
    assert different == {}


RENAMED = {
    ("min", "a_min"), ("max", "a_max"), ("n_cols", "M"), ("x2", "v"), ("x2", "test_elements"), ("x2", "b"),
    ("repetitions", "reps"), ("x1", "x"), ("x2", "y"),
}  # fmt: skip


def test_this_comparison_finds_another_order():
    assert positional(lambda x, axis, dtype: 0) == ["x", "axis", "dtype"]
    assert positional(sk.sum)[:4] == ["x", "axis", "dtype", "out"]
    assert "sum" in [name for name, _, _ in shared_functions(sk, np)]
