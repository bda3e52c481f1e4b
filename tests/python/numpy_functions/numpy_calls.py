# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of NumPy's functions, one or more for each function with a counterpart, and their operands."""

import numpy as np

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

# By function name. Each call is made twice, with NumPy's arrays and with skerry's.
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
        lambda a: np.concatenate([a.x, a.y], dtype="float32"),
    ],
    "numpy.copy": [lambda a: np.copy(a.x), lambda a: np.copy(a.x, "F")],
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
    "numpy.mean": [
        lambda a: np.mean(a.x, (0, 1)),
        lambda a: np.mean(a.x, axis=-1, keepdims=True),
        lambda a: np.mean(a.x, dtype="float32"),
    ],
    "numpy.meshgrid": [
        lambda a: np.meshgrid(a.v, a.i),
        lambda a: np.meshgrid(a.v, a.i, indexing="ij", copy=False),
        lambda a: np.meshgrid(a.v, a.w, sparse=True),
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
        lambda a: np.reshape(a.x, (4, 3), order="F"),
    ],
    "numpy.result_type": [
        lambda a: np.result_type(a.x, np.float32),
        lambda a: np.result_type(a.n, 2),
    ],
    "numpy.roll": [lambda a: np.roll(a.x, 1), lambda a: np.roll(a.x, (1, 2), (0, 1))],
    "numpy.round": [lambda a: np.round(a.x * 10), lambda a: np.round(a.x, 1)],
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
        lambda a: np.sum(a.x, where=a.b),
        lambda a: np.sum(a.x, initial=1.0),
    ],
    "numpy.swapaxes": [lambda a: np.swapaxes(a.o, 0, 1)],
    "numpy.take": [
        lambda a: np.take(a.x, a.i, axis=0),
        lambda a: np.take(a.x, a.i),
        lambda a: np.take(a.x, a.i, axis=0, mode="clip"),
    ],
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
        lambda a: np.unique(a.u, return_counts=True),
        lambda a: np.unique(a.n, axis=0),
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
        lambda a: np.zeros_like(a.x, order="F"),
    ],
    "numpy.linalg.cholesky": [
        lambda a: np.linalg.cholesky(a.s),
        lambda a: np.linalg.cholesky(a.s, upper=True),
    ],
    "numpy.linalg.cond": [lambda a: np.linalg.cond(a.m), lambda a: np.linalg.cond(a.m, 1)],
    "numpy.linalg.cross": [lambda a: np.linalg.cross(a.v, a.w)],
    "numpy.linalg.det": [lambda a: np.linalg.det(a.m)],
    "numpy.linalg.diagonal": [lambda a: np.linalg.diagonal(a.m, offset=1)],
    "numpy.linalg.eig": None,
    "numpy.linalg.eigh": [
        lambda a: np.linalg.eigh(a.s)[0],
        lambda a: np.linalg.eigh(a.m, "U")[0],
    ],
    "numpy.linalg.eigvals": None,
    "numpy.linalg.eigvalsh": [
        lambda a: np.linalg.eigvalsh(a.s),
        lambda a: np.linalg.eigvalsh(a.m, UPLO="U"),
    ],
    "numpy.linalg.inv": [lambda a: np.linalg.inv(a.m)],
    "numpy.linalg.matmul": [lambda a: np.linalg.matmul(a.m, a.x)],
    "numpy.linalg.matrix_norm": [lambda a: np.linalg.matrix_norm(a.x, ord="nuc")],
    "numpy.linalg.matrix_power": [lambda a: np.linalg.matrix_power(a.m, 3)],
    "numpy.linalg.matrix_rank": [
        lambda a: np.linalg.matrix_rank(a.m),
        lambda a: np.linalg.matrix_rank(a.m, 0.1),
        lambda a: np.linalg.matrix_rank(a.s, hermitian=True),
    ],
    "numpy.linalg.matrix_transpose": [lambda a: np.linalg.matrix_transpose(a.x)],
    "numpy.linalg.multi_dot": [lambda a: np.linalg.multi_dot([a.m, a.m, a.v])],
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
    "numpy.linalg.pinv": [
        lambda a: np.linalg.pinv(a.x),
        lambda a: np.linalg.pinv(a.x, rtol=1e-9),
        lambda a: np.linalg.pinv(a.s, 1e-9, True),
    ],
    "numpy.linalg.qr": [
        lambda a: np.abs(np.linalg.qr(a.m)[1]),
        lambda a: np.linalg.qr(a.m, "r"),
    ],
    "numpy.lib.stride_tricks.sliding_window_view": [
        lambda a: np.lib.stride_tricks.sliding_window_view(a.x, 2, axis=1),
        lambda a: np.lib.stride_tricks.sliding_window_view(a.v, 2),
    ],
    "numpy.linalg.lstsq": [lambda a: np.linalg.lstsq(a.m, a.v)[0]],
    "numpy.linalg.slogdet": [lambda a: tuple(np.linalg.slogdet(a.m))],
    "numpy.linalg.solve": [lambda a: np.linalg.solve(a.m, a.v)],
    "numpy.linalg.svd": [
        lambda a: np.linalg.svd(a.x).S,
        lambda a: np.linalg.svd(a.x, compute_uv=False),
        lambda a: np.linalg.svd(a.s, hermitian=True).S,
    ],
    "numpy.linalg.svdvals": [lambda a: np.linalg.svdvals(a.x)],
    "numpy.linalg.tensorinv": [lambda a: np.linalg.tensorinv(a.m, 1)],
    "numpy.linalg.tensorsolve": [lambda a: np.linalg.tensorsolve(a.m, a.v)],
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
