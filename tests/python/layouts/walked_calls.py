# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of every public function of arrays, made from its signature by the tables of ``bench/peers/sweep_cases.py``.

Calls that need other arguments or longer operands than the tables have are listed here. ``NO_ARRAYS`` lists functions
without arrays.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import skerry as sk
from skerry.testing import instruments

from tests.python import functions_without_arrays
from tests.python.layouts.kernel_thresholds import ROOT
from tests.python.oracle import kind_of

sys.path.insert(0, str(ROOT))
from bench.peers import sweep_cases, sweep_operands

Shape = tuple[int, ...]

#: Functions that take no array, or whose result does not depend on elements, with the reason.
NO_ARRAYS = {
    **dict.fromkeys(
        ("__array_namespace_info__", "einsum_path"), "no elements"
    ),
    **dict.fromkeys(
        functions_without_arrays.FUNCTIONS - {"fuse"}, "about devices, memory or threads: each has its own tests"
    ),
    **dict.fromkeys(("finfo", "iinfo", "isdtype", "can_cast", "result_type", "common_type", "min_scalar_type", "issubdtype",
                     "promote_types"), "about dtypes"),
    **dict.fromkeys(
        ("arange", "empty", "eye", "full", "linspace", "ones", "zeros", "broadcast_shapes", "geomspace",
         "logspace", "indices", "tri", "diag_indices", "tril_indices", "triu_indices", "fft.fftfreq",
         "fft.rfftfreq", "identity", "bartlett", "blackman", "hamming", "hanning", "kaiser", "fromfunction",
         "mask_indices"), "the arguments are sizes and Python scalars",
    ),
    **dict.fromkeys(("shape", "ndim", "size", "iscomplexobj", "isrealobj"), "reads no elements"),
    **dict.fromkeys(("isfortran",), "the result depends on the layout"),
    **dict.fromkeys(("require",), "returns its argument: tests/python/extra/test_memory_orders.py"),
    **dict.fromkeys(
        ("frombuffer", "fromiter", "fromfile", "fromstring", "genfromtxt", "loadtxt"), "objects of the host"
    ),
    **dict.fromkeys(("empty_like",), "uninitialized elements"),
    **dict.fromkeys(
        ("save", "savez", "savez_compressed", "load", "savetxt"),
        "files: tests/python/extra/test_saving.py tests layouts",
    ),
    **dict.fromkeys(
        ("as_cuda_array", "from_cuda_array_interface", "is_cuda_array"),
        "other libraries' memory: tests/python/interchange",
    ),
}  # fmt: skip

