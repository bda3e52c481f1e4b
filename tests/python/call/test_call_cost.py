# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""No call takes noticeably more instructions than bench/call_instructions.json records, on a CPU or a rehearsed device."""

import pytest

from bench import call_instructions


@pytest.mark.slow
@pytest.mark.not_guarded("allocations take system calls")
def test_calls_take_no_more_instructions_than_recorded():
    if why := call_instructions.refusal():
        pytest.skip(why)
    counted = call_instructions.count()
    # A count near zero would mean that counting failed.
    assert all(n > 300 for n in counted.values()), counted
    # An addition on a rehearsed device, including the simulation; on a GPU the launch takes its place.
    assert counted["cuda:0 a + b"] < 3500
    assert not call_instructions.excess(counted), (
        "if this is justified: python -m bench.call_instructions --record"
    )
