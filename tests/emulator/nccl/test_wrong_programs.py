# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Wrong programs end, and a report names the mistake by rank, call and line."""

import os
import subprocess
import sys
import time

import pytest

from tests.emulator.users_kernels.test_users_kernels import ROOT
from tests.python.libraries import installed

SUM = "ncclAllReduce(count 8, float32, sum) at wrong_programs.py:"
NOT_REACHED = "which its stream has not reached"
REPORTS = {
    "counts_differ": [f"rank 0: {SUM}", "rank 1: ncclAllReduce(count 9, float32, sum) at wrong"],
    "dtypes_differ": ["float32, sum) at", "rank 2: ncclAllReduce(count 8, float64, sum) at"],
    "operations_differ": [f"rank 0: {SUM}", "rank 1: ncclAllReduce(count 8, float32, max) at"],
    "roots_differ": ["root 0) at", "root 1) at"],
    "order_differs": [f"rank 0: {SUM}", "rank 1: ncclBroadcast(count 8, float32, root 0) at"],
    "a_rank_skips_a_call": ["call number 2", f"rank 1: {SUM}", "collective call number 1, done"],
    "a_rank_raises": ["a mistake of the user's", "rank 1 has made no collective call here"],
    "a_rank_leaves": ["rank 1 has left the communicator"],
    "calls_are_not_grouped": ["one thread calls for several ranks outside of a group"],
    "both_receive_first": ["a transfer does not end", "ncclSend(count 8, float32, to rank", NOT_REACHED, "in which it waits"],
    "send_and_receive_differ": ["a send and its receive differ", "ncclSend(count 8, float32, to rank 1)", "ncclRecv(count 9, float32, from rank 0)"],
    "communicators_in_another_order": [f"{NOT_REACHED}: the stream waits in rank"],
    "a_rank_never_joins": ["rank 1 has not called ncclCommInitRank"],
    "one_device_twice": ["duplicate GPU"],
    "a_buffer_is_too_short": ["an operand of 20000 bytes is not within accessible memory"],
    "a_buffer_is_freed": ["an operand of 32 bytes is not within accessible memory"],
    "a_buffer_is_uninitialized": ["ncclAllReduce(count 8, float32, sum)", "reads uninitialized memory"],
    "the_stream_is_of_another_device": ["the stream is device 0's, the communicator device 1's"],
    "an_input_is_written_on_another_stream": ["race between streams: ", "cuMemset", "ncclAllReduce(count 64, float32, sum)"],
    "a_result_is_written_on_another_stream": ["race between streams: ", "cuMemset", "ncclAllReduce(count 64, float32, sum)"],
    "a_graph_is_not_replayed": ["float32, sum, captured call 1) at wrong_programs.py:", "rank 1 has made no collective call here", "when their graphs are launched: 1"],
    "a_group_has_no_end": ["ncclGroupStart at wrong_programs.py:", "has no ncclGroupEnd: 2 calls never run"],
    "a_group_of_a_thread_has_no_end": ["has no ncclGroupEnd: 1 calls never run", "deadlock: ", f"rank 1: {SUM}", NOT_REACHED],
    "counts_differ_between_processes": [f"rank 0: {SUM}", "rank 1: ncclAllReduce(count 9, float32, sum) at wrong"],
    "both_processes_receive_first": ["a transfer does not end", "deadlock: ", "ncclSend(count 8, float32, to rank", NOT_REACHED],
    "communicators_of_processes_in_another_order": ["deadlock: ", f"rank 0: {SUM}", NOT_REACHED],
    "a_process_exits": ["of rank 1 has ended"],
    "a_process_is_killed": ["of rank 1 has ended"],
}  # fmt: skip
# Any process may have the id of a communicator, and join later: that none does, only the time limit can tell. Until then
# the call prints what it waits for.
LIMITS = {"a_rank_never_joins": "3"}
NAMED_SECONDS = 2
CHECKS = {"an_input": "RACECHECK", "a_result": "RACECHECK", "a_buffer_is_un": "INITCHECK"}
PROGRAM = """
from tests.emulator.nccl import wrong_programs
print("begin", flush=True)
try:
    wrong_programs.PROGRAMS[{name!r}]()
except Exception as error:
    print(error)
"""


@pytest.mark.parametrize("name", REPORTS)
def test_a_wrong_program_is_reported(name):
    """Within two seconds of its begin, or of that of its last process, with the time limit that users have."""
    installed("nccl.core")
    variables = {
        f"SKERRY_EMULATE_{check}": "1"
        for prefix, check in CHECKS.items()
        if name.startswith(prefix)
    }
    if name in LIMITS:
        variables["SKERRY_NCCL_TIMEOUT"] = LIMITS[name]
    with subprocess.Popen(
        [sys.executable, "-u", "-c", PROGRAM.format(name=name)],
        cwd=ROOT, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as program:  # fmt: skip
        text, begin, named = "", 0.0, None
        for line in program.stdout:
            text += line
            if line.startswith("begin"):
                begin = time.monotonic()
            elif named is None and all(part in text for part in REPORTS[name]):
                named = time.monotonic()
    assert named is not None, text
    assert named - begin < NAMED_SECONDS, text
    assert ("no rank has made progress for 3 seconds" in text) == (name in LIMITS), text
