# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Text files, and files without a header."""

import io

import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import to_device, to_numpy

TEXT = "# numbers\n1 2.5\n3 4\n"


def assert_equal(got, want, device):
    assert got.device == sk.Device(device)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(to_numpy(got), want)


def test_text_is_read_to_the_device(device, tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text(TEXT)
    with sk.device(device):
        assert_equal(sk.loadtxt(path), np.loadtxt(path), device)
        assert_equal(sk.genfromtxt(path), np.genfromtxt(path), device)
    assert_equal(sk.loadtxt(path, "float32", device=device), np.loadtxt(path, "float32"), device)
    options = {"usecols": 1, "unpack": True, "ndmin": 1}
    assert_equal(sk.loadtxt(path, device=device, **options), np.loadtxt(path, **options), device)
    assert_equal(
        sk.genfromtxt(["1,", ",2"], delimiter=",", device=device),
        np.genfromtxt(["1,", ",2"], delimiter=","),
        device,
    )


def test_errors_name_the_place():
    with pytest.raises(
        ValueError, match=r"^loadtxt: could not convert string 'a' to float64 at row 0"
    ):
        sk.loadtxt(["1 a"])
    with pytest.raises(ValueError, match=r"^genfromtxt: Some errors were detected"):
        sk.genfromtxt(["1 2", "1"])


def test_fields_raise():
    with pytest.raises(TypeError, match="dtype"):
        sk.loadtxt(["1 2"], dtype=[("a", int), ("b", float)])


@pytest.mark.parametrize(
    "x", [np.arange(6.0).reshape(2, 3), np.arange(3), np.asarray([1 + 2j])], ids=str
)
def test_saved_text_equals_that_of_numpy(x, device):
    ours, theirs = io.StringIO(), io.StringIO()
    sk.savetxt(ours, to_device(device, x), "%.3g", delimiter=",")
    np.savetxt(theirs, x, "%.3g", delimiter=",")
    assert ours.getvalue() == theirs.getvalue()


def test_saved_text_is_read_again(device, tmp_path):
    x = to_device(device, np.random.default_rng(0).normal(size=(4, 3)))
    sk.savetxt(tmp_path / "x", x)
    assert_equal(sk.loadtxt(tmp_path / "x", device=device), to_numpy(x), device)


def test_raw_files(device, tmp_path):
    path = tmp_path / "raw"
    np.arange(8, dtype="int16").tofile(path)
    assert_equal(sk.fromfile(path, "int16", device=device), np.arange(8, dtype="int16"), device)
    assert_equal(
        sk.fromfile(path, "int32", 1, offset=4, device=device),
        np.fromfile(path, "int32", 1, offset=4),
        device,
    )
    path.write_text("1,2,3")
    assert_equal(sk.fromfile(path, int, sep=",", device=device), np.arange(1, 4), device)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float64", "complex64"])
@pytest.mark.parametrize("key", [..., np.s_[::-1, ::2], np.s_[1, 2, ...], np.s_[0], np.s_[:0]])
def test_raw_files_equal_those_of_numpy(dtype, key, device, tmp_path):
    host = np.arange(12).reshape(3, 4).astype(dtype)
    want, x = host[key], to_device(device, host)[key]
    for sep, form in (("", "%s"), (",", "%s"), (" ", "<%s>")):
        x.tofile(tmp_path / "ours", sep, form)
        want.tofile(tmp_path / "theirs", sep, form)
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    with (tmp_path / "two").open("wb") as file:
        assert x.tofile(file) is None
        x.tofile(file, sep="")
    got = sk.fromfile(tmp_path / "two", dtype, device=device)
    assert_equal(got, np.concatenate([want.ravel()] * 2), device)
    with pytest.raises(FileNotFoundError):
        x.tofile(tmp_path / "absent" / "file")


def test_numbers_of_a_text(device):
    assert_equal(sk.fromstring("1, 2", sep=",", device=device), np.asarray([1.0, 2.0]), device)
    assert_equal(sk.fromstring("1 2 3", int, 2, sep=" ", device=device), np.asarray([1, 2]), device)
    with pytest.raises(
        ValueError,
        match=r"^fromstring: sep is empty, and binary data is not a text; use frombuffer$",
    ):
        sk.fromstring("abcd", "int16", sep="")
