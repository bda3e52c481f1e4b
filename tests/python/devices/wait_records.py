# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Runs waits_beside_threads.py in its own process, and checks the records that it prints."""

import json
import os
import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("waits_beside_threads.py")


def run(settings, names=()):
    """Returns the records of all waits, or of those named, with the given rehearsal variables in the environment."""
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
    """Other threads run during each wait."""
    assert any(record["waited"] for record in records)
    blocked = [record for record in records if record["held"]]
    assert not blocked, blocked


def check_frees(records):
    """Pool memory is freed without a wait."""
    frees = [record for record in records if record["name"].startswith("free_an_array")]
    assert len(frees) == 4
    assert not any(record["waited"] for record in frees), frees
