# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""tests/lint_commits.py rejects long subjects, and commits that change sources but have no body."""

import pathlib
import runpy

import pytest

LINT = runpy.run_path(str(pathlib.Path(__file__).resolve().parents[2] / "lint_commits.py"))


@pytest.mark.parametrize(
    ("subject", "body", "files", "wrong"),
    [
        ("reduce: prefetch rows only when out of cache", "Why.", ["ops/reduce/cpu/loops.hpp"], []),
        ("s" * 72, "Why.", ["core/plan.cpp"], []),
        ("s" * 73, "Why.", ["README.md"], ["73 characters"]),
        ("Mend a page", "", ["README.md", "python/docs/fuse.rst"], []),
        ("Mend a page", " \n", ["README.md", "python/docs/conf.py"], ["no body"]),
        ("Build less", "", ["ops/CMakeLists.txt"], ["no body"]),
        ("Build less", "", ["Makefile"], ["no body"]),
        ("s" * 80, "", ["device/emulator/driver/functions.inc"], ["80 characters", "no body"]),
    ],
)
def test_lint_finds_long_subjects_and_missing_bodies(subject, body, files, wrong):
    findings = list(LINT["findings"](subject, body, files))
    assert len(findings) == len(wrong)
    assert all(part in finding for part, finding in zip(wrong, findings, strict=True))
