# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Every consumer reads exported arrays correctly, or rejects them for a documented reason."""

import itertools

import numpy as np
import pytest
import skerry as sk
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from skerry.testing import instruments

from tests.python.interchange import consumer_models as models
from tests.python.libraries import library
from tests.python.loops import loop_over
from tests.python.oracle import HALVES, NUMPYS, kind_of, sample, to_device
from tests.python.session import HAS_GPU

pytestmark = pytest.mark.skipif(HAS_GPU, reason="the models read rehearsed memory")


class Carrier:
    def __init__(self, interface, owner=None):
        self.__cuda_array_interface__ = interface
        self.owner = owner


def handed_over(x):
    """Return the interface of an array after the synchronization that a consumer does."""
    about = x.__cuda_array_interface__
    if about["stream"] is not None:
        sk.Stream.from_handle(x.device, about["stream"]).synchronize()
    return about


def read_only(x):
    pointer, _ = x.__cuda_array_interface__["data"]
    return sk.asarray(Carrier(dict(x.__cuda_array_interface__, data=(pointer, True)), x))


@st.composite
def arrays(draw, device="cuda:0"):
    """Draw a skerry array on a rehearsed device and an equal NumPy array in the same layout."""
    dtype = draw(st.sampled_from(NUMPYS))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 1, 2, 3, 4, 5]), max_size=4)))
    host = sample(dtype, shape, seed=draw(st.integers(0, 3)))
    x = to_device(device, host)
    axes = draw(st.permutations(range(len(shape))))
    x, host = sk.permute_dims(x, tuple(axes)), host.transpose(axes)
    key = tuple(
        draw(st.sampled_from([slice(None)] * 3 + [slice(None, None, -1), slice(1, None, 2), 0]))
        if length
        else slice(None)
        for length in host.shape
    )
    x, host = x[key], host[(*key, ...)]
    if draw(st.booleans()):
        widths = tuple(draw(st.sampled_from([1, 2, 3])) if n == 1 else n for n in host.shape)
        widths = (draw(st.sampled_from([1, 2])), *widths)
        x, host = sk.broadcast_to(x, widths), np.broadcast_to(host, widths)
    elif draw(st.integers(0, 3)) == 0:
        x = read_only(x)
    return x, host


class Layout:
    """Properties that determine which consumers accept an array, computed independently of the models."""

    def __init__(self, x, host):
        forward = host[tuple(slice(None, None, -1 if s < 0 else 1) for s in host.strides)]
        self.c = host.flags.c_contiguous
        self.c_or_f = host.flags.c_contiguous or host.flags.f_contiguous
        self.dense = self.in_order(host) is not None
        self.in_memory = self.in_order(forward)
        self.backwards = bool(host.size) and any(
            s < 0 and n > 1 for s, n in zip(host.strides, host.shape, strict=True)
        )
        self.broadcast = any(
            s == 0 and n > 1 for s, n in zip(host.strides, host.shape, strict=True)
        )
        self.read_only = not instruments.is_writable(x)
        assert self.read_only or not (self.broadcast and host.size)
        self.kind, self.rank = kind_of(host.dtype), host.ndim
        self.is_half = host.dtype.name in HALVES

    @staticmethod
    def in_order(host):
        """Return the array with its axes in memory order if it is contiguous, else None."""
        transposed_views = map(host.transpose, itertools.permutations(range(host.ndim)))
        return next((x for x in transposed_views if x.flags.c_contiguous), None)


# The error with which each consumer rejects an array: the complete list.
REFUSALS = {
    "numba": lambda a: None,
    "numba-cuda argument": lambda a: AttributeError if a.kind == "b" and not a.c else None,
    "numba-cuda-mlir argument": lambda a: models.WrongValues if a.kind == "c" and not a.c else None,
    "cupy": lambda a: None,
    "torch": lambda a: TypeError if a.read_only else RuntimeError if a.backwards else None,
    "jax": lambda a: None if a.dense else models.Unimplemented,
    "cudf": lambda a: (
        ValueError if a.rank > 1 or a.kind == "c" else TypeError if a.is_half else None
    ),
    "pylibcudf": lambda a: (
        ValueError if a.rank == 0 or a.kind == "c" or a.is_half or not a.c else None
    ),
    "rmm": lambda a: IndexError if a.rank == 0 else ValueError if a.rank > 1 or not a.c else None,
    "pyarrow": lambda a: None if a.in_memory is not None else ValueError,
    "mpi4py": lambda a: None if a.c_or_f else BufferError,
    "cuda.core": lambda a: None,
    "xgboost": lambda a: models.XGBoostError if a.rank > 2 or a.kind in "bc" else None,
}


