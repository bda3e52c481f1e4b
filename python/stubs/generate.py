# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Generate the stubs of the extension module in ``python/skerry/_core`` from the signatures of its functions.

``python python/stubs/generate.py`` writes them for the installed skerry. Signatures have no types: these follow from
the names of parameters, with exceptions listed here. Classes are declared by hand, in ``_types.pyi``.
"""

from __future__ import annotations

import importlib
import inspect
import pathlib
import re
import textwrap
from collections.abc import Callable
from types import ModuleType
from typing import Any

from skerry import _core

FOLDER = pathlib.Path(__file__).parents[1] / "skerry" / "_core"
WIDTH = 100
Ufunc = type(_core.add)
SPDX = (
    "# SPDX-FileCopyrightText: The skerry developers",
    "# SPDX-License-Identifier: Apache-2.0",
)

#: Types by parameter, or by function and parameter. None is added if it is the default.
_INTS = "int | tuple[int, ...]"
_LIST = "tuple[int, ...] | list[int]"
PARAMETERS = {
    **dict.fromkeys(["x", "x1", "x2", "condition", "indices"], "Operand"),
    **dict.fromkeys(["sorter", "*arrays"], "Operand"),
    **dict.fromkeys(["append", "prepend"], "Operand"),
    **dict.fromkeys(["max", "min"], "Operand"),
    "fill_value": "Array | Scalar",
    **dict.fromkeys(["out"], "Array"),
    **dict.fromkeys(["desc"], "Mapping[str, Any]"),
    **dict.fromkeys(["dtype", "from_", "to"], "DtypeLike"),
    **dict.fromkeys(["kind"], "str"),
    **dict.fromkeys(["obj", "owner", "from_dlpack.x"], "Any"),
    "*arrays_and_dtypes": "Operand | DtypeLike",
    **dict.fromkeys(["count", "cuda", "k", "n", "n_cols", "n_rows", "nbytes", "num"], "int"),
    "kernels": "bool | str",
    **dict.fromkeys(["offset", "axis"], "int"),
    **dict.fromkeys(["copy", "descending", "endpoint", "full_matrices"], "bool"),
    **dict.fromkeys(["assume_unique", "sparse", "subok", "writeable"], "bool"),
    **dict.fromkeys(["casting", "order", "can_cast.casting", "take.mode"], "str"),
    "initial": "Operand",
    **{f"{name}.where": "Array | bool" for name in ("all", "any", "max", "min", "prod", "sum")},
    **{f"{name}.where": "Array | bool" for name in ("mean", "std", "var")},
    **dict.fromkeys(["std.mean", "var.mean"], "Operand"),
    **dict.fromkeys(["argsort.order", "sort.order"], "None"),
    "ddof": "float",
    "take.indices": "Array | int",
    **dict.fromkeys(["include_initial", "invert", "keepdims", "stable", "upper"], "bool"),
    **dict.fromkeys(["managed", "pinned"], "bool"),
    **dict.fromkeys(["correction", "d", "start", "step", "stop"], "float"),
    **dict.fromkeys(["concat.arrays", "stack.arrays"], "Array | Sequence[Operand]"),
    **dict.fromkeys(["destination", "repetitions", "shift", "source"], _INTS),
    **dict.fromkeys(["expand_dims.axis", "roll.axis", "squeeze.axis"], _INTS),
    **{f"{name}.axis": "int | None" for name in ("argsort", "sort", "take_along_axis")},
    **dict.fromkeys(["shape", "*shapes"], "Shape"),
    **dict.fromkeys(["s", "axes"], _LIST),
    **dict.fromkeys(["fftshift.axes", "flip.axis", "ifftshift.axes", "vector_norm.axis"], "Axis"),
    **dict.fromkeys(["code", "graph", "microseconds", "most", "ordinal", "handle", "which"], "int"),
    **dict.fromkeys(["from_then_on", "is_on", "on", "sticky"], "bool"),
    **dict.fromkeys(["bins", "minlength"], "int"),
    **dict.fromkeys(["as_order", "largest", "uniform"], "bool"),
    **dict.fromkeys(["kth", "ranks"], "int | tuple[int, ...] | list[int]"),
    **dict.fromkeys(["count_in_bins.first", "last"], "float"),
    **dict.fromkeys([f"{name}.{x}" for name in ("convolve", "correlate") for x in "av"], "Array"),
    "cut.indices": "list[int]",
    **dict.fromkeys(["interp.xp", "interp.fp", "kron.a", "kron.b"], "Array"),
    **dict.fromkeys(
        [f"{name}.{x}" for name in ("product_of_matrices", "vdot") for x in "ab"], "Any"
    ),
    "product_of_matrices.of_rows": "bool",
    "concat.axis": "int | None",
    "count_numbers.weights": "Array | None",
    "count_occurrences.weights": "Array | None",
    **dict.fromkeys(["lengths", "sliding_windows.axes", "strides"], "list[int] | tuple[int, ...]"),
    "edges": "Array",
    "lie_below.end": "int",
    "device": "DeviceLike",
    **dict.fromkeys(["device_or_default.device", "set_default_device.device"], "DeviceLike | None"),
    "rehearse_float64.is_there": "bool",
    "indexing": "str",
    "matrix_norm.ord": "float | str",
    "mode": "str",
    "norm": "FftNorm",
    **dict.fromkeys(["draw.a", "draw.b"], "Array | float"),
    "draw.base": "Array",
    "draw.method": "str",
    "draw.out": "Array",
    "draw.stream": "tuple[int, int, int]",
    "store_random_state.out": "Array",
    "store_random_state.state": "tuple[int, int, int]",
    "ord": "float",
    "repeats": "Operand",
    "scatter_reduce.op": "str",
    "scatter_reduce.values": "Operand",
    **dict.fromkeys(["agree.values", "are_arrays.values"], "tuple[Any, ...]"),
    "array_function.converting": "Callable[..., Any]",
    "array_function.direct": "Callable[..., Any]",
    "array_function.operation": "Callable[..., Any] | None",
    "array_function.parameters": "tuple[str | None, ...]",
    "array_function.writes": "bool",
    **dict.fromkeys(["array_function.nin", "array_function.nout"], "int"),
    "fused_function.function": "Callable[..., Any]",
    "lexical_order.keys": "Sequence[Array]",
    "ravel_indices.indices": "tuple[Any, ...]",
    "unravel_index.indices": "Any",
    "unravel_indices.indices": "Array",
    "least_recorded.nbytes": "int",
    "watch_passes.watcher": "Callable[[int, tuple[int, ...], int, int, bool, int], object] | None",
    "watch_aliases.watcher": "Callable[[str, str, bool], object] | None",
    "with_axes.least": "int",
    "with_axes.values": "tuple[Any, ...]",
    "require_one_device.arrays": "tuple[Array, ...]",
    "require_one_device.names": "tuple[str, ...] | None",
    **dict.fromkeys(
        [
            "assigned.name",
            "assigned.parameter",
            "literals.name",
            "require_objects.name",
            "device_or_default.name",
            "require_one_device.name",
        ],
        "str",
    ),
    "assigned.values": "Any",
    "literals.names": "tuple[str | None, ...]",
    **dict.fromkeys(["literals.values", "literals.context"], "tuple[Any, ...]"),
    "assigned.like": "Array",
    **dict.fromkeys(["rcond", "rtol", "tol"], "float | Array"),
    **dict.fromkeys(["compute_uv", "hermitian"], "bool"),
    **dict.fromkeys(["matmul.axes", "matmul.out", "vecdot.axes", "vecdot.out"], "Any"),
    "UPLO": 'Literal["L", "U"]',
    "set_current_stream.stream": "Stream",
    "set_numpy_memory.handler": "Any",
    "side": 'Literal["left", "right"]',
    "stream": "StreamLike",
    "sync": "CudaSync",
    "tensordot.axes": "int | tuple[Sequence[int], Sequence[int]]",
    "use_device_context.variable": "ContextVar[Device | None]",
    **dict.fromkeys(["ledger", "profile", "outer", "use_ledger_context.variable"], "Any"),
    "use_profile_context.variable": "Any",
    "nvtx": "bool",
    **dict.fromkeys(["open_ipc_event.handle", "open_ipc_memory.handle"], "bytes"),
    **dict.fromkeys(["open_ipc_memory.shape", "open_ipc_memory.strides"], "Sequence[int]"),
    "open_ipc_memory.offset": "int",
    "push": "Callable[[str], None]",
    "pop": "Callable[[], object]",
    **dict.fromkeys(
        [f"open_ledger.{name}" for name in ("transfers", "syncs", "allocations")], "int"
    ),
    "begin_capture.devices": "Iterable[DeviceLike]",
    "folder": "str",
    "address": "int",
    **dict.fromkeys(["set_allocator.allocate", "set_allocator.free"], "Any"),
    **dict.fromkeys(["allocate_block.stream", "free_block.stream"], "Any"),
    "use_promotion_context.variable": "ContextVar[bool]",
    "use_version_context.variable": "ContextVar[int]",
}
RESULTS = {
    "literals": "tuple[Any, ...]",
    **dict.fromkeys(["broadcast_arrays", "meshgrid", "nonzero", "unstack"], "tuple[Array, ...]"),
    "array_function": "Callable[..., Any]",
    "fused_function": "Callable[..., Any]",
    **dict.fromkeys(["product_of_matrices", "ravel_indices", "vdot"], "Array | None"),
    "cut": "list[Array]",
    "unravel_index": "tuple[Array, ...] | None",
    "unravel_indices": "tuple[Array, ...]",
    "best_items": "tuple[Array, Array]",
    "with_axes": "tuple[Array, ...] | None",
    **dict.fromkeys(
        "close_ledger use_ledger_context close_profile use_profile_context use_nvtx profile_process "
        "count_cuda_calls draw fail_allocation rehearsal_delay "
        "rehearsal_fail_call rehearsal_set_captured rehearse require_objects require_one_device "
        "reset_peak scatter_reduce set_current_stream set_default_device set_memory_limit "
        "set_num_threads set_numpy_memory slow_waiting_cuda_calls synchronize use_device_context "
        "use_promotion_context use_version_context watch_aliases watch_passes refresh_rehearsed_devices "
        "rehearse_float64 set_allocator free_block store_random_state trace_memory".split(),
        "None",
    ),
    **dict.fromkeys(
        "agree are_arrays can_cast cuda_was_used is_cuda_array is_ledger_open is_managed is_page_locked "
        "is_pinned is_profile_open is_rehearsing is_writable lie_below has_dtype".split(),
        "bool",
    ),
    **dict.fromkeys(
        "allocate_block counted_allocations exported_version fused_work get_num_threads least_recorded rehearsal_calls "
        "rehearsal_set_device rehearsal_begin_capture rehearsal_destroy_graph rehearsal_launch_graph trim".split(),
        "int",
    ),
    **dict.fromkeys(["cuda_allocator", "instruction_set"], "str"),
    **dict.fromkeys(
        ["counted_cuda_calls", "page_locks", "rehearsed_traffic", "transfers"], "dict[str, int]"
    ),
    "open_ledger": "Any",
    "traced_blocks": "tuple[list[tuple[Any, ...]], float] | None",
    "read_ledger": "list[tuple[Any, ...]]",
    "open_profile": "Any",
    "copy_to_shareable": "Array",
    "export_ipc_memory": "tuple[bytes, int, int] | None",
    "open_ipc_memory": "Array | None",
    "create_ipc_event": "IpcEvent",
    "open_ipc_event": "IpcEvent | None",
    "device_uuid": "bytes",
    "read_profile": "list[tuple[Any, ...]]",
    **dict.fromkeys(["op_table", "reduction_table"], "list[dict[str, Any]]"),
    **dict.fromkeys(["eig", "eigh"], "EigResult"),
    **dict.fromkeys(["as_device", "device_of_ordinal", "device_or_default"], "Device"),
    "default_device": "Device | None",
    **dict.fromkeys(["as_stream", "current_stream"], "Stream"),
    "begin_capture": "DeviceGraph",
    "broadcast_shapes": "tuple[int, ...]",
    "inv_unchecked": "tuple[Array, Array]",
    "fused_pass_counts": "tuple[int, int, int]",
    "guard_numpy_memory": "Any",
    **dict.fromkeys(["built_dtypes", "instruction_sets"], "tuple[str, ...]"),
    **dict.fromkeys(["allocator_addresses", "cuda_versions"], "tuple[int, int]"),
    "devices": "tuple[Device, ...]",
    "dtype_kinds": "dict[str, str]",
    "memory_statistics": "MemoryStatistics",
    "rehearsal_contexts": "list[int]",
    "rehearsal_end_capture": "tuple[int, int]",
    "waiting_cuda_calls": "list[str]",
    "result_class": "type[tuple[Array, ...]]",
    "result_type": "Dtype",
    "slogdet": "SlogdetResult",
    "unique_all": "UniqueAllResult",
    "unique_counts": "UniqueCountsResult",
    "unique_inverse": "UniqueInverseResult",
    "why_no_cuda": "tuple[str, str] | None",
}
_LINSPACE = "start: Operand, stop: Operand, num: int = 50, endpoint: bool = True"
_LINSPACE_REST = "dtype: DtypeLike = None, axis: int = 0"
#: Parameters and results of functions whose result depends on an argument.
OVERLOADS = {
    "linspace": (
        (
            f"{_LINSPACE}, retstep: Literal[False] = False, {_LINSPACE_REST}, *, device: DeviceLike | None = None",
            "Array",
        ),
        (
            f"{_LINSPACE}, *, retstep: Literal[True], {_LINSPACE_REST}, device: DeviceLike | None = None",
            "tuple[Array, Any]",
        ),
    ),
    "qr": (
        ('x: Array, /, mode: Literal["reduced", "complete"] = "reduced"', "QRResult"),
        ('x: Array, /, mode: Literal["r"]', "Array"),
        ('x: Array, /, mode: Literal["raw"]', "tuple[Array, Array]"),
    ),
    "svd": (
        (
            "x: Array, /, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False",
            "SVDResult",
        ),
        (
            "x: Array, /, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False",
            "Array",
        ),
        (
            "x: Array, /, full_matrices: bool, compute_uv: Literal[False], hermitian: bool = False",
            "Array",
        ),
    ),
    "where": (
        ("condition: Array | complex, x1: Operand, x2: Operand, /", "Array"),
        ("condition: Array, /", "tuple[Array, ...]"),
    ),
}
#: Types that already include None.
OPTIONAL = ("Any", "Axis", "DtypeLike")
#: Names that a stub imports if it uses them.
IMPORTS = {
    "collections.abc": "Callable Iterable Mapping Sequence",
    "contextvars": "ContextVar",
    "typing": "Any Literal overload",
}
FILES = {"__init__.pyi": _core, "fft.pyi": _core.fft, "linalg.pyi": _core.linalg}
_STAR = "from skerry._core._types import *\n"
#: Types of each module, and its attributes that are not functions.
TYPES = {
    _core: "from skerry._core import fft as fft\nfrom skerry._core import linalg as linalg\n"
    f"{_STAR}\n__version__: str\ndirect_ufuncs: dict[Any, Any]\n",
    _core.fft: _STAR,
    _core.linalg: _STAR,
}
HEADER = '''# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Written by python/stubs/generate.py."""

