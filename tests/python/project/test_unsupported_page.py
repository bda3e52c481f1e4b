# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The page of unsupported functions lists exactly those that NumPy has and skerry lacks."""

import pathlib
import re

import numpy as np
import pytest
import skerry as sk

PAGE = pathlib.Path(__file__).parents[3] / "python" / "docs" / "unsupported.rst"
ENTRY = re.compile(r"^\* (``.+?``): (.+)$", re.MULTILINE)
PAIRS = {"": (np, sk), "linalg.": (np.linalg, sk.linalg), "fft.": (np.fft, sk.fft)}
# The names of NumPy's longest floats depend on the platform.
BY_PLATFORM = {"float96", "float128", "complex192", "complex256"}


def named():
    entries = ENTRY.findall(PAGE.read_text())
    assert len(entries) == PAGE.read_text().count("\n* "), "an entry has another format"
    return [name for names, _ in entries for name in re.findall(r"``(.+?)``", names)]


def missing():
    """Yield NumPy's public callables that skerry lacks, as named on the page."""
    for prefix, (theirs, ours) in PAIRS.items():
        for name in theirs.__all__:
            public = callable(getattr(theirs, name))
            if public and name not in ours.__all__ and not (prefix == "" and hasattr(sk, name)):
                yield prefix + name


def test_page_lists_each_function_once():
    assert len(named()) == len(set(named()))


def test_page_lists_exactly_the_missing_functions():
    if not np.__version__.startswith("2.4"):
        pytest.skip("the page lists NumPy 2.4's names")
    listed, missing_names = set(named()) - BY_PLATFORM, set(missing()) - BY_PLATFORM
    assert not missing_names - listed, "missing in skerry and on the page: add the replacement"
    assert not listed - missing_names, "on the page, but skerry has them: remove them"
