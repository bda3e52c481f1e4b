# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The recipes of the page "Interoperability" that are not doctests: each runs in a process of its own."""

import ast
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest
import skerry as sk

from tests.python.interchange import stand_ins
from tests.python.libraries import installed
from tests.python.session import HAS_GPU

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "python" / "docs" / "hand_over.rst"
BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", re.MULTILINE)
STAND_INS = "from tests.python.interchange import stand_ins"
ON_A_CPU = {"jax", "mpi4py"}


def recipes():
    """Yield the title of the section, its text before the recipe, and the recipe."""
    text = PAGE.read_text()
    titles = [(heading.start(), heading[1]) for heading in re.finditer(r"^(.+)\n--+\n", text, re.M)]
    for block in BLOCK.finditer(text):
        start, title = max(entry for entry in titles if entry[0] < block.start())
        yield title, text[start : block.start()], textwrap.dedent(block[1])


RECIPES = list(recipes())


def first_import(code):
    statement = next(
        part for part in ast.parse(code).body if isinstance(part, ast.Import | ast.ImportFrom)
    )
    return statement.module if isinstance(statement, ast.ImportFrom) else statement.names[0].name


def ids():
    return [first_import(code) for *_, code in RECIPES]


def test_the_page_has_a_recipe_for_each_library():
    libraries = {name.split(".")[0] for name in ids()}
    assert libraries >= {
        "cupy",
        "torch",
        "jax",
        "cudf",
        "cuml",
        "rmm",
        "pyarrow",
        "mpi4py",
        "xgboost",
    }


@pytest.mark.parametrize(("title", "introduction", "code"), RECIPES, ids=ids())
def test_recipes_use_existing_names_and_state_their_requirements(title, introduction, code):
    for name in re.findall(r"\bsk\.(\w+)", code):
        assert hasattr(sk, name)
    assert "assert " in code
    needs_gpu = first_import(code).split(".")[0] not in ON_A_CPU
    assert ("needs a gpu" in introduction.lower()) == needs_gpu


def run(code, prelude=""):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{prelude}\nimport skerry as sk\n{code}"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=ROOT,
        env={**os.environ, "JAX_PLATFORMS": "" if HAS_GPU else "cpu"},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.not_emulated("other libraries load CUDA's own runtime")
@pytest.mark.parametrize(("title", "introduction", "code"), RECIPES, ids=ids())
def test_recipes_run(title, introduction, code):
    name = first_import(code)
    if name.split(".")[0] in ON_A_CPU:
        installed(name)
        if HAS_GPU and name == "mpi4py" and os.environ.get("SKERRY_CUDA_AWARE_MPI") != "1":
            pytest.skip("needs an MPI library built with CUDA, and SKERRY_CUDA_AWARE_MPI=1")
    elif not HAS_GPU:
        pytest.skip(f"{title}: needs a GPU: make gpu-check")
    else:
        pytest.importorskip(name, reason=f"{name} is not installed")
    status, said = run(code)
    assert status == 0, said


@pytest.mark.skipif(HAS_GPU, reason="on a GPU the libraries themselves are tested")
@pytest.mark.parametrize("name", stand_ins.MEMBERS)
def test_recipes_run_with_stand_ins(name):
    code = next(code for *_, code in RECIPES if first_import(code) == name)
    status, said = run(code, f"{STAND_INS}; stand_ins.install({name!r})")
    assert status == 0, said


@pytest.mark.skipif(HAS_GPU, reason="on a GPU the libraries themselves are tested")
def test_failing_recipe_is_detected():
    code = "import xgboost\nxgboost.QuantileDMatrix(sk.ones((2, 2), dtype=sk.bool, device='cuda:0'), None)"
    status, said = run(code, f"{STAND_INS}; stand_ins.install('xgboost')")
    assert status != 0
    assert "|b1 is not supported" in said