'''


def _tables() -> dict[str, str]:
    """Return the parameter types of reductions, from the operation table."""
    types = {}
    for row in _core.reduction_table():
        if not row["has_one_axis"]:
            types[f"{row['name']}.axis"] = "Axis"
    return types


def _type(function: str, parameter: inspect.Parameter, tables: dict[str, str]) -> str:
    stars = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
    name = stars + parameter.name
    for key in (f"{function}.{name}", name):
        spelling = tables.get(key, PARAMETERS.get(key))
        if spelling is not None:
            missing = (
                parameter.default is None and spelling not in OPTIONAL and "None" not in spelling
            )
            return spelling + " | None" if missing else spelling
    raise LookupError(f"python/stubs/generate.py: add the type of {name} of {function}")


def _parameters(function: str, signature: inspect.Signature, tables: dict[str, str]) -> list[str]:
    parts = []
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    for i, parameter in enumerate(signature.parameters.values()):
        previous_kind = kinds[i - 1] if i else None
        if previous_kind is parameter.POSITIONAL_ONLY and parameter.kind is not previous_kind:
            parts.append("/")
        if parameter.kind is parameter.KEYWORD_ONLY and previous_kind not in (
            parameter.KEYWORD_ONLY,
            parameter.VAR_POSITIONAL,
        ):
            parts.append("*")
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        text = f"{stars}{parameter.name}: {_type(function, parameter, tables)}"
        if parameter.default is not parameter.empty:
            text += f" = {parameter.default!r}".replace("'", '"')
        parts.append(text)
    if kinds and kinds[-1] is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return parts


def _function(name: str, function: Callable[..., Any], tables: dict[str, str]) -> str:
    if isinstance(function, Ufunc):
        kind = "Rounding" if name == "round" else "Unary" if function.nin == 1 else "Binary"
        return f"{name}: {kind}Ufunc\n"
    if name in OVERLOADS:
        overloads = (
            _definition(name, text.split(", "), result) for text, result in OVERLOADS[name]
        )
        return "".join(f"@overload\n{definition}" for definition in overloads)
    parts = _parameters(name, inspect.signature(function), tables)
    return _definition(name, parts, RESULTS.get(name, "Array"))


def _definition(name: str, parts: list[str], result: str) -> str:
    line = f"def {name}({', '.join(parts)}) -> {result}: ..."
    if len(line) <= WIDTH:
        return line + "\n"
    inner = "    " + ", ".join(parts)
    if len(inner) > WIDTH:
        inner = ",\n".join(f"    {part}" for part in parts) + ","
    return f"def {name}(\n{inner}\n) -> {result}: ...\n"


def stub(module: ModuleType) -> str:
    """Return the text of the stub of a module."""
    names = sorted(
        name
        for name, value in vars(module).items()
        if inspect.isbuiltin(value) or isinstance(value, Ufunc)
    )
    tables = _tables()
    names.sort(key=lambda name: not isinstance(getattr(module, name), Ufunc))
    functions = "".join(_function(name, getattr(module, name), tables) for name in names)
    functions = re.sub(r"(Ufunc\n)(def )", r"\1\n\2", functions)
    words = set(re.findall(r"\w+", functions))
    imports = "".join(
        f"from {home} import {', '.join(used)}\n"
        for home, names in IMPORTS.items()
        if (used := [name for name in names.split() if name in words])
    )
    public = ", ".join(f'"{name}"' for name in sorted(module.__all__))
    listed = textwrap.fill(public, WIDTH - 1, initial_indent="    ", subsequent_indent="    ")
    listed = f"__all__ = [\n{listed},\n]  # fmt: skip\n"
    imports += "\n" if imports else ""
    return f"{HEADER}{imports}{TYPES[module]}\n{listed}\n{functions}"


def topics() -> dict[str, list[str]]:
    """Return the functions beyond the standard by the module of their topic, ``chapter.topic``."""
    folder = FOLDER.parent / "_extra"
    paths = sorted(folder.glob("[a-z]*/[a-z]*.py"))
    names = [f"{path.parent.name}.{path.stem}" for path in paths]
    return {
        name: sorted(importlib.import_module(f"skerry._extra.{name}").__all__) for name in names
    }


def stubs() -> dict[str, str]:
    """Return the text of each generated file by its name."""
    topic_names = topics()
    topic_of = {name: topic for topic, names in topic_names.items() for name in names}
    table = [f'    "{name}": "{topic_of[name]}",' for name in sorted(topic_of)]
    imports = [
        f"from skerry._extra.{topic} import {name} as {name}"
        for topic, names in topic_names.items()
        for name in names
    ]
    return {
        **{file: stub(module) for file, module in FILES.items()},
        "../_extra/_topics.py": "\n".join(
            [
                *SPDX,
                '"""The topic of each function beyond the standard; written by python/stubs/generate.py."""',
                "",
                "TOPIC_OF = {",
                *table,
                "}",
                "",
            ]
        ),
        "../_extra/__init__.pyi": "\n".join(
            [
                *SPDX,
                '"""The functions beyond the standard: written by python/stubs/generate.py."""',
                "",
                "from types import ModuleType",
                "",
                *imports,
                "",
                "TOPIC_OF: dict[str, str]",
                "TOPICS: tuple[str, ...]",
                "",
                "def import_topic(topic: str) -> ModuleType: ...",
                'def import_functions(module_name: str, lists: str = "arrays") -> ModuleType: ...',
                "",
            ]
        ),
    }


if __name__ == "__main__":
    for file, text in stubs().items():
        (FOLDER / file).write_text(text)
