# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The types and links that pages of functions show beside those of their docstrings."""

import inspect
import re
import sys

import pytest
import skerry as sk

from tests.python.project.test_docs import DOCS, FUNCTIONS

sys.path.insert(0, str(DOCS))
import array_members
import parameter_types

sys.path.remove(str(DOCS))


@pytest.mark.parametrize(
    ("annotation", "default", "text"),
    [
        ("Array", inspect.Parameter.empty, "Array"),
        ("int | tuple[int, ...] | None", None, "int or tuple of ints, optional"),
        ("Axis", None, "int or tuple of ints, optional"),
        ("DeviceLike | None", None, "Device or str, optional"),
        ("float | None", inspect.Parameter.empty, "float or None"),
        ('Literal["left", "right"]', "left", "{'left', 'right'}"),
        ("Sequence[Array]", inspect.Parameter.empty, "sequence of Arrays"),
        ("Callable[..., Any]", inspect.Parameter.empty, "callable"),
    ],
)
def test_annotations_read_as_in_a_docstring(annotation, default, text):
    assert parameter_types.words(annotation, default) == text


def completed(name, target):
    lines = inspect.getdoc(target).splitlines()
    parameter_types.link_names(name, target, lines)
    parameter_types.complete_types(name, target, lines)
    return "\n".join(lines)


def test_a_function_in_cpp_has_the_types_of_the_stub():
    text = completed("skerry.full_like", sk.full_like)
    assert "\nfill_value : Array or Python scalar\ndtype : dtype, optional\n" in text
    assert "Returns\n-------\nArray" in text


def test_a_method_has_the_descriptions_of_its_function():
    text = completed("skerry.Array.sum", sk.Array.sum)
    assert "Same as the function :obj:`skerry.sum <skerry.sum>`" in text
    assert "axis : int or tuple of ints, optional\n    The axes to reduce over" in text
    assert "out : Array, optional\n    Of the shape and device" in text


def test_a_reference_to_another_function_is_followed():
    text = completed("skerry.nanmean", sk.nanmean)
    assert "a : Array\n    See :obj:`nansum <skerry.nansum>`." in text
    assert "keepdims : bool, default False\n    See :obj:`nansum" in text


def test_examples_and_parameters_are_not_linked():
    text = completed("skerry.percentile", sk.percentile)
    assert "If ``q`` is outside" in text
    assert ">>> sk.percentile(sk.asarray([1.0, 2.0, 3.0, 4.0]), 50)" in text


METHODS = {
    f"Array.{name}": getattr(sk.Array, name)
    for names in array_members.GROUPS.values()
    for name in names
    if callable(getattr(sk.Array, name)) and name != "__delitem__"  # which always raises
}


@pytest.mark.parametrize("name", sorted({**FUNCTIONS, **METHODS}))
def test_every_parameter_of_a_page_has_a_type(name):
    function = {**FUNCTIONS, **METHODS}[name]
    text = completed(f"skerry.{name}", function)
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", text, re.MULTILINE | re.DOTALL
    )
    entries = re.findall(r"^(\S[^:\n]*?) : .", section[1] if section else "", re.MULTILINE)
    typed = {part.strip().lstrip("*") for entry in entries for part in entry.split(",")}
    assert set(inspect.signature(function).parameters) - {"self"} <= typed
