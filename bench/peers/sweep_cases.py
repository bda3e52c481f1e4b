# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Cases of the sweep: calls of every public function that NumPy also has, derived from its signature.

A function is included automatically if ``ARGUMENTS`` has all its required parameters; ``LEFT_OUT`` has the others with
a reason. A test compares both with the public names.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import skerry as sk
from skerry import _core
from skerry._extra import TOPIC_OF

from bench.peers.sweep_operands import Operand

SIZES = (1, 100, 10_000, 1_000_000)
#: Out of cache; only for functions that are bound by memory.
LARGE = 16_000_000
DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
#: Dtypes of functions that are not in the operation tables, and of layouts that are not contiguous.
MAIN_DTYPES = ("bool", "uint8", "int64", "float32", "float64", "complex128")
LAYOUT_SIZES = (10_000, 1_000_000)
#: Shapes for functions of matrices: matrices, and stacks of them.
MATRICES = ((3, 3), (8, 8), (30, 30), (300, 300), (1000, 3, 3), (100, 8, 8), (10, 100, 100))
#: Shapes for transforms along the last axis: short and long rows, of prime, power-of-two and other lengths.
ROWS = ((16,), (100,), (1024,), (100_003,), (1000, 16), (1000, 101), (100, 1024))

NUMPY_MODULES = {sk: np, sk.linalg: np.linalg, sk.fft: np.fft}
#: Functions that are not measured, with the reason.
LEFT_OUT = {
    **dict.fromkeys(("save", "savez", "savez_compressed", "load"), "files, not memory"),
    **dict.fromkeys(("copyto", "fill_diagonal", "put", "putmask", "place", "put_along_axis"),
                    "writes to its argument: measured as statements"),
    **dict.fromkeys(("finfo", "iinfo", "isdtype", "can_cast", "result_type", "show_config",
                     "issubdtype", "promote_types",
                     "broadcast_shapes", "einsum_path", "__array_namespace_info__"),
                    "no arrays to compute"),
    **dict.fromkeys(("shape", "ndim", "size", "iscomplexobj", "isrealobj", "isfortran", "ix_", "rollaxis",
                     "common_type", "min_scalar_type"),
                    "reads no elements"),
    **dict.fromkeys(("fromfile", "fromstring", "genfromtxt", "loadtxt", "savetxt", "frombuffer", "fromiter"),
                    "files and objects of the host, read by NumPy"),
    **dict.fromkeys(("apply_along_axis", "apply_over_axes", "piecewise", "fromfunction", "mask_indices"),
                    "calls functions of the user"),
    **dict.fromkeys(("poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "roots"),
                    "polynomials have few coefficients"),
    "unpackbits": "takes bytes only; packbits is measured",
    "row_stack": "the same function as vstack",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Case:
    """One call to measure: function, operands, dtype, size and layout.

    A cell of the sweep (sweep_cell.py) is a case measured with one number of threads.
    """

    family: str
    function: str  # path within skerry
    call: str  # of f, with operands a, b, c
    operands: tuple[Operand, ...]
    dtype: str
    size: int
    layout: str

    @property
    def name(self) -> str:
        """Name that is unique among cells with the same number of threads."""
        shapes = " ".join("x".join(map(str, operand.shape)) for operand in self.operands)
        call = self.call.replace("f(", f"{self.function}(", 1)
        return f"{call}, {self.dtype}, {shapes or self.size}, {self.layout}"

    def functions(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Returns skerry's and NumPy's function."""
        return found_in(sk, self.function), found_in(np, self.function)


def found_in(module: Any, path: str) -> Any:
    """Returns the object at a dotted path, or None."""
    for part in path.split("."):
        module = getattr(module, part, None)
    return module


# --- arguments of parameters ----------------------------------------------------------------------

#: The argument for each parameter name. For an array it is a kind of array, listed in `Call.argument`. Kinds that start
#: with "=" have the dtype bool or int64, whatever the dtype of the case. Any other argument is a Python expression; it
#: may use n (number of elements), side (the integer square root of n), k (n // 10) and a (the first operand).
ARGUMENTS: dict[str, str] = {
    **dict.fromkeys(
        ("x", "x1", "x2", "a", "b", "m", "y", "ary", "ar", "arr", "ar1", "ar2", "a1", "a2", "p", "z", "v", "f",
         "array", "obj", "values"), "values"),
    **dict.fromkeys(("arrays", "tup", "arys"), "several"),
    "condition": "=mask", "indices": "=indices", "shape": "n,", "axis": "0", "axes": "(1, 0)",
    "dtype": "'float32'", "n": "n", "n_rows": "side", "N": "side", "num": "n", "start": "1", "stop": "n",
    "fill_value": "1", "repeats": "3", "repetitions": "2", "shift": "1", "source": "0", "destination": "-1",
    "q": "0.25", "kth": "k", "k": "k", "bins": "10", "pad_width": "3", "axis1": "0", "axis2": "-1",
    "indices_or_sections": "2", "window_shape": "1", "dimensions": "(side, side)",
    **dict.fromkeys(("object", "filt"), "values"), "new_shape": "n,", "M": "n", "beta": "8.6",
}  # fmt: skip
#: The same for single functions; these entries take precedence.
SPECIAL: dict[str, dict[str, str]] = {
    "searchsorted": {"x1": "sorted"}, "interp": {"x": "values", "xp": "sorted", "fp": "values"},
    "digitize": {"bins": "sorted"}, "bincount": {"x": "counts"},
    "take_along_axis": {"indices": "=indices along"}, "squeeze": {"x": "one more axis"},
    "unravel_index": {"indices": "=positions", "shape": "(n, 2)"},
    "expand_dims": {"axis": "0"}, "broadcast_to": {"shape": "(2, *a.shape)"},
    "tensordot": {"axes": "1"}, "vander": {"x": "short"}, "convolve": {"a": "values", "v": "short"},
    "correlate": {"a": "values", "v": "short"}, "polyval": {"p": "short", "x": "values"},
    "polyfit": {"deg": "3"}, "arange": {"start": "n"}, "pad": {"pad_width": "3"},
    "extract": {"condition": "=mask"}, "compress": {"condition": "=mask"},
    "isin": {"x2": "short"}, "setdiff1d": {"ar2": "short"}, "kron": {"a": "short", "b": "short"},
    "outer": dict.fromkeys(("a", "b", "x1", "x2"), "short"), "append": {"values": "short"}, "delete": {"obj": "1"},
    "insert": {"obj": "1", "values": "1"}, "repeat": {"repeats": "3"},
    "reshape": {"shape": "(-1,)"}, "moveaxis": {"source": "0", "destination": "-1"},
    "lexsort": {"keys": "several"}, "meshgrid": {"arrays": "short several"},
    "tril_indices": {"n": "side"}, "triu_indices": {"n": "side"}, "diag_indices": {"n": "side"},
    "eye": {"n_rows": "side"}, "identity": {"n": "side"}, "diag": {"v": "short"}, "diagflat": {"v": "short"},
}  # fmt: skip
#: Calls that can't be derived from signatures: the text, and the kinds of the operands.
CALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "block": ("f([a, b])", ("values", "values")),
    "choose": ("f(a, (b, c))", ("choices", "values", "values")),
    "einsum": ("f('i,i->i', a, b)", ("values", "values")),
    "gradient": ("f(a{keywords})", ("values",)),
    "histogramdd": ("f((a, b), bins=10)", ("values", "values")),
    **dict.fromkeys(
        ("fft2", "ifft2", "rfft2", "irfft2"), ("f(a.reshape(-1, a.shape[-1]))", ("values",))
    ),
    "lstsq": (
        "f(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1]))[0]",
        ("values", "values"),
    ),
    # The vector is a view: a reshaped transposed array would be a copy.
    "matvec": (
        "f(a.reshape(-1, a.shape[-1]), b[(0,) * (b.ndim - 1)])",
        ("values", "values"),
    ),
    "vecmat": (
        "f(a[(0,) * (a.ndim - 1)], b.reshape(-1, b.shape[-1]).T)",
        ("values", "values"),
    ),
    "take": ("f(a, b, axis=0)", ("values", "=indices")),
    "where": ("f(a, b, c)", ("=mask", "values", "values")),
    "multi_dot": (
        "f([a.reshape(-1, a.shape[-1]).T, b.reshape(-1, b.shape[-1])])",
        ("values", "values"),
    ),
    "tensorinv": ("f(a.reshape(-1, a.shape[-1])[:a.shape[-1]], 1)", ("values",)),
    "tensorsolve": (
        "f(a.reshape(-1, a.shape[-1])[:a.shape[-1]], b.reshape(-1)[:a.shape[-1]])",
        ("values", "values"),
    ),
    "ravel_multi_index": ("f((a, b), ({n}, {n}))", ("=positions", "=positions")),
    "cross": ("f(a, b)", ("points", "points")),
    "dsplit": ("f(a, 2)", ("blocks",)),
    "tensordot": ("f(a, b, axes=1)", ("values", "values")),
    "select": ("f([a, b], [c, d])", ("=mask", "=mask", "values", "values")),
}
#: Functions outside the namespace linalg that are measured on MATRICES.
OF_MATRICES = {
    "matmul", "tensordot", "matrix_transpose", "transpose", "tril", "triu", "trace", "diagonal", "dot", "inner",
    "vdot", "cov", "corrcoef",
    "rot90", "fliplr", "flipud", "tril_indices_from", "triu_indices_from", "diag_indices_from", "swapaxes",
    "permute_dims", "hsplit", "vsplit",
}  # fmt: skip
#: Functions that are measured with other numbers than "values": to be in the domain, or to cover both signs.
KINDS = {
    "acosh": "above one",
    **dict.fromkeys(("sin", "cos", "tan", "exp", "expm1", "tanh", "sinh", "cosh", "atan", "asinh", "sign", "abs",
                     "floor", "ceil", "trunc", "round", "signbit", "fabs", "absolute"), "signed"),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), "counts"),
}  # fmt: skip
#: Functions that prefer accuracy to speed: errors below 1 ulp, and the same bits with AVX2 and with AVX-512, at every
#: position. NumPy uses SVML on machines with AVX-512, with errors up to 4 ulp.
ACCURATE = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "exp", "exp2", "expm1", "log", "log10",
    "log1p", "log2", "pow", "sin", "sinh", "tan", "tanh",
}  # fmt: skip
_ACCURACY = "accuracy: less than 1 ulp, and the same bits with AVX2 and with AVX-512"
#: By dtype: why functions in ACCURATE may be slower than NumPy's.
ACCURACY = {
    "float16": "accuracy: less than 0.501 ulp, and the same bits with AVX2 and with AVX-512",
    "float32": _ACCURACY,
    "float64": _ACCURACY,
}
_NO_VIEW = "NumPy returns a view, as x.real and x.imag do here; results of elementwise functions are new arrays"
#: Functions for which NumPy does less work: the kinds of dtypes, the minimum number of elements, and the reason.
DOES_MORE = {
    "real": ("c", 0, _NO_VIEW),
    "imag": ("c", 0, _NO_VIEW),
    "unstack": ("biufc", 0, "NumPy returns scalars for a vector; here they are arrays"),
    "zeros": (
        "biufc", 10_000_000,
        "NumPy's memory is zeroed as it is first touched; zeros of 128 MB and a write into it: 7.1 ms here, 12.6 there",
    ),
}  # fmt: skip
#: Functions in ACCURATE may be slower than NumPy's, down to this relative speed; below it, accuracy is no reason.
ACCURATE_SPEED = 0.7
#: Python scalars as second operands, of functions with fast paths for some of them.
SCALARS = {"pow": (2, 3, -1, 0.5, 2.5), "floor_divide": (7, 2.5), "remainder": (7, 2.5)}


class Call:
    """Builds a call: its text and its operands."""

    def __init__(self, dtype: str, kind: str = "values") -> None:
        self.dtype, self.kind = dtype, kind
        self.operands: list[Operand] = []

    def operand(
        self, shape: tuple[int, ...], layout: str = "contiguous", kind: str = "", dtype: str = ""
    ) -> str:
        """Adds an array operand and returns its name."""
        seed = len(self.operands)
        self.operands.append(Operand(shape, dtype or self.dtype, layout, kind or self.kind, seed))
        return "abcdefgh"[seed]

    def argument(self, entry: str, shape: tuple[int, ...], layout: str) -> str:
        """Returns the text of an argument from its entry in the tables above; adds the operands in it."""
        n = math.prod(shape)
        few = (max(1, min(9, shape[-1] if shape else 1)),)
        if entry == "several":
            return ", ".join(self.operand(shape, layout) for _ in range(2))
        if entry == "short several":
            return ", ".join(self.operand((max(1, math.isqrt(n)),)) for _ in range(2))
        if entry == "short":
            return self.operand(few)
        if entry == "=mask":
            return self.operand(shape, layout, dtype="bool")
        if entry == "=positions":
            return self.operand((n,), kind=f"below {n}", dtype="int64")
        if entry in ("=indices", "=indices along"):  # valid for any axis
            # At most 100 indices along an axis of a matrix: each may select a long row.
            few = (n,) if len(shape) < 2 else (min(100, max(shape)),)
            index_shape = shape if entry == "=indices along" else few
            return self.operand(index_shape, kind=f"below {min(shape, default=1)}", dtype="int64")
        if entry == "one more axis":
            return self.operand((1, *shape))
        if entry == "points":
            return self.operand((max(1, n // 3), 3), kind="values")
        if entry == "blocks":
            return self.operand((2, 2, max(2, n // 8 * 2)))
        if entry == "choices":
            return self.operand(shape, layout, "choices", "int64")
        if entry in ("values", "sorted", "counts", "matrix", "signed", "above one"):
            return self.operand(shape, layout, "" if entry == "values" else entry)
        numbers = {"n": n, "side": max(1, math.isqrt(n)), "k": max(0, n // 10)}
        return repr(eval(entry, {}, {**numbers, "a": self.operands[0] if self.operands else None}))


def required_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Returns the parameters without a default, in order."""
    every = inspect.signature(function).parameters.values()
    return [
        parameter
        for parameter in every
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]


def call_of(
    name: str,
    function: Callable[..., Any],
    dtype: str,
    shape: tuple[int, ...],
    layout: str,
    kind: str,
    keywords: str = "",
) -> tuple[str, tuple[Operand, ...]]:
    """Returns the text of a call and its operands. Raises LookupError for a parameter without an entry."""
    call = Call(dtype, kind)
    if name in CALLS:
        text, kinds = CALLS[name]
        for entry in kinds:
            call.argument(entry, shape, layout)
        more = f", {keywords}" if keywords else ""
        return text.format(n=math.prod(shape), keywords=more), tuple(call.operands)
    chosen = {**ARGUMENTS, **SPECIAL.get(name, {})}
    parts = []
    for parameter in required_parameters(function):
        text = call.argument(chosen[parameter.name], shape, layout)
        if parameter.kind is parameter.KEYWORD_ONLY:
            text = f"{parameter.name}={text}"
        elif "several" in chosen[parameter.name] and parameter.kind is not parameter.VAR_POSITIONAL:
            text = f"({text})"
        parts.append(text)
    if keywords:
        parts.append(keywords)
    return f"f({', '.join(parts)})", tuple(call.operands)


# --- the functions --------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Function:
    """A public function that NumPy also has."""

    path: str
    function: Callable[..., Any]
    loops: tuple[str, ...] | None  # dtypes of its entry in an operation table; None without one
    is_elementwise: bool

    @property
    def name(self) -> str:
        """The name without the module."""
        return self.path.rpartition(".")[2]

    @property
    def family(self) -> str:
        """The chapter of the standard; for others the subpackage of skerry._extra, or "beyond the standard"."""
        module = getattr(self.function, "__module__", "") or ""
        if "._extra." in module:
            return module.partition("._extra.")[2].partition(".")[0]
        _, separator, rest = (self.function.__doc__ or "").rpartition("Source: array API 2025.12, ")
        return rest.split(".")[0].split("\n")[0].strip() if separator else "beyond the standard"


# Second names of functions, and NumPy's own functions.
OTHER_NAMES = {name for name, topic in TOPIC_OF.items() if topic.startswith("numpy_names.")}


def public_functions() -> Iterator[tuple[str, Callable[..., Any], Any]]:
    """Yields the path, the function, and NumPy's counterpart or None, of every public function."""
    for module, peers in NUMPY_MODULES.items():
        prefix = "" if module is sk else module.__name__.partition(".")[2] + "."
        for name in module.__all__:
            function = getattr(module, name)
            is_second_name = prefix + name in OTHER_NAMES
            if callable(function) and not inspect.isclass(function) and not is_second_name:
                yield prefix + name, function, getattr(peers, name, None)


def measured_functions() -> list[Function]:
    """Returns the functions of the sweep."""
    tables = {
        entry["name"]: tuple(entry["loops"])
        for entry in (*_core.op_table(), *_core.reduction_table())
    }
    elementwise = {entry["name"] for entry in _core.op_table()}
    functions = []
    for path, function, peer in public_functions():
        name = path.rpartition(".")[2]
        if peer is None or name in LEFT_OUT or not has_arguments(name, function):
            continue
        functions.append(Function(path, function, tables.get(name), name in elementwise))
    return functions


def has_arguments(name: str, function: Callable[..., Any]) -> bool:
    """Returns whether there is an argument for each required parameter."""
    argument_table = {**ARGUMENTS, **SPECIAL.get(name, {})}
    return name in CALLS or all(
        parameter.name in argument_table for parameter in required_parameters(function)
    )


# --- the cells ------------------------------------------------------------------------------------


def shapes_of(size: int) -> dict[str, tuple[int, ...]]:
    """Returns a shape of about that many elements for each layout."""
    side = max(1, math.isqrt(size))
    third = max(1, size // 3)
    return {
        "contiguous": (size,), "stepped": (size,), "reversed": (size,), "rows": (side, side),
        "transposed": (side, side), "short rows": (third, 3), "short columns": (3, third),
    }  # fmt: skip


def elementwise_cases(function: Function) -> Iterator[Case]:
    """Yields each dtype and size, and for MAIN_DTYPES each layout.

    For binary functions of MAIN_DTYPES, also a row, a column and scalars as the second operand.
    """
    kind = KINDS.get(function.name, "values")
    is_binary = len(required_parameters(function.function)) == 2
    for dtype in function.loops or ():
        for size in (*SIZES, LARGE):
            call, operands = call_of(
                function.name, function.function, dtype, (size,), "contiguous", kind
            )
            yield Case(function.family, function.path, call, operands, dtype, size, "contiguous")
        if dtype not in MAIN_DTYPES:
            continue
        for size in LAYOUT_SIZES:
            for layout, shape in shapes_of(size).items():
                if layout in ("contiguous", "rows"):
                    continue
                call, operands = call_of(
                    function.name, function.function, dtype, shape, layout, kind
                )
                yield Case(function.family, function.path, call, operands, dtype, size, layout)
            if is_binary:
                yield from broadcast_cases(function, dtype, size, kind)


def broadcast_cases(function: Function, dtype: str, size: int, kind: str) -> Iterator[Case]:
    """Yields an array combined with a row, a column or a Python scalar."""
    side = math.isqrt(size)
    first = Operand((side, side), dtype, kind=kind)
    for layout, shape in (("row", (side,)), ("column", (side, 1))):
        second = Operand(shape, dtype, kind=kind, seed=1)
        yield Case(function.family, function.path, "f(a, b)", (first, second), dtype, size, layout)
    if dtype == "bool":
        return
    whole = Operand((size,), dtype, kind=kind)
    usual = (3,) if np.dtype(dtype).kind in "iu" else (1.5,)
    for scalar in SCALARS.get(function.name, usual):
        yield Case(
            function.family, function.path, f"f(a, {scalar!r})", (whole,), dtype, size, "scalar"
        )


def other_cases(function: Function) -> Iterator[Case]:
    """Yields cases of functions that are not elementwise: by dtype, size, layout and axis."""
    parameters = inspect.signature(function.function).parameters
    takes_axis = "axis" in parameters and parameters["axis"].default is not inspect.Parameter.empty
    dtypes = function.loops or MAIN_DTYPES
    for dtype in dtypes:
        for size in (*SIZES, LARGE):
            yield from case_of(function, dtype, size, "contiguous", (size,))
        if dtype not in MAIN_DTYPES:
            continue
        for size in LAYOUT_SIZES:
            for layout, shape in shapes_of(size).items():
                if layout == "contiguous":
                    continue
                axes = ("axis=0", "axis=-1") if takes_axis and len(shape) == 2 else ("",)
                for keywords in axes:
                    yield from case_of(function, dtype, size, layout, shape, keywords)


def matrix_cases(
    function: Function, shapes: tuple[tuple[int, ...], ...], kind: str
) -> Iterator[Case]:
    """Yields cases of functions of matrices or of transforms, by shape."""
    for dtype in ("float32", "float64", "complex64", "complex128"):
        for shape in shapes:
            yield from case_of(function, dtype, math.prod(shape), "contiguous", shape, kind=kind)


def case_of(
    function: Function,
    dtype: str,
    size: int,
    layout: str,
    shape: tuple[int, ...],
    keywords: str = "",
    kind: str = "",
) -> Iterator[Case]:
    """Yields the case of these arguments."""
    call, operands = call_of(
        function.name,
        function.function,
        dtype,
        shape,
        layout,
        kind or KINDS.get(function.name, "values"),
        keywords,
    )
    yield Case(function.family, function.path, call, operands, dtype, size, layout)


def cases_of(function: Function) -> Iterator[Case]:
    """Returns the cases of a function, which depend on what it takes: rows, matrices, or arrays of any shape."""
    if function.path.startswith("fft."):
        return matrix_cases(function, ROWS, "values")
    if function.path.startswith("linalg.") or function.name in OF_MATRICES:
        return matrix_cases(function, MATRICES, "matrix")
    return elementwise_cases(function) if function.is_elementwise else other_cases(function)


def all_cases() -> Iterator[Case]:
    """Yields every case once, including those that one of the libraries rejects."""
    seen: set[Any] = set()
    for case in itertools.chain.from_iterable(map(cases_of, measured_functions())):
        keys = {case.name, (case.function, case.call, case.operands)}
        if seen.isdisjoint(keys):
            seen |= keys
            yield case
