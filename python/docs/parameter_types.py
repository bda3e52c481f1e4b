# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Types and links in docstrings, on the pages of the reference.

A parameter or a result that its docstring lists without a type, or not at all, gets the type of its annotation, which
is in the stubs for what is written in C++. A method takes descriptions of its parameters from the function of the same
name. Names of public functions in double backticks become links.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import skerry as sk

STUBS = pathlib.Path(__file__).resolve().parents[1] / "skerry" / "_core"
_AXES = "int or tuple of ints"
#: How a type reads in a list of parameters, where its name alone does not say it.
WORDS = {
    "Any": "object",
    "Axis": _AXES,
    "Casting": "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}",
    "CudaSync": "bool or 'device'",
    "DeviceLike": "Device or str",
    "Dtype": "dtype",
    "DtypeLike": "dtype",
    "FftNorm": "{'backward', 'ortho', 'forward'}",
    "Index": "int, slice, ellipsis, Array, None or tuple of these",
    "Mask": "Array or bool",
    "Operand": "Array or Python scalar",
    "Order": "{'C', 'F', 'A', 'K'}",
    "Parts": "int or sequence of ints",
    "Scalar": "Python scalar",
    "Self": "Array",
    "Shape": _AXES,
    "Size": _AXES,
    "StreamLike": "Stream, int or object with __cuda_stream__",
}
#: Types whose alternatives include None without saying so.
_OPTIONAL = {"Axis", "DtypeLike"}
#: Parameters of methods, or of one method, that the functions of the same names do not have.
_OF_METHODS = {
    "args": "An index in C order, or one index for each axis.",
    "casting": "Raise TypeError for a cast that this rule of NumPy does not allow.",
    "decimals": "The number of decimals; negative for positions before the point.",
    "dtype": "The dtype of the result. ``mean``, ``var`` and ``std`` cast the elements first.",
    "key": "An index, or a tuple of indices.",
    "order": "'C': the last axis varies fastest; 'F': the first. 'A' and 'K' follow the memory, as in NumPy.",
    "other": "The right operand.",
    "subok": "Has no effect: arrays have no subclasses.",
    "v": "The values to insert.",
    "value": "On the device of the array.",
    "astype.order": "The memory order of the result: 'C', 'F', 'A' or 'K', which keeps the array's.",
    "view.dtype": "The dtype that the bytes are read as.",
    "__contains__.key": "Compared with every element; the result is read from the device.",
}
_PLURALS = {"Any": "objects", "Array": "Arrays", "int": "ints", "float": "floats", "str": "strings"}


@dataclasses.dataclass
class Entry:
    """One parameter of a docstring, or several that share a description."""

    names: list[str]
    type: str
    description: list[str]

    def lines(self) -> list[str]:
        """Return the entry as numpydoc reads it."""
        heading = ", ".join(self.names)
        return [f"{heading} : {self.type}" if self.type else heading, *self.description]


def _words_of_part(node: ast.expr) -> str:
    """Return the words for one alternative of a union."""
    if isinstance(node, ast.Subscript):
        outer = ast.unparse(node.value).rpartition(".")[2]
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if outer == "Literal":
            values = [ast.unparse(item) for item in items]
            return values[0] if len(values) == 1 else "{" + ", ".join(values) + "}"
        if outer == "Callable":
            return "callable"
        if outer in ("tuple", "list", "Sequence"):
            kinds = {ast.unparse(item) for item in items} - {"Ellipsis", "..."}
            inner = kinds.pop() if len(kinds) == 1 else "Any"
            return f"{outer.lower()} of {_PLURALS.get(inner, inner)}"
        return outer
    name = ast.unparse(node).rpartition(".")[2]
    return WORDS.get(name, name)


def words(annotation: str, default: object = inspect.Parameter.empty) -> str:
    """Return an annotation as a docstring would say it: ``int or tuple of ints, optional``."""
    parts: list[ast.expr] = []
    node: ast.expr = ast.parse(annotation, mode="eval").body
    while isinstance(node, ast.BinOp):
        parts.insert(0, node.right)
        node = node.left
    parts.insert(0, node)
    spellings = dict.fromkeys(_words_of_part(part) for part in parts)
    accepts_none = spellings.pop("None", "") is None or annotation in _OPTIONAL
    *first, last = spellings or ["None"]
    text = f"{', '.join(first)} or {last}" if first else last
    if default is None:
        return f"{text}, optional"
    return f"{text} or None" if accepts_none else text


@functools.cache
def _stubs() -> dict[str, ast.FunctionDef]:
    """Return the functions of the stubs by name: ``sum``, ``linalg.svd``, ``Array.sum``, ``Device``."""
    functions = {}
    for file, prefix in (("__init__", ""), ("_types", ""), ("fft", "fft."), ("linalg", "linalg.")):
        for node in ast.parse((STUBS / f"{file}.pyi").read_text()).body:
            if isinstance(node, ast.FunctionDef):
                functions[prefix + node.name] = node
            elif isinstance(node, ast.ClassDef):
                methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
                for method in methods:
                    functions[f"{node.name}.{method.name}"] = method
                    if method.name == "__init__":
                        functions[node.name] = method
    return functions


def annotations(name: str, target: Any) -> dict[str, str]:
    """Return the annotations of a public function, method or class by parameter; that of its result as ``return``."""
    function = target.__init__ if inspect.isclass(target) else target
    types = {
        parameter: value if isinstance(value, str) else getattr(value, "__name__", str(value))
        for parameter, value in getattr(inspect.unwrap(function), "__annotations__", {}).items()
    }
    path = name.removeprefix("skerry.")
    stub = _stubs().get(path) or _stubs().get(path.removeprefix("linalg."))
    if types or stub is None:
        return types
    arguments = stub.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    listed += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    types = {item.arg: ast.unparse(item.annotation) for item in listed if item.annotation}
    return types | ({"return": ast.unparse(stub.returns)} if stub.returns else {})


