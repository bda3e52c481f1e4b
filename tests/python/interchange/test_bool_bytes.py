# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Imported bools whose true bytes are not 1: every function treats nonzero bytes like 1, for every import path."""

import ctypes
import inspect
import operator
import pickle

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python import functions_without_arrays
from tests.python.interchange.cai_producers import Producer
from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, STANDARD_NAMES

BYTES = np.array([0, 1, 2, 0x80, 0xFF], np.uint8)
# Functions that move elements without interpreting them, so their bytes are unchanged.
MOVES = {
    *"asarray astype broadcast_arrays broadcast_to concat expand_dims flip full full_like matrix_transpose meshgrid".split(),
    *"moveaxis permute_dims repeat reshape roll squeeze stack take take_along_axis tile tril triu unstack where".split(),
    *"as_cuda_array from_dlpack linalg.diagonal linalg.matrix_transpose fft.fftshift fft.ifftshift".split(),
    "diff",  # if n is 0
}
# Functions that the walk must cover, including all that have a loop for bool.
REACHED = {
    *(MOVES - {"as_cuda_array"}),  # rejects arrays on a CPU device
    *"argsort cumulative_prod cumulative_sum isin nonzero searchsorted sort".split(),
    *"unique_all unique_counts unique_inverse unique_values".split(),
    *(entry["name"] for entry in instruments.op_table() if "bool" in entry["loops"]),
    *(entry["name"] for entry in instruments.reduction_table() if "bool" in entry["loops"]),
}
OPERATORS = [
    *(operator.and_, operator.or_, operator.xor, operator.invert, operator.eq, operator.ne),
    *(operator.iand, operator.ior, operator.ixor),
]
# Functions that read no element; some change state that other tests rely on.
NOT_OF_ARRAYS = functions_without_arrays.FUNCTIONS | {"empty", "empty_like"}


def functions():
    candidates = {name: getattr(sk, name) for name in STANDARD_NAMES if name not in NOT_OF_ARRAYS}
    candidates |= {f"linalg.{name}": getattr(sk.linalg, name) for name in sk.linalg.__all__}
    candidates |= {f"fft.{name}": getattr(sk.fft, name) for name in sk.fft.__all__}
    return {
        name: function
        for name, function in candidates.items()
        if callable(function) and not inspect.isclass(function) and not name.startswith("__")
    }


def arguments(parameter, x, some):
    """Return the values to try for a required parameter; `some` is an integer array of the shape of x."""
    choices = {
        "x1": [x, some],
        "x2": [x, some, True],
        "arrays": [[x, x], [x, some]],
        "fill_value": [x[(0,) * x.ndim], True],
        "dtype": DTYPES,
        "indices": [sk.zeros((2,) * min(x.ndim, 1), dtype="int64", device=x.device)],
        "shape": [(2, *x.shape), (-1,)],
        "axes": [tuple(range(x.ndim))[::-1]],
        "axis": [0],
        "source": [0],
        "destination": [-1],
    }
    return choices.get(
        parameter.name, [x, 2] if parameter.name in ("x", "condition", "obj") else [2]
    )


def options(parameter, x, some):
    choices = {
        "axis": [0, -1],
        "dtype": [name for name in DTYPES if name != "bool"],
        "k": [1],
        "n": [2],
        "side": ["right"],
        "sorter": [sk.arange(x.size, device=x.device)],
        "shape": [x.shape],
        "copy": [True, False],
        **{name: [True] for name in ("descending", "keepdims", "include_initial", "invert")},
        **{name: [x, some] for name in ("min", "max", "append", "prepend")},
    }
    return choices.get(parameter.name, [])


# Functions whose results have a row for each element.
PRODUCTS = {"meshgrid", "tensordot", "linalg.outer", "linalg.tensordot"}


def calls(function, x, some):
    """Yield positional arguments and options: all combinations of required arguments, options one at a time."""
    required = [[]]
    parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            required = [[x, x], [x, some]]
        elif parameter.default is parameter.empty:
            required = [[*prefix, a] for prefix in required for a in arguments(parameter, x, some)]
    for positional_arguments in required:
        yield positional_arguments, {}
        for parameter in parameters:
            for value in options(parameter, x, some):
                if parameter.kind is parameter.KEYWORD_ONLY:
                    yield positional_arguments, {parameter.name: value}
                elif parameter.default is None:  # such as stop of arange
                    yield [*positional_arguments, value], {}


def seen(result, moves):
    """Return the values of a result in comparable form; checks that the bytes of computed bools are 0 or 1."""
    if isinstance(result, (tuple, list)):
        return [seen(part, moves) for part in result]
    if not isinstance(result, sk.Array):
        return repr(result)
    values = np.array(result.to_device("cpu:0"))
    if result.dtype == np.dtype(bool):
        values = values.view(np.uint8)
        assert moves or values.size == 0 or values.max() <= 1, "bytes other than 0 and 1"
        values = values != 0
    text = [repr(result), str(result), repr(result.tolist())] if result.size < 100 else []
    return result.dtype, result.shape, str(result.device), values.tobytes(), text


