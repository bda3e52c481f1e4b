# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The fft extension against numpy.fft in double precision, over dtypes, layouts, lengths, axes, norms and devices."""

import inspect
import math
import os
import threading

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, sample, to_device, to_numpy
from tests.python.session import HAS_GPU

ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
MANY_AXES = ("fftn", "ifftn", "rfftn", "irfftn")
FROM_REAL = ("rfft", "ihfft", "rfftn")
TO_REAL = ("irfft", "hfft", "irfftn")
NORMS = ("backward", "ortho", "forward")
WIDE = ("float32", "float64", "complex64", "complex128")
FLOATING = ("float16", *WIDE)
SINGLE = ("float16", "float32", "complex64")
# Root mean square error of a transform, relative to that of the result: a few units in the last place.
BOUND = {"float32": 3e-7, "float64": 6e-16}


def cases(names):
    return [
        (name, dtype)
        for name in names
        for dtype in FLOATING
        if not (name in FROM_REAL and dtype.startswith("complex"))
    ]


def result_dtype(name, dtype):
    if name in TO_REAL:
        return "float32" if dtype in SINGLE else "float64"
    return "complex64" if dtype in SINGLE else "complex128"


def in_double(name, x, **options):
    x = x.astype(np.float64 if name in FROM_REAL else np.complex128)
    return getattr(np.fft, name)(x, **options)


def check(got, want, name, dtype, device, label=""):
    assert got.device == sk.Device(device), label
    assert got.dtype == np.dtype(result_dtype(name, dtype)), label
    assert got.shape == want.shape, label
    error = np.abs(to_numpy(got) - want)
    size = math.sqrt(np.mean(np.abs(want) ** 2)) if want.size else 0.0
    bound = BOUND["float32" if dtype in SINGLE else "float64"]
    # An element may be off by more than the root mean square.
    assert not want.size or error.max() <= 8 * bound * size + 1e-300, (
        f"{label}: {error.max() / size:.2g}"
    )


@loop_over(("name", "dtype"), cases(ONE_AXIS), items="name")
@loop_over("norm", NORMS)
def test_transforms_along_one_axis(name, dtype, norm, device):
    x = sample(dtype, (3, 8, 5))
    for axis in (0, 1, 2, -1, -3):
        for n in (None, 1, 2, 3, 4, 7, 12):
            got = getattr(sk.fft, name)(to_device(device, x), n=n, axis=axis, norm=norm)
            want = in_double(name, x, n=n, axis=axis, norm=norm)
            check(got, want, name, dtype, device, f"axis {axis}, n {n}")


@loop_over(("name", "dtype"), cases(MANY_AXES), items="name")
@loop_over("norm", NORMS)
def test_transforms_along_several_axes(name, dtype, norm, device):
    x = sample(dtype, (3, 4, 5, 6))
    for s, axes in [
        (None, None),
        (None, (0,)),
        (None, (2, 0)),
        (None, (3, 0, 1)),
        (None, (-1, -4, 1, 2)),
        ((4, 4), (1, 2)),
        ((2, 7), (3, 1)),
        ((1, 9, 5), (0, 3, 1)),
        ((5, 2, 3, 4), (0, 1, 2, 3)),
    ]:
        got = getattr(sk.fft, name)(to_device(device, x), s=s, axes=axes, norm=norm)
        want = in_double(name, x, s=s, axes=axes, norm=norm)
        check(got, want, name, dtype, device, f"s {s}, axes {axes}")


@pytest.mark.parametrize("name", MANY_AXES)
def test_lengths_without_axes_apply_to_the_last_axes(name, device):
    x = sample("float64", (3, 4, 5))
    got = getattr(sk.fft, name)(to_device(device, x), s=(6, 4))
    check(got, in_double(name, x, s=(6, 4), axes=(-2, -1)), name, "float64", device)


