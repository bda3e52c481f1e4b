# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The pages of the API reference: a table for each group of names, and a page for each name.

The groups are those of the standard. The functions beyond it are grouped as in NumPy's reference.
"""

from __future__ import annotations

import inspect
from types import ModuleType

import array_members
import skerry as sk
from examples import examples, session
from skerry import _core, _extra, comm, testing

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
    "fusion": ("Fusion functions", "fuse"),
    "inspection": ("Inspection and configuration", "__array_namespace_info__ show_config"),
    "devices": (
        "Devices and streams",
        "current_stream default_device devices rehearse set_default_device synchronize",
    ),
    "memory": (
        "Memory management and threads",
        "memory_statistics memory_snapshot reset_peak set_memory_limit trim set_allocator rmm torch_allocator "
        "cupy_allocator cuda_allocator_functions get_num_threads set_num_threads",
    ),
    "interchange": (
        "Interoperability functions",
        "as_cuda_array from_cuda_array_interface is_cuda_array ipc_handle open_ipc",
    ),
}
GROUPS = {page: (title, names.split()) for page, (title, names) in _GROUPS.items()}


def _title(module: ModuleType) -> str:
    return (inspect.getdoc(module) or "").splitlines()[0].rstrip(".")


def _topics() -> dict[str, dict[str, list[str]]]:
    """Return the names of functions beyond the standard, by chapter and by title of the topic."""
    chapters: dict[str, dict[str, list[str]]] = {}
    for topic in _extra.TOPICS:
        module, chapter = _extra.import_topic(topic), topic.partition(".")[0]
        if chapter != "numpy_names":
            chapters.setdefault(chapter, {})[_title(module)] = module.__all__
    return chapters


# The topics of a chapter are on the page of the same name, after the standard's functions if that page has some.
TOPICS = _topics()
GROUPS |= {
    chapter: (_title(getattr(_extra, chapter)), []) for chapter in TOPICS if chapter not in GROUPS
}
# NumPy's other names, which have a page of their own: of functions, and of NumPy's objects.
SECOND_NAMES = _extra.import_topic("numpy_names.functions").__all__
NUMPY_OBJECTS = _extra.import_topic("numpy_names.objects").__all__
CLASSES = {
    "data_types": ["strict_promotion"],
    "devices": [
        "capture",
        "Device",
        "device",
        "Event",
        "Graph",
        "guard",
        "profile",
        "Stream",
        "stream",
    ],
    "interchange": ["cuda_array_interface_version", "IpcHandle", "ipc_pickling"],
}
DTYPES = list(_core.dtype_kinds())
CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
# Public names without an entry of their own.
ELSEWHERE = {
    *DTYPES,
    *CONSTANTS,
    *SECOND_NAMES,
    *NUMPY_OBJECTS,
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
    "linalg": "Linear algebra extension (skerry.linalg)",
    "fft": "Fourier transforms (skerry.fft)",
    "random": "Random numbers (skerry.random)",
}
# The pages of the reference, by the caption of their group in the navigation.
CAPTIONS = {
    "Arrays": "array names numpy_names data_types creation indexing manipulation input_output",
    "Devices": "devices memory comm fusion interchange inspection",
    "Mathematics": "elementwise mathematics bitwise functional utility statistics sorting sets logic",
    "Linear algebra, FFT and random numbers": "linear_algebra linalg fft random polynomials windows padding",
    "Errors and tests": "exceptions testing",
}
# File names that differ only in case are one file on some systems.
FILE_NAMES = {
    "skerry.device": "skerry.device-context",
    "skerry.stream": "skerry.stream-context",
}


def modules() -> dict[str, ModuleType]:
    """Return the modules with public functions by the prefix of their names."""
    objects = {"": sk} | {f"{name}.": getattr(sk, name, None) for name in SUBMODULES}
    return {prefix: module for prefix, module in objects.items() if module is not None}


def has_own_example(function: object) -> bool:
    """Return whether the docstring has an example."""
    return ">>>" in (inspect.getdoc(function) or "")


def example_of(name: str) -> list[str]:
    """Return the lines of the example of a function whose docstring has none."""
    code = examples().get(name)
    return [] if code is None else [">>> import skerry as sk", *session(code).splitlines()]


def _heading(title: str, line: str = "=") -> list[str]:
    if title.endswith("_"):  # such a word is a link in reStructuredText
        title = title.removesuffix("_") + r"\_"
    return [title, line * len(title), ""]


def _table(names: list[str], folder: str = "generated") -> list[str]:
    """Return a table of signatures and summaries that links to the page of each name."""
    lines = [".. autosummary::", f"   :toctree: {folder}", ""]
    return [*lines, *(f"   {name}" for name in names), ""]


def _page(title: str, module: ModuleType, names: list[str]) -> list[str]:
    lines = [*_heading(title), f".. currentmodule:: {module.__name__}", ""]
    return lines + _table(names) if names else lines


def _stub(module: ModuleType, name: str, directive: str) -> str:
    """Return the page of one function, method, attribute or exception."""
    full_name = f"{module.__name__}.{name}"
    # Titles of members and exceptions don't name the module: the navigation is narrow.
    is_short = directive in ("autoattribute", "autoexception", "automethod")
    title = name if is_short else full_name
    lines = [*_heading(title), f".. currentmodule:: {module.__name__}", ""]
    lines += [f".. {directive}:: {name}", ""]
    if directive == "autoexception":
        lines[-1:] = ["   :show-inheritance:", ""]
    if directive == "autofunction":
        lines += [f".. minigallery:: {full_name}", "   :add-heading: Examples in the gallery", ""]
    return "\n".join(lines)


def _members(kind: type) -> dict[str, list[str]]:
    """Return the public attributes and methods of a class, in the order of their definition."""
    members: dict[str, list[str]] = {"Attributes": [], "Methods": []}
    names = dict.fromkeys(name for base in kind.__mro__ for name in vars(base))
    for name in names:
        value = inspect.getattr_static(kind, name)
        if name.startswith("_") or not inspect.getdoc(value):
            continue
        is_method = callable(value) or isinstance(value, classmethod | staticmethod)
        members["Methods" if is_method else "Attributes"].append(name)
    return members


def _class_stub(module: ModuleType, name: str) -> str:
    """Return the page of a class: its docstring, its attributes, its methods."""
    lines = [*_heading(f"{module.__name__}.{name}"), f".. currentmodule:: {module.__name__}", ""]
    lines += [f".. autoclass:: {name}", ""]
    for title, names in _members(getattr(module, name)).items():
        if names:
            lines += _heading(title, "-")
            lines += _table([f"~{name}.{member}" for member in names], folder=".")
    return "\n".join(lines)


def _stubs(module: ModuleType, name: str) -> dict[str, str]:
    """Return the page of a name, and those of its members, by the name of the file."""
    target = getattr(module, name)
    full_name = f"{module.__name__}.{name}"
    file = FILE_NAMES.get(full_name, full_name)
    if not inspect.isclass(target):
        return {file: _stub(module, name, "autofunction" if callable(target) else "autodata")}
    if issubclass(target, BaseException):
        return {file: _stub(module, name, "autoexception")}
    members = _members(target)
    return {
        file: _class_stub(module, name),
        **{
            f"{full_name}.{member}": _stub(module, f"{name}.{member}", directive)
            for title, directive in (("Attributes", "autoattribute"), ("Methods", "automethod"))
            for member in members[title]
        },
    }


def _array_pages() -> dict[str, str]:
    """Return the page of the class Array, and a page for each of its members."""
    lines = [*_heading("Array"), ".. currentmodule:: skerry", "", ".. autoclass:: Array", ""]
    lines += [*array_members.INTRODUCTION.splitlines(), ""]
    stubs = {}
    for title, names in array_members.GROUPS.items():
        lines += _heading(title, "-") + _table([f"~Array.{name}" for name in names])
        for name in names:
            is_method = callable(getattr(sk.Array, name))
            directive = "automethod" if is_method else "autoattribute"
            stubs[f"generated/skerry.Array.{name}.rst"] = _stub(sk, f"Array.{name}", directive)
    lines += _heading("Operators", "-") + array_members.operator_table()
    return {"array.rst": "\n".join(lines), **stubs}


def _names_page() -> str:
    lines = [
        *_heading("Data types and constants"),
        "The dtypes are NumPy's scalar types, so that everything that takes a NumPy dtype takes them; ``x.dtype`` is a",
        "``numpy.dtype``, which is equal to one of them.",
        "",
        *(f".. py:data:: skerry.{name}" for name in DTYPES),
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
        *(f".. py:data:: skerry.{name}\n   :value: {getattr(sk, name)!r}\n" for name in CONSTANTS),
        "",
        f"``skerry.__array_api_version__`` is ``{sk.__array_api_version__!r}``.",
        "",
    ]
    return "\n".join(lines)


def _numpy_names_page() -> str:
    """Return the page of NumPy's other names of functions, and of NumPy's objects."""
    lines = [
        *_heading("NumPy's other names"),
        "Each of these functions, and the class of arrays, is the same object under another name:",
        "",
    ]
    for name in SECOND_NAMES:
        member = getattr(sk, name)
        if inspect.isclass(member):
            lines += [f".. py:class:: skerry.{name}", ""]
        else:
            lines += [f".. py:function:: skerry.{name}{inspect.signature(member)}", ""]
        lines += [f"   The same as :obj:`skerry.{member.__name__}`.", ""]
    lines += [
        "These names are NumPy's own objects: dtypes and their kinds, functions of dtypes and of Python's numbers,",
        "``s_`` and ``index_exp``, and settings. No function of skerry warns of division by zero, overflow or",
        "invalid values, so ``errstate`` has no effect on them.",
        "",
        *(f".. py:data:: skerry.{name}" for name in NUMPY_OBJECTS),
        "",
    ]
    return "\n".join(lines)


def _index_page(names_of: dict[str, list[tuple[str, str]]], titles: dict[str, str]) -> str:
    """Return the index: every name at a glance, and the navigation by groups."""
    lines = [
        *_heading("API reference"),
        "The names and signatures are those of the `Python array API standard 2025.12",
        "<https://data-apis.org/array-api/2025.12/>`_; functions beyond it have those of NumPy. Every function runs on",
        "the device of its arguments.",
        "",
    ]
    for caption, pages_of_group in CAPTIONS.items():
        files = pages_of_group.split()
        lines += [*_heading(caption, "-"), ".. toctree::", "   :hidden:", f"   :caption: {caption}"]
        lines += ["", *(f"   {file}" for file in files), ""]
        for file in files:
            links = [f":obj:`{text} <{target}>`" for target, text in names_of[file]]
            lines += [f":doc:`{titles[file]} <{file}>`", *_indented(",\n".join(links)), ""]
    return "\n".join(lines)


def _indented(text: str, prefix: str = "   ") -> list[str]:
    return [prefix + line if line else "" for line in text.splitlines()]


def _group_pages() -> dict[str, tuple[str, list[str], list[tuple[ModuleType, str]]]]:
    """Return title, text and names of each page with tables of functions and classes."""
    page_of = {}
    for file, (title, standard_names) in GROUPS.items():
        names = [*CLASSES.get(file, []), *(name for name in standard_names if name in sk.__all__)]
        lines = _page(title, sk, names)
        for topic, topic_names in TOPICS.get(file, {}).items():
            lines += _heading(topic, "-") + _table(topic_names)
            names = [*names, *topic_names]
        page_of[file] = (title, lines, [(sk, name) for name in names])
    submodules = {name: (getattr(sk, name), title) for name, title in SUBMODULES.items()}
    submodules["comm"] = (comm, "Collective operations (skerry.comm)")
    submodules["testing"] = (testing, "Testing (skerry.testing)")
    submodules["exceptions"] = (sk.exceptions, "Exceptions (skerry.exceptions)")
    for file, (module, title) in submodules.items():
        names = sorted(module.__all__, key=lambda name: (name[0].islower(), name))
        page_of[file] = (title, _page(title, module, names), [(module, name) for name in names])
    return page_of


def pages() -> dict[str, str]:
    """Return the text of each page of the reference by the name of its file."""
    page_texts = {
        **_array_pages(),
        "names.rst": _names_page(),
        "numpy_names.rst": _numpy_names_page(),
    }
    titles = {
        "array": "Array",
        "names": "Data types and constants",
        "numpy_names": "NumPy's other names",
    }
    members = [name for group in list(array_members.GROUPS.values())[:-1] for name in group]
    names_of = {
        "array": [(f"skerry.Array.{name}", name) for name in members],
        "names": [(f"skerry.{name}", name) for name in [*DTYPES, *CONSTANTS]],
        "numpy_names": [(f"skerry.{name}", name) for name in [*SECOND_NAMES, *NUMPY_OBJECTS]],
    }
    for file, (title, lines, names) in _group_pages().items():
        page_texts[f"{file}.rst"] = "\n".join(lines)
        titles[file] = title
        names_of[file] = [(f"{module.__name__}.{name}", name) for module, name in names]
        for module, name in names:
            stubs = _stubs(module, name)
            page_texts |= {f"generated/{stub}.rst": text for stub, text in stubs.items()}
    page_texts["index.rst"] = _index_page(names_of, titles)
    return page_texts