#: Calls with more arguments than their signatures require, or with longer operands: texts, and the kinds of operands.
STATED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "apply_along_axis": (
        ("f(lambda x: x[::-1] + 1, -1, a)", "f(lambda x: sk.sort(x), 0, a)"),
        ("values",),
    ),
    "apply_over_axes": (("f(lambda x, axis: sk.flip(x, axis=axis), a, (0, -1))",), ("values",)),
    "array": (("f(a)", "f(a, order='C')", "f(a, 'float32', order='F')"), ("values",)),
    "block": (("f([a, b])", "f([[a], [b]])"), ("values", "values")),
    "ix_": (("f(a)",), ("=positions",)),
    "packbits": (("f(a)", "f(a, -1)", "f(a, 0, 'little')"), ("values",)),
    "piecewise": (("f(a, [b, c], [lambda x: x + 1, 0])",), ("values", "=mask", "=mask")),
    "poly": (("f(a)",), ("short",)),
    "polyadd": (("f(a, b)",), ("short", "short")),
    "polyder": (("f(a)",), ("short",)),
    "polydiv": (("f(a, b)",), ("short", "short")),
    "polyint": (("f(a, 2)",), ("short",)),
    "polymul": (("f(a, b)",), ("short", "short")),
    "polysub": (("f(a, b)",), ("short", "short")),
    "resize": (("f(a, (3, {n}))",), ("values",)),
    "rollaxis": (("f(a, -1)",), ("values",)),
    "roots": (("f(a)",), ("short",)),
    "trim_zeros": (("f(a)", "f(a, 'f', 0)"), ("whole",)),
    "choose": (("f(a, (b, c))",), ("choices", "values", "values")),
    "convolve": (("f(a, b)", "f(b, a, 'valid')"), ("whole", "short")),
    "correlate": (("f(a, b)", "f(b, a, 'full')"), ("whole", "short")),
    "diag": (("f(a)", "f(a, 1)"), ("short",)),
    "dsplit": (("f(a, 2)",), ("blocks",)),
    "einsum": (
        ("f('...i,...i->...', a, b)", "f('i,i->i', a, b)", "f('ij->ji', a)", "f('ij,ij->j', a, b)"),
        ("whole", "whole"),
    ),
    "histogramdd": (("f((a, b), bins=10)",), ("values", "values")),
    "insert": (("f(a, 1, b)", "f(a, 0, 1, axis=0)"), ("values", "one")),
    "isin": (("f(a, b)", "f(a, c)"), ("values", "values", "short")),
    "kron": (("f(a, b)",), ("values", "short")),
    "outer": (("f(a, b)",), ("values", "short")),
    "linalg.outer": (("f(a, b)", "f(b, a)"), ("values", "short")),
    "meshgrid": (("f(a, b)", "f(a, b, indexing='ij')"), ("values", "short")),
    "pad": (("f(a, 3)", "f(a, 2, mode='reflect')", "f(a, 1, mode='edge')"), ("values",)),
    "select": (("f([a, b], [c, d])",), ("=mask", "=mask", "values", "values")),
    "setdiff1d": (("f(a, b)",), ("values", "values")),
    "as_strided": (("f(a, a.shape, a.strides)",), ("values",)),
    "sliding_window_view": (("f(a, 2, -1)",), ("values",)),
    "tensordot": (("f(a, b, axes=1)", "f(a, a, axes=([0], [0]))"), ("whole", "whole")),
    "vander": (("f(a, 3)",), ("whole",)),
    "where": (("f(a, b, c)", "f(a, b, 1)", "f(a, 1, c)"), ("=mask", "values", "values")),
    "ravel_multi_index": (("f((a, b), ({n}, {n}))",), ("=positions", "=positions")),
    "take": (("f(a, b)", "f(a, b, axis=-1)"), ("values", "=indices")),
    "tile": (("f(a, 2)", "f(a, (2, 1, 3))"), ("values",)),
    "repeat": (("f(a, 3)", "f(a, 2, axis=-1)", "f(a, b, axis=0)"), ("values", "=repeats")),
    "clip": (("f(a, 2, 5)", "f(a, b, c)", "f(a, min=b)"), ("values", "values", "values")),
    "histogram": (("f(a)", "f(a, 7, (0, 1))", "f(a, bins=b)"), ("values", "edges")),
    "roll": (("f(a, 1)", "f(a, 2, axis=0)", "f(a, -1, axis=-1)"), ("values",)),
    "array_split": (("f(a, 3)", "f(a, 2, axis=-1)"), ("values",)),
    "diff": (("f(a)", "f(a, axis=0)", "f(a, n=2)"), ("values",)),
    "concat": (("f((a, b))", "f((a, b), axis=-1)", "f((a, b), axis=None)"), ("values", "values")),
    "stack": (("f((a, b))", "f((a, b), axis=-1)"), ("values", "values")),
    "gradient": (("f(a)", "f(a, axis=-1)"), ("values",)),
    "polyfit": (("f(a, b, 1)",), ("values", "values")),
    "linalg.matrix_power": (("f(a, 2)",), ("whole",)),
    "linalg.tensorinv": (("f(a[(0,) * (a.ndim - 2)], 1)",), ("matrix",)),
    "linalg.tensorsolve": (
        ("f(a[(0,) * (a.ndim - 2)], b[(0,) * (b.ndim - 2)][0])",),
        ("matrix", "matrix"),
    ),
    "linalg.lstsq": (
        ("f(a[(0,) * (a.ndim - 2)], b[(0,) * (b.ndim - 2)])",),
        ("matrix", "matrix"),
    ),
    "linalg.multi_dot": (("f([a, b])", "f([a, b, a])"), ("matrix", "matrix")),
    "asarray": (("f(a, copy=True)", "f(a, dtype='float32')"), ("values",)),
    "from_dlpack": (("f(a, copy=True)",), ("values",)),
    "nan_to_num": (("f(a)",), ("values",)),
    **dict.fromkeys(
        ("vecdot", "linalg.vecdot"), (("f(a, b)", "f(a, b, axis=-2)"), ("whole", "whole"))
    ),
    **dict.fromkeys(("cross", "linalg.cross"), (("f(a, b)",), ("points", "points"))),
    "compress": (
        ("f(a, b)", "f(a, b, axis=0)", "f(c, b, axis=-1)"),
        ("=first mask", "values", "=last mask"),
    ),
    "sort": (
        ("f(a)", "f(a, axis=0)", "f(a, descending=True)", "f(a, stable=False)"),
        ("values",),
    ),
    "argsort": (("f(a)", "f(a, axis=0)", "f(a, descending=True)"), ("values",)),
    "topk": (("f(a, {k})", "f(a, 1, largest=False)", "f(a, {k}, axis=0)"), ("values",)),
    "cumulative_sum": (
        ("f(a, axis=-1)", "f(a, axis=0)", "f(a, axis=-1, include_initial=True)"),
        ("whole",),
    ),
    "fuse": (
        (
            "f(lambda x, y: (x * y + x) - 1)(a, b)",
            "f(lambda x, y: sk.sum(x * y, axis=-1))(a, b)",
            "f(lambda x, y: sk.max(x + y, axis=0))(a, b)",
            "f(lambda x: (x - sk.max(x, axis=-1, keepdims=True)) * 2)(a)",
            "f(lambda x, y: sk.where(x < y, x, sk.sqrt(y)))(a, b)",
            "f(lambda x: sk.sum(x))(a)",
        ),
        ("whole", "whole"),
    ),
}

