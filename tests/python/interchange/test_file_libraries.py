# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Libraries that write files accept arrays on CPU devices like NumPy's, and reject those on other devices.

Each library writes the same elements for an array as for NumPy's array, and ``asarray`` imports what it reads. Only zarr
needs ``np.asarray(x)``.
"""

import io

import numpy as np
import pytest
import skerry as sk

from tests.python.libraries import library
from tests.python.oracle import assert_same, sample, to_device

X = sample("float64", (12,))
TABLE = sample("float64", (3, 4))
IMAGE = np.arange(48, dtype="uint8").reshape(4, 4, 3)
NUMBERS = [
    "bool",
    "int8",
    "uint16",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
ON_THE_HOST = r'x\.to_device\("cpu"\)'


@pytest.fixture(params=["cpu:0", "cpu:1"])
def host(request):
    return request.param


# h5py


@pytest.fixture
def h5(tmp_path):
    with library("h5py").File(tmp_path / "x.h5", "w") as file:
        yield file


@pytest.mark.parametrize("dtype", NUMBERS)
def test_h5py(h5, host, dtype):
    x = sample(dtype, (3, 4))
    stored = h5.create_dataset("x", data=to_device(host, x))
    assert stored.dtype == x.dtype
    np.testing.assert_array_equal(stored[:], x)
    assert_same(sk.asarray(stored[:], device=host), x, host)
    assert_same(sk.asarray(stored[:], device="cuda:1"), x, "cuda:1")
    chunks = h5.create_dataset(
        "chunks", data=to_device(host, x).T, chunks=(2, 3), compression="gzip"
    )
    np.testing.assert_array_equal(chunks[:], x.T)


def test_h5py_writes_into_existing_datasets(h5, host):
    x = to_device(host, TABLE)
    stored = h5.create_dataset("x", (3, 4), dtype="f8")
    stored[...] = x
    stored[0] = x[1]
    stored[1:, ::2] = x[:2, ::2]
    want = TABLE.copy()
    want[0] = TABLE[1]
    want[1:, ::2] = TABLE[:2, ::2]
    np.testing.assert_array_equal(stored[:], want)
    stored.attrs["x"] = x[0]
    np.testing.assert_array_equal(stored.attrs["x"], TABLE[0])


# zarr compares chunks with the fill value as bytes of NumPy's void dtype, so it gets a NumPy view of an array.


@pytest.mark.parametrize("dtype", NUMBERS)
def test_zarr(host, dtype):
    zarr = library("zarr")
    x = sample(dtype, (5, 4))
    stored = zarr.array(np.asarray(to_device(host, x)), chunks=(2, 3))
    assert stored.dtype == x.dtype
    np.testing.assert_array_equal(stored[:], x)
    assert_same(sk.asarray(stored[:], device=host), x, host)


def test_zarr_writes_into_existing_arrays(host, tmp_path):
    zarr = library("zarr")
    x = np.asarray(to_device(host, TABLE))
    stored = zarr.create_array(tmp_path / "x.zarr", shape=(3, 4), chunks=(2, 2), dtype="f8")
    stored[:] = x
    stored[0] = x[1]
    stored[1:, :2] = x.T[:2, :2]
    want = TABLE.copy()
    want[0] = TABLE[1]
    want[1:, :2] = TABLE.T[:2, :2]
    np.testing.assert_array_equal(zarr.open(tmp_path / "x.zarr", mode="r")[:], want)
    zarr.save(tmp_path / "saved.zarr", x)
    np.testing.assert_array_equal(zarr.load(tmp_path / "saved.zarr"), TABLE)


# pandas


@pytest.mark.parametrize("dtype", NUMBERS)
def test_pandas(host, dtype):
    pandas = library("pandas")
    x = sample(dtype, (6,))
    series = pandas.Series(to_device(host, x))
    pandas.testing.assert_series_equal(series, pandas.Series(x))
    assert_same(sk.asarray(series.to_numpy(), device=host), x, host)
    assert_same(sk.asarray(series, device="cuda:0"), x, "cuda:0")


def test_tables_of_pandas(host):
    pandas = library("pandas")
    x = to_device(host, TABLE)
    frame = pandas.DataFrame(x, columns=list("abcd"))
    pandas.testing.assert_frame_equal(frame, pandas.DataFrame(TABLE, columns=list("abcd")))
    assert_same(sk.asarray(frame.to_numpy(), device=host), TABLE, host)
    frame = pandas.DataFrame({"a": x[:, 0], "b": x[:, 1] > 0})
    frame["c"] = x[:, 2]
    frame.loc[:, "a"] = x[:, 3]
    want = pandas.DataFrame({"a": TABLE[:, 3], "b": TABLE[:, 1] > 0, "c": TABLE[:, 2]})
    pandas.testing.assert_frame_equal(frame, want)
    text = io.StringIO()
    frame.to_csv(text, index=False)
    assert text.getvalue() == want.to_csv(index=False)


# Pillow


@pytest.mark.parametrize(
    "x",
    [IMAGE, IMAGE[:, :, 0], IMAGE[::2, ::-1], TABLE.astype("float32")],
    ids=["rgb", "gray", "view", "float"],
)
def test_pillow(host, x):
    image_of = library("PIL.Image").fromarray
    image = image_of(to_device(host, np.ascontiguousarray(x)))
    assert image.mode == image_of(x).mode
    assert image.tobytes() == image_of(np.ascontiguousarray(x)).tobytes()
    assert_same(sk.asarray(image, device=host), x, host)


def test_pillow_writes_views(host):
    image = library("PIL.Image").fromarray(to_device(host, IMAGE)[::2, :, :])
    file = io.BytesIO()
    image.save(file, "png")
    assert_same(sk.asarray(library("PIL.Image").open(file), device=host), IMAGE[::2], host)


# PyArrow


@pytest.mark.parametrize("dtype", [name for name in NUMBERS if not name.startswith("complex")])
def test_pyarrow(host, dtype):
    pyarrow = library("pyarrow")
    x = sample(dtype, (10,))
    arrow_array = pyarrow.array(to_device(host, x))
    assert arrow_array.equals(pyarrow.array(x))
    assert pyarrow.array(to_device(host, x)[::2]).equals(pyarrow.array(x[::2]))
    assert_same(sk.asarray(arrow_array.to_numpy(zero_copy_only=False), device=host), x, host)


def test_pyarrow_shares_memory_and_keeps_it(host):
    pyarrow = library("pyarrow")
    x = to_device(host, X)
    arrow_array = pyarrow.array(x)
    assert arrow_array.buffers()[1].address == np.asarray(x).__array_interface__["data"][0]
    del x
    assert arrow_array.to_pylist() == X.tolist()


def test_files_of_pyarrow(host, tmp_path):
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    x = to_device(host, X)
    table = pyarrow.table({"x": x, "narrow": pyarrow.array(x, type="float32"), "big": x > 0})
    parquet.write_table(table, tmp_path / "x.parquet")
    read = parquet.read_table(tmp_path / "x.parquet")
    assert read.equals(table)
    assert_same(sk.asarray(read["x"], device=host), X, host)
    with pytest.raises(pyarrow.ArrowInvalid, match="1-dimensional"):
        pyarrow.array(to_device(host, TABLE))


# Arrays on other devices


def h5py_takes(x):
    with library("h5py").File(io.BytesIO(), "w") as file:
        file.create_dataset("x", data=x)


def h5py_assigns(x):
    with library("h5py").File(io.BytesIO(), "w") as file:
        file.create_dataset("x", (12,), dtype="f8")[:] = x


def zarr_assigns(x):
    library("zarr").zeros((12,), dtype="f8")[:] = np.asarray(x)


def pandas_assigns(x):
    frame = library("pandas").DataFrame({"a": np.zeros(12)})
    frame["b"] = x


TAKE = {
    "h5py": h5py_takes,
    "h5py, into": h5py_assigns,
    "zarr": lambda x: library("zarr").array(np.asarray(x)),
    "zarr, into": zarr_assigns,
    "pandas.Series": lambda x: library("pandas").Series(x),
    "pandas.DataFrame": lambda x: library("pandas").DataFrame({"x": x}),
    "pandas, into": pandas_assigns,
    "PIL": lambda x: library("PIL.Image").fromarray(sk.astype(x, sk.uint8)),
    "pyarrow": lambda x: library("pyarrow").array(x),
    "pyarrow.table": lambda x: library("pyarrow").table({"x": x}),
}


@pytest.mark.parametrize("name", TAKE)
def test_arrays_on_other_devices_are_rejected(name, cuda_device):
    x = to_device(cuda_device, X)
    TAKE[name](x.to_device("cpu"))
    with pytest.raises((TypeError, AttributeError), match=ON_THE_HOST):
        TAKE[name](x)
