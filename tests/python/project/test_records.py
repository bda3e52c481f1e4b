# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Records of measurements: a head and rows, one per line, and only the newest record of each machine."""

import json

import pytest

from bench import records

PATHS = sorted(records.RESULTS.glob("*.jsonl"))


def test_written_records_are_read_back(tmp_path):
    path = tmp_path / "new" / "record.jsonl"
    head, rows = {"machine": {"gpu": "a\nb"}}, [{"case": "é", "value": 0.1}, {"case": "b"}]
    records.write(path, head, iter(rows))
    assert records.read(path) == (head, rows)
    assert len(path.read_text().splitlines()) == 3
    records.write(path, head, [])
    assert records.read(path) == (head, [])


def test_a_machine_has_one_record():
    assert records.result_of("NVIDIA H100 80GB HBM3").name == "nvidia-h100-80gb-hbm3.jsonl"
    machines = [records.read(path)[0].get("machine", {}) for path in PATHS]
    names = [about.get("gpu") or f"cpu {about['processor']}" for about in machines if about]
    assert len(names) >= 3
    assert {records.result_of(name) for name in names} <= set(PATHS)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_rows_of_a_record_have_the_same_fields(path):
    head, rows = records.read(path)
    assert head
    assert rows
    assert all(row.keys() == rows[0].keys() for row in rows)


def test_results_are_short_enough_to_be_read():
    files = [path for path in records.RESULTS.iterdir() if path.is_file()]
    assert {path.suffix for path in files} == {".jsonl", ".md"}
    assert sum(len(path.read_text().splitlines()) for path in files) <= 1500
    for path in PATHS:
        assert all(json.loads(line) for line in path.read_text().splitlines())
