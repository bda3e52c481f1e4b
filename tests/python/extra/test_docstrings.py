# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Docstrings of functions beyond the standard are composed from parts: no placeholder is left, no parameter missing."""

import collections
import inspect
import pathlib
import re

import pytest
import skerry as sk
from skerry import _extra
from skerry._extra._docstrings import ENTRIES, PLACEHOLDER, composed

from tests.python.extra.extra_calls import own_callables


@pytest.mark.parametrize("name", own_callables())
def test_every_parameter_is_described(name):
    """Ruff checks this (D417) only for docstrings that are not composed."""
    function = getattr(sk, name)
    parameters = list(inspect.signature(function).parameters)
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", inspect.getdoc(function), re.M | re.S)
    heads = [
        line.partition(" : ")[0] for line in section[1].split("\n") if not line.startswith(" ")
    ]
    described = [word.strip("* ") for head in heads for word in head.split(",")]
    assert sorted(described) == sorted(parameters)


@pytest.mark.parametrize("name", own_callables())
def test_all_is_written_out(name):
    assert not PLACEHOLDER.search(inspect.getdoc(getattr(sk, name)))


def test_what_fewer_than_three_docstrings_say_stands_in_them():
    folder = pathlib.Path(_extra.__file__).parent
    modules = folder.glob("*/*.py")
    counts = collections.Counter(
        name for path in modules for *_, name in PLACEHOLDER.findall(path.read_text())
    )
    assert set(counts) == set(ENTRIES)
    assert min(counts.values()) >= 3


def test_composed_entries_are_indented():
    assert (
        composed("    a, b : {real}\n")
        == "    a, b : Array\n        Input array of a real dtype.\n"
    )
    assert composed("{Returns: bool}") == "Returns\n-------\nArray\n    Array of dtype bool."
    assert composed('    mode : {"a", "b"}\n') == '    mode : {"a", "b"}\n'
    assert composed(None) is None  # python -OO
    with pytest.raises(KeyError, match="unreal"):
        composed("a : {unreal}")