@loop_over(("name", "dtype"), cases(ONE_AXIS + MANY_AXES), items="name")
def test_transforms_of_every_layout(name, dtype, device):
    base = sample(dtype, (9, 14))
    array = to_device(device, base)
    views = {
        "transposed": (array.T, base.T),
        "offset": (array[1:, 2:], base[1:, 2:]),
        "reversed": (array[::-1, ::-2], base[::-1, ::-2]),
        "strided": (array[::2, 1::3], base[::2, 1::3]),
        "column": (array[:, 3:5], base[:, 3:5]),
        "broadcast": (sk.broadcast_to(array[0, :], (4, 14)), np.broadcast_to(base[0], (4, 14))),
        "F": (to_device(device, np.asfortranarray(base)), base),
    }
    for label, (x, reference) in views.items():
        old_values = to_numpy(x)
        options = [{"axis": 0}, {"axis": 1, "n": 5}] if name in ONE_AXIS else [{}, {"axes": (0,)}]
        for keywords in options:
            got = getattr(sk.fft, name)(x, **keywords)
            check(
                got,
                in_double(name, reference, **keywords),
                name,
                dtype,
                device,
                f"{label}, {keywords}",
            )
        np.testing.assert_array_equal(
            to_numpy(x), old_values, err_msg=f"{label}: the input was changed"
        )


@pytest.mark.two_gpus
@pytest.mark.one_stream("an interface without a stream is not ordered")
@pytest.mark.parametrize("dtype", FLOATING)
def test_transforms_of_fields_of_records(dtype, cuda_device):
    packed = np.zeros(12, np.dtype([("value", dtype), ("tag", dtype)]))
    packed["value"] = sample(dtype, (12,))
    memory = to_device(cuda_device, packed.view("u1"))

    class Field:
        __cuda_array_interface__ = {  # noqa: RUF012
            "shape": (12,),
            "strides": packed.strides,
            "typestr": np.dtype(dtype).str,
            "data": memory.__cuda_array_interface__["data"],
            "version": 3,
        }
        owner = memory

    x = sk.as_cuda_array(Field())
    for name in ("fft", "irfft", "hfft"):
        want = in_double(name, packed["value"])
        check(getattr(sk.fft, name)(x), want, name, dtype, cuda_device)


@pytest.mark.parametrize("name", ONE_AXIS)
def test_transforms_of_64_dimensions(name, device):
    shape = [1] * 61 + [2, 3, 4]
    x = sample("float64", (2, 3, 4))
    got = getattr(sk.fft, name)(sk.reshape(to_device(device, x), shape), axis=62)
    want = in_double(name, x, axis=1)
    check(sk.reshape(got, want.shape), want, name, "float64", device)


def test_transforms_along_many_axes(device):
    x = sample("complex128", (2,) * 12)
    swapped = x.transpose(range(11, -1, -1))
    check(sk.fft.fftn(to_device(device, x)), np.fft.fftn(x), "fftn", "complex128", device)
    array = sk.permute_dims(to_device(device, x), tuple(range(11, -1, -1)))
    axes = (0, 2, 4, 6, 8, 10)
    check(
        sk.fft.fftn(array[::-1], axes=axes),
        np.fft.fftn(swapped[::-1], axes=axes),
        "fftn",
        "complex128",
        device,
    )
    real = sk.fft.rfftn(sk.real(array), axes=axes)
    check(real, np.fft.rfftn(swapped.real, axes=axes), "rfftn", "float64", device)


@pytest.mark.parametrize("name", ONE_AXIS)
@loop_over("dtype", ["float32", "float64"])
@loop_over(
    "n", [2, 3, 16, 31, 97, 128, 210, 1009, 1024, 4096, 10007, 65536, 131072, 262144, 300000]
)
def test_transforms_of_many_lengths(name, dtype, n):
    x = sample(dtype if name in FROM_REAL else result_dtype("fft", dtype), (n,))
    check(getattr(sk.fft, name)(sk.asarray(x)), in_double(name, x), name, dtype, "cpu:0")


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
@loop_over("shape", [(3, 140_000), (200, 300), (40, 3, 1000), (5000, 8)])
def test_batches_large_enough_for_threads(name, shape, device):
    x = sample("float32" if name == "rfft" else "complex64", shape)
    for axis in (0, len(shape) - 1):
        got = getattr(sk.fft, name)(to_device(device, x), axis=axis)
        check(got, in_double(name, x, axis=axis), name, "complex64", device, f"axis {axis}")