@pytest.mark.parametrize("name", models.MODELS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_export_E17_is_read_correctly_or_rejected_as_documented(name, data):
    x, host = data.draw(arrays())
    about, layout = handed_over(x), Layout(x, host)
    refusal = REFUSALS[name](layout)
    if name == "pyarrow" and layout.broadcast and host.size:
        # Reads gaps as elements if their size equals that of the repeated elements; see below.
        low, high = np.lib.array_utils.byte_bounds(host)
        assume(high - low != host.nbytes)
    if refusal is not None:
        with pytest.raises(refusal):
            models.MODELS[name](about)
        return
    got = models.MODELS[name](about)
    if name in models.IN_MEMORY_ORDER:
        assert got.tobytes() == layout.in_memory.tobytes()
    else:
        assert got.dtype == host.dtype
        np.testing.assert_array_equal(got.reshape(host.shape), host)


@loop_over("version", range(4))
@pytest.mark.parametrize("name", models.MODELS)
def test_export_E08_older_versions_are_read_correctly(name, version):
    x = sk.arange(6, dtype=sk.float64, device="cuda:0")
    sk.synchronize("cuda:0")
    with sk.cuda_array_interface_version(version):
        about = x.__cuda_array_interface__
    assert ("stream" in about) == (version == 3)
    if name in ("cuda.core", "numba-cuda argument") and version < 3:
        with pytest.raises(BufferError):
            models.MODELS[name](about)
        return
    assert models.MODELS[name](about).view(np.float64).reshape(6).tolist() == list(range(6))


def test_export_keeps_the_memory_alive_for_all_models():
    """The interface has no owner: the consumer must keep the array alive."""
    x = sk.arange(6, device="cuda:1")
    about = handed_over(x)
    for name in set(models.MODELS) - {"rmm", *models.IN_MEMORY_ORDER}:
        seen = models.MODELS[name](about).reshape(6)
        x[0] += 1
        sk.synchronize("cuda:1")
        assert seen[0] == int(x[0]), name


def test_arrow_reads_gaps_of_some_broadcast_arrays_as_elements():
    """No exporter can avoid this: the span of the array happens to equal its size in bytes."""
    x = sk.broadcast_to(sk.arange(4, device="cuda:0")[::3], (2, 2))
    assert models.pyarrow(handed_over(x)).view(np.int64).tolist() == [0, 1, 2, 3]


def test_receive_buffers_of_mpi_must_be_writable():
    x = read_only(sk.arange(3, device="cuda:0"))
    assert models.mpi4py(handed_over(x)).tolist() == [0, 1, 2]
    with pytest.raises(BufferError):
        models.mpi4py(handed_over(x), receive=True)


GONE = ...
# Tests of the models themselves: model, changes to a valid interface of shape (3,) float64, error.
MALFORMED = [
    ("numba", {"version": GONE}, TypeError),
    ("numba", {"mask": 1}, NotImplementedError),
    ("numba", {"typestr": GONE}, KeyError),
    ("numba", {"strides": (8, 8)}, ValueError),
    ("numba-cuda argument", {"shape": [3]}, TypeError),
    ("numba-cuda argument", {"version": 2}, BufferError),
    ("numba-cuda argument", {"mask": 1}, BufferError),
    ("numba-cuda argument", {"strides": (4,)}, ValueError),
    ("numba-cuda argument", {"data": (1,)}, ValueError),
    ("numba-cuda-mlir argument", {"shape": [3]}, TypeError),
    ("numba-cuda-mlir argument", {"typestr": ">f8"}, TypeError),
    ("numba-cuda-mlir argument", {"mask": 1}, NotImplementedError),
    ("numba-cuda-mlir argument", {"data": GONE}, TypeError),
    ("numba-cuda-mlir argument", {"data": (None, False)}, TypeError),
    ("numba-cuda-mlir argument", {"strides": [8]}, TypeError),
    ("cupy", {"shape": [3]}, TypeError),
    ("cupy", {"typestr": ">f8"}, ValueError),
    ("cupy", {"mask": 1}, ValueError),
    ("cupy", {"data": (0, False)}, RuntimeError),
    ("cupy", {"shape": (-1,)}, ValueError),
    ("cupy", {"strides": ()}, ValueError),
    ("torch", {"shape": GONE}, TypeError),
    ("torch", {"typestr": "<f3"}, ValueError),
    ("torch", {"typestr": "<U2"}, TypeError),
    ("torch", {"data": 3}, TypeError),
    ("torch", {"data": (0.5, False)}, TypeError),
    ("torch", {"data": (8, True)}, TypeError),
    ("torch", {"strides": (8, 8)}, TypeError),
    ("torch", {"strides": (4,)}, ValueError),
    ("torch", {"strides": (-8,)}, RuntimeError),
    ("torch", {"shape": (-3,)}, RuntimeError),
    ("jax", {"version": GONE}, models.InvalidArgument),
    ("jax", {"stream": 0}, models.InvalidArgument),
    ("jax", {"data": (0, False)}, models.InvalidArgument),
    ("jax", {"strides": (16,)}, models.Unimplemented),
    ("jax", {"strides": (8, 8)}, models.InvalidArgument),
    ("jax", {"typestr": ">f8"}, TypeError),
    ("cudf", {"strides": GONE}, KeyError),
    ("cudf", {"typestr": ">f8"}, ValueError),
    ("cudf", {"typestr": "<f2"}, TypeError),
    ("cudf", {"shape": (3, 1), "strides": None}, ValueError),
    ("pylibcudf", {"mask": 1}, NotImplementedError),
    ("pylibcudf", {"shape": [3]}, ValueError),
    ("pylibcudf", {"shape": ()}, ValueError),
    ("pylibcudf", {"data": (None, False)}, ValueError),
    ("pylibcudf", {"typestr": ">f8"}, ValueError),
    ("pylibcudf", {"typestr": "<f2"}, ValueError),
    ("pylibcudf", {"shape": (2**31,)}, ValueError),
    ("rmm", {"shape": (3, 1)}, ValueError),
    ("rmm", {"strides": (16,)}, ValueError),
    ("rmm", {"shape": GONE}, KeyError),
    ("pyarrow", {"strides": (16,)}, ValueError),
    ("pyarrow", {"data": GONE}, KeyError),
    ("mpi4py", {"shape": [3]}, TypeError),
    ("mpi4py", {"data": [8, False]}, TypeError),
    ("mpi4py", {"data": (8,)}, ValueError),
    ("mpi4py", {"data": (None, False)}, TypeError),
    ("mpi4py", {"typestr": ">f8"}, BufferError),
    ("mpi4py", {"typestr": "<fX"}, ValueError),
    ("mpi4py", {"mask": 1}, BufferError),
    ("mpi4py", {"shape": (-3,)}, BufferError),
    ("mpi4py", {"strides": (16,)}, BufferError),
    ("mpi4py", {"strides": 8}, TypeError),
    ("cuda.core", {"version": 2}, BufferError),
    ("cuda.core", {"version": GONE}, KeyError),
    ("cuda.core", {"mask": 1}, BufferError),
    ("cuda.core", {"strides": (4,)}, ValueError),
    ("cuda.core", {"stream": 0}, AssertionError),
    ("xgboost", {"version": 4}, models.XGBoostError),
    ("xgboost", {"mask": None}, models.XGBoostError),
    ("xgboost", {"typestr": "|b1"}, models.XGBoostError),
    ("xgboost", {"strides": (8, 8)}, models.XGBoostError),
    ("xgboost", {"data": (0, False)}, models.XGBoostError),
    ("xgboost", {"shape": (3, 1, 1), "strides": None}, models.XGBoostError),
]


def malformed(x, changes):
    about = {**handed_over(x), **changes}
    return {key: value for key, value in about.items() if value is not GONE}


@pytest.mark.parametrize(("name", "changes", "error"), MALFORMED, ids=str)
def test_models_reject_what_their_libraries_reject(name, changes, error):
    x = sk.arange(3, dtype=sk.float64, device="cuda:0")
    np.testing.assert_array_equal(
        models.MODELS[name](handed_over(x)).view(np.float64).reshape(3), [0.0, 1.0, 2.0]
    )
    with pytest.raises(error):
        models.MODELS[name](malformed(x, changes))


LAX = [
    ("torch", {"mask": 1}),
    ("jax", {"mask": 1}),
    ("rmm", {"mask": 1}),
    ("pyarrow", {"mask": 1}),
    ("cudf", {"mask": 1}),
    ("numba", {"typestr": ">f8"}),
    ("torch", {"typestr": ">f8"}),
    ("torch", {"version": GONE}),
    ("cupy", {"version": GONE}),
    ("mpi4py", {"version": 99, "stream": 0}),
    ("numba", {"stream": 0}),
    ("torch", {"stream": 0}),
]


@pytest.mark.parametrize(("name", "changes"), LAX, ids=str)
def test_models_accept_what_their_libraries_accept_by_mistake(name, changes):
    """Where a library silently reads wrong values, so does its model; skerry exports none of these."""
    x = sk.arange(3, dtype=sk.float64, device="cuda:0")
    assert models.MODELS[name](malformed(x, changes)).nbytes == 24


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_the_model_of_arrow_agrees_with_arrow(data):
    pyarrow = library("pyarrow.util")
    x, _ = data.draw(arrays())
    about = x.__cuda_array_interface__
    outcomes = []
    for span in (models.contiguous_span, pyarrow.get_contiguous_span):
        try:
            outcomes.append(span(about["shape"], about["strides"], x.itemsize))
        except ValueError:
            outcomes.append(None)
    assert outcomes[0] == outcomes[1]
