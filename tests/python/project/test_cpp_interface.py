# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The C++ interface of skerry: `installed_headers.csv`, and the page "C++" that shows it.

The C++ test `consumer` installs these headers only, and checks that each compiles by itself and that the page's program
runs.
"""

import collections
import csv
import re

import pytest

from tests.python.project.test_layers import ROOT, includes

with (ROOT / "python/docs/installed_headers.csv").open(newline="") as file:
    ROWS = list(csv.DictReader(file))
INSTALLED = [row["Header"] for row in ROWS]
PUBLIC = [row["Header"] for row in ROWS if row["Kind"] == "public"]
PAGE = (ROOT / "python" / "docs" / "cpp.rst").read_text()
CONSUMER = ROOT / "tests" / "consumer"
NAME = re.compile(r"``([A-Za-z_]\w*)(?:\([^`]*\))?``")


def headers_included_by(header):
    return {name for name in includes(ROOT / header) if name.endswith(".hpp")}


def test_rows_are_in_order_and_of_two_kinds():
    kinds = [row["Kind"] for row in ROWS]
    assert set(kinds) == {"public", "included"}
    assert kinds == sorted(kinds, reverse=True)
    assert sorted(PUBLIC) == PUBLIC
    assert [header for header, n in collections.Counter(INSTALLED).items() if n > 1] == []


@pytest.mark.parametrize("header", INSTALLED)
def test_an_installed_header_includes_installed_ones_only(header):
    assert headers_included_by(header) - set(INSTALLED) == set()


def test_headers_that_are_not_public_are_included_by_public_ones():
    reached = set(PUBLIC)
    left = list(PUBLIC)
    while left:
        more = headers_included_by(left.pop()) - reached
        reached |= more
        left += more
    assert set(INSTALLED) - reached == set()


@pytest.mark.parametrize("row", ROWS, ids=INSTALLED)
def test_headers_declare_the_names_of_their_rows(row):
    text = (ROOT / row["Header"]).read_text()
    names = NAME.findall(row["Contents"])
    assert names or row["Kind"] == "included"
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_the_program_includes_public_headers_only():
    used = [name.removeprefix("skerry/") for name in includes(CONSUMER / "main.cpp") if "/" in name]
    assert used
    assert set(used) <= set(PUBLIC)


def test_the_page_shows_the_program_and_the_list():
    shown = re.findall(r"^\.\. literalinclude:: consumer/(.+)$", PAGE, re.MULTILINE)
    assert sorted(shown) == ["CMakeLists.txt", "main.cpp"]
    assert all((CONSUMER / name).exists() for name in shown)
    assert "   :file: installed_headers.csv\n" in PAGE


def test_names_on_the_page_are_in_installed_headers():
    text = "\n".join((ROOT / header).read_text() for header in INSTALLED)
    names = {name for name in NAME.findall(PAGE) if not name.startswith("SKERRY_")}
    assert len(names) > 20
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", text)] == []