#: Calls that write into their first operand, which is then compared.
WRITES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "copyto": (("f(a, a[::-1])", "f(a, b)", "f(a, b, where=c)", "f(a, 1)"), ("values", "values", "=mask")),
    "fill_diagonal": (("f(a, 1)", "f(a, b)"), ("values", "short")),
    "put": (("f(a, b, c)", "f(a, b, 1)"), ("values", "=own positions", "values")),
    "put_along_axis": (("f(a, b, c, -1)",), ("values", "=places along", "values")),
    "putmask": (("f(a, b, c)", "f(a, b, 1)"), ("values", "=mask", "values")),
    "place": (("f(a, b, c)",), ("values", "=mask", "values")),
    "Array.__setitem__": (
        ("a.__setitem__(..., b)", "a.__setitem__(..., 1)", "a.__setitem__(c, 1)",
         "a.__setitem__(c, b[c])", "a.__setitem__(d, 1)", "a.__setitem__(d, b[d])",
         "a.__setitem__((..., slice(1, None, 2)), b[..., 1::2])",
         "a.__setitem__((..., slice(None, None, -1)), b)", "a.__setitem__(..., b[:1])",
         "a.__setitem__(..., a[::-1])", "a[..., 1:].__setitem__(..., a[..., :-1])"),
        ("values", "values", "=mask", "=few places"),
    ),
    **{
        f"Array.{name}": (
            (f"a.{name}(b)", f"a.{name}(1)", f"a.{name}(a[::-1])", f"a[..., 1:].{name}(a[..., :-1])"),
            ("values", "values"),
        )
        for name in ("__iadd__", "__isub__", "__imul__", "__iand__", "__itruediv__", "__ifloordiv__")
    },
    "Array.__ipow__": (("a.__ipow__(2)",), ("values",)),
    "Array.sort": (("a.sort()", "a.sort(0)"), ("values",)),
    "Array.fill": (("a.fill(1)",), ("values",)),
    "random.shuffle": (("f(a)",), ("values",)),
    "random.random": (("f(out=a, dtype=a.dtype)",), ("values",)),
    "random.standard_normal": (("f(out=a, dtype=a.dtype)",), ("values",)),
    "random.standard_exponential": (("f(out=a, dtype=a.dtype)",), ("values",)),
    "random.permuted": (("f(b, out=a)", "f(a, out=a)"), ("values", "values")),
}  # fmt: skip