@loop_over(("shape", "axis"), [((20, 6, 7), 1), ((3, 6, 7), 1), ((20, 6, 7), 0)])
@pytest.mark.parametrize("name", ONE_AXIS)
def test_batches_on_both_sides_of_the_axis(name, shape, axis, device):
    x = sample("float64", shape)
    got = getattr(sk.fft, name)(to_device(device, x), axis=axis)
    check(got, in_double(name, x, axis=axis), name, "float64", device)


@loop_over(("shape", "axis"), [((3, 7, 5), 1), ((2, 3, 5, 7, 3), 2), ((3, 4, 5), 1)])
@loop_over(("name", "dtype"), cases(ONE_AXIS + MANY_AXES), items="name")
def test_batches_at_odd_strides(name, dtype, shape, axis, device):
    """cuFFT requires the real side to be aligned as complex numbers; rehearsed devices reject others."""
    x = sample(dtype, shape)
    options = [{"axis": axis}, {"axis": axis, "n": 5}] if name in ONE_AXIS else [{"axes": (axis,)}]
    for keywords in options:
        got = getattr(sk.fft, name)(to_device(device, x), **keywords)
        check(got, in_double(name, x, **keywords), name, dtype, device, f"{shape}, {keywords}")


@loop_over(("name", "dtype"), cases(ONE_AXIS), items="name")
def test_axes_of_one_element_with_any_stride(name, dtype, device):
    x = sample(dtype, (4, 6))
    for axis, n in ((0, None), (0, 1), (1, None)):
        if name in ("irfft", "hfft") and axis == 0 and n is None:
            continue  # the transform would have no elements
        got = getattr(sk.fft, name)(to_device(device, x)[::-1][:1], axis=axis, n=n)
        want = in_double(name, x[::-1][:1], axis=axis, n=n)
        check(got, want, name, dtype, device, f"{axis}, {n}")


@loop_over(("name", "dtype"), cases(ONE_AXIS), items="name")
def test_slices_with_odd_offsets(name, dtype, device):
    x = sample(dtype, (31,))
    for first in (1, 2, 3):
        got = getattr(sk.fft, name)(to_device(device, x)[first:])
        check(got, in_double(name, x[first:]), name, dtype, device, f"x[{first}:]")


@loop_over(("name", "dtype"), cases(ONE_AXIS), items="name")
def test_empty_batches(name, dtype, device):
    x = sample(dtype, (0, 4, 0))
    got = getattr(sk.fft, name)(to_device(device, x), axis=1)
    check(got, in_double(name, x, axis=1), name, dtype, device)
    for axis in (0, -1):
        with pytest.raises(ValueError, match=name):
            getattr(sk.fft, name)(to_device(device, x), axis=axis)


def test_empty_axis_is_padded(device):
    got = sk.fft.fft(sk.zeros((2, 0), device=device), n=3)
    assert_same(got, np.zeros((2, 3), complex), device)


def test_transforms_along_no_axes(device):
    x = sample("float32", (2, 3))
    for name in ("fftn", "ifftn"):
        got = getattr(sk.fft, name)(to_device(device, x), axes=())
        assert_same(got, x.astype(np.complex64), device)
        got = getattr(sk.fft, name)(to_device(device, np.float64(3.0)))
        assert_same(got, np.complex128(3.0), device)
    for name in ("rfftn", "irfftn"):
        with pytest.raises(ValueError, match=name):
            getattr(sk.fft, name)(to_device(device, x), axes=())


