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
from oracle import on, to_numpy
from skerry import _numpy_counterparts as counterparts
from skerry._numpy_creation import MAKERS
from skerry._numpy_protocols import _title

RNG = np.random.default_rng(7)
HOST = {
    "x": RNG.uniform(0.1, 0.9, (3, 4)),
    "y": RNG.uniform(0.1, 0.9, (3, 4)),
    "m": RNG.uniform(0.1, 0.9, (3, 3)) + 3 * np.eye(3),
    "s": np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]),
    "v": np.array([3.0, 1.0, 2.0]),
    "w": np.array([0.5, 2.5, 1.5]),
    "n": np.array([[4, 2, 7, 2], [1, 1, 0, 5], [3, 9, 8, 6]]),
    "i": np.array([2, 0, 1]),
    "j": np.array([[3, 0], [1, 1], [2, 0]]),
    "b": np.array(
        [[True, False, True, True], [False, False, True, False], [True, True, True, True]]
    ),
    "z": RNG.uniform(0, 1, (3, 4)) + 1j * RNG.uniform(0, 1, (3, 4)),
    "u": np.array([0.0, np.nan, 1.0, 1.0, np.nan]),
    "o": np.ones((1, 3, 1)),
}

# By the name of the function; each call is made twice, with NumPy's arrays and with skerry's.
CALLS = {
    "numpy.all": [lambda a: np.all(a.b), lambda a: np.all(a.b, axis=1, keepdims=True)],
    "numpy.allclose": [lambda a: np.allclose(a.x, a.x + 1e-9), lambda a: np.allclose(a.x, a.y)],
    "numpy.amax": [lambda a: np.amax(a.x, 0)],
    "numpy.amin": [lambda a: np.amin(a.x, axis=(0, 1))],
    "numpy.any": [lambda a: np.any(a.b, 1)],
    "numpy.argmax": [lambda a: np.argmax(a.n), lambda a: np.argmax(a.x, axis=1, keepdims=True)],
    "numpy.argmin": [lambda a: np.argmin(a.x, 0)],
    "numpy.argsort": [
        lambda a: np.argsort(a.x, axis=0),
        lambda a: np.argsort(a.x, axis=None),
        lambda a: np.argsort(a.n, kind="stable"),
    ],
    "numpy.argwhere": [lambda a: np.argwhere(a.b)],
    "numpy.around": [lambda a: np.around(a.x * 10)],
    "numpy.array_equal": [lambda a: np.array_equal(a.x, a.x), lambda a: np.array_equal(a.x, a.v)],
    "numpy.array_repr": None,
    "numpy.array_split": [
        lambda a: np.array_split(a.x, 3, axis=1),
        lambda a: np.array_split(a.v, [1, 2]),
    ],
    "numpy.array_str": None,
    "numpy.astype": [lambda a: np.astype(a.x, np.float32)],
    "numpy.atleast_1d": [lambda a: np.atleast_1d(a.v[0]), lambda a: np.atleast_1d(a.v, a.x)],
    "numpy.atleast_2d": [lambda a: np.atleast_2d(a.v)],
    "numpy.broadcast_arrays": [lambda a: np.broadcast_arrays(a.i, a.m)],
    "numpy.broadcast_to": [lambda a: np.broadcast_to(a.v, (2, 3))],
    "numpy.can_cast": None,
    "numpy.clip": [
        lambda a: np.clip(a.x, 0.3, 0.6),
        lambda a: np.clip(a.x, None, 0.6),
        lambda a: np.clip(a.x, min=0.4),
        lambda a: np.clip(a.x, a_min=0.2, a_max=a.y),
    ],
    "numpy.concatenate": [
        lambda a: np.concatenate([a.x, a.y]),
        lambda a: np.concatenate((a.x, a.y), axis=1),
        lambda a: np.concatenate([a.x, a.v], axis=None),
        lambda a: np.concat([a.x, a.y], 1),
    ],
    "numpy.copy": [lambda a: np.copy(a.x)],
    "numpy.copyto": None,
    "numpy.count_nonzero": [
        lambda a: np.count_nonzero(a.n, axis=1),
        lambda a: np.count_nonzero(a.n),
    ],
    "numpy.cross": [lambda a: np.cross(a.v, a.w), lambda a: np.cross(a.m, a.s, axis=0)],
    "numpy.cumprod": [lambda a: np.cumprod(a.x), lambda a: np.cumprod(a.x, axis=1)],
    "numpy.cumsum": [
        lambda a: np.cumsum(a.x),
        lambda a: np.cumsum(a.n, 0, "int64"),
        lambda a: np.cumsum(a.v, dtype=np.float32),
    ],
    "numpy.cumulative_prod": [lambda a: np.cumulative_prod(a.v)],
    "numpy.cumulative_sum": [lambda a: np.cumulative_sum(a.x, axis=1, include_initial=True)],
    "numpy.diagonal": [lambda a: np.diagonal(a.x, 1), lambda a: np.diagonal(a.x, axis1=1, axis2=0)],
    "numpy.diff": [
        lambda a: np.diff(a.v),
        lambda a: np.diff(a.x, 2, axis=0),
        lambda a: np.diff(a.v, prepend=a.w),
    ],
    "numpy.dot": [
        lambda a: np.dot(a.v, a.w),
        lambda a: np.dot(a.m, a.x),
        lambda a: np.dot(a.m, a.v),
        lambda a: np.dot(a.v, 2.0),
        lambda a: np.dot(np.stack([a.m, a.s]), np.stack([a.x, a.y])),
    ],
    "numpy.empty_like": None,
    "numpy.expand_dims": [
        lambda a: np.expand_dims(a.v, 0),
        lambda a: np.expand_dims(a.v, axis=(0, 2)),
    ],
    "numpy.flatnonzero": [lambda a: np.flatnonzero(a.b)],
    "numpy.flip": [lambda a: np.flip(a.x), lambda a: np.flip(a.x, 1)],
    "numpy.fliplr": [lambda a: np.fliplr(a.x)],
    "numpy.flipud": [lambda a: np.flipud(a.x)],
    "numpy.full_like": [
        lambda a: np.full_like(a.x, 2),
        lambda a: np.full_like(a.x, 2, "int32", shape=(2,)),
    ],
    "numpy.imag": [lambda a: np.imag(a.z)],
    "numpy.inner": [lambda a: np.inner(a.v, a.w), lambda a: np.inner(a.x, a.y)],
    "numpy.isclose": [
        lambda a: np.isclose(a.u, a.u, equal_nan=True),
        lambda a: np.isclose(a.u, 1.0),
        lambda a: np.isclose(a.x, a.y, rtol=0.3, atol=0.1),
        lambda a: np.isclose(a.x / 0.0, a.x / 0.0),
        lambda a: np.isclose(a.x, a.x / 0.0),
    ],
    "numpy.iscomplexobj": [lambda a: np.iscomplexobj(a.z), lambda a: np.iscomplexobj(a.x)],
    "numpy.isin": [
        lambda a: np.isin(a.n, a.i),
        lambda a: np.isin(a.n, a.i, invert=True, assume_unique=False),
    ],
    "numpy.isrealobj": [lambda a: np.isrealobj(a.z)],
    "numpy.linspace": None,
    "numpy.matrix_transpose": [lambda a: np.matrix_transpose(a.x)],
    "numpy.max": [lambda a: np.max(a.x), lambda a: np.max(a.x, axis=0)],
    "numpy.mean": [lambda a: np.mean(a.x, (0, 1)), lambda a: np.mean(a.x, axis=-1, keepdims=True)],
    "numpy.meshgrid": [
        lambda a: np.meshgrid(a.v, a.i),
        lambda a: np.meshgrid(a.v, a.i, indexing="ij", copy=False),
    ],
    "numpy.min": [lambda a: np.min(a.n)],
    "numpy.moveaxis": [lambda a: np.moveaxis(a.o, 0, -1)],
    "numpy.ndim": [lambda a: np.ndim(a.x)],
    "numpy.nonzero": [lambda a: np.nonzero(a.b)],
    "numpy.ones_like": [lambda a: np.ones_like(a.n)],
    "numpy.outer": [lambda a: np.outer(a.x, a.v)],
    "numpy.prod": [lambda a: np.prod(a.x), lambda a: np.prod(a.n, 1, np.int64)],
    "numpy.ravel": [lambda a: np.ravel(a.x.T)],
    "numpy.real": [lambda a: np.real(a.z), lambda a: np.real(a.x)],
    "numpy.repeat": [lambda a: np.repeat(a.x, 2), lambda a: np.repeat(a.x, 2, axis=1)],
    "numpy.reshape": [
        lambda a: np.reshape(a.x, (4, 3)),
        lambda a: np.reshape(a.x, -1),
        lambda a: np.reshape(a.x, [2, 6]),
    ],
    "numpy.result_type": [
        lambda a: np.result_type(a.x, np.float32),
        lambda a: np.result_type(a.n, 2),
    ],
    "numpy.roll": [lambda a: np.roll(a.x, 1), lambda a: np.roll(a.x, (1, 2), (0, 1))],
    "numpy.round": [lambda a: np.round(a.x * 10)],
    "numpy.searchsorted": [
        lambda a: np.searchsorted(np.sort(a.v), a.w),
        lambda a: np.searchsorted(a.v, a.w, "right", np.argsort(a.v)),
    ],
    "numpy.shape": [lambda a: np.shape(a.x)],
    "numpy.size": [lambda a: np.size(a.x), lambda a: np.size(a.x, 1)],
    "numpy.sort": [
        lambda a: np.sort(a.x),
        lambda a: np.sort(a.n, None),
        lambda a: np.sort(a.x, 0, kind="mergesort"),
    ],
    "numpy.split": [lambda a: np.split(a.x, 2, axis=1), lambda a: np.split(a.v, [0, 2])],
    "numpy.squeeze": [lambda a: np.squeeze(a.o), lambda a: np.squeeze(a.o, axis=0)],
    "numpy.stack": [lambda a: np.stack([a.x, a.y]), lambda a: np.stack((a.x, a.y), axis=-1)],
    "numpy.std": [
        lambda a: np.std(a.x),
        lambda a: np.std(a.x, ddof=1, axis=0),
        lambda a: np.std(a.x, correction=1),
    ],
    "numpy.sum": [
        lambda a: np.sum(a.x),
        lambda a: np.sum(a.x, axis=0),
        lambda a: np.sum(a.x, (0, 1), keepdims=True),
        lambda a: np.sum(a.n, 1, "int32"),
    ],
    "numpy.swapaxes": [lambda a: np.swapaxes(a.o, 0, 1)],
    "numpy.take": [lambda a: np.take(a.x, a.i, axis=0), lambda a: np.take(a.x, a.i)],
    "numpy.take_along_axis": [lambda a: np.take_along_axis(a.x, a.j, axis=1)],
    "numpy.tensordot": [
        lambda a: np.tensordot(a.m, a.x, 1),
        lambda a: np.tensordot(a.x, a.y, axes=([0, 1], [0, 1])),
    ],
    "numpy.tile": [lambda a: np.tile(a.v, 2), lambda a: np.tile(a.v, (2, 2))],
    "numpy.trace": [lambda a: np.trace(a.m), lambda a: np.trace(a.x, offset=1)],
    "numpy.transpose": [lambda a: np.transpose(a.o), lambda a: np.permute_dims(a.o, (1, 0, 2))],
    "numpy.tril": [lambda a: np.tril(a.m, -1)],
    "numpy.triu": [lambda a: np.triu(a.m, k=1)],
    "numpy.unique": [
        lambda a: np.unique(a.n),
        lambda a: np.unique(a.u),
        lambda a: np.unique(a.u, equal_nan=False),
        lambda a: np.unique(a.n, return_counts=True),
        lambda a: np.unique(a.n, return_index=True, return_inverse=True),
    ],
    "numpy.unique_all": [lambda a: tuple(np.unique_all(a.n))],
    "numpy.unique_counts": [lambda a: tuple(np.unique_counts(a.n))],
    "numpy.unique_inverse": [lambda a: tuple(np.unique_inverse(a.n))],
    "numpy.unique_values": [lambda a: np.sort(np.unique_values(a.n))],
    "numpy.unstack": [lambda a: np.unstack(a.x)],
    "numpy.var": [lambda a: np.var(a.x, 1), lambda a: np.var(a.x, ddof=1)],
    "numpy.vdot": [lambda a: np.vdot(a.z, a.x + 0j)],
    "numpy.vstack": [lambda a: np.vstack([a.v, a.m])],
    "numpy.hstack": [lambda a: np.hstack([a.v, a.w]), lambda a: np.hstack([a.x, a.m])],
    "numpy.where": [
        lambda a: np.where(a.b, a.x, 0.0),
        lambda a: np.where(a.b, a.x, a.y),
        lambda a: np.where(a.b),
    ],
    "numpy.zeros_like": [
        lambda a: np.zeros_like(a.x),
        lambda a: np.zeros_like(a.x, np.int32, shape=(5,)),
    ],
    "numpy.linalg.cholesky": [
        lambda a: np.linalg.cholesky(a.s),
        lambda a: np.linalg.cholesky(a.s, upper=True),
    ],
    "numpy.linalg.cross": [lambda a: np.linalg.cross(a.v, a.w)],
    "numpy.linalg.det": [lambda a: np.linalg.det(a.m)],
    "numpy.linalg.diagonal": [lambda a: np.linalg.diagonal(a.m, offset=1)],
    "numpy.linalg.eig": None,
    "numpy.linalg.eigh": [lambda a: np.linalg.eigh(a.s)[0]],
    "numpy.linalg.eigvals": None,
    "numpy.linalg.eigvalsh": [lambda a: np.linalg.eigvalsh(a.s)],
    "numpy.linalg.inv": [lambda a: np.linalg.inv(a.m)],
    "numpy.linalg.matmul": [lambda a: np.linalg.matmul(a.m, a.x)],
    "numpy.linalg.matrix_norm": [lambda a: np.linalg.matrix_norm(a.x, ord="nuc")],
    "numpy.linalg.matrix_power": [lambda a: np.linalg.matrix_power(a.m, 3)],
    "numpy.linalg.matrix_rank": [lambda a: np.linalg.matrix_rank(a.m)],
    "numpy.linalg.matrix_transpose": [lambda a: np.linalg.matrix_transpose(a.x)],
    "numpy.linalg.norm": [
        lambda a: np.linalg.norm(a.v),
        lambda a: np.linalg.norm(a.x),
        lambda a: np.linalg.norm(a.v, 1),
        lambda a: np.linalg.norm(a.x, 2),
        lambda a: np.linalg.norm(a.x, axis=1, keepdims=True),
        lambda a: np.linalg.norm(a.x, "fro", axis=(1, 0), keepdims=True),
        lambda a: np.linalg.norm(a.o, ord=1, axis=(0, 2)),
    ],
    "numpy.linalg.outer": [lambda a: np.linalg.outer(a.v, a.w)],
    "numpy.linalg.pinv": [lambda a: np.linalg.pinv(a.x), lambda a: np.linalg.pinv(a.x, rtol=1e-9)],
    "numpy.linalg.qr": [lambda a: np.abs(np.linalg.qr(a.m)[1])],
    "numpy.linalg.slogdet": [lambda a: tuple(np.linalg.slogdet(a.m))],
    "numpy.linalg.solve": [lambda a: np.linalg.solve(a.m, a.v)],
    "numpy.linalg.svd": [
        lambda a: np.linalg.svd(a.x).S,
        lambda a: np.linalg.svd(a.x, compute_uv=False),
    ],
    "numpy.linalg.svdvals": [lambda a: np.linalg.svdvals(a.x)],
    "numpy.linalg.tensordot": [lambda a: np.linalg.tensordot(a.m, a.x, axes=1)],
    "numpy.linalg.trace": [lambda a: np.linalg.trace(a.m, offset=-1)],
    "numpy.linalg.vecdot": [lambda a: np.linalg.vecdot(a.z, a.z, axis=0)],
    "numpy.linalg.vector_norm": [lambda a: np.linalg.vector_norm(a.x, axis=0, ord=3)],
    "numpy.fft.fftshift": [lambda a: np.fft.fftshift(a.x, axes=1)],
    "numpy.fft.ifftshift": [lambda a: np.fft.ifftshift(a.v)],
    **{
        f"numpy.fft.{name}": [
            lambda a, name=name: getattr(np.fft, name)(
                a.z if name[0] in "fih" and name != "ihfft" else a.x
            ),
            lambda a, name=name: getattr(np.fft, name)(
                a.z if name[0] in "fih" and name != "ihfft" else a.x, 6, 0, "ortho"
            ),
        ]
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    },
    **{
        f"numpy.fft.{name}": [
            lambda a, name=name: getattr(np.fft, name)(a.x if name[0] == "r" else a.z),
            lambda a, name=name: getattr(np.fft, name)(
                a.x if name[0] == "r" else a.z, norm="forward"
            ),
        ]
        for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2")
    },
}


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
    lambda a: np.isclose(a.n, a.n),
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
