# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""ops/FAST_PATHS.md: each current path names its file, its gain and a test, and all of these exist."""

import functools
import re

from tests.python.project.test_layers import ROOT

PAGE = ROOT / "ops" / "FAST_PATHS.md"
HEAD = "| path | file | condition | gain, on which rows | test |"
QUOTED = re.compile(r"`([^`]+)`")
#: Minimum speedup of a path, on rows of two functions.
LEAST_GAIN = 1.2


def kept_rows():
    """Return the cells of the tables of current paths, without those of removed paths."""
    rows, is_kept = [], False
    for line in PAGE.read_text().splitlines():
        if not line.startswith("|"):
            is_kept = False
        elif line == HEAD:
            is_kept = True
        elif is_kept and not line.startswith("| ---"):
            rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


@functools.cache
def text_of(name):
    """Return the text of all sources under ops and tests whose path ends with the name."""
    paths = [
        path
        for folder in ("ops", "tests/python")
        for path in (ROOT / folder).rglob(name.split("/")[-1])
    ]
    return "\n".join(path.read_text() for path in paths if f"/{path}".endswith(f"/{name}"))


@functools.cache
def names_of_tests():
    text = "\n".join(path.read_text() for path in (ROOT / "tests" / "python").rglob("test_*.py"))
    return set(re.findall(r"^ *def (test_\w+)", text, re.MULTILINE))


def test_each_row_has_five_cells():
    rows = kept_rows()
    assert len(rows) > 15
    assert [row for row in rows if len(row) != 5 or not all(row)] == []


def test_each_file_and_name_exists():
    for path, files, *_ in kept_rows():
        names = QUOTED.findall(files)
        assert names, path
        for name in names:
            if "." in name:
                text = text_of(name)
                assert text, f"{path}: no file {name}"
            else:
                assert re.search(rf"\b{re.escape(name.split('<')[0])}\b", text), (
                    f"{path}: no {name} in the file before it"
                )


def test_each_path_gains():
    for path, _, _, gain, _ in kept_rows():
        gains = [float(number) for number in re.findall(r"(?<![\d^.])\d+(?:\.\d+)?(?![\d.])", gain)]
        # Otherwise the row must state another reason to keep it.
        assert any(number >= LEAST_GAIN for number in gains) or "Stays: " in gain, f"{path}: {gain}"


def test_each_path_has_a_test():
    for path, *_, tests in kept_rows():
        names = QUOTED.findall(tests)
        assert names or tests.startswith("the same"), path
        for name in names:
            if not name.endswith(".py") and not name.startswith("test_"):
                continue  # an option
            is_there = text_of(name) if name.endswith(".py") else name in names_of_tests()
            assert is_there, f"{path}: no test {name}"