#: Methods and operators that are not also functions of the namespace.
METHODS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Array.__getitem__": (
        ("a[..., 1::2]", "a[::-1] + b[::-1]", "a[c]", "a[d]", "a[d, ...]", "a[None, ..., 0] + 1",
         "a[..., d]"),
        ("values", "values", "=mask", "=few places"),
    ),
    "Array.copy": (("a.copy()", "a.copy('F')", "a.copy('K')"), ("values",)),
    "Array.astype": (
        ("a.astype('float32')", "a.astype('int64')", "a.astype('bool')", "a.astype('complex128')",
         "a.astype('uint8')", "a.astype('float16')", "a.astype('float64')", "a.astype('int16')"),
        ("values",),
    ),
    "Array.flatten": (("a.flatten()", "a.flatten('F')", "a.ravel('F')", "a.ravel()"), ("values",)),
    "Array.tobytes": (("a.tobytes()", "a.tobytes('F')", "a.tolist()"), ("values",)),
    "Array.__dlpack__": (("np.asarray(a.to_device('cpu:0'))",), ("values",)),
    "Array.__reduce__": (("pickle.loads(pickle.dumps(a))",), ("values",)),
    "Array.to_device": (("a.to_device('cpu:1')", "a.to_device('cuda:1')"), ("values",)),
    "Array.__matmul__": (("a @ b", "a @ b.mT", "a.mT @ b", "a.mT @ a", "b[0] @ a",
         "b[0, 0] @ a", "a[..., :1, :] @ b[0]", "a @ b[0]"), ("whole", "whole")),
    "Array.__mul__": (("a * a", "a * b[..., :1]", "a * b[:1]", "2 * a", "a ** 2"), ("whole", "whole")),
    "random.permutation": (("f(a)", "f(a, axis=-1)"), ("values",)),
    "random.permuted": (("f(a)", "f(a, axis=-1)"), ("values",)),
    "random.choice": (("f(a, 5)",), ("values",)),
    **{
        f"random.{name}": ((f"f({arguments})",), ("values", "values", "values"))
        for name, arguments in {
            "beta": "a, b", "chisquare": "a", "exponential": "a", "f": "a, b", "gamma": "a, b", "gumbel": "a, b",
            "laplace": "a, b", "logistic": "a, b", "lognormal": "a, b", "noncentral_chisquare": "a, b",
            "noncentral_f": "a, b, c", "normal": "a, b", "pareto": "a", "poisson": "a", "power": "a",
            "rayleigh": "a", "standard_gamma": "a", "standard_t": "a", "uniform": "a, a + b", "vonmises": "a, b",
            "wald": "a, b", "weibull": "a", "geometric": "a", "logseries": "a", "binomial": "9, a",
            "negative_binomial": "9, a", "integers": "a, 200", "zipf": "a + 1.5", "triangular": "a - 2, a, a + b",
            "hypergeometric": "a, b, 1",
        }.items()
    },
}  # fmt: skip
#: Methods of random generators that are not called here, with the reason.
RANDOM_LEFT_OUT = {
    **dict.fromkeys(("bytes", "spawn", "standard_cauchy"), "the arguments are sizes"),
    **dict.fromkeys(("dirichlet", "multinomial", "multivariate_normal"),
                    "the arrays are parameters with few elements: tests/python/random"),
}  # fmt: skip

#: Numbers whose sums or products are exact in any order, for functions whose order depends on the layout.
KINDS = {
    **dict.fromkeys(
        ("sum", "mean", "nansum", "nanmean", "cumulative_sum", "cumsum", "nancumsum", "matmul", "vecdot", "dot",
         "inner", "matvec", "vecmat", "vdot", "trace", "average", "linalg.trace", "linalg.matmul", "linalg.tensordot",
         "linalg.vecdot", "trapezoid", "cross", "linalg.cross"), "whole"),
    **dict.fromkeys(("prod", "nanprod", "cumulative_prod", "cumprod", "nancumprod"), "signs"),
}  # fmt: skip
#: Functions whose results may differ by rounding, as they sum in memory order, or a library does.
ROUNDED = {"std", "var", "nanstd", "nanvar", "cov", "corrcoef", "polyfit", "unwrap"}


