# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Names of NumPy, CuPy and PyTorch that skerry lacks: their errors and the documentation say what to use instead."""

import csv
import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry._absent_names import read_table

DOCS = pathlib.Path(__file__).parents[3] / "python" / "docs"
spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
docs_build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs_build)

OWNERS = {
    "skerry": sk,
    "linalg": sk.linalg,
    "fft": sk.fft,
    "random": sk.random,
    "Array": sk.ones((2, 2)),
}
NUMPY = {
    "skerry": np,
    "linalg": np.linalg,
    "fft": np.fft,
    "random": np.random,
    "Array": np.ndarray,
}


def stored_names():
    """Yield the public names of other libraries, as listed in a file: library, owner, names.

    Classes of PyTorch's compiler, whose names begin with a capital, are not in it.
    """
    with pathlib.Path(__file__).with_name("names_of_libraries.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            yield row["library"], row["owner"], row["names"].split()


def all_names():
    for owner, module in NUMPY.items():
        yield "NumPy", owner, [name for name in dir(module) if not name.startswith("_")]
    yield from stored_names()


def message(owner, name):
    """Return the error of an absent name, or None if the name exists."""
    try:
        getattr(OWNERS[owner], name)
    except AttributeError as error:
        return str(error)
    return None


def beginning(owner, name):
    if owner == "Array":
        return f"'skerry.Array' object has no attribute {name!r}"
    module = "skerry" if owner == "skerry" else f"skerry.{owner}"
    return f"module {module!r} has no attribute {name!r}"


def table():
    """Yield the owner, the name and the hint of each name without wildcards."""
    for row in read_table():
        for owner in row["module"].split():
            for name in row["names"].split():
                if "*" not in name:
                    yield owner, name, row["instead"]


def test_names_of_libraries_are_many():
    counts = {}
    for library, _, names in all_names():
        counts[library] = counts.get(library, 0) + len(names)
    assert counts["NumPy"] > 600
    assert counts["CuPy 15"] > 600
    assert counts["PyTorch 2.15"] > 1300


@pytest.mark.parametrize(
    ("library", "owner", "names"),
    [pytest.param(*case, id="-".join(case[:2])) for case in all_names()],
)
def test_every_name_of_other_libraries_exists_or_has_a_hint(library, owner, names):
    if library == "NumPy" and not np.__version__.startswith("2.4"):
        pytest.skip("the table has NumPy 2.4's names")
    without = []
    for name in names:
        text = message(owner, name)
        if text is not None:
            assert text.startswith(beginning(owner, name))
            hint = text.removeprefix(beginning(owner, name))
            if not hint.startswith("; ") or "did you mean" in hint:
                without.append(name)
    assert without == [], "add a row to python/skerry/absent_names.csv"


def test_names_of_the_table_are_absent_and_listed_once():
    listed = [(owner, name) for owner, name, _ in table()]
    assert len(listed) == len(set(listed)) > 1000
    present = [(owner, name) for owner, name in listed if hasattr(OWNERS[owner], name)]
    assert present == [], "skerry has them: remove them from python/skerry/absent_names.csv"


def test_attributes_of_the_table_are_those_of_the_build():
    kind = type(vars(sk.Array)["cpu"])
    built = {name for name, value in vars(sk.Array).items() if type(value) is kind}
    assert built == {name for owner, name, _ in table() if owner == "Array"}
    assert not built & set(dir(sk.ones(2)))


def test_hints_name_what_exists():
    roots = {"skerry": sk, "numpy": np}
    checked = 0
    for owner, name, _ in table():
        for path in re.findall(r"\b(?:skerry|numpy)(?:\.[A-Za-z]\w*)+", message(owner, name)):
            if path == f"skerry.{owner}" or path in ("skerry.Array", "numpy.exceptions"):
                continue
            root, *parts = path.split(".")
            target = roots[root]
            for part in parts:
                target = getattr(target, part)
            checked += 1
    assert checked > 800


def test_hints_fit_each_name_of_a_row():
    assert message("Array", "cos_").endswith("; use skerry.cos(x, out=x)")
    assert message("Array", "cos").endswith("; call skerry.cos(x, ...)")
    assert message("skerry", "q_scale") == message("skerry", "q_zero_point").replace(
        "q_zero_point", "q_scale"
    )


@pytest.mark.parametrize(
    "name", ["float8", "float8_e4m3fn", "float8_e5m2", "float6_e2m3fn", "float4_e2m1fn_x2"]
)
def test_small_floats_are_converted_by_their_own_library(name):
    text = message("skerry", name)
    assert (
        "; skerry has no floating-point dtype of 8 bits or less; convert in the array's own library"
        in text
    )
    assert 'x.float() in PyTorch, x.astype("float32") in JAX' in text


def test_conversion_of_small_floats_gives_what_skerry_takes():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="float8 is a dtype of ml_dtypes")
    small = np.asarray([1.5, -2.0], dtype=ml_dtypes.float8_e4m3fn)
    assert sk.asarray(small.astype("float32")).tolist() == [1.5, -2.0]


@pytest.mark.parametrize(
    ("owner", "name", "expected"),
    [
        ("skerry", "sqrtt", "; did you mean sqrt?"),
        ("skerry", "arrange", "; did you mean arange?"),
        ("linalg", "nrom", "; did you mean norm?"),
        ("fft", "fftshfit", "; did you mean fftshift?"),
        ("random", "standart_normal", "; did you mean standard_normal?"),
        ("skerry", "nonexistent", ""),
        ("random", "nonexistent", ""),
        ("skerry", "__nonexistent__", ""),
        ("Array", "nonexistent", ""),
    ],
)
def test_other_names_suggest_a_similar_one(owner, name, expected):
    assert message(owner, name) == beginning(owner, name) + expected
    assert not hasattr(OWNERS[owner], name)


def test_tracebacks_show_one_suggestion():
    program = "import skerry as sk; sk.sqrtt(4.0)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    last = done.stderr.splitlines()[-1]
    assert last == "AttributeError: module 'skerry' has no attribute 'sqrtt'; did you mean sqrt?"


def test_table_is_read_only_when_a_name_is_absent():
    program = (
        "import sys, skerry as sk; sk.sin(sk.ones(2)); sk.ones(2).sum(); sk.random, sk.fft.fft, sk.linalg.norm;"
        "assert 'skerry._absent_names' not in sys.modules; hasattr(sk, 'matrix');"
        "assert 'skerry._absent_names' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_documentation_lists_the_table():
    page = (DOCS / "unsupported.rst").read_text()
    assert ".. include:: absent_names.txt" in page
    lists = docs_build.absent_names()
    entries = re.findall(r"^\* (``.+?``): (.+)$", lists, re.MULTILINE)
    assert len(entries) == lists.count("\n* ") == len(read_table())
    prefixes = {"skerry": "", "Array": "x."}
    for row, (names, _) in zip(read_table(), entries, strict=True):
        module = row["module"].split()[0]
        prefix = prefixes.get(module, f"{module}.")
        expected = [f"{prefix}{name}" for name in row["names"].split()]
        assert re.findall(r"``(.+?)``", names) == expected
    assert "`` ``" not in lists
    assert all(count % 2 == 0 for count in (line.count("``") for line in lists.splitlines()))
