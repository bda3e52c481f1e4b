# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What skerry.fuse.explain prints."""

import pytest
import skerry as sk

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401


def normalise(x):
    apart = x - sk.mean(x)
    spread = sk.mean(apart * apart)
    if float((x * 2)[0]) > 100:
        return apart
    return apart / sk.sqrt(spread + 1)


def test_explain_prints_passes_bytes_and_lines(capsys):
    sk.fuse.explain(normalise, sk.ones(1000))
    first = normalise.__code__.co_firstlineno
    printed = capsys.readouterr().out.splitlines()
    assert printed[1] == (
        "  2 operations over (1000,): 8008 bytes moved, 48008 one by one; "
        f"for a reduction in line {first + 2}: spread = sk.mean(apart * apart)"
    )
    # The pass writes `apart` and `x * 2`, and reads x and the mean.
    assert printed[2] == (
        "  2 operations over (1000,): 24008 bytes moved, 32008 one by one; "
        f"for a value in line {first + 3}: if float((x * 2)[0]) > 100:"
    )
    assert printed[3].endswith("; at the end")
    moved = [int(line.split(": ")[1].split()[0]) for line in printed[1:]]
    assert printed[0].startswith(f"{len(moved)} passes, {sum(moved)} bytes moved, ")


def test_explain_without_passes(capsys):
    sk.fuse.explain(sk.fuse(lambda x, *, y: x), sk.ones(3), y=2)
    assert capsys.readouterr().out == "0 passes, 0 bytes moved, 0 one by one\n"


def test_explain_of_a_failing_function_prints_nothing(capsys):
    with pytest.raises(ZeroDivisionError):
        sk.fuse.explain(lambda x: (x + 1, 1 // 0), sk.ones(3))
    sk.fuse(lambda x: x + 1)(sk.ones(3))
    assert capsys.readouterr().out == ""


def test_explain_reports_row_passes(capsys):
    x = sk.ones((1000, 1000), dtype="float32")
    sk.fuse.explain(lambda x: x / sk.sum(x * x, axis=1, keepdims=True), x)
    assert capsys.readouterr().out.splitlines() == [
        "1 pass, 8000000 bytes moved, 24008000 one by one",
        "  3 operations over (1000, 1000), 16 rows at a time: 8000000 bytes moved, 24008000 one by one; at the end",
    ]