def outcome(function, call_arguments, moves):
    positional, named = call_arguments
    try:
        result = function(*positional, **named)
    except (AttributeError, IndexError, NotImplementedError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}", False
    return seen(result, moves), True


def twins(shape, device="cpu:0", seed=0):
    """Return two equal bool arrays: one of arbitrary bytes, one of 0 and 1."""
    raw = np.random.default_rng(seed).choice(BYTES, shape, p=[0.4, 0.15, 0.15, 0.15, 0.15])
    both = [raw.view(bool), (raw != 0)]
    return [sk.asarray(values, copy=False).to_device(device) for values in both]


LAYOUTS = {
    "whole": lambda x: x,
    "stepped": lambda x: x[..., ::2],
    "backwards": lambda x: x[..., ::-1],
    "inner": lambda x: x[..., 1:-1],
    "transposed": lambda x: sk.permute_dims(x, tuple(range(x.ndim))[::-1]),
    "repeated": lambda x: sk.broadcast_to(x, (3, *x.shape)),
}
SHAPES = [(1,), (67,), (1, 40), (5, 6, 7), (1_000,)]
CASES = [
    *(("cpu:0", "whole", shape) for shape in SHAPES),
    *(("cpu:0", layout, shape) for layout in LAYOUTS for shape in [(9, 9), (70, 33)]),
    *(("cpu:0", layout, (2, 70_001)) for layout in ("whole", "transposed")),
    *(("cpu:0", layout, (140_003,)) for layout in ("whole", "stepped")),
    *(("cuda:0", "whole", shape) for shape in [(67,), (9, 9)]),
]


def ids(case):
    return " ".join(map(str, case))


def walk(case):
    """Return the names of the functions that accept bools."""
    device, layout, shape = case
    reached = set()
    theirs, plain = (LAYOUTS[layout](x) for x in twins(shape, device))
    some = sk.reshape(sk.arange(plain.size, device=device) % 3, plain.shape)
    for name, function in functions().items():
        if plain.size > 500 and name in PRODUCTS:
            continue
        for number, ways in enumerate(
            zip(calls(function, theirs, some), calls(function, plain, some), strict=True)
        ):
            (got, _), (want, done) = (outcome(function, way, name in MOVES) for way in ways)
            assert got == want, f"{name}, call {number}: {ways[1]}"
            if done:
                reached.add(name)
    return reached


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=ids)
@pytest.mark.usefixtures("strict_promotion")
def test_every_function_treats_nonzero_bytes_as_true(case):
    walk(case)


@pytest.mark.usefixtures("strict_promotion")
def test_the_walk_covers_all_functions_of_bools():
    reached = walk(("cpu:0", "whole", (9, 9))) | walk(("cpu:0", "whole", (1, 40)))
    missing = REACHED - reached - walk(("cpu:0", "whole", (67,)))
    assert not missing, f"add to this file how these are called with bools: {sorted(missing)}"


@loop_over("case", CASES)
@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
def test_operators_treat_nonzero_bytes_as_true(case, function):
    device, layout, shape = case
    if layout == "repeated" and function.__name__.startswith("i") and function != operator.invert:
        return  # not writable
    results = []
    for right, scalar in ((1, None), (0, None), (0, True), (0, False)):
        pair = []
        for index in (0, 1):
            left, other = (
                LAYOUTS[layout](twins(shape, device, seed)[index]) for seed in (0, right)
            )
            if function is operator.invert:
                pair.append(seen(function(left), moves=False))
            else:
                pair.append(seen(function(left, other if scalar is None else scalar), moves=False))
        results.append(pair)
    assert all(theirs == plain for theirs, plain in results)


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_masks_and_keys_treat_nonzero_bytes_as_true(device):
    for size in (1, 31, 33, 100, 5_000):
        theirs, plain = twins((size,), device)
        x = sk.arange(size, device=device)
        for values in (x, sk.astype(x, sk.uint8), sk.astype(x, sk.complex128)):
            assert seen(values[theirs], moves=False) == seen(values[plain], moves=False)
            written = []
            for mask in (theirs, plain):
                target = sk.asarray(values, copy=True)
                target[mask] = 7
                written.append(seen(target, moves=False))
            assert written[0] == written[1]
        first = [seen(x[boolean_mask[0]], moves=False) for boolean_mask in (theirs, plain)]
        assert first[0] == first[1]


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_python_scalars_are_true_for_nonzero_bytes(device):
    for byte in BYTES.tolist():
        x = sk.asarray(np.array(byte, np.uint8).view(bool), copy=False).to_device(device)
        truth = byte != 0
        for value in (bool(x), x.tolist(), x.item()):
            assert value is truth
        assert (int(x), float(x), complex(x)) == (truth, truth, truth)
        assert (repr(x), f"{x}", str(x)) == tuple(
            function(sk.asarray(truth, device=device)) for function in (repr, "{}".format, str)
        )
        assert sk.full((2,), x, device=device).tolist() == [truth, truth]
        assert sk.asarray([x, True], device=device).tolist() == [truth, True]


