# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Imports of tests: only public names and instruments of skerry, and full package names of other tests."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "tests").rglob("*.py"))
#: Also matches programs that tests start, which are strings.
PRIVATE = re.compile(r"\b(?:skerry|sk)\._core\b|from skerry import[\w\s,(]*\b_core\b")
MODULE = "_" + "core"  # so that this file does not match


@pytest.mark.parametrize(
    "text",
    [
        f"from skerry import {MODULE}",
        f"from skerry import _arrays, {MODULE}",
        f"from skerry import (\n    _arrays,\n    {MODULE},\n)",
        f"import skerry.{MODULE} as c",
        f"from skerry.{MODULE} import op_table",
        f"sk.{MODULE}.transfers()",
    ],
)
def test_each_form_of_a_private_import_is_found(text):
    assert PRIVATE.search(text)


def test_tests_import_instruments_and_not_the_extension_module():
    assert len(FILES) > 300
    assert [path for path in FILES if PRIVATE.search(path.read_text())] == []


def test_every_folder_of_tests_is_a_package():
    """Otherwise pytest would put the folder on the module path, where modules with the same name shadow each other."""
    folders = {path.parent for path in FILES if path.name.startswith("test_")}
    packages = {folder for path in folders for folder in (path, *path.parents)} & set(
        (ROOT / "tests").rglob("*")
    )
    assert folders <= packages
    assert [folder for folder in packages if not (folder / "__init__.py").exists()] == []