#: Functions, apart from `linalg`, with a high cost or a large result for the size of their operands.
DEAR = {
    "matmul", "Array.__matmul__", "tensordot", "dot", "inner", "matvec", "vecmat", "cov", "corrcoef",
    "diag_indices_from", "unstack", "apply_along_axis",
}  # fmt: skip
#: Functions whose sums or products are exact in any order, except for the sign of zeros in parts of complex numbers.
BY_VALUE = {
    "matmul", "Array.__matmul__", "tensordot", "dot", "inner", "matvec", "vecmat", "vdot", "vecdot", "einsum", "kron",
    "prod", "nanprod", "cumulative_prod", "cumprod", "nancumprod",
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """A call of a function `f` with operands a, b, c …"""

    path: str
    text: str
    kinds: tuple[str, ...]  # kind of each operand
    is_write: bool = False  # it writes into a

    @property
    def is_dear(self) -> bool:
        """True if it takes few elements only, such as functions of matrices with cubic cost."""
        return self.path.startswith("linalg.") or self.path in DEAR

    @property
    def is_by_value(self) -> bool:
        """True if zeros may have either sign."""
        return self.path.removeprefix("linalg.") in BY_VALUE

    @property
    def is_rounded(self) -> bool:
        """True if results may differ by rounding between layouts."""
        return not self.is_by_value and (
            self.path in ROUNDED or self.path.startswith(("linalg.", "fft."))
        )


def function_of(path: str, device: str) -> Callable[..., Any] | None:
    """Returns the function that a path names; for random numbers, a method of a new generator."""
    if path.startswith("Array."):
        return None
    if path.startswith("random."):
        return getattr(sk.random.default_rng(7, device=device), path.removeprefix("random."))
    return sweep_cases.found_in(sk, path)


def stated(path: str, entry: tuple[tuple[str, ...], tuple[str, ...]], writes: bool) -> list[Call]:
    """Returns the calls of an entry of the tables above."""
    texts, kinds = entry
    return [Call(path, text, kinds, writes) for text in texts]


def generated(path: str, function: Callable[..., Any]) -> Iterator[Call]:
    """Yields calls made from the signature: with required arguments, and along the first and last axis."""
    name = path.rpartition(".")[2]
    known_kinds = {**sweep_cases.ARGUMENTS, **sweep_cases.SPECIAL.get(name, {})}
    kinds: list[str] = []
    parts = []
    for parameter in sweep_cases.required_parameters(function):
        kind = known_kinds[parameter.name]
        is_array = kind in (
            "values",
            "sorted",
            "counts",
            "several",
            "short",
            "points",
            "blocks",
        ) or (kind.startswith("=") or kind == "one more axis")
        if kind == "several":
            both = f"({'ab'[len(kinds) :]}, {'bc'[len(kinds) :]})" if kinds else "(a, b)"
            parts.append("*" * (parameter.kind is parameter.VAR_POSITIONAL) + both)
            kinds += ["values", "values"]
            continue
        text = "abcdefgh"[len(kinds)] if is_array else "{" + kind + "}"
        if is_array:
            kinds.append(kind)
        is_named = parameter.kind is parameter.KEYWORD_ONLY
        parts.append(f"{parameter.name}={text}" if is_named else text)
    of_family = "matrix" if path.startswith("linalg.") else "values"
    chosen = KINDS.get(path) or sweep_cases.KINDS.get(name, of_family)
    kinds = [chosen if kind == "values" else kind for kind in kinds]
    parameters = inspect.signature(function).parameters
    has_axis = "axis" in parameters and parameters["axis"].default is not inspect.Parameter.empty
    axes = ["", "axis=0", "axis=-1"] if has_axis else [""]
    axes += ["axis=1", "axis=(0, 2)"] if path in SEVERAL_AXES else []
    for more in axes:
        text = ", ".join([*parts, more] if more else parts)
        yield Call(path, f"f({text})", tuple(kinds))
    if path in OF_TWO:
        yield Call(path, "f(a, 3)", tuple(kinds))
        yield Call(path, "f(2, b)", tuple(kinds))


SEVERAL_AXES = {
    entry["name"] for entry in instruments.reduction_table() if not entry["has_one_axis"]
}
OF_TWO = {entry["name"] for entry in instruments.op_table() if entry["arity"] == 2}


def calls_of(path: str, function: Callable[..., Any] | None) -> list[Call]:
    """Returns all calls of a public function. Raises LookupError if the tables lack an argument."""
    if path in WRITES or path in METHODS or path in STATED:
        calls = stated(path, WRITES[path], True) if path in WRITES else []
        for table in (METHODS, STATED):
            calls += stated(path, table[path], False) if path in table else []
        return calls
    assert function is not None
    return list(generated(path, function))


def public_paths() -> dict[str, Callable[..., Any] | None]:
    """Returns every public function by its path, and methods of arrays and generators that are not functions as well."""
    paths: dict[str, Callable[..., Any] | None] = {
        path: function for path, function, _ in sweep_cases.public_functions()
    }
    for name in dir(sk.random.Generator):
        method = getattr(sk.random.Generator, name)
        if not name.startswith("_") and callable(method):
            paths[f"random.{name}"] = method
    return paths | dict.fromkeys(path for path in (*WRITES, *METHODS) if path.startswith("Array."))


def left_out(path: str) -> bool:
    """True if a function is listed as having no calls."""
    return path in NO_ARRAYS or path.removeprefix("random.") in RANDOM_LEFT_OUT


# Operands.


def draw(kind: str, shape: Shape, dtype: np.dtype, seed: int) -> np.ndarray:
    """Returns numbers of a kind: those of ``bench/peers/sweep_cases.py``, and numbers that are exact in any order."""
    rng = np.random.default_rng(seed + math.prod(shape))
    if kind == "whole":
        low = -2 if kind_of(dtype) in "ifc" else 0
        values = np.asarray(rng.integers(low, 3, shape))
        return np.asarray(
            values + 1j * rng.integers(low, 3, shape) if kind_of(dtype) == "c" else values
        ).astype(dtype)
    if kind == "signs":
        signs = np.asarray([1, -1 if kind_of(dtype) in "ifc" else 1])
        return np.asarray(rng.choice(signs, shape)).astype(dtype)
    if kind == "edges":
        return np.sort(sweep_operands.draw(shape, dtype, "values", 0), axis=-1)
    if kind == "matrix" and (len(shape) < 2 or shape[-1] != shape[-2]):
        kind = "values"
    # Few seeds, as millions of numbers are cached for each.
    return sweep_operands.draw(shape, dtype, kind, seed % 3)


def operand_shape(kind: str, shape: Shape) -> tuple[Shape, str | None, str]:
    """Returns the shape of an operand, its dtype where it is not the call's, and the kind of its numbers."""
    n = math.prod(shape)
    last = shape[-1] if shape else 1
    if kind == "short":
        return (max(1, min(9, last)),), None, "whole"
    if kind == "one":
        return (1,), None, "values"
    if kind == "edges":
        return (max(2, min(20, last)),), None, "edges"
    if kind == "=mask":
        return shape, "bool", "values"
    if kind in ("=first mask", "=last mask"):
        return ((*shape, 1)[0] if kind == "=first mask" else last,), "bool", "values"
    if kind == "=positions":
        return (n,), "int64", f"below {max(n, 1)}"
    if kind == "=own positions":
        return (max(n // 3, 1),), "int64", f"below {max(n, 1)}"
    if kind == "=few places":
        return (min(n, 300),), "int64", f"below {max(min(shape, default=1), 1)}"
    if kind == "=repeats":
        return (shape[0] if shape else 1,), "int64", "below 4"
    if kind == "=indices":
        return (
            (n if len(shape) < 2 else min(100, max(shape)),),
            "int64",
            f"below {max(min(shape, default=1), 1)}",
        )
    if kind in ("=indices along", "=places along"):
        return shape, "int64", f"below {max(min(shape, default=1), 1)}"
    if kind == "one more axis":
        return (1, *shape), None, "values"
    if kind == "points":
        return (max(1, n // 3), 3), None, "whole"
    if kind == "blocks":
        return (2, 2, max(2, n // 8 * 2)), None, "values"
    if kind == "choices":
        return shape, "int64", "choices"
    return shape, None, kind


def text_of(call: Call, shape: Shape) -> str:
    """Returns the text of a call with its words in braces replaced by numbers computed from the shape."""
    if "{" not in call.text:
        return call.text
    n = math.prod(shape)
    numbers = {"n": n, "side": math.isqrt(n), "k": shape[-1] // 2 if shape else 0}

    def number(match: re.Match[str]) -> str:
        word = match.group(1)
        return repr((2, *shape) if word == "(2, *a.shape)" else eval(word, {}, numbers))

    return re.sub(r"{([^}]*)}", number, call.text)
