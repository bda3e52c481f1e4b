# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Conditions that `make paths` excuses still exist in their files."""

import csv
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[3]
with (ROOT / "tests" / "paths" / "untaken.csv").open() as file:
    EXCUSED = list(csv.DictReader(file))


@pytest.mark.parametrize("row", EXCUSED, ids=lambda row: row["file"])
def test_excused_conditions_exist_in_their_files(row):
    lines = [line.strip() for line in (ROOT / row["file"]).read_text().splitlines()]
    assert row["condition"] in [*lines, "*"]
    assert row["reason"]
