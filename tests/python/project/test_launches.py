# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Front ends launch kernels through their typed parameters alone, so that no use of memory is left out.

What the compiler refuses is in tests/ops/call/refused; what it can't know stands here.
"""

import re

import pytest

from tests.python.project.test_layers import ROOT, sources

# A kernel without its parameters' type, a use said by hand, a launch from untyped parameters.
BYPASS = re.compile(r"\buntyped\(\)|\b(?:reads|writes)\(|\blaunch\([^;]*\bsizeof\b|\.host\(&")
# Where kernels are launched, and where what was recorded is evaluated.
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
def test_a_launch_that_bypasses_them_is_found(line):
    assert bypasses(line)