# Import paths.


class Interface:
    """Another library's array: memory of `owner`, described by one attribute."""

    def __init__(self, owner, *names):
        for name in names:
            setattr(self, name, getattr(owner, name))
        self.owner = owner


class DLPack:
    def __init__(self, owner, versioned):
        self.owner = owner
        self.versioned = versioned

    def __dlpack__(self, *, max_version=None, **options):
        return self.owner.__dlpack__(max_version=max_version if self.versioned else None)

    def __dlpack_device__(self):
        return self.owner.__dlpack_device__()


def ctypes_array(m):
    return (ctypes.c_bool * m.size).from_buffer(m)


PATHS = {
    "ndarray": lambda m: sk.asarray(m),
    "copy of an ndarray": lambda m: sk.asarray(m, copy=True),
    "with a dtype": lambda m: sk.asarray(m, dtype=sk.bool),
    "buffer": lambda m: sk.asarray(memoryview(m)),
    "ctypes": lambda m: sk.asarray(ctypes_array(m)),
    "__array_interface__": lambda m: sk.asarray(Interface(m, "__array_interface__")),
    "__array_struct__": lambda m: sk.asarray(Interface(m, "__array_struct__")),
    "DLPack": lambda m: sk.from_dlpack(DLPack(m, versioned=True)),
    "DLPack unversioned": lambda m: sk.from_dlpack(DLPack(m, versioned=False)),
    "copied DLPack": lambda m: sk.from_dlpack(DLPack(m, versioned=True), copy=True),
    "pickle": lambda m: pickle.loads(pickle.dumps(sk.asarray(m))),
    "pickle without a copy": lambda m: pickle.loads(pickle.dumps(sk.asarray(m), protocol=5)),
    "other device": lambda m: sk.asarray(m).to_device("cpu:1"),
    "CUDA": lambda m: sk.asarray(m).to_device("cuda:0"),
    "pinned": lambda m: sk.asarray(m, copy=True),
    "CAI": lambda m: sk.as_cuda_array(
        Producer(sk.asarray(m.view(np.uint8)).to_device("cuda:0"), typestr="|b1")
    ),
    "asarray of CAI": lambda m: sk.asarray(
        Producer(sk.asarray(m.view(np.uint8)).to_device("cuda:0"), typestr="|b1")
    ),
    "list of rows": lambda m: sk.stack([sk.asarray(m)])[0],
}


@pytest.mark.parametrize("path", PATHS)
def test_every_import_path(path):
    raw = np.tile(BYTES, 13)
    x = PATHS[path](raw.view(bool))
    truth = raw != 0
    assert x.dtype == np.dtype(bool)
    assert x.tolist() == truth.tolist()
    assert int(sk.sum(x)) == int(sk.count_nonzero(x)) == truth.sum()
    assert bool(sk.any(x[2:5]))
    assert bool(sk.all(x[1:5]))
    assert not bool(sk.all(x))
    for dtype in DTYPES:
        assert sk.astype(x, dtype).tolist() == truth.astype(dtype).tolist()
    assert (x == sk.asarray(truth, device=x.device)).tolist() == [True] * x.size
    assert (x & True).tolist() == (x | False).tolist() == (~~x).tolist() == truth.tolist()
    assert sk.nonzero(x)[0].tolist() == truth.nonzero()[0].tolist()
    assert sk.sort(x).tolist() == np.sort(truth).tolist()
    assert np.asarray(x.to_device("cpu:0")).tolist() == truth.tolist()
    assert np.from_dlpack(x.to_device("cpu:0")).sum(dtype=np.int64) == truth.sum()


@pytest.mark.parametrize("path", ["ndarray", "buffer", "DLPack", "__array_interface__"])
def test_the_owner_writes_after_the_import(path):
    m = np.zeros(300, bool)
    x = PATHS[path](m)
    assert not bool(sk.any(x))
    assert int(sk.sum(x)) == 0
    m.view(np.uint8)[:] = 2
    assert bool(sk.all(x))
    assert int(sk.sum(x)) == 300
    m.view(np.uint8)[100:] = 0
    assert int(sk.count_nonzero(x)) == 100
    assert x.tolist() == [True] * 100 + [False] * 200


def test_nonzero_bytes_written_through_numpy_are_true():
    x = sk.zeros((300,), dtype="bool")
    np.asarray(x).view(np.uint8)[::3] = 0x80
    assert int(sk.sum(x)) == 100
    assert sk.nonzero(x)[0].tolist() == list(range(0, 300, 3))
    x[1] = x[0]  # the byte is copied unchanged
    assert int(sk.sum(x)) == 101
    assert bool(x[1])