@pytest.mark.parametrize("dtype", FLOATING)
def test_results_do_not_share_memory_with_x(dtype, device):
    x = to_device(device, sample(dtype, (4,)))
    old_values = to_numpy(x)
    for result in (sk.fft.fft(x, n=1), sk.fft.fftn(x, axes=()), sk.fft.fftshift(x, axes=())):
        result[...] = 7
        np.testing.assert_array_equal(to_numpy(x), old_values)


def test_transforms_round_trip(device):
    x = sample("complex128", (6, 7, 8))
    y = to_device(device, x)
    for norm in NORMS:
        back = sk.fft.ifftn(sk.fft.fftn(y, norm=norm), norm=norm)
        np.testing.assert_allclose(to_numpy(back), x, rtol=0, atol=1e-14)
        half = sk.fft.rfftn(sk.real(y), norm=norm)
        back = sk.fft.irfftn(half, s=x.shape, axes=(0, 1, 2), norm=norm)
        np.testing.assert_allclose(to_numpy(back), x.real, rtol=0, atol=1e-14)
        back = sk.fft.ihfft(sk.fft.hfft(half, n=15, norm=norm), norm=norm)
        assert back.shape == (6, 7, 8)


def test_inverse_of_odd_length_takes_n(device):
    x = sample("float64", (7,))
    half = sk.fft.rfft(to_device(device, x))
    assert sk.fft.irfft(half).shape == (6,)
    np.testing.assert_allclose(to_numpy(sk.fft.irfft(half, n=7)), x, rtol=0, atol=1e-14)


def test_single_precision_is_accurate_for_long_transforms():
    # In single precision, with twiddle factors from double precision, the error grows as the square root of log n.
    for n in (1 << 17, 1 << 20, 1_000_000):
        x = sample("complex64", (n,))
        got, want = to_numpy(sk.fft.fft(sk.asarray(x))), np.fft.fft(x.astype(np.complex128))
        error = np.linalg.norm(got - want) / np.linalg.norm(want)
        assert error < 4e-7, error


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_nan_and_infinity_reach_every_element(bad, device):
    x = np.ones(8)
    x[3] = bad
    assert not np.isfinite(to_numpy(sk.fft.fft(to_device(device, x)))).any()


