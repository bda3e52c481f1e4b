# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Bad input raises a clear, typed error before anything changes, and leaks nothing. One table, on every device."""

import gc

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceUnavailableError, OutOfMemoryError, ReadOnlyError

from tests.python.oracle import to_device, to_numpy

HUGE = 2**62


def read_only(x):
    view = np.asarray(x.to_device("cpu:0")).copy()
    view.flags.writeable = False
    return sk.asarray(view, device="cpu:0")


# name: (call of an array x of shape (3, 4) float64 and its device, error, words that the message must contain)
CASES = {
    "unknown_device": (
        lambda x, d: sk.ones((1,), device="gpu"),
        ValueError,
        ["gpu", "cpu", "cuda"],
    ),
    "device_with_junk": (lambda x, d: sk.ones((1,), device="cuda:1x"), ValueError, ["cuda:1x"]),
    "negative_device": (lambda x, d: sk.ones((1,), device="cuda:-1"), ValueError, ["cuda:-1"]),
    "device_out_of_range": (
        lambda x, d: sk.ones((1,), device="cuda:17"),
        DeviceUnavailableError,
        ["cuda:17"],
    ),
    "cpu_out_of_range": (
        lambda x, d: sk.ones((1,), device="cpu:40"),
        DeviceUnavailableError,
        ["cpu:40"],
    ),
    "device_of_wrong_type": (lambda x, d: sk.ones((1,), device=3), TypeError, ["device"]),
    "to_device_of_wrong_type": (lambda x, d: x.to_device(1.5), TypeError, ["device"]),
    "negative_shape": (lambda x, d: sk.empty((2, -1), device=d), ValueError, ["-1"]),
    "too_many_axes": (lambda x, d: sk.empty((1,) * 65, device=d), ValueError, ["64"]),
    "overflowing_shape": (lambda x, d: sk.empty((HUGE, 4), device=d), ValueError, []),
    "overflow_behind_zero": (lambda x, d: sk.empty((0, HUGE, 4), device=d), ValueError, []),
    "shape_of_2_to_63": (
        lambda x, d: sk.empty((2**63,), device=d),
        (ValueError, OverflowError),
        [],
    ),
    "shape_of_float": (lambda x, d: sk.empty((2.0,), device=d), TypeError, []),
    "shape_of_str": (lambda x, d: sk.empty("3", device=d), TypeError, []),
    "unknown_dtype": (
        lambda x, d: sk.empty((1,), dtype="longdouble", device=d),
        TypeError,
        ["longdouble", "float16"],
    ),
    "object_dtype": (lambda x, d: sk.empty((1,), dtype=object, device=d), TypeError, []),
    "no_promotion_int_float": (
        lambda x, d: x + sk.ones((4,), dtype="int64", device=d),
        TypeError,
        ["add", "int64", "float64"],
    ),
    "no_promotion_bool": (
        lambda x, d: x * sk.ones((4,), dtype="bool", device=d),
        TypeError,
        ["multiply", "bool"],
    ),
    "no_promotion_uint64": (
        lambda x, d: sk.add(
            sk.ones((1,), dtype="uint64", device=d), sk.ones((1,), dtype="int64", device=d)
        ),
        TypeError,
        ["uint64", "int64"],
    ),
    "no_loop": (lambda x, d: sk.bitwise_and(x, x), TypeError, ["bitwise_and", "float64"]),
    "no_unary_loop": (
        lambda x, d: sk.sin(sk.ones((2,), dtype="int32", device=d)),
        TypeError,
        ["sin", "int32"],
    ),
    "float_scalar_with_int": (
        lambda x, d: sk.ones((2,), dtype="int32", device=d) + 1.5,
        TypeError,
        [],
    ),
    "complex_scalar_with_int": (
        lambda x, d: sk.ones((2,), dtype="int32", device=d) * 1j,
        TypeError,
        [],
    ),
    "int_out_of_range_int8": (
        lambda x, d: sk.ones((2,), dtype="int8", device=d) + 128,
        OverflowError,
        ["128", "int8"],
    ),
    "int_out_of_range_uint8": (
        lambda x, d: sk.ones((2,), dtype="uint8", device=d) - -1,
        OverflowError,
        ["-1", "uint8"],
    ),
    "int_out_of_range_int64": (
        lambda x, d: sk.ones((2,), dtype="int64", device=d) + 2**63,
        OverflowError,
        [],
    ),
    "int_out_of_range_everything": (
        lambda x, d: sk.ones((2,), dtype="uint64", device=d) + 2**64,
        OverflowError,
        [],
    ),
    "full_out_of_range": (
        lambda x, d: sk.full((2,), 300, dtype="uint8", device=d),
        OverflowError,
        ["300"],
    ),
    "not_broadcastable": (
        lambda x, d: x + sk.ones((3,), device=d),
        ValueError,
        ["add", "(3, 4)", "(3,)"],
    ),
    "broadcast_to": (lambda x, d: sk.broadcast_to(x, (4, 3)), ValueError, ["broadcast_to"]),
    "index_out_of_bounds": (lambda x, d: x[3], IndexError, ["3"]),
    "negative_index_out_of_bounds": (lambda x, d: x[0, -5], IndexError, ["-5"]),
    "huge_index": (lambda x, d: x[2**70], IndexError, []),
    "too_many_indices": (lambda x, d: x[0, 0, 0], IndexError, ["3", "2"]),
    "two_ellipses": (lambda x, d: x[..., 0, ...], IndexError, ["..."]),
    "zero_step": (lambda x, d: x[::0], ValueError, ["step"]),
    "float_index": (lambda x, d: x[1.0], (TypeError, IndexError), []),
    "str_index": (lambda x, d: x["a"], (TypeError, IndexError), []),
    "assign_out_of_bounds": (lambda x, d: x.__setitem__(9, 1.0), IndexError, ["9"]),
    "assign_wrong_shape": (
        lambda x, d: x.__setitem__(0, sk.ones((3,), device=d)),
        ValueError,
        ["(3,)"],
    ),
    "assign_complex": (lambda x, d: x.__setitem__(0, 1j), TypeError, []),
    "assign_wider_dtype": (
        lambda x, d: sk.ones((3,), dtype="float32", device=d).__setitem__(0, x[0, 0]),
        TypeError,
        [],
    ),
    "delete": (lambda x, d: x.__delitem__(0), (TypeError, AttributeError), []),
    "in_place_dtype": (
        lambda x, d: sk.ones((2,), dtype="float32", device=d).__iadd__(x[0, :2]),
        TypeError,
        ["float32", "float64"],
    ),
    "in_place_shape": (lambda x, d: x[0].__iadd__(x), ValueError, []),
    "in_place_true_divide_ints": (
        lambda x, d: sk.ones((2,), dtype="int32", device=d).__itruediv__(2),
        TypeError,
        [],
    ),
    "write_broadcast_view": (
        lambda x, d: sk.broadcast_to(x[0], (3, 4)).__setitem__(0, 1.0),
        ReadOnlyError,
        [],
    ),
    "in_place_broadcast_view": (
        lambda x, d: sk.broadcast_to(x[0], (3, 4)).__iadd__(1.0),
        ReadOnlyError,
        [],
    ),
    "write_read_only": (
        lambda x, d: read_only(x).__setitem__(0, 1.0),
        ReadOnlyError,
        ["read-only"],
    ),
    "in_place_read_only": (lambda x, d: read_only(x).__iadd__(1.0), ReadOnlyError, ["read-only"]),
    "axis_out_of_range": (lambda x, d: sk.sum(x, axis=2), IndexError, ["2"]),
    "axis_error_is_value_error": (lambda x, d: sk.sum(x, axis=-3), ValueError, ["-3"]),
    "axis_twice": (lambda x, d: sk.sum(x, axis=(0, 0)), ValueError, []),
    "axis_of_wrong_type": (lambda x, d: sk.sum(x, axis=1.0), TypeError, []),
    "max_of_nothing": (lambda x, d: sk.max(x[:0]), ValueError, ["max"]),
    "mean_of_ints": (
        lambda x, d: sk.mean(sk.ones((2,), dtype="int32", device=d)),
        TypeError,
        ["mean", "int32"],
    ),
    "max_of_complex": (
        lambda x, d: sk.max(sk.ones((2,), dtype="complex64", device=d)),
        TypeError,
        ["complex64"],
    ),
    "reshape_size": (lambda x, d: sk.reshape(x, (5, 2)), ValueError, ["12"]),
    "reshape_two_unknown": (lambda x, d: sk.reshape(x, (-1, -1)), ValueError, []),
    "reshape_no_copy": (lambda x, d: sk.reshape(x.T, (12,), copy=False), ValueError, []),
    "permute_wrong_length": (lambda x, d: sk.permute_dims(x, (0,)), ValueError, []),
    "permute_twice": (lambda x, d: sk.permute_dims(x, (0, 0)), ValueError, []),
    "squeeze_long_axis": (lambda x, d: sk.squeeze(x, 0), ValueError, ["3"]),
    "expand_dims_out_of_range": (lambda x, d: sk.expand_dims(x, 4), IndexError, ["4"]),
    "transpose_1d": (lambda x, d: x[0].T, ValueError, []),
    "matrix_transpose_1d": (lambda x, d: x[0].mT, ValueError, []),
    "complex_to_real": (
        lambda x, d: sk.astype(sk.ones((2,), dtype="complex64", device=d), sk.float32),
        TypeError,
        ["complex64"],
    ),
    "where_not_bool": (lambda x, d: sk.where(x, x, x), TypeError, ["bool"]),
    "bool_of_many": (lambda x, d: bool(x), ValueError, []),
    "float_of_many": (lambda x, d: float(x), (TypeError, ValueError), []),
    "int_of_nan": (lambda x, d: int(sk.full((), float("nan"), device=d)), ValueError, []),
    "int_of_inf": (lambda x, d: int(sk.full((), float("inf"), device=d)), OverflowError, []),
    "float_of_complex": (lambda x, d: float(sk.full((), 1j, device=d)), TypeError, []),
    "index_of_float": (lambda x, d: [1, 2][x[0, 0]], TypeError, []),
    "arange_zero_step": (lambda x, d: sk.arange(0, 5, 0, device=d), ValueError, ["step"]),
    "arange_endless": (lambda x, d: sk.arange(0, 1e300, device=d), (ValueError, MemoryError), []),
    "linspace_negative": (lambda x, d: sk.linspace(0, 1, -1, device=d), ValueError, ["-1"]),
    "unknown_keyword": (lambda x, d: sk.add(x, x, output=x), TypeError, []),
    "missing_argument": (lambda x, d: sk.add(x), TypeError, ["add"]),
    "too_many_arguments": (lambda x, d: sk.sin(x, x, x), TypeError, ["sin"]),
    "keyword_for_positional": (lambda x, d: sk.sin(x=x), TypeError, ["sin"]),
    "list_of_text_as_operand": (lambda x, d: x + ["a", 2, 3, 4], TypeError, ["str"]),
    "none_as_operand": (lambda x, d: sk.add(x, None), TypeError, []),
    "scalar_and_text": (lambda x, d: sk.add(1, "2"), TypeError, ["x2", "str"]),
    "unknown_api_version": (
        lambda x, d: x.__array_namespace__(api_version="2020.01"),
        ValueError,
        ["2020.01"],
    ),
    "ragged_list": (lambda x, d: sk.asarray([[1, 2], [3]], device=d), ValueError, []),
    "list_of_str": (lambda x, d: sk.asarray(["a"], device=d), TypeError, []),
}


