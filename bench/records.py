# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Records of measurements as JSON lines: a header, then one row per line.

The header describes the measurement and the machine. ``results/`` has the latest record of each machine, by its name.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

RESULTS = pathlib.Path(__file__).resolve().parent / "results"


def result_of(machine: str) -> pathlib.Path:
    """Returns the path of the record of a machine."""
    return RESULTS / (re.sub(r"[^a-z0-9]+", "-", machine.lower()).strip("-") + ".jsonl")


def write(path: pathlib.Path, head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes a record, replacing an existing one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *rows)))


def read(path: pathlib.Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns the header and the rows."""
    head, *rows = map(json.loads, path.read_text().splitlines())
    return head, rows
