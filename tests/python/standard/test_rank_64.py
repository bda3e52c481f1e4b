# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays of 64 axes, the maximum, in every public function: no function needs a 65th internally."""

import inspect
import pickle

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python import functions_without_arrays
from tests.python.oracle import STANDARD_NAMES

RANK = 64
SHAPE = (1,) * RANK


def ones(device, dtype="float64"):
    return sk.ones(SHAPE, dtype=dtype, device=device)


# Calls that need other arguments than x, or x1 and x2. None: not called.
CALLS = {
    **dict.fromkeys(functions_without_arrays.FUNCTIONS),
    "arange": None,
    "as_cuda_array": None,
    "asarray": lambda f, x: f(x, copy=True),
    "astype": lambda f, x: f(x, sk.float32),
    "broadcast_arrays": lambda f, x: f(x, x)[0],
    "broadcast_shapes": lambda f, x: sk.ones(f(x.shape, (1,))),
    "broadcast_to": lambda f, x: f(x, SHAPE),
    "can_cast": None,
    "concat": lambda f, x: f([x, x], axis=-1),
    "cumulative_prod": lambda f, x: f(x, axis=3),
    "cumulative_sum": lambda f, x: f(x, axis=3),
    "empty": lambda f, x: f(SHAPE),
    "expand_dims": lambda f, x: f(x[0], axis=5),
    "eye": None,
    "finfo": None,
    "iinfo": None,
    "isdtype": None,
    "flip": lambda f, x: f(x, axis=7),
    "from_cuda_array_interface": None,
    "full": lambda f, x: f(SHAPE, 2.0),
    "full_like": lambda f, x: f(x, 2.0),
    "imag": lambda f, x: f(sk.astype(x, sk.complex64)),
    "is_cuda_array": None,
    "linspace": None,
    "meshgrid": lambda f, x: f(*[sk.ones((1,), device=x.device)] * RANK)[0],
    "moveaxis": lambda f, x: f(x, (0, 1), (5, 63)),
    "nonzero": lambda f, x: f(x)[63],
    "ones": lambda f, x: f(SHAPE),
    "outer": None,  # takes 1-D arrays
    "permute_dims": lambda f, x: f(x, tuple(range(RANK))[::-1]),
    "repeat": lambda f, x: f(x, 2, axis=9),
    "reshape": lambda f, x: f(f(x, (1, 1)), SHAPE),
    "result_type": None,
    "roll": lambda f, x: f(x, 1, axis=8),
    "searchsorted": lambda f, x: f(sk.ones((1,), device=x.device), x),
    "squeeze": lambda f, x: f(x, 5),
    "stack": lambda f, x: f([x[0], x[0]], axis=63),
    "take": lambda f, x: f(x, sk.zeros((1,), dtype="int64", device=x.device), axis=4),
    "take_along_axis": lambda f, x: f(x, sk.astype(x - 1, sk.int64), axis=4),
    "tensordot": lambda f, x: f(x, x, axes=RANK),
    "tile": lambda f, x: f(x, (1,) * 63 + (2,)),
    "where": lambda f, x: f(x > 0, x, x),
    "zeros": lambda f, x: f(SHAPE),
    "cross": lambda f, x: f(*[sk.broadcast_to(x, (*SHAPE[1:], 3))] * 2),
    "matrix_power": lambda f, x: f(x, 3),
    "fftfreq": None,
    "rfftfreq": None,
    "hfft": lambda f, x: f(x, n=2),
    "irfft": lambda f, x: f(x, n=2),
    "irfft2": lambda f, x: f(x, s=(2, 2)),
    "irfftn": lambda f, x: f(x, s=(2,), axes=(63,)),
    "lstsq": None,  # takes matrices
    "multi_dot": None,  # takes matrices
    "__array_namespace_info__": None,
}
KEYWORDS = {
    "vector_norm": [{"axis": ()}, {"axis": (), "keepdims": True}, {"axis": 5}, {"ord": 3, "axis": ()}],
    "matrix_norm": [{}, {"keepdims": True}, {"ord": 2}, {"ord": "nuc", "keepdims": True}, {"ord": 1}],
    "pinv": [{}, {"rtol": 0.1}],
    "qr": [{}, {"mode": "complete"}],
    "sum": [{}, {"axis": ()}, {"axis": (0, 63)}, {"keepdims": True}],
    "vecdot": [{}, {"axis": -RANK}, {"axis": -9}],
}  # fmt: skip


def functions():
    for module in (sk, sk.linalg, sk.fft):
        for name in STANDARD_NAMES if module is sk else module.__all__:
            function = getattr(module, name)
            if (
                callable(function)
                and not inspect.isclass(function)
                and CALLS.get(name, 1) is not None
            ):
                yield pytest.param(name, function, id=f"{module.__name__}.{name}")


def dtype_of(name):
    for entry in (*instruments.op_table(), *instruments.reduction_table()):
        if entry["name"] == name:
            return "float64" if "float64" in entry["loops"] else list(entry["loops"])[-1]
    return "float64"


@pytest.mark.parametrize(("name", "function"), list(functions()))
def test_every_function_takes_64_axes(name, function, device):
    x = ones(device, dtype_of(name))
    with sk.device(device):
        if name in CALLS:
            results = [CALLS[name](function, x)]
        else:
            required = [
                p for p in inspect.signature(function).parameters.values() if p.default is p.empty
            ]
            results = [function(*[x] * len(required), **k) for k in KEYWORDS.get(name, [{}])]
    for result in results:
        for part in result if isinstance(result, tuple) else (result,):
            assert part.device == sk.Device(device)
            is_read = not name.startswith("empty")
            assert not (is_read and np.isnan(np.asarray(part.to_device("cpu"))).any())


def test_values_of_products_and_norms(device):
    a = np.arange(1.0, 5.0).reshape((2, 1, 2) + (1,) * 61)
    x = sk.asarray(a).to_device(device)
    for axis in (-64, -62, -1):
        got = sk.vecdot(x, x, axis=axis)
        np.testing.assert_array_equal(np.asarray(got.to_device("cpu")), (a * a).sum(axis))
    scaled = np.asarray(sk.linalg.vector_norm(-x, axis=()).to_device("cpu"))
    np.testing.assert_array_equal(scaled, a)
    y = sk.broadcast_to(sk.asarray([1.0 + 2.0j, 3.0j], device=device), (1,) * 63 + (2,))
    assert sk.vecdot(y, y).shape == (1,) * 63
    assert sk.vecdot(y, y)[(0,) * 63].item() == 14.0
    with pytest.raises(ValueError, match="at most 64"):
        sk.expand_dims(x, 0)


def test_methods_and_operators_take_64_axes(device):
    x = ones(device)
    assert (x + x * x - 1)[(0,) * RANK].item() == 1.0
    assert (x @ x).shape == SHAPE
    x[(0,) * RANK] = 3.0
    assert x[x > 0].shape == (1,)
    assert x[(Ellipsis, sk.zeros((1,), dtype="int64", device=device))].shape == SHAPE
    assert pickle.loads(pickle.dumps(x)).shape == SHAPE
    assert "3." in repr(x)
    assert np.ravel(x.tolist()).tolist() == [3.0]
    assert x.mT.shape == SHAPE
    assert sk.from_dlpack(x).shape == SHAPE