def _sections(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield title, first line and end of each section, the heading included."""
    starts = [
        i
        for i, line in enumerate(lines[:-1])
        if line.strip() and re.fullmatch("-{3,}", lines[i + 1])
    ]
    for start, end in itertools.pairwise([*starts, len(lines)]):
        yield lines[start], start, end


def _parsed(lines: list[str]) -> list[Entry]:
    """Return the entries of a section "Parameters"."""
    entries: list[Entry] = []
    for line in lines:
        if not line.strip():
            continue
        if line[0].isspace() and entries:
            entries[-1].description.append(line)
        else:
            heading, _, kind = line.partition(" : ")
            entries.append(Entry([name.strip() for name in heading.split(",")], kind, []))
    return entries


def _documented(function: Any) -> list[Entry]:
    """Return the parameters of the docstring of a function."""
    lines = (inspect.getdoc(function) or "").splitlines()
    ranges = {title: (start + 2, end) for title, start, end in _sections(lines)}
    return _parsed(lines[slice(*ranges.get("Parameters", (0, 0)))])


def _described(name: str) -> dict[str, list[str]]:
    """Return the descriptions of the parameters of the function with the name of a method."""
    prefix, _, method = name.rpartition(".")
    if prefix != "skerry.Array":
        return {}
    texts = {key.removeprefix(f"{method}."): text for key, text in _OF_METHODS.items()}
    descriptions = {parameter: [f"    {text}"] for parameter, text in texts.items()}
    for entry in _documented(getattr(sk, method, None)):
        descriptions |= dict.fromkeys(entry.names, entry.description)
    return descriptions


def _type_elsewhere(parameter: str, description: list[str]) -> str:
    """Return the type of a parameter from the docstring of the function that its description refers to."""
    match = re.match(r"\s*See (?::obj:`|``)(\w+)", " ".join(description))
    function = getattr(sk, match[1], None) if match else None
    for entry in _documented(function):
        if parameter in entry.names:
            return entry.type or _type_elsewhere(parameter, entry.description)
    return ""


def _with_types(entry: Entry, kinds: dict[str, str]) -> list[Entry]:
    """Return an entry with the types of its parameters, divided where they differ."""
    if entry.type:
        return [entry]
    divided: list[Entry] = []
    for name in entry.names:
        kind = _type_elsewhere(name, entry.description) or kinds.get(name.lstrip("*"), "")
        if divided and divided[-1].type == kind:
            divided[-1].names.append(name)
        else:
            divided.append(Entry([name], kind, entry.description))
    return divided


def complete_types(name: str, target: Any, lines: list[str]) -> None:
    """Complete the sections "Parameters" and "Returns" of a docstring by the annotations."""
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return
    spellings = annotations(name, target)
    kinds = {p.name: words(spellings[p.name], p.default) for p in parameters if p.name in spellings}
    sections = {title: (start, end) for title, start, end in _sections(lines)}
    start, end = sections.get("Parameters", (0, 0))
    entries = _parsed(lines[start + 2 : end])
    typed = [part for entry in entries for part in _with_types(entry, kinds)]
    listed = {parameter.lstrip("*") for entry in typed for parameter in entry.names}
    described = _described(name)
    for p in parameters:
        if p.name not in listed and p.name in kinds:
            stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
            typed.append(Entry([stars + p.name], kinds[p.name], described.get(p.name, [])))
    order = {p.name: i for i, p in enumerate(parameters)}
    typed.sort(key=lambda entry: order.get(entry.names[0].lstrip("*"), -1))
    added = []
    if typed:
        added += ["Parameters", "----------", *(line for entry in typed for line in entry.lines())]
    result = spellings.get("return", "None")
    is_stated = bool({"Returns", "Yields"} & set(sections))
    if not is_stated and result != "None" and not inspect.isclass(target):
        added += ["", "Returns", "-------", words(result)]
    del lines[start:end]
    first = next((first for _, first, _ in _sections(lines)), len(lines))
    lines[first:first] = ["", *added, ""] if added else []


def link_names(name: str, target: Any, lines: list[str]) -> None:
    """Make links of the names of public functions in double backticks; make code of what is in single ones."""
    try:
        excluded = set(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        excluded = set()
    path_of_class, _, last = name.rpartition(".")
    owner = getattr(sk, path_of_class.removeprefix("skerry."), None)
    excluded |= {last, *(dir(owner) if isinstance(owner, type) else ())}
    if isinstance(target, type):
        excluded |= set(sk.__all__)  # a bare name is more likely an attribute of the class

    def link(match: re.Match[str]) -> str:
        word = match[1].removesuffix("()")
        path = word.removeprefix("skerry.").split(".")
        value: Any = sk
        for part in path:
            value = getattr(value, part, None)
        is_dtype = isinstance(value, type) and path[0].islower()
        if word in excluded or not callable(value) or is_dtype:
            return match[0]
        return f":obj:`{word} <skerry.{'.'.join(path)}>`"

    in_example = False
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            line = re.sub(r"(?<![`:\w])`([^`<>]+)`(?![`_])", r"``\1``", line)
            line = re.sub(r"(?<=the function )skerry\.[\w.]*\w", r"``\g<0>``", line)
            lines[i] = re.sub(r"(?<!`)``(\w[\w.]*(?:\(\))?)``(?!`)", link, line)
