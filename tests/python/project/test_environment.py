# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The table of environment variables in the documentation matches what the sources read."""

import csv
import pathlib
import re

import pytest
from skerry import doctor

ROOT = pathlib.Path(__file__)
while not (ROOT / "pyproject.toml").exists():
    ROOT = ROOT.parent
OURS = re.compile(r"\b(?:SKERRY|GPU_CHECK)(?:_[A-Z0-9]+)*\b")
# The readers of variables: folders and files of each part, without those of another part inside them.
READERS = {
    "skerry": ["core", "device", "ops", "python"],
    "emulator": ["device/emulator"],
    "tests": ["tests"],
    "make": [
        "Makefile",
        "device/cuda/toolkit.cmake",
        "bench",
        "tests",
        "python/docs",
        "python/wheels",
    ],
}
SUFFIXES = {".py", ".cpp", ".hpp", ".cu", ".cuh", ".in", ".cmake", ".txt"}
# Variables of other programs, and those that tests set for their own child processes.
OF_OTHERS = {
    "PATH",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "TESTS_RUN_AGAIN",
    "NUMBA_ENABLE_CUDASIM",
    "SUITE_LIMIT",
    "SUITE_REPORT",
    "SUITE_SAMPLE",
    "TESTED_NUMBA",
    "TSAN_OPTIONS",
    "QEMU_CPU",
}
# Examples of unknown variables in tests and pages.
MADE_UP = {
    "SKERRY_TEST_COUNT",
    "SKERRY_EMULATE_COLOUR",
    "SKERRY_REHERSE",
    "SKERRY_NUMTHREADS",
    "SKERRY_QQQ",
}

NAME = r"[\"']([A-Z][A-Z0-9_]*)[\"']"
IN_PYTHON = [
    re.compile(pattern.replace("NAME", NAME))
    for pattern in (r"environ\w*\.get\(\s*NAME", r"environ\[NAME\](?!\s*=[^=])", r"NAME (?:not )?in os\.environ")
]  # fmt: skip
IN_CPP = [
    re.compile(pattern.replace("NAME", NAME))
    for pattern in (
        r"getenv\(\s*NAME", r"(?:count|flag)_from_environment\(\s*NAME", r"environment_text\(\s*NAME", r"read_variable\(\s*NAME",
        r"(?m)^ *\{NAME, [\d']+, [\w']+,",  # a table of numbers
    )
]  # fmt: skip
IN_CMAKE = [re.compile(r"ENV\{([A-Z_]+)\}")]
IN_MAKE = [re.compile(r"(?m)^([A-Z0-9_]+) \?="), re.compile(r"\$\((ARRAY_API_TESTS_DIR|CUDACXX)\)")]


def table():
    """Return the reader of each variable."""
    with (ROOT / "python" / "skerry" / "environment.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert all(all(row.values()) for row in rows), "a cell is empty"
    names = [row["Variable"].strip("`") for row in rows]
    assert len(names) == len(set(names)), "a variable has two rows"
    return {name: row["Read by"] for name, row in zip(names, rows, strict=True)}


TABLE = table()


def files(*paths):
    for relative_path in paths:
        path = ROOT / relative_path
        for file in [path] if path.is_file() else path.rglob("*"):
            if (file.suffix in SUFFIXES or file == path) and file != pathlib.Path(__file__):
                yield file


def read_in(file):
    """Return the variables that a file reads, with the patterns of its language."""
    patterns = {".py": IN_PYTHON, ".cmake": IN_CMAKE, "": IN_MAKE}.get(file.suffix, IN_CPP)
    text = file.read_text()
    return {name for pattern in patterns for name in pattern.findall(text)}


def read_by(reader):
    prefixes = tuple(f"{folder}/" for folder in READERS[reader])
    paths = {path for others in READERS.values() for path in others if path.startswith(prefixes)}
    return set().union(*map(read_in, set(files(*READERS[reader])) - set(files(*paths))))


def test_variables_that_are_read_are_in_the_table():
    paths = {path for reader in READERS.values() for path in reader}
    read = {name: file.relative_to(ROOT) for file in files(*paths) for name in read_in(file)}
    assert len(read) > 50, "the patterns find nothing"
    missing = {name: str(file) for name, file in read.items() if name not in {*TABLE, *OF_OTHERS}}
    assert not missing


@pytest.mark.parametrize("reader", READERS)
def test_variables_of_the_table_are_read_by_the_stated_reader(reader):
    rows = {name for name, listed_reader in TABLE.items() if listed_reader == reader}
    assert rows
    assert not rows - read_by(reader)


def test_all_readers_of_the_table_are_known():
    assert set(TABLE.values()) == set(READERS)


def build_options():
    """Return CMake's options."""
    text = "".join(
        file.read_text()
        for file in files("CMakeLists.txt", "core", "device", "ops", "python", "tests", "bench")
        if file.suffix == ".cmake" or file.name == "CMakeLists.txt"
    )
    return set(re.findall(r"(?:option\(|set\(|DEFINED )(SKERRY_[A-Z0-9_]+)", text))


def test_variables_that_are_set_or_quoted_exist():
    """A test that sets an unknown variable would pass for the wrong reason."""
    quoted = re.compile(rf"[\"']({OURS.pattern})[\"']|\b({OURS.pattern})=(?!=)")
    named = {}
    for file in files("core", "device", "ops", "python", "tests", "bench", "Makefile", ".ci/run"):
        # CMake files also name definitions for the compiler.
        for names in [] if file.suffix in {".txt", ".cmake"} else quoted.findall(file.read_text()):
            named[next(filter(None, names))] = str(file.relative_to(ROOT))
    unknown = set(named) - set(TABLE) - build_options()
    assert {name: named[name] for name in unknown - MADE_UP} == {}
    assert unknown >= MADE_UP, "MADE_UP lists names that no longer occur"


def test_pages_name_variables_and_options_that_exist():
    known_names = set(TABLE) | build_options() | MADE_UP
    pages = [
        *(ROOT / "python" / "docs").glob("*.rst"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]
    for page in pages:
        assert not set(OURS.findall(page.read_text())) - known_names, page.name


def test_the_doctor_prints_variables_that_exist():
    assert set(doctor.VARIABLES) - {"CUDA_VISIBLE_DEVICES"} <= set(TABLE)