@pytest.mark.usefixtures("strict_promotion")
@pytest.mark.parametrize("name", CASES)
def test_bad_input_raises_a_typed_error_and_changes_nothing(name, device):
    call, error, words = CASES[name]
    values = np.arange(12, dtype=np.float64).reshape(3, 4)
    x = to_device(device, values)
    gc.collect()
    sk.synchronize(device)
    live = sk.memory_statistics(device).live_bytes
    with pytest.raises(error) as caught:
        call(x, device)
    text = str(caught.value)
    assert text, "an error without words"
    for word in words:
        assert word in text, text
    assert np.array_equal(to_numpy(x), values)
    del caught
    gc.collect()
    sk.synchronize(device)
    assert sk.memory_statistics(device).live_bytes == live


@pytest.fixture
def limited(device):
    gc.collect()
    sk.trim(device)
    live = sk.memory_statistics(device).live_bytes
    sk.set_memory_limit(device, live + 1_000_000)
    yield device
    sk.set_memory_limit(device, None)


def test_limit_raises_out_of_memory_and_a_smaller_array_still_fits(limited):
    live = sk.memory_statistics(limited).live_bytes
    with pytest.raises(OutOfMemoryError, match=limited) as caught:
        sk.empty((1_000_000,), device=limited)
    assert isinstance(caught.value, MemoryError)
    assert sk.memory_statistics(limited).live_bytes == live
    x = sk.ones((1000,), device=limited)
    big = sk.broadcast_to(x, (1000, 1000))
    with pytest.raises(OutOfMemoryError):
        big + 1.0
    assert to_numpy(x + 1.0).sum() == 2000


def test_more_memory_than_any_machine_has(device):
    with pytest.raises(OutOfMemoryError):
        sk.empty((2**50,), device=device)
    assert to_numpy(sk.ones((3,), device=device)).sum() == 3
