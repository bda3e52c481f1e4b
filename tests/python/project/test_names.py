# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`tests/lint_names.py`, which `make lint` runs, finds meaningless names and allows their count only to decrease."""

import csv
import importlib.util
import pathlib
import sys

import pytest

PATH = pathlib.Path(__file__).parents[2] / "lint_names.py"
spec = importlib.util.spec_from_file_location("lint_names", PATH)
lint_names = importlib.util.module_from_spec(spec)
sys.modules["lint_names"] = lint_names
spec.loader.exec_module(lint_names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("int from = 0;\nuse(from, to);", ["from", "from", "to"]),
        ("int most_devices; // from\nclass Pieces {};", ["most_devices", "Pieces"]),
        ('x.at(3); error.what(); std::from_chars(a); text = "where from";', []),
        ("char letter = '\"'; int into = 1;", ["letter", "into"]),
        ("TEST(Plan, keeps_most_of_what_was_given) { int offset; }", []),
        ("PyErr_GivenExceptionMatches(a, b); int almost = foremost;", []),
    ],
)
def test_names_of_cpp(text, names):
    assert [name for name, _ in lint_names.read_cpp(text, *lint_names.struck_words())] == names


def test_names_of_python():
    text = 'def f(given, *, _where=None):\n    found = [x.where for x in given if "at"]\n'
    assert list(lint_names.read_python(text, lint_names.struck_words()[1])) == [
        ("given", 1), ("_where", 1), ("found", 2), ("given", 2),
    ]  # fmt: skip


def test_words_of_the_glossary_are_forbidden():
    words, whole = lint_names.struck_words()
    assert {"most", "piece", "fresh"} <= words
    assert {"from", "work", "which"} <= whole
    assert not (words | whole) & {"(from)", "max", ""}


def run(monkeypatch, tmp_path, change, *options):
    with lint_names.RECORD.open(newline="") as file:
        rows = list(csv.DictReader(file))
    change(rows)
    path = tmp_path / "names.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["folder", "language", "name", "count"])
        writer.writeheader()
        writer.writerows(rows)
    monkeypatch.setattr(lint_names, "RECORD", path)
    monkeypatch.setattr(sys, "argv", ["lint_names.py", *options])
    return lint_names.main()


@pytest.mark.slow
def test_the_record_holds(monkeypatch, tmp_path):
    assert run(monkeypatch, tmp_path, lambda rows: None) == 0


@pytest.mark.slow
def test_new_names_are_rejected_with_their_line(monkeypatch, tmp_path, capsys):
    def forget_a_name(rows):
        del rows[next(i for i, row in enumerate(rows) if row["folder"] == "core")]

    assert run(monkeypatch, tmp_path, forget_a_name) == 1
    assert "core/errors.hpp:" in capsys.readouterr().out
    assert (
        run(monkeypatch, tmp_path, lambda rows: None, "--update") == 1
    )  # --update does not record an increase


@pytest.mark.slow
def test_decreased_counts_must_be_recorded(monkeypatch, tmp_path, capsys):
    def allow_another(rows):
        rows[0]["count"] = int(rows[0]["count"]) + 1

    assert run(monkeypatch, tmp_path, allow_another) == 1
    assert "--update" in capsys.readouterr().out
