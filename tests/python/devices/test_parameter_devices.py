# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""An array on another device, passed for any parameter of any public function, is rejected and not read.

The calls are generated with ``inspect.signature``: in a valid call, each argument in turn is replaced by such an array,
which must raise a device or type error. The count of transferred bytes shows that no element is read.
"""

import contextlib
import inspect
import operator

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError
from skerry.testing import instruments

from tests.python import functions_without_arrays
from tests.python.numpy_functions.numpy_calls import CALLS as NUMPY_CALLS
from tests.python.numpy_functions.numpy_calls import HOST
from tests.python.oracle import STANDARD_NAMES

HOME, ELSEWHERE = "cuda:0", "cuda:1"
PAIRS = [(HOME, ELSEWHERE), ("cpu:0", HOME), ("cpu:0", "cpu:1"), (HOME, "cpu:0")]

# Valid arguments by parameter name; SPECIAL has those of single functions, also of optional parameters. Tuples for
# arrays are shapes.
USUAL = {
    "x": (3, 3),
    "x1": (3, 3),
    "x2": (3, 3),
    "a": (3, 3),
    "b": (3,),
    "obj": (3, 3),
    "condition": ((3, 3), "bool"),
    "arrays": [(3, 3)],
    "indices": ((2,), "int64"),
    "shape": (3, 3),
    "axis": 0,
    "axes": (1, 0),
    "dtype": "float64",
    "type": "float64",
    "from_": "float64",
    "to": "float64",
    "kind": "numeric",
    "n": 3,
    "n_rows": 3,
    "num": 3,
    "start": 0,
    "stop": 3,
    "fill_value": 1.5,
    "repeats": 2,
    "repetitions": 2,
    "shift": 1,
    "source": 0,
    "destination": 1,
    "device": HOME,
    "count": 2,
    "cuda": 2,
    "shapes": (3,),
    "arrays_and_dtypes": (3, 3),
}
SPECIAL = {
    "conj": {"x": ((3,), "complex128")},
    "imag": {"x": ((3,), "complex128")},
    "real": {"x": ((3,), "complex128")},
    "cumulative_prod": {"x": (3,)},
    "cumulative_sum": {"x": (3,)},
    "searchsorted": {"x1": (3,)},
    "meshgrid": {"arrays": [(3,), (3,)]},
    "multi_dot": {"arrays": [(3, 3), (3, 3)]},
    "tensorinv": {"a": (1, 1, 1)},
    "take": {"x": (3,)},
    "squeeze": {"x": (1, 3)},
    "tensordot": {"axes": 1},
    "take_along_axis": {"indices": ((3, 3), "int64")},
    "vecdot": {"axis": -1},
    "cross": {"axis": -1},
    "outer": {"x1": (3,), "x2": (3,)},
    "isdtype": {"dtype": "float64"},
    "iinfo": {"type": "int64"},
    "broadcast_to": {"x": (3, 3)},
    "where": {"x1": (3, 3), "x2": (3, 3)},
}
# Called with invalid arguments only, as valid calls change the process's state or take no array.
ONLY_REFUSED = (functions_without_arrays.NOT_CALLED - functions_without_arrays.IMPORT_LIBRARIES) | {
    "from_cuda_array_interface"
}
# These parameters accept arrays on any device: the function converts or describes the array, or reads no element.
ANY_DEVICE = {
    ("asarray", "obj"),
    ("as_cuda_array", "obj"),
    ("from_dlpack", "x"),
    ("is_cuda_array", "obj"),
    ("finfo", "type"),
    ("iinfo", "type"),
    ("isdtype", "dtype"),
    ("isdtype", "kind"),
    ("can_cast", "from_"),
    ("broadcast_shapes", "shapes"),  # runs on no device
    ("tensorinv", "a"),  # the only array
}
# Names of parameters that are arrays.
ARRAYS = {
    "x", "x1", "x2", "a", "b", "obj", "condition", "indices", "prepend", "append", "sorter", "rtol", "rcond", "tol", "out",
    "min", "max",
}  # fmt: skip


def functions():
    for module in (sk, sk.linalg, sk.fft):
        for name in STANDARD_NAMES if module is sk else module.__all__:
            function = getattr(module, name)
            if name in functions_without_arrays.IMPORT_LIBRARIES:
                continue
            if not callable(function) or (inspect.isclass(function) and name not in CLASSES):
                continue
            yield pytest.param(name, function, id=f"{module.__name__}.{name}")


CLASSES = {"device", "stream", "cuda_array_interface_version", "strict_promotion"}
# Flags: a non-empty tuple or list is true, whatever it contains.
FLAGS = {
    "assume_unique", "compute_uv", "copy", "descending", "endpoint", "full_matrices", "hermitian", "include_initial",
    "invert", "keepdims", "managed", "pinned", "retstep", "sparse", "stable", "subok", "upper",
}  # fmt: skip


def table_dtype(name):
    """Returns a dtype that the elementwise function or reduction of this name supports."""
    for entry in (*instruments.op_table(), *instruments.reduction_table()):
        if entry["name"] == name:
            return "float64" if "float64" in entry["loops"] else list(entry["loops"])[-1]
    return "float64"


def make_argument(shape, device, dtype):
    """Returns an array of the given shape, or of the (shape, dtype) pair of a table above."""
    if isinstance(shape, tuple) and len(shape) == 2 and isinstance(shape[0], tuple):
        shape, dtype = shape
    x = sk.ones(shape, dtype="float64", device=device)
    if x.ndim == 2:
        x += sk.eye(*x.shape, device=device)  # makes it invertible
    return sk.astype(x, np.dtype(dtype))


def right_arguments(name, function, home):
    """Returns the required arguments, and those in SPECIAL, of a valid call on ``home``."""
    dtype = table_dtype(name)
    chosen = {**USUAL, **SPECIAL.get(name, {})}
    named = {}
    for parameter in inspect.signature(function).parameters.values():
        is_optional = parameter.default is not parameter.empty
        if parameter.name in ("args", "kwargs") or (
            is_optional and parameter.name not in SPECIAL.get(name, {})
        ):
            continue
        value = chosen.get(parameter.name, 0)
        if parameter.name == "arrays":
            arrays = [make_argument(shape, home, dtype) for shape in value]
            named[parameter.name] = arrays
        elif parameter.name in ARRAYS or parameter.name == "arrays_and_dtypes":
            named[parameter.name] = make_argument(value, home, dtype)
        elif parameter.name == "device":
            named[parameter.name] = home
        else:
            named[parameter.name] = value
    return named


def call(function, named):
    positional, keywords = [], {}
    skips_one = False  # parameters after it are passed by keyword
    for parameter in inspect.signature(function).parameters.values():
        by_keyword = parameter.kind is parameter.KEYWORD_ONLY or (
            skips_one and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        )
        if parameter.name not in named:
            skips_one |= parameter.kind is not parameter.VAR_POSITIONAL
            continue
        value = named[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += value if isinstance(value, list) else [value]
        elif by_keyword:
            keywords[parameter.name] = value
        else:
            positional.append(value)
    return function(*positional, **keywords)


def fill_before(function, named, name):
    """Adds defaults for the positional parameters before ``name``."""
    filled = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in named:
            filled[parameter.name] = named[parameter.name]
        elif parameter.name == name:
            break
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            filled[parameter.name] = parameter.default
    return {**filled, **named}


def strays(device):
    """Yields arrays that could be an index, a size, a flag or a number: 0-d, with an axis, inside a tuple or list."""
    for dtype in ("int64", "float64", "bool"):
        for shape in ((), (1,), (3,)):
            x = sk.ones(shape, dtype=dtype, device=device)
            yield x
            yield (x, 1)
            yield [x]


def refuses(call_it, label):
    """Asserts that the call raises and reads no element. Returns the error."""
    sk.synchronize()
    old_transfers = instruments.transfers()
    with pytest.raises((DeviceMismatchError, TypeError, ValueError, IndexError)) as caught:
        call_it()
    new_transfers = instruments.transfers()
    assert new_transfers["device_to_host_bytes"] == old_transfers["device_to_host_bytes"], (
        f"{label}: read"
    )
    return caught.value


def reads_nothing(call_it, label):
    """Asserts that the call reads no element. It may succeed."""
    sk.synchronize()
    old_transfers = instruments.transfers()
    with contextlib.suppress(DeviceMismatchError, TypeError, ValueError, IndexError):
        call_it()
    assert (
        instruments.transfers()["device_to_host_bytes"] == old_transfers["device_to_host_bytes"]
    ), label


@pytest.mark.parametrize(("name", "function"), list(functions()))
def test_every_parameter_rejects_arrays_of_another_device(name, function):
    if name == "show_config":
        pytest.skip("show_config has no parameters")
    for home, elsewhere in PAIRS:
        named = {} if name in ONLY_REFUSED else right_arguments(name, function, home)
        with sk.device(home):
            if name not in ONLY_REFUSED and name not in CLASSES | {
                "as_cuda_array",
                "memory_statistics",
            }:
                call(function, named)  # a valid call, so that only the stray array can cause errors
            for parameter in inspect.signature(function).parameters.values():
                if (name, parameter.name) in ANY_DEVICE:
                    continue
                # The only array of a call determines its device.
                alone = parameter.name in (
                    "x",
                    "arrays",
                    "arrays_and_dtypes",
                    "fill_value",
                ) and not ({"x1", "x2"} & set(named))
                if alone and parameter.name != "fill_value":
                    continue
                for stray in strays(elsewhere):
                    arguments = fill_before(
                        function, {**named, parameter.name: stray}, parameter.name
                    )
                    # Without device=, an array fill value or bound would determine the device.
                    if name in ("full", "arange", "linspace") and parameter.name != "device":
                        arguments["device"] = home
                    if parameter.name in ("arrays", "shapes"):
                        usual = named.get(parameter.name, [])
                        arguments[parameter.name] = [
                            *(usual if isinstance(usual, list) else [usual]),
                            stray,
                        ]
                    if parameter.name in FLAGS and isinstance(stray, tuple | list):
                        continue
                    refuses(lambda: call(function, arguments), f"{name}({parameter.name}={stray})")  # noqa: B023


@pytest.mark.parametrize("own_type", [sk.Device, sk.Event, sk.Stream])
def test_constructors_reject_arrays(own_type):
    for stray in strays("cuda:1"):
        refuses(lambda: own_type(stray), f"{own_type}({stray})")  # noqa: B023


def test_scalar_arrays_of_another_device_raise():
    x = sk.asarray(1.5, device="cuda:1")
    y = sk.ones((2,), device="cuda:0")
    for wrong in (
        lambda: sk.full((2,), x, device="cuda:0"),
        lambda: sk.full_like(y, x),
        lambda: np.full((2,), x, like=y),
        lambda: np.full_like(y, x),
        lambda: sk.fft.fftfreq(3, d=x, device="cuda:0"),
        lambda: sk.fft.fftfreq(3, d=x),
        lambda: sk.linalg.vector_norm(y, ord=x),
        lambda: sk.linalg.vector_norm(y, axis=sk.astype(x, sk.int64)),
        lambda: sk.sum(y, keepdims=x),
        lambda: sk.zeros(sk.astype(x, sk.int64)),
        lambda: sk.reshape(y, (sk.astype(x, sk.int64), 2)),
        lambda: y[: sk.astype(x, sk.int64)],
        lambda: np.asarray([x], like=y),
        lambda: np.sum(y, axis=sk.astype(x, sk.int64)),
    ):
        error = refuses(wrong, "")
        assert isinstance(error, DeviceMismatchError), error
        assert "to_device" in str(error)


def test_scalar_arrays_on_the_same_device_are_values():
    for device in ("cpu:1", "cuda:1"):
        n = sk.asarray(2, device=device)
        x = sk.ones((2, 2), device=device)
        half = sk.asarray(0.5, device=device)
        assert sk.full((2,), half).device == sk.Device(device)
        assert sk.full((2,), half).tolist() == [0.5, 0.5]
        assert sk.full_like(x, half)[0, 0] == 0.5
        assert sk.zeros((n, 3), device=device).shape == (2, 3)
        assert sk.tril(x, k=-n).tolist() == [[0.0, 0.0], [0.0, 0.0]]
        assert sk.reshape(x, (n, n)).shape == (2, 2)
        assert sk.sum(x, axis=n - 1).shape == (2,)
        assert sk.sum(x, keepdims=n > 1).shape == (1, 1)
        assert sk.linalg.vector_norm(x, ord=n).item() == 2.0
        assert sk.fft.fftfreq(2, d=half, device=device).tolist() == [0.0, -1.0]
        with sk.device(device):
            assert sk.eye(n).shape == (2, 2)
        with pytest.raises(TypeError, match="k must be an int"):
            sk.tril(x, k=half)


def test_numpy_scalars_have_no_device():
    for value in (np.float32(1.5), np.float64(1.5)):
        assert sk.full((2,), value, device="cuda:0").tolist() == [1.5, 1.5]
    assert sk.full(np.int32(2), np.int8(3)).tolist() == [3, 3]
    assert sk.full((np.int64(2),), np.bool_(True)).dtype == np.bool_
    assert sk.full((2,), np.complex64(1j)).tolist() == [1j, 1j]
    x = sk.ones((2, 2))
    assert sk.sum(x, axis=np.int8(0), keepdims=np.bool_(True)).shape == (1, 2)
    assert sk.linalg.vector_norm(x, ord=np.float32(1)).item() == 4.0
    assert sk.fft.fftfreq(np.uint8(2), d=np.float32(0.5)).tolist() == [0.0, -1.0]


METHODS = {
    "__array__": [{"dtype": 0}],  # copy is passed to NumPy
    "__array_namespace__": [{"api_version": 0}],
    "__dlpack__": [{"stream": 0}, {"max_version": 0}, {"dl_device": 0}, {"copy": 0}],
    "to_device": [{"device": 0}, {"device": "cuda:0", "stream": 0}],
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_reject_arrays_of_another_device(name):
    for home, elsewhere in PAIRS:
        x = sk.ones((3,), device=home)
        for stray in strays(elsewhere):
            for arguments in METHODS[name]:
                keywords = {
                    key: stray if value == 0 else "cpu:1" for key, value in arguments.items()
                }
                positional = [keywords.pop("device")] if "device" in keywords else []
                if {"dtype", "copy"} & set(arguments) and isinstance(stray, tuple | list):
                    continue  # valid as copy=; for dtype=, NumPy's error contains its repr, which reads elements
                # numpy.dtype() may accept the array for its dtype attribute, without reading elements.
                judge = reads_nothing if "dtype" in arguments else refuses
                judge(lambda: getattr(x, name)(*positional, **keywords), f"{name}({keywords})")  # noqa: B023


@pytest.mark.parametrize("name", [name for name, calls in NUMPY_CALLS.items() if calls])
def test_numpy_functions_reject_arrays_of_another_device(name):
    """Passes the array for each parameter of NumPy's function, except the first."""
    function = operator.attrgetter(name.removeprefix("numpy."))(np)
    x = sk.asarray(HOST["m"], device=HOME)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:
        pytest.skip("this version of NumPy has no signature for it")
    for stray in strays(ELSEWHERE):
        for parameter in parameters[1:]:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            positional = [
                x for p in parameters[1:] if p.kind is p.POSITIONAL_ONLY and p is not parameter
            ]
            if parameter.kind is parameter.POSITIONAL_ONLY:
                refuses(lambda: function(x, *positional, stray), f"{name}({parameter.name})")  # noqa: B023
            else:
                keywords = {parameter.name: stray}
                refuses(lambda: function(x, *positional, **keywords), f"{name}({parameter.name})")  # noqa: B023
