# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Conditions of which `make paths` excuses one way are lines of their files still."""

import csv
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[3]
with (ROOT / "tests" / "paths" / "untaken.csv").open() as file:
    EXCUSED = list(csv.DictReader(file))


@pytest.mark.parametrize("row", EXCUSED, ids=lambda row: row["file"])
def test_an_excused_condition_stands_in_its_file(row):
    lines = [line.strip() for line in (ROOT / row["file"]).read_text().splitlines()]
    assert row["condition"] in [*lines, "*"]
    assert row["reason"]
