# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The page of what NumPy has and skerry has not names exactly that."""

import pathlib
import re

import numpy as np
import pytest
import skerry as sk

PAGE = pathlib.Path(__file__).parents[3] / "python" / "docs" / "unsupported.rst"
ENTRY = re.compile(r"^\* (``.+?``): (.+)$", re.MULTILINE)
PAIRS = {"": (np, sk), "linalg.": (np.linalg, sk.linalg), "fft.": (np.fft, sk.fft)}
# NumPy's longest floats have other names elsewhere.
BY_PLATFORM = {"float96", "float128", "complex192", "complex256"}


def named():
    entries = ENTRY.findall(PAGE.read_text())
    assert len(entries) == PAGE.read_text().count("\n* "), "an entry is not written as the others"
    return [name for names, _ in entries for name in re.findall(r"``(.+?)``", names)]


def missing():
    """Public callables of NumPy that skerry has under no such name, and how each is named on the page."""
    for prefix, (theirs, ours) in PAIRS.items():
        for name in theirs.__all__:
            public = callable(getattr(theirs, name))
            if public and name not in ours.__all__ and not (prefix == "" and hasattr(sk, name)):
                yield prefix + name


def test_page_names_each_once():
    assert len(named()) == len(set(named()))


def test_page_names_what_is_missing_and_nothing_else():
    if not np.__version__.startswith("2.4"):
        pytest.skip("the page is of NumPy 2.4's names")
    listed, missing_names = set(named()) - BY_PLATFORM, set(missing()) - BY_PLATFORM
    assert not missing_names - listed, "missing in skerry and on the page: add what to use instead"
    assert not listed - missing_names, "on the page, but skerry has them: leave them out there"
