# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Records of measurements: lines of JSON, of which the first is the head, and each other a row.

The head says what was measured, and on what. ``results/`` has a record for each machine, by its name: the newest.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

RESULTS = pathlib.Path(__file__).resolve().parent / "results"


def result_of(machine: str) -> pathlib.Path:
    """Where the record of a machine is."""
    return RESULTS / (re.sub(r"[^a-z0-9]+", "-", machine.lower()).strip("-") + ".jsonl")


def write(path: pathlib.Path, head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """In the place of what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *rows)))


def read(path: pathlib.Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head and the rows."""
    head, *rows = map(json.loads, path.read_text().splitlines())
    return head, rows
