# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Wrong programs end, and a report names the mistake by rank, call and line."""

import subprocess
import sys
import time

import pytest

from tests.emulator.users_kernels.test_users_kernels import ROOT, child
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
    "counts_differ_between_processes": [f"rank 0: {SUM}", "rank 1: ncclAllReduce(count 9, float32, sum) at wrong"],
    "a_process_exits": ["of rank 1 has ended"],
    "a_process_is_killed": ["of rank 1 has ended"],
}  # fmt: skip
# Programs whose ranks wait for a call that may still come: they are told what is missing before the time limit.
WAITING = [
    "a_rank_skips_a_call",
    "a_rank_raises",
    "both_receive_first",
    "communicators_in_another_order",
    "a_rank_never_joins",
    "a_graph_is_not_replayed",
]
NOTICE_SECONDS = 2
CHECKS = {"an_input": "RACECHECK", "a_result": "RACECHECK", "a_buffer_is_un": "INITCHECK"}
# Of a program with threads: the time limit of its calls, and the checks after it.
SECONDS = 1 + 20


@pytest.mark.parametrize("name", REPORTS)
def test_a_wrong_program_is_reported(name):
    installed("nccl.core")
    checks = {
        f"SKERRY_EMULATE_{check}": "1"
        for prefix, check in CHECKS.items()
        if name.startswith(prefix)
    }
    code = f"""
import time
from tests.emulator.nccl import wrong_programs
begin = time.monotonic()
try:
    wrong_programs.PROGRAMS[{name!r}]()
except Exception as error:
    print(error)
finally:
    print("seconds:", time.monotonic() - begin)
"""
    # Processes don't start together on a busy machine. Their mistakes are found without a time limit.
    limit = "40" if "process" in name else "1"
    done = child(code, timeout=120, SKERRY_NCCL_TIMEOUT=limit, **checks)
    text = done.stdout + done.stderr
    for part in REPORTS[name]:
        assert part in text, text
    if "process" not in name:
        seconds = float(text.partition("seconds: ")[2].split()[0])
        assert seconds < SECONDS, text


WAITING_PROGRAM = """
from tests.emulator.nccl import wrong_programs
print("begin")
try:
    wrong_programs.PROGRAMS[{name!r}]()
except Exception as error:
    print(error)
"""


@pytest.mark.parametrize("name", WAITING)
def test_a_wait_is_explained_before_the_time_limit(name):
    """With the time limit of users, who are not to wait for it until they see what is missing."""
    installed("nccl.core")
    with subprocess.Popen(
        [sys.executable, "-u", "-c", WAITING_PROGRAM.format(name=name)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as program:  # fmt: skip
        text, begin = "", None
        for line in program.stdout:
            if line.startswith("begin"):
                begin = time.monotonic()
            text += line
            if "the call goes on waiting" in text and all(part in text for part in REPORTS[name]):
                break
        seconds = time.monotonic() - begin
        program.kill()
    assert "the call goes on waiting" in text
    assert seconds < NOTICE_SECONDS, text
