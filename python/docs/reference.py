# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Generates the pages of the API reference: every public name, with its docstring and an example.

The standard's functions are grouped as in the standard, other functions by the chapters of NumPy's reference.
"""

from __future__ import annotations

import inspect
from types import ModuleType

import skerry as sk
from examples import examples, session
from skerry import _core, _extra

# Page, title and names. The names of elementwise functions come from the operation table.
_GROUPS = {
    "creation": (
        "Creation functions",
        "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu "
        "zeros zeros_like",
    ),
    "data_types": ("Data type functions", "astype can_cast finfo iinfo isdtype result_type"),
    "elementwise": (
        "Elementwise functions",
        " ".join(sorted(row["name"] for row in _core.op_table() if not row["is_private"])),
    ),
    "indexing": ("Indexing functions", "take take_along_axis"),
    "linear_algebra": ("Linear algebra functions", "matmul matrix_transpose tensordot vecdot"),
    "manipulation": (
        "Manipulation functions",
        "broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape "
        "roll squeeze stack tile unstack",
    ),
    "sets": ("Set functions", "isin unique_all unique_counts unique_inverse unique_values"),
    "sorting": (
        "Sorting, searching and counting functions",
        "argmax argmin argsort count_nonzero nonzero searchsorted sort where",
    ),
    "statistics": (
        "Statistical functions",
        "cumulative_prod cumulative_sum max mean min prod std sum var",
    ),
    "utility": ("Utility functions", "all any diff"),
    "fusion": ("Chains in one pass", "fuse"),
    "inspection": ("Inspection", "__array_namespace_info__ show_config"),
    "devices": (
        "Devices and streams",
        "current_stream default_device devices rehearse set_default_device synchronize",
    ),
    "memory": (
        "Memory and threads",
        "memory_statistics reset_peak set_memory_limit trim get_num_threads set_num_threads",
    ),
    "interchange": ("Interchange", "as_cuda_array from_cuda_array_interface is_cuda_array"),
}
GROUPS = {page: (title, names.split()) for page, (title, names) in _GROUPS.items()}


def _title(module: ModuleType) -> str:
    return (inspect.getdoc(module) or "").splitlines()[0].rstrip(".")


def _topics() -> dict[str, dict[str, list[str]]]:
    """Return the names of functions beyond the standard, by chapter and by title of the topic."""
    chapters: dict[str, dict[str, list[str]]] = {}
    for topic in _extra.TOPICS:
        module, chapter = _extra.import_topic(topic), topic.partition(".")[0]
        chapters.setdefault(chapter, {})[_title(module)] = module.__all__
    return chapters


# A chapter is on the page with its name, after the functions of the standard, if there are any.
TOPICS = _topics()
GROUPS |= {
    chapter: (_title(getattr(_extra, chapter)), []) for chapter in TOPICS if chapter not in GROUPS
}
CLASSES = {
    "data_types": ["strict_promotion"],
    "devices": ["Device", "device", "Event", "Stream", "stream"],
    "interchange": ["cuda_array_interface_version"],
}
DTYPES = list(_core.dtype_kinds())
CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
# Public names without an entry of their own.
ELSEWHERE = {
    *DTYPES,
    *CONSTANTS,
    *(
        "Array",
        "__array_api_version__",
        "__version__",
        "exceptions",
        "fft",
        "lib",
        "linalg",
        "random",
    ),
}
SUBMODULES = {
    "linalg": "Linear algebra extension",
    "fft": "Fourier transform extension",
    "random": "Random numbers",
}


def modules() -> dict[str, ModuleType]:
    """Return the modules with public functions by the prefix of their names."""
    objects = {"": sk} | {f"{name}.": getattr(sk, name, None) for name in SUBMODULES}
    return {prefix: module for prefix, module in objects.items() if module is not None}


def has_own_example(function: object) -> bool:
    """Return whether the docstring has an example."""
    return ">>>" in (inspect.getdoc(function) or "")


def _heading(title: str, line: str = "=") -> list[str]:
    return [title, line * len(title), ""]


def _indented(text: str, prefix: str = "   ") -> list[str]:
    return [prefix + line if line else "" for line in text.splitlines()]


def _function(module: ModuleType, name: str, code: dict[str, str]) -> list[str]:
    lines = [f".. autofunction:: {name}", ""]
    if not has_own_example(getattr(module, name)):
        example = [">>> import skerry as sk", *session(code[name]).splitlines()]
        lines += ["   .. rubric:: Examples", "", *_indented("\n".join(example)), ""]
    return lines


def _page(title: str, module: ModuleType, names: list[str], classes: list[str]) -> list[str]:
    lines = [*_heading(title), f".. currentmodule:: {module.__name__}", ""]
    return lines + _entries(module, names, classes) if names or classes else lines


def _entries(module: ModuleType, names: list[str], classes: list[str]) -> list[str]:
    code = examples()
    lines = [".. autosummary::", "", *(f"   {name}" for name in [*classes, *names]), ""]
    # The methods of Generator are those of its private bases; the base of pybind11's classes has none.
    inherited = ["   :inherited-members:"] if module is not sk else []
    for name in classes:
        lines += [f".. autoclass:: {name}", "   :members:", *inherited, ""]
    for name in names:
        lines += _function(module, name, code)
    return lines


def _array_page() -> str:
    operators = [
        name
        for name in vars(sk.Array)
        if name.startswith("__") and inspect.getdoc(vars(sk.Array)[name])
    ]
    hidden = {"__doc__", "__module__", "__new__", "__hash__"}
    lines = [
        *_heading("The array"),
        ".. currentmodule:: skerry",
        "",
        ".. autoclass:: Array",
        "   :members:",
        "   :special-members: " + ", ".join(sorted(set(operators) - hidden)),
        "",
    ]
    return "\n".join(lines)


def _names_page() -> str:
    lines = [
        *_heading("Dtypes and constants"),
        "The dtypes are NumPy's scalar types, so they can be used wherever a NumPy dtype is accepted; ``x.dtype`` is a",
        "``numpy.dtype``, which compares equal to one of them.",
        "",
        *(f"* ``skerry.{name}``" for name in DTYPES),
        "",
        "``float16``, which the standard does not have, is a storage dtype: computations use ``float32``, and each",
        "result is rounded once. Sums, means and matrix products also accumulate in ``float32``. It promotes to any",
        "other floating-point dtype and, with a Python ``complex``, to ``complex64``; ``fft`` returns ``complex64``.",
        "The functions of ``linalg`` that need LAPACK reject it: convert with ``astype``.",
        "Since it is not in the standard, ``__array_namespace_info__().dtypes()`` does not list it,",
        "as in NumPy.",
        "",
        "Constants are Python's:",
        "",
        *(f"* ``skerry.{name}`` = ``{getattr(sk, name)!r}``" for name in CONSTANTS),
        "",
        f"``skerry.__array_api_version__`` is ``{sk.__array_api_version__!r}``.",
        "",
    ]
    return "\n".join(lines)


def _exceptions_page() -> str:
    lines = [*_heading("Exceptions"), ".. currentmodule:: skerry.exceptions", ""]
    for name in sk.exceptions.__all__:
        lines += [f".. autoexception:: {name}", "   :show-inheritance:", ""]
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Return the text of each page of the reference by the name of its file."""
    page_texts = {"array.rst": _array_page(), "names.rst": _names_page()}
    for file, (title, names) in GROUPS.items():
        public_names = [name for name in names if name in sk.__all__]
        lines = _page(title, sk, public_names, CLASSES.get(file, []))
        for topic, topic_names in TOPICS.get(file, {}).items():
            lines += [*_heading(topic, "-"), *_entries(sk, topic_names, [])]
        page_texts[f"{file}.rst"] = "\n".join(lines)
    for prefix, module in modules().items():
        if prefix:
            name = prefix[:-1]
            classes = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
            functions = sorted(set(module.__all__) - set(classes))
            page_texts[f"{name}.rst"] = "\n".join(
                _page(SUBMODULES[name], module, functions, classes)
            )
    page_texts["exceptions.rst"] = _exceptions_page()
    entries = [f"   {file[:-4]}" for file in page_texts]
    page_texts["index.rst"] = "\n".join(
        [*_heading("API reference"), ".. toctree::", "   :maxdepth: 1", "", *entries, ""]
    )
    return page_texts
