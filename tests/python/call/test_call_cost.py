# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""No call takes noticeably more instructions than bench/call_instructions.json records, on a CPU or a rehearsed device."""

import importlib.util
import pathlib

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[3] / "bench" / "call_instructions.py"


@pytest.mark.not_guarded("allocations take system calls")
def test_calls_take_no_more_instructions_than_recorded():
    spec = importlib.util.spec_from_file_location("call_instructions", BENCH)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    if why := bench.refusal():
        pytest.skip(why)
    counted = bench.count()
    # A call that took nothing would mean that nothing was counted.
    assert all(n > 300 for n in counted.values()), counted
    # An addition on a rehearsed device, with all that rehearsal does: a GPU's launch takes the place of the latter.
    assert counted["cuda:0 a + b"] < 3500
    assert not bench.excess(counted), (
        "if that has its reason: python bench/call_instructions.py --record"
    )
