# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What waits_beside_threads.py says of each wait, in a process of its own, and what must be so of all of them."""

import json
import os
import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("waits_beside_threads.py")


def run(settings, names=()):
    """Records of waits, of all or of those names, with environment variables of rehearsal."""
    environment = dict(
        os.environ,
        SKERRY_REHEARSE="2",
        SKERRY_CPU_DEVICES="2",
        SKERRY_REHEARSE_MEMORY="64MiB",
        SKERRY_HOST_CACHE="256M",
        **settings,
    )
    done = subprocess.run(
        [sys.executable, PROGRAM, *names],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_threads(records):
    """Others run while one waits."""
    assert any(record["waited"] for record in records)
    blocked = [record for record in records if record["held"]]
    assert not blocked, blocked


def check_frees(records):
    """Memory of a pool is freed without a wait."""
    frees = [record for record in records if record["name"].startswith("free_an_array")]
    assert len(frees) == 4
    assert not any(record["waited"] for record in frees), frees
