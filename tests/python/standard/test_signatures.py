# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``inspect.signature`` of every public function against signatures transcribed from the standard, not the library.

Every call that the standard allows is accepted: a keyword-only parameter may also be positional, and further parameters
are optional. Those are NumPy's: ``tests/python/call/test_numpy_parameters.py`` compares with its signatures.
"""

import ast
import importlib.util
import inspect
import itertools
import pathlib

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

PYTHON = pathlib.Path(__file__).parents[3] / "python"

UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan "
    "log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan "
    "tanh trunc"
).split()
BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal "
    "floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract"
).split()

# The standard's signatures with the addition of the arguments of NumPy's ufuncs.
OPTIONS = "/, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True)"
SIGNATURES = {
    **dict.fromkeys(UNARY, f"(x, {OPTIONS}"),
    **dict.fromkeys(BINARY, f"(x1, x2, {OPTIONS}"),
    **dict.fromkeys(
        ["all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min"],
        "(x, /, *, axis=None, keepdims=False)",
    ),
    **dict.fromkeys(
        ["cumulative_prod", "cumulative_sum"],
        "(x, /, *, axis=None, dtype=None, include_initial=False)",
    ),
    **dict.fromkeys(["std", "var"], "(x, /, *, axis=None, correction=0.0, keepdims=False)"),
    **dict.fromkeys(["prod", "sum"], "(x, /, *, axis=None, dtype=None, keepdims=False)"),
    **dict.fromkeys(
        ["empty_like", "ones_like", "zeros_like"], "(x, /, *, dtype=None, device=None)"
    ),
    **dict.fromkeys(["tril", "triu"], "(x, /, *, k=0)"),
    **dict.fromkeys(["unique_all", "unique_counts", "unique_inverse", "unique_values"], "(x, /)"),
    "isin": "(x1, x2, /, *, invert=False)",
    "searchsorted": "(x1, x2, /, *, side='left', sorter=None)",
    **dict.fromkeys(["argsort", "sort"], "(x, /, *, axis=-1, descending=False, stable=True)"),
    "clip": "(x, /, min=None, max=None)",
    "where": "(condition, x1, x2, /)",
    "arange": "(start, /, stop=None, step=1, *, dtype=None, device=None)",
    "asarray": "(obj, /, *, dtype=None, device=None, copy=None)",
    "eye": "(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)",
    "from_dlpack": "(x, /, *, device=None, copy=None)",
    "full_like": "(x, /, fill_value, *, dtype=None, device=None)",
    "linspace": "(start, stop, /, num, *, dtype=None, device=None, endpoint=True)",
    "meshgrid": "(*arrays, indexing='xy')",
    "astype": "(x, dtype, /, *, copy=True, device=None)",
    "can_cast": "(from_, to, /)",
    "finfo": "(type, /)",
    "iinfo": "(type, /)",
    "isdtype": "(dtype, kind)",
    "result_type": "(*arrays_and_dtypes)",
    "broadcast_arrays": "(*arrays)",
    "broadcast_shapes": "(*shapes)",
    "broadcast_to": "(x, /, shape)",
    "concat": "(arrays, /, *, axis=0)",
    "diff": "(x, /, *, axis=-1, n=1, prepend=None, append=None)",
    "nonzero": "(x, /)",
    "take": "(x, indices, /, *, axis=None)",
    "take_along_axis": "(x, indices, /, *, axis=-1)",
    "repeat": "(x, repeats, /, *, axis=None)",
    "roll": "(x, /, shift, *, axis=None)",
    "stack": "(arrays, /, *, axis=0)",
    "tile": "(x, repetitions, /)",
    "unstack": "(x, /, *, axis=0)",
    "expand_dims": "(x, /, axis)",
    "flip": "(x, /, *, axis=None)",
    "matmul": "(x1, x2, /, out=None, *, casting='same_kind', order='K', dtype=None, axes=None)",
    "matrix_transpose": "(x, /)",
    "moveaxis": "(x, source, destination, /)",
    "permute_dims": "(x, /, axes)",
    "reshape": "(x, /, shape, *, copy=None)",
    "squeeze": "(x, /, axis)",
    "tensordot": "(x1, x2, /, axes=2)",
    "vecdot": "(x1, x2, /, out=None, *, casting='same_kind', order='K', dtype=None, axis=-1, axes=None)",
    "__array_namespace_info__": "()",
    # The standard's signature with the addition of pinned= and managed=.
    **dict.fromkeys(
        ["empty", "ones", "zeros"],
        "(shape, *, dtype=None, device=None, pinned=False, managed=False)",
    ),
    "full": "(shape, fill_value, *, dtype=None, device=None, pinned=False, managed=False)",
}
# NumPy's further arguments are optional, and by position where they are in NumPy.
LINALG = {
    **dict.fromkeys(
        ["det", "eig", "eigvals", "inv", "matrix_transpose", "slogdet", "svdvals"], "(x, /)"
    ),
    **dict.fromkeys(["eigh", "eigvalsh"], "(x, /, UPLO='L')"),
    **dict.fromkeys(["outer", "solve"], "(x1, x2, /)"),
    **{name: SIGNATURES[name] for name in ("matmul", "tensordot", "vecdot")},
    "cross": "(x1, x2, /, *, axis=-1)",
    "matrix_rank": "(x, /, tol=None, hermitian=False, *, rtol=None)",
    "pinv": "(x, /, rcond=None, hermitian=False, *, rtol=None)",
    "cholesky": "(x, /, *, upper=False)",
    "diagonal": "(x, /, *, offset=0)",
    "matrix_norm": "(x, /, *, keepdims=False, ord='fro')",
    "matrix_power": "(x, n, /)",
    "qr": "(x, /, mode='reduced')",
    "svd": "(x, /, full_matrices=True, compute_uv=True, hermitian=False)",
    "trace": "(x, /, *, offset=0, dtype=None)",
    "vector_norm": "(x, /, *, axis=None, keepdims=False, ord=2)",
}
# NumPy's functions beyond the standard.
LINALG_OF_NUMPY = {
    "cond": "(x, p=None)",
    "lstsq": "(a, b, rcond=None)",
    "multi_dot": "(arrays, *, out=None)",
    "norm": "(x, ord=None, axis=None, keepdims=False)",
    "tensorinv": "(a, ind=2)",
    "tensorsolve": "(a, b, axes=None)",
}
METHODS = {
    "__array_namespace__": "(self, /, *, api_version=None)",
    "__complex__": "(self, /)",
    "__dlpack__": "(self, /, *, stream=None, max_version=None, dl_device=None, copy=None)",
    "__dlpack_device__": "(self, /)",
    "to_device": "(self, device, /, *, stream=None)",
}


def plain(function):
    signature = inspect.signature(function)
    parameters = [
        p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def standard_signature(text):
    """Return the signature of a function that is defined with this text."""
    scope = {}
    exec(f"def function{text}: pass", scope)
    return inspect.signature(scope["function"])


def missing_calls(function, text):
    """Return the parameters of a signature of the standard that the function does not accept as it says."""
    ours = inspect.signature(function).parameters
    standard = list(standard_signature(text).parameters.values())
    fixed = [p for p in standard if p.kind is not p.KEYWORD_ONLY]
    missing = []
    for expected, parameter in itertools.zip_longest(fixed, list(ours.values())[: len(fixed)]):
        if parameter is None or parameter.kind is parameter.KEYWORD_ONLY:
            missing.append(f"{expected} by position")
        elif (parameter.kind is parameter.VAR_POSITIONAL) != (
            expected.kind is expected.VAR_POSITIONAL
        ):
            missing.append(f"{expected} is of another kind")
    for expected in standard:
        if expected.kind in (expected.POSITIONAL_OR_KEYWORD, expected.KEYWORD_ONLY):
            parameter = ours.get(expected.name)
            if parameter is None or parameter.kind is parameter.POSITIONAL_ONLY:
                missing.append(f"{expected} by keyword")
            elif expected.default is not expected.empty and parameter.default != expected.default:
                missing.append(f"{expected} has another default")
    names = {p.name for p in standard}
    positions = {p.name for p in list(ours.values())[: len(fixed)]}
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for parameter in ours.values():
        extra = parameter.name not in names | positions
        if extra and parameter.default is parameter.empty and parameter.kind not in optional:
            missing.append(f"{parameter} is required")
    return missing


@pytest.mark.parametrize("name", SIGNATURES)
def test_function_has_the_signature_of_the_standard(name):
    assert missing_calls(getattr(sk, name), SIGNATURES[name]) == []


def test_missing_calls_are_found():
    assert missing_calls(lambda x: 0, "(x, /, *, axis=None)") == ["axis=None by keyword"]
    assert missing_calls(lambda x, axis=0: 0, "(x, /, *, axis=None)") == [
        "axis=None has another default"
    ]
    assert missing_calls(lambda x, y: 0, "(x, /)") == ["y is required"]
    assert missing_calls(lambda *, x: 0, "(x, /)") == ["x by position"]
    assert missing_calls(lambda a, axis=None, out=None: 0, "(x, /, *, axis=None)") == []


def test_linalg_has_the_signatures_of_the_standard():
    signatures = LINALG | LINALG_OF_NUMPY
    assert set(sk.linalg.__all__) == {*signatures, "LinAlgError"}
    assert {name: plain(getattr(sk.linalg, name)) for name in signatures} == signatures
    for name, signature in LINALG_OF_NUMPY.items():
        assert plain(getattr(np.linalg, name)) == signature


# All names of the standard: 135 functions and the inspection function, 25 and 14 in the extensions.
FFT = "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn".split()
OPERATORS = (
    "add and eq floordiv ge getitem gt le lshift lt matmul mod mul ne or pow rshift setitem sub truediv xor "
    "abs bool float index int invert neg pos"
).split()
BOTH_WAYS = "add sub mul truediv floordiv pow mod matmul and or xor lshift rshift".split()
ATTRIBUTES = "T device dtype mT ndim shape size".split()


def test_no_name_of_the_standard_is_missing():
    assert len(set(SIGNATURES) - {"__array_namespace_info__"}) == 135
    assert len(LINALG) == 25
    assert set(sk.fft.__all__) == {*FFT, "fft2", "ifft2", "irfft2", "rfft2"}
    assert len(FFT) == 14
    methods = {f"__{name}__" for name in OPERATORS} | set(METHODS)
    assert len(methods) == 34
    both = {f"__{way}{name}__" for name in BOTH_WAYS for way in "ri"}
    assert not [name for name in methods | both | set(ATTRIBUTES) if not hasattr(sk.Array, name)]
    info = sk.__array_namespace_info__()
    assert plain(info.dtypes) == "(*, device=None, kind=None)"
    assert plain(info.default_dtypes) == "(*, device=None)"
    for name in ("capabilities", "default_device", "devices"):
        assert plain(getattr(info, name)) == "()"
    constants = {"e": 2.718281828459045, "pi": 3.141592653589793, "inf": float("inf")}
    assert all(getattr(sk, name) == value for name, value in constants.items())
    assert sk.nan != sk.nan
    assert sk.newaxis is None


@pytest.mark.parametrize("name", METHODS)
def test_method_has_the_signature_of_the_standard(name):
    assert plain(getattr(sk.Array, name)) == METHODS[name]


def test_every_public_callable_has_a_signature_and_a_docstring():
    for name in sk.__all__:
        thing = getattr(sk, name)
        if not callable(thing):
            continue
        assert thing.__doc__, name
        # Those of NumPy that are skerry's, too, have a signature in NumPy 2.3 and newer only.
        if not inspect.isclass(thing) and thing is not getattr(np, name, None):
            inspect.signature(thing)


def test_dunders_of_operators_take_self_and_other():
    for name in ("__add__", "__radd__", "__iadd__", "__matmul__", "__eq__", "__getitem__"):
        kinds = [p.kind for p in inspect.signature(getattr(sk.Array, name)).parameters.values()]
        assert kinds == [inspect.Parameter.POSITIONAL_ONLY] * 2, name


def test_arguments_are_bound_by_the_signature():
    x = sk.ones((2, 3))
    assert sk.clip(x, max=0.5).shape == sk.clip(x, None, 0.5).shape
    assert sk.sum(x, keepdims=True, axis=0).shape == (1, 3)
    assert sk.reshape(x, shape=(6,)).shape == (6,)
    for call in (
        lambda: sk.sum(x, axes=0),
        lambda: sk.sum(x, 0, axis=0),
        lambda: sk.sum(x, a=x),
        lambda: sk.reshape(x),
        lambda: sk.reshape(x, (6,), shape=(6,)),
        lambda: sk.add(x),
        lambda: sk.add(x, x, x, x),
        lambda: sk.add(x1=x, x2=x),
        lambda: sk.rehearse(2),
    ):
        with pytest.raises(TypeError):
            call()


def test_stubs_declare_the_functions_of_the_module():
    spec = importlib.util.spec_from_file_location("stubs", PYTHON / "stubs" / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert set(sk.__all__) >= instruments.extension_names()
    for file, text in generate.stubs().items():
        assert (generate.FOLDER / file).read_text() == text, (
            f"{file} is out of date: run python python/stubs/generate.py"
        )


def test_every_dtype_has_a_public_name():
    dtypes = {
        name: getattr(np, name if name != "bool" else "bool_")
        for name in instruments.dtype_kinds()
        if name != "bfloat16"  # of ml_dtypes: `import *` must not need it
    }
    assert "bfloat16" in dir(sk)
    assert {name: vars(sk)[name] for name in dtypes} == dtypes
    assert set(dtypes) <= set(sk.__all__)


def test_stubs_declare_the_members_of_the_types():
    stub = ast.parse((PYTHON / "skerry" / "_core" / "_types.pyi").read_text())
    declared = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    types = instruments.extension_types()
    assert set(types) <= set(declared)
    for name, type_ in types.items():
        members = {node.name for node in declared[name].body if isinstance(node, ast.FunctionDef)}
        # Without attributes that only raise an AttributeError with a remedy.
        public = {
            attribute
            for attribute in vars(type_)
            if not attribute.startswith("_") and hasattr(type_, attribute)
        }
        assert public <= members, name
        assert not [member for member in members if not hasattr(type_, member)], name


def test_functions_can_be_pickled_by_name():
    import pickle

    for name in ("add", "sum", "zeros", "where", "devices", "current_stream"):
        assert pickle.loads(pickle.dumps(getattr(sk, name))) is getattr(sk, name)
