# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The part "runtime" of ``make gpu-check``, with few calls; on a rehearsed device where there is no GPU."""

import sys

import numpy as np
import pytest
import skerry as sk
from skerry import exceptions

from bench import records
from bench.gpu import exchange, runtime, runtime_rows
from tests.python.reduced_builds import MISSING
from tests.python.session import EMULATED, HAS_GPU

NO_IPC = "the tests use a GPU as two logical devices, which have one UUID"
VARIANTS = {
    "calls": {
        runtime_rows.ADD: ["plain", "guard", "guard, an entry", "profile"],
        runtime_rows.PUT: ["plain", "guard, an entry", "profile"],
    },
    "graphs": {
        runtime_rows.LOOP_HOST: ["eager", "graph", "graph, 2 arguments"],
        runtime_rows.LOOP_TOTAL: ["eager", "graph", "graph, 2 arguments"],
    },
    "random_numbers": {
        runtime_rows.DRAWS_HOST: ["eager", "graph"],
        runtime_rows.DRAWS_TOTAL: ["eager", "graph"],
    },
    "ipc": {
        "16 MiB to another process": ["by values", "by a handle"],
        "call of IPC, 16 MiB": ["ipc_handle, a copy", "ipc_handle, no copy", "open_ipc"],
    },
    "allocators": {
        "empty, 1 KiB": ["skerry's pool", "pair of functions"],
        "empty, 64 MiB": ["skerry's pool", "pair of functions"],
    },
    "snapshots": {
        "empty, 1 KiB, trace of memory": ["off", "on"],
        "memory_snapshot, 1000 blocks": ["snapshot"],
    },
}
pytestmark = pytest.mark.skipif(bool(MISSING), reason="built without some dtypes of the rows")


def run(monkeypatch, tmp_path, *arguments):
    """Run the module with few calls; return the exit status, the header and the rows."""
    out = tmp_path / "runtime.jsonl"
    monkeypatch.setattr(sys, "argv", ["runtime", "--calls", "3", "--out", str(out), *arguments])
    return runtime.main(), *records.read(out)


def test_every_subject_is_tested():
    assert list(runtime.SUBJECTS) == list(VARIANTS)


@pytest.mark.slow
@pytest.mark.parametrize("subject", runtime.SUBJECTS)
def test_every_row_runs_and_has_the_right_values(subject, monkeypatch, tmp_path):
    if subject == "ipc" and HAS_GPU and not EMULATED:
        pytest.skip(NO_IPC)
    status, head, rows = run(monkeypatch, tmp_path, "--only", subject)
    assert [row["check"] for row in rows if row["check"]] == []
    assert status == 0, head["notes"]
    variants = {}
    for row in rows:
        assert row["value"] > 0
        assert row["unit"] in ("us", "ms")
        variants.setdefault(row["case"], []).append(row["variant"])
    for case, names in VARIANTS[subject].items():
        assert variants[case][: len(names)] == names
        assert case in head["table"]
    assert "not measured" in head["table"] or subject in ("calls", "graphs")


def test_wrong_values_and_wrong_counts_fail(monkeypatch, tmp_path):
    capture = sk.capture
    monkeypatch.setattr(sk, "capture", lambda step, *args: capture(lambda *a: step(*a) + 1, *args))
    status, head, rows = run(monkeypatch, tmp_path, "--only", "graphs")
    assert status == 1
    assert {row["variant"] for row in rows if "values differ" in row["check"]} == {
        "graph",
        "graph, 2 arguments",
    }
    assert "! values differ" in head["table"]
    assert runtime_rows.wrong_count("records", 2, 3) == "2 records, not 3"


def test_a_failed_subject_is_noted_and_the_others_run(monkeypatch, tmp_path):
    def fail(measured):
        raise ValueError("no such thing")

    monkeypatch.setitem(runtime.SUBJECTS, "allocators", fail)
    status, head, rows = run(monkeypatch, tmp_path, "--only", "allocators,graphs")
    assert status == 1
    assert "allocators failed: ValueError: no such thing" in head["notes"]
    assert {row["case"] for row in rows} == {runtime_rows.LOOP_HOST, runtime_rows.LOOP_TOTAL}


def test_memory_that_no_other_process_can_open_is_noted(monkeypatch, tmp_path):
    def reject(x):
        raise exceptions.DeviceError("operation not supported")

    monkeypatch.setattr(sk, "ipc_handle", reject)
    status, head, rows = run(monkeypatch, tmp_path, "--only", "ipc")
    assert (status, rows) == (0, [])
    assert head["notes"] == [
        "memory shared with another process: DeviceError: operation not supported"
    ]


def test_an_error_of_the_other_process_is_raised():
    answer = exchange.answer(np.asarray(["text"]))
    assert answer.error
    assert exchange.answer(np.asarray([1, 2], np.int32)).total == 3
