# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls on CPU and rehearsed devices take about as many instructions as bench/call_instructions.json records, or fewer."""

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
    # An addition on a rehearsed device. The count includes the simulation, in place of a launch on a GPU.
    assert counted["cuda:0 a + b"] < 3500
    assert not call_instructions.excess(counted), (
        "if this is justified: python -m bench.call_instructions --record"
    )
