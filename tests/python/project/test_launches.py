# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Front ends launch kernels only through typed parameters, so that every memory use is recorded.

tests/ops/call/refused tests what the compiler rejects; this tests what it can't detect.
"""

import re

import pytest

from tests.python.project.test_layers import ROOT, sources

# A kernel without its parameters' type, a hand-written memory use, a launch with untyped parameters.
BYPASS = re.compile(r"\buntyped\(\)|\b(?:reads|writes)\(|\blaunch\([^;]*\bsizeof\b|\.host\(&")
# The launchers of kernels and of recorded passes.
LAUNCHERS = ("ops/call/", "ops/fuse/")


def bypasses(text):
    return BYPASS.findall(re.sub(r"//[^\n]*", "", text))


def test_front_ends_launch_by_typed_parameters():
    bypassing = {
        name: matches
        for path in sources("ops")
        for name in [path.relative_to(ROOT).as_posix()]
        if not name.startswith(LAUNCHERS)
        if (matches := bypasses(path.read_text()))
    }
    assert bypassing == {}


@pytest.mark.parametrize(
    "line",
    [
        "launch(device, table.sort.untyped(), &params, sizeof params, {});",
        "const MemoryUse uses[] = {writes(out), reads(x)};",
        "kernel.host(&params);",
    ],
)
def test_bypassing_launches_are_detected(line):
    assert bypasses(line)
