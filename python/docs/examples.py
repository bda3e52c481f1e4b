# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Examples of the public functions whose docstrings have none; the shown output is that of the code.

Examples of functions in the operation table are generated: a call on a small sample. The others are written here. The
documentation and a test run all of them.
"""

from __future__ import annotations

import ast
import contextlib
import io
from typing import Any

import skerry as sk
from skerry import _core

# Samples for elementwise operations for which the default samples are not instructive.
ROUNDING = "[-1.5, -0.5, 0.5, 2.5]"
CLASSES = "[1.0, sk.inf, -sk.inf, sk.nan]"
COMPLEX = "[3 + 4j, -1j]"
SAMPLES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("abs", "ceil", "floor", "negative", "positive", "round"), (ROUNDING,)),
    **dict.fromkeys(("sign", "signbit", "trunc"), (ROUNDING,)),
    **dict.fromkeys(("isfinite", "isinf", "isnan"), (CLASSES,)),
    **dict.fromkeys(("conj", "imag", "real"), (COMPLEX,)),
    **dict.fromkeys(("log", "log2", "log10", "acosh"), ("[1.0, 2.0, 8.0]",)),
    **dict.fromkeys(("equal", "greater", "greater_equal"), ("[1, 2, 3]", "[2, 2, 2]")),
    **dict.fromkeys(("less", "less_equal", "not_equal"), ("[1, 2, 3]", "[2, 2, 2]")),
    **dict.fromkeys(("floor_divide", "remainder"), ("[7, -7, 7]", "[3, 3, -3]")),
    "clip": ("[-1.5, 0.5, 2.5]", "0.0", "1.0"),
    "copysign": ("[1.0, 2.0, 3.0]", "[-1.0, 0.0, -0.0]"),
    "nextafter": ("[1.0, 0.0]", "[2.0, -1.0]"),
}
DEFAULTS: dict[str, tuple[str, ...]] = {
    "float64": ("[0.25, 0.5, 1.0]", "[2.0, -1.0, 4.0]"),
    "int64": ("[5, 6, 7]", "[1, 2, 3]"),
    "bool": ("[True, True, False]", "[True, False, False]"),
    "complex128": ("[3 + 4j, -1j]",),
}
REDUCED = {"float64": "[[1.0, 2.0], [3.0, 4.0]]", "bool": "[[True, False], [True, True]]"}


def _operand(text: str) -> str:
    return f"sk.asarray({text})" if text.startswith("[") else text


def _elementwise(entry: dict[str, Any]) -> str:
    name, arity = entry["name"], entry["arity"]
    dtype = next(kind for kind in DEFAULTS if kind in entry["loops"])
    sample = SAMPLES.get(name) or DEFAULTS[dtype]
    return f"sk.{name}({', '.join(_operand(text) for text in sample[:arity])})"


def _reduction(entry: dict[str, Any]) -> str:
    sample = REDUCED["bool" if entry["name"] in ("all", "any") else "float64"]
    return f"sk.{entry['name']}(sk.asarray({sample}), axis=0)"


WRITTEN: dict[str, str] = {
    "arange": "sk.arange(2, 10, 3)",
    "asarray": "sk.asarray([[1, 2], [3, 4]], dtype=sk.float32)",
    "as_cuda_array": 'sk.as_cuda_array(sk.ones((2,), device="cuda:0"))',
    "astype": "sk.astype(sk.asarray([1.7, -1.7]), sk.int8)",
    "broadcast_arrays": "[x.shape for x in sk.broadcast_arrays(sk.ones((3, 1)), sk.ones((4,)))]",
    "broadcast_shapes": "sk.broadcast_shapes((3, 1), (4,))",
    "broadcast_to": "sk.broadcast_to(sk.asarray([1, 2]), (2, 2))",
    "can_cast": "sk.can_cast(sk.int8, sk.int64), sk.can_cast(sk.int64, sk.float64)",
    "default_device": "sk.default_device()",
    "devices": 'sk.devices("cpu")[0]',
    "empty": "sk.empty((0, 3)).shape",
    "empty_like": "sk.empty_like(sk.ones((2, 3))).shape",
    "expand_dims": "sk.expand_dims(sk.ones((2, 3)), (0, -1)).shape",
    "eye": "sk.eye(2, 3, k=1)",
    "finfo": "sk.finfo(sk.float32).eps",
    "flip": "sk.flip(sk.asarray([1, 2, 3]))",
    "from_cuda_array_interface": (
        'x = sk.ones((2,), device="cuda:0")\n'
        "sk.from_cuda_array_interface(x.__cuda_array_interface__, owner=x).device"
    ),
    "from_dlpack": "import numpy as np\nsk.from_dlpack(np.arange(3.0))",
    "full": "sk.full((2, 2), 7)",
    "full_like": "sk.full_like(sk.ones((2,)), 0.5)",
    "get_num_threads": "sk.get_num_threads() >= 1",
    "iinfo": "sk.iinfo(sk.int8).min",
    "is_cuda_array": 'sk.is_cuda_array(sk.ones((2,), device="cuda:0")), sk.is_cuda_array(sk.ones((2,)))',
    "isdtype": 'sk.isdtype(sk.float32, "real floating")',
    "linspace": "sk.linspace(0, 1, 5)",
    "matrix_transpose": "sk.matrix_transpose(sk.asarray([[1, 2], [3, 4]]))",
    "memory_statistics": (
        'x = sk.ones((1000,), device="cuda:0")\n'
        'statistics = sk.memory_statistics("cuda:0")\n'
        "statistics.live_bytes >= x.nbytes, statistics.peak_bytes >= statistics.live_bytes"
    ),
    "meshgrid": "x, y = sk.meshgrid(sk.asarray([1, 2]), sk.asarray([3, 4]))\nx\ny",
    "moveaxis": "sk.moveaxis(sk.ones((2, 3, 4)), 0, -1).shape",
    "ones": "sk.ones((2, 2), dtype=sk.int8)",
    "ones_like": "sk.ones_like(sk.zeros((2,), dtype=sk.float32))",
    "current_stream": 'sk.current_stream("cuda:0").handle',
    "memory_snapshot": (
        "# with SKERRY_TRACE_MEMORY=1: sk.memory_snapshot().lines()\n"
        "try:\n"
        "    sk.memory_snapshot()\n"
        "except RuntimeError as error:\n"
        "    print(str(error).partition(';')[0])"
    ),
    "permute_dims": "sk.permute_dims(sk.ones((2, 3, 4)), (2, 0, 1)).shape",
    "rehearse": (
        "# in a fresh process: sk.rehearse(cuda=2), or SKERRY_REHEARSE=2 in the environment\n"
        'sk.Device("cuda:0").info.rehearsal'
    ),
    "reset_peak": (
        'sk.reset_peak("cuda:0")\n'
        'before = sk.memory_statistics("cuda:0").peak_bytes\n'
        'y = sk.ones((1000,), device="cuda:0") + 1\n'
        'sk.memory_statistics("cuda:0").peak_bytes - before >= y.nbytes'
    ),
    "reshape": "sk.reshape(sk.arange(6), (2, -1))",
    "result_type": "sk.result_type(sk.int8, sk.uint8)",
    "set_default_device": 'sk.set_default_device("cpu:0")',
    "cuda_allocator_functions": (
        'functions = sk.cuda_allocator_functions("cuda:0")\n'
        "address = functions.allocate(1000)\n"
        "functions.deallocate(address, 1000)"
    ),
    **{
        name: (
            f'# with the library: sk.set_allocator("cuda:0", sk.{name}())\n'
            'sk.set_allocator("cuda:0", None)  # skerry\'s own pool'
        )
        for name in ("cupy_allocator", "rmm", "torch_allocator")
    },
    "set_allocator": (
        'functions = sk.cuda_allocator_functions("cuda:0")  # stands for another library\n'
        'sk.set_allocator("cuda:0", (functions.allocate, functions.deallocate))\n'
        'x = sk.ones(4, device="cuda:0")\n'
        'sk.set_allocator("cuda:0", None)  # skerry\'s own pool'
    ),
    "set_memory_limit": (
        'sk.set_memory_limit("cuda:0", 2**30)\n'
        "try:\n"
        '    sk.zeros(2**30, device="cuda:0")\n'
        "except sk.exceptions.OutOfMemoryError as error:\n"
        "    print(str(error).partition(':')[0], 'exceeds the limit')\n"
        'sk.set_memory_limit("cuda:0", None)  # no limit'
    ),
    "set_num_threads": "sk.set_num_threads(sk.get_num_threads())",
    "show_config": 'sorted(sk.show_config("dicts"))[:3]',
    "squeeze": "sk.squeeze(sk.ones((1, 3, 1)), (0, 2)).shape",
    "synchronize": (
        'x = sk.arange(4, device="cuda:0") * 2\nsk.synchronize("cuda:0")  # the product is complete'
    ),
    "tril": "sk.tril(sk.ones((3, 3)))",
    "trim": (
        'x = sk.ones((1000,), device="cuda:0")\n'
        "del x\n"
        'freed = sk.trim("cuda:0")\n'
        'sk.memory_statistics("cuda:0").cached_bytes'
    ),
    "triu": "sk.triu(sk.ones((3, 3)), k=1)",
    "where": "sk.where(sk.asarray([True, False]), sk.asarray([1, 2]), 0)",
    "zeros": 'sk.zeros((3,), dtype=sk.float32, device="cpu:0")',
    "zeros_like": "sk.zeros_like(sk.asarray([1 + 2j]))",
    "__array_namespace_info__": "sk.__array_namespace_info__().default_dtypes()",
}


def examples() -> dict[str, str]:
    """Return the code of each example by the name of its function."""
    return {
        **{row["name"]: _elementwise(row) for row in _core.op_table() if not row["is_private"]},
        **{
            row["name"]: _reduction(row) for row in _core.reduction_table() if not row["is_private"]
        },
        **WRITTEN,
    }


def session(code: str) -> str:
    """Run code statement by statement and format it as an interactive session with its output."""
    names: dict[str, Any] = {"sk": sk}
    lines = []
    for part in ast.parse(code).body:
        source = ast.get_source_segment(code, part) or ""
        lines += [("... " if i else ">>> ") + line for i, line in enumerate(source.splitlines())]
        if isinstance(part, ast.Expr):
            value = eval(source, names)
            lines += [] if value is None else repr(value).splitlines()
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(source, names)
        lines += printed.getvalue().splitlines()
    return "\n".join(lines)
