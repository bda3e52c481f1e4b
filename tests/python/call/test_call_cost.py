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
    # A call that took nothing would mean that nothing was counted.
    assert all(n > 300 for n in counted.values()), counted
    # An addition on a rehearsed device, with all that rehearsal does: a GPU's launch takes the place of the latter.
    assert counted["cuda:0 a + b"] < 3500
    assert not call_instructions.excess(counted), (
        "if that has its reason: python -m bench.call_instructions --record"
    )
