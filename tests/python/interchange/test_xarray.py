# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""xarray.DataArray of skerry arrays: common calls compared with NumPy's, and unsupported ones with the reason."""

import warnings

import numpy as np
import pytest
import skerry as sk

from tests.python.libraries import library
from tests.python.oracle import to_numpy

xr = library("xarray")
pd = library("pandas")

HOST = np.random.default_rng(1).standard_normal((6, 4))
GAPS = HOST.copy()
GAPS[1, 2] = np.nan


def labelled(values):
    coordinates = {
        "t": pd.date_range("2020-01-01", periods=6),
        "y": [10.0, 20.0, 30.0, 40.0],
        "g": ("t", [0, 0, 1, 1, 2, 2]),
    }
    return xr.DataArray(values, dims=("t", "y"), coords=coordinates)


def assigned(a):
    a = a.copy()
    a[0, :] = 0.0
    a.loc[{"y": 20.0}] = 1.0
    a[{"t": [2, 4]}] = 5.0
    a[1, :] = a[3, :].drop_vars("t")
    a[5, :2] = a.data[4, 2:]
    return a


# Calls with an array `a`, and `n` that contains a NaN.
CALLS = {
    "add": lambda a, n: a + 1,
    "arithmetic": lambda a, n: a * a - a / 2,
    "power": lambda a, n: abs(a) ** 2,
    "negative": lambda a, n: -a,
    "comparison": lambda a, n: a > 0,
    "broadcasting": lambda a, n: a - a.mean("t"),
    "ufunc": lambda a, n: np.exp(a),
    "isel": lambda a, n: a.isel(t=2),
    "isel by a slice": lambda a, n: a.isel(t=slice(1, 4)),
    "isel by a list": lambda a, n: a.isel(t=[0, 3]),
    "sel": lambda a, n: a.sel(y=20.0),
    "sel the nearest": lambda a, n: a.sel(y=21, method="nearest"),
    "sel by a slice": lambda a, n: a.sel(y=slice(10, 30)),
    "getitem": lambda a, n: a[1:3, 2],
    "head": lambda a, n: a.head(t=2),
    "sum": lambda a, n: a.sum("y"),
    "mean": lambda a, n: a.mean("t"),
    "mean without NaN": lambda a, n: n.mean("t"),
    "sum without NaN": lambda a, n: n.sum(),
    "mean with NaN": lambda a, n: n.mean("t", skipna=False),
    "std": lambda a, n: a.std("t"),
    "var": lambda a, n: a.var(),
    "min": lambda a, n: a.min("t"),
    "max": lambda a, n: a.max(),
    "prod": lambda a, n: a.prod("t"),
    "any": lambda a, n: (a > 0).any("t"),
    "all": lambda a, n: (a > 0).all(),
    "count": lambda a, n: n.count("t"),
    "median": lambda a, n: a.median("t"),
    "argmax": lambda a, n: a.argmax("t"),
    "argmin": lambda a, n: a.argmin("y"),
    "cumsum": lambda a, n: a.cumsum("t"),
    "cumprod": lambda a, n: a.cumprod("t"),
    "diff": lambda a, n: a.diff("t"),
    "shift": lambda a, n: a.shift(t=1),
    "roll": lambda a, n: a.roll(t=1),
    "quantile": lambda a, n: a.quantile(0.3, "t"),
    "several quantiles": lambda a, n: n.quantile([0.1, 0.5], "t"),
    "differentiate": lambda a, n: a.differentiate("y"),
    "differentiate by time": lambda a, n: a.differentiate("t", datetime_unit="D"),
    "isin": lambda a, n: a.round().isin([0.0, 1.0]),
    "cumulative_integrate": lambda a, n: a.cumulative_integrate("y"),
    "rolling": lambda a, n: a.rolling(t=3).mean(),
    "rolling with NaN": lambda a, n: n.rolling(t=3, min_periods=1).sum(),
    "rolling about the centre": lambda a, n: a.rolling(t=3, center=True).max(),
    "rolling along two axes": lambda a, n: a.rolling(t=3, y=2).std(),
    "rolling and construct": lambda a, n: a.rolling(t=3).construct("w"),
    "cumulative": lambda a, n: a.cumulative("t").sum(),
    "dropna": lambda a, n: n.dropna("t"),
    "assignment": lambda a, n: assigned(a),
    "integrate": lambda a, n: a.integrate("y"),
    "where": lambda a, n: a.where(a > 0),
    "where with another": lambda a, n: a.where(a > 0, 0.0),
    "xr.where": lambda a, n: xr.where(a > 0, a, -a),
    "isnull": lambda a, n: n.isnull(),
    "notnull": lambda a, n: n.notnull(),
    "fillna": lambda a, n: n.fillna(0.0),
    "clip": lambda a, n: a.clip(-1, 1),
    "round": lambda a, n: a.round(),
    "astype": lambda a, n: a.astype("float32"),
    "conj": lambda a, n: a.conj(),
    "transpose": lambda a, n: a.transpose("y", "t"),
    "expand_dims": lambda a, n: a.expand_dims("z"),
    "squeeze": lambda a, n: a.isel(t=[0]).squeeze(),
    "stack": lambda a, n: a.stack(z=("t", "y")),
    "unstack": lambda a, n: a.stack(z=("t", "y")).unstack("z"),
    "concat": lambda a, n: xr.concat([a, a], "t"),
    "concat along a new axis": lambda a, n: xr.concat([a, a], "z"),
    "broadcast": lambda a, n: xr.broadcast(a, a.isel(t=0))[1],
    "align": lambda a, n: xr.align(a, a.isel(t=slice(1, 5)), join="inner")[0],
    "sortby": lambda a, n: a.sortby("y", ascending=False),
    "pad": lambda a, n: a.pad(t=1),
    "coarsen": lambda a, n: a.coarsen(t=2).mean(),
    "swap_dims": lambda a, n: a.swap_dims(t="g"),
    "assign_coords": lambda a, n: a.assign_coords(y=[1, 2, 3, 4]),
    "groupby": lambda a, n: a.groupby("g").mean(),
    "groupby and map": lambda a, n: a.groupby("g").map(lambda x: x - x.mean()),
    "resample": lambda a, n: a.resample(t="2D").mean(),
    "weighted": lambda a, n: a.weighted(xr.DataArray(a.data[0] * a.data[0], dims="y")).mean("y"),
    "corr": lambda a, n: xr.corr(a, a, "t"),
    "cov": lambda a, n: xr.cov(a, a, "t"),
    "dot": lambda a, n: a.dot(a, "t"),
    "matmul": lambda a, n: a @ a,
    "apply_ufunc": lambda a, n: xr.apply_ufunc(lambda x: x * 2, a),
    "dataset": lambda a, n: xr.Dataset({"a": a, "b": a + 1}).mean("t").a,
    "copy": lambda a, n: a.copy(),
}
REFUSED = {
    "several index arrays at once: xarray does it for NumPy's arrays alone": (
        lambda a: a.isel(t=xr.DataArray([0, 1], dims="p"), y=xr.DataArray([2, 3], dims="p"))
    ),
    "rank is bottleneck's, on the host": lambda a: a.rank("t"),
    "ffill is bottleneck's, on the host": lambda a: a.ffill("t"),
    "interp is SciPy's, on the host": lambda a: a.interp(y=[15.0, 25.0]),
    "where by a coordinate, which is on the host": lambda a: a.where(a.y > 10),
    "weights of the host": lambda a: a.weighted(xr.DataArray(np.ones(4), dims="y")).sum("y"),
    "assignment of NumPy's array": lambda a: a.__setitem__((0, slice(None)), np.arange(4.0)),
}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
@pytest.mark.parametrize("name", CALLS)
def test_calls_keep_the_array_and_its_device(name, device):
    want = CALLS[name](labelled(HOST.copy()), labelled(GAPS.copy()))
    with sk.device(device):
        ours = [labelled(sk.asarray(host.copy(), device=device)) for host in (HOST, GAPS)]
        got = CALLS[name](*ours)
    assert type(got.data) is sk.Array
    assert got.data.device == sk.Device(device)
    assert got.dims == want.dims
    np.testing.assert_allclose(to_numpy(got.data), want.data, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("why", REFUSED)
def test_host_only_functions_of_xarray_raise_on_a_device(why):
    a = labelled(sk.asarray(GAPS, device="cpu:0").to_device("cuda:0"))
    with pytest.raises((TypeError, ValueError, ImportError)):
        REFUSED[why](a)


@pytest.mark.parametrize("device", ["cpu:0", "cpu:1", "cuda:0"])
def test_to_numpy_copies_explicitly(device):
    a = labelled(sk.asarray(HOST, device=device))
    for values in (a.to_numpy(), a.as_numpy().data, a.data.to_numpy()):
        assert type(values) is np.ndarray
        assert np.array_equal(values, HOST)


@pytest.mark.parametrize("device", ["cpu:0", "cpu:1", "cuda:0"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_assigned_numbers_take_the_dtype_of_the_array(dtype, device):
    x = sk.zeros((3, 4), dtype=dtype, device=device)
    a = xr.DataArray(x, dims=("t", "y"))
    a[0] = 1
    a[{"t": [1, 2], "y": 0}] = 2
    a[1, 1] = 3
    assert x.tolist() == [[1, 1, 1, 1], [2, 3, 0, 0], [2, 0, 0, 0]]
    with pytest.raises(TypeError, match="complex"):
        a[0] = 1j
    # xarray passes both indices at once; for arrays of the API standard it would apply them one after the other.
    with pytest.raises(ValueError, match="broadcast"):
        a[{"t": [0, 2], "y": [1, 3]}] = 5
    assert x.tolist() == [[1, 1, 1, 1], [2, 3, 0, 0], [2, 0, 0, 0]]


def test_numpy_arrays_of_users_do_not_count_as_numbers():
    x = sk.zeros((3,), device="cuda:0")
    with pytest.raises(sk.exceptions.DeviceMismatchError):
        x[:1] = np.asarray([1.0])


def test_numpy_coordinates_of_users_are_rejected():
    x = sk.zeros((3,), device="cuda:0")
    for call in (
        lambda: sk.gradient(x, np.arange(3.0)),
        lambda: sk.quantile(x, np.asarray([0.5])),
        lambda: xr.DataArray(x, dims="t") + np.arange(3.0),
    ):
        with pytest.raises(sk.exceptions.DeviceMismatchError):
            call()