@loop_over("dtype", WIDE)
@pytest.mark.parametrize("name", ["irfft", "hfft"])
def test_real_results_near_subnormal_numbers(name, dtype, device):
    """CUDA scales before the transform, so each term may be off by half the smallest subnormal number."""
    info = np.finfo(result_dtype(name, dtype))
    n = 1024
    x = (sample(dtype, (n // 2 + 1,)) * (4 * info.tiny)).astype(dtype)
    norm = "backward" if name == "irfft" else "forward"
    got = to_numpy(getattr(sk.fft, name)(to_device(device, x), norm=norm))
    want = in_double(name, x, norm=norm)
    bound = 8 * BOUND[str(info.dtype)] * np.sqrt(np.mean(want**2, dtype=np.longdouble))
    assert np.abs(got - want).max() <= bound + n / 2 * info.smallest_subnormal


@pytest.mark.skipif(not HAS_GPU, reason="the CPU scales last: its sums overflow first")
@pytest.mark.parametrize("dtype", WIDE)
def test_real_results_overflow_only_where_they_are_too_large(dtype, cuda_device):
    info = np.finfo(result_dtype("irfft", dtype))
    x = np.full(513, info.max / 2, dtype)
    got = to_numpy(sk.fft.irfft(to_device(cuda_device, x)))
    want = np.zeros(1024)
    want[0] = info.max / 2
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=float(info.max) * 1e-6)
    assert np.isinf(to_numpy(sk.fft.irfft(to_device(cuda_device, x), norm="forward"))[0])


def test_lengths_below_one_raise(device):
    x = to_device(device, sample("float64", (3, 4)))
    for n in (0, -1, -(2**80)):
        for name in ONE_AXIS:
            with pytest.raises(ValueError, match=rf"^{name}: "):
                getattr(sk.fft, name)(x, n=n)
        for name in MANY_AXES:
            with pytest.raises(ValueError, match=rf"^{name}: "):
                getattr(sk.fft, name)(x, s=(n - (n == -1), 2), axes=(0, 1))  # -1 is the axis's own
    one = to_device(device, sample("complex128", (3, 1)))
    for name in ("irfft", "hfft", "irfftn"):
        with pytest.raises(ValueError, match="length"):
            getattr(sk.fft, name)(one)
    with pytest.raises(ValueError, match=r"many|large|overflow|bytes"):
        sk.fft.fft(x, n=2**62)


@pytest.mark.usefixtures("strict_promotion")
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint32"])
def test_integers_raise_under_strict_promotion(dtype, device):
    x = to_device(device, sample(dtype, (3, 4)))
    for name in ONE_AXIS + MANY_AXES:
        with pytest.raises(TypeError, match=rf"^{name}: .*{dtype}"):
            getattr(sk.fft, name)(x)


@pytest.mark.parametrize("name", FROM_REAL)
def test_complex_input_of_real_transforms_raises(name, device):
    with pytest.raises(TypeError, match=rf"^{name}: .*complex64"):
        getattr(sk.fft, name)(to_device(device, sample("complex64", (4,))))


def test_invalid_axes_raise(device):
    x = to_device(device, sample("float64", (3, 4)))
    for name in ONE_AXIS:
        for axis in (2, -3, 2**70):
            with pytest.raises((ValueError, IndexError), match=name):
                getattr(sk.fft, name)(x, axis=axis)
        with pytest.raises((ValueError, IndexError), match=name):
            getattr(sk.fft, name)(x[0, 0])
    for name in MANY_AXES:
        for options in (
            {"axes": (0, 0)},
            {"axes": (1, -1)},
            {"s": (2, 2), "axes": (-1, -1)},
            {"axes": (0, 2)},
            {"s": (1, 2, 3)},
            {"s": (2,), "axes": (0, 1)},
            {"s": (2, 2), "axes": (0,)},
        ):
            with pytest.raises((ValueError, IndexError), match=name):
                getattr(sk.fft, name)(x, **options)
    for name in ("fftshift", "ifftshift"):
        for axes in (2, (0, -3)):
            with pytest.raises((ValueError, IndexError), match=name):
                getattr(sk.fft, name)(x, axes=axes)


def test_invalid_arguments_raise(device):
    x = to_device(device, sample("float64", (3, 4)))
    for name in ONE_AXIS + MANY_AXES:
        function = getattr(sk.fft, name)
        for norm in ("Backward", "", "none", 1, b"ortho"):
            with pytest.raises(ValueError, match=rf"^{name}: norm"):
                function(x, norm=norm)
        assert function(to_numpy(x)).device == sk.Device("cpu:0")
        with pytest.raises(TypeError):
            function(x, None, None, None, None, None)
        with pytest.raises(TypeError):
            function(x, **({"n": 2.0} if name in ONE_AXIS else {"s": (2.0, 2)}))


@loop_over("dtype", [None, "float16", "float32", "float64"])
@loop_over("n", [1, 2, 3, 8, 9, 1000, 1001])
def test_fftfreq_and_rfftfreq(n, dtype, device):
    for name in ("fftfreq", "rfftfreq"):
        for d in (1.0, 0.5, 0.1, -2, 3):
            got = getattr(sk.fft, name)(n, d=d, dtype=dtype and getattr(sk, dtype), device=device)
            whole = np.fft.fftfreq(n, 1 / n) if name == "fftfreq" else np.arange(n // 2 + 1.0)
            want = (np.round(whole) / (n * d)).astype(dtype or "float64")
            assert_same(got, want, device)


def test_fftfreq_uses_the_default_device():
    with sk.device("cuda:1"):
        assert sk.fft.fftfreq(4).device == sk.Device("cuda:1")
    assert sk.fft.rfftfreq(4).device == sk.Device("cpu:0")


def test_invalid_fftfreq_arguments_raise():
    for name in ("fftfreq", "rfftfreq"):
        function = getattr(sk.fft, name)
        for n, options in [(0, {}), (-3, {}), (4, {"d": 0.0})]:
            with pytest.raises(ValueError, match=name):
                function(n, **options)
        for n, options in [
            (2.0, {}),
            (4, {"d": "x"}),
            (4, {"dtype": sk.int64}),
            (4, {"dtype": sk.complex64}),
        ]:
            with pytest.raises(TypeError):
                function(n, **options)


def test_float16_is_computed_in_float32(device):
    """Tests sums beyond the range of float16, and arrays without elements."""
    x = np.full(64, 60000, np.float16)
    got = sk.fft.fft(to_device(device, x))
    check(got, in_double("fft", x), "fft", "float16", device)
    for name in ONE_AXIS + MANY_AXES:
        got = getattr(sk.fft, name)(
            to_device(device, np.zeros((0, 4), np.float16)), **last_axis_of(name)
        )
        assert got.dtype == np.dtype(result_dtype(name, "float16"))
        assert 0 in got.shape


def last_axis_of(name):
    return {"axis": 1} if name in ONE_AXIS else {"axes": (1,)}


@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float32", "complex128"])
def test_fftshift_and_ifftshift(dtype, device):
    for shape in [(), (1,), (4,), (5,), (3, 4, 5), (0, 3)]:
        x = sample(dtype, shape)
        y = to_device(device, x)
        for axes in (None, *((0, -1, (0,), (0, -1)) if len(shape) > 1 else ())):
            for name in ("fftshift", "ifftshift"):
                got = getattr(sk.fft, name)(y, axes=axes)
                want = getattr(np.fft, name)(x, axes=axes) if shape else x
                assert_same(got, want, device)
            back = sk.fft.ifftshift(sk.fft.fftshift(y, axes=axes), axes=axes)
            assert_same(back, x, device)


SIGNATURES = {
    **dict.fromkeys(ONE_AXIS, "(x, /, n=None, axis=-1, norm='backward', out=None)"),
    **dict.fromkeys(MANY_AXES, "(x, /, s=None, axes=None, norm='backward', out=None)"),
    **dict.fromkeys(
        ["fft2", "ifft2", "irfft2", "rfft2"],
        "(x, /, s=None, axes=(-2, -1), norm='backward', out=None)",
    ),
    **dict.fromkeys(["fftfreq", "rfftfreq"], "(n, d=1.0, *, dtype=None, device=None)"),
    **dict.fromkeys(["fftshift", "ifftshift"], "(x, /, axes=None)"),
}


def test_fft_signatures_follow_the_standard():
    import pickle

    assert sorted(SIGNATURES) == sorted(sk.fft.__all__)
    for name, signature in SIGNATURES.items():
        function = getattr(sk.fft, name)
        assert str(inspect.signature(function)) == signature
        assert function.__module__ == "skerry.fft"
        assert ("Source: array API" in function.__doc__) == (not name.endswith("2"))
        assert pickle.loads(pickle.dumps(function)) is function


def test_threads_share_the_plan_cache():
    x = {n: sample("complex128", (n,)) for n in range(2, 60)}
    want = {n: np.fft.fft(values) for n, values in x.items()}
    problems = []

    def work():
        for _ in range(20):
            for n, values in x.items():
                if not np.allclose(to_numpy(sk.fft.fft(sk.asarray(values))), want[n]):
                    problems.append(n)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_fft_works_in_a_forked_child():
    x = sk.asarray(sample("complex64", (300, 400)))
    want = to_numpy(sk.fft.fftn(x))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if np.array_equal(to_numpy(sk.fft.fftn(x)), want) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
