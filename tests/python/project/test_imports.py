# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What tests import: packages by their whole names."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "tests").rglob("*.py"))


def test_every_folder_of_tests_is_a_package():
    """Pytest would put the folder itself on the path of modules, where modules of one name hide each other."""
    folders = {path.parent for path in FILES if path.name.startswith("test_")}
    packages = {folder for path in folders for folder in (path, *path.parents)} & set(
        (ROOT / "tests").rglob("*")
    )
    assert folders <= packages
    assert [folder for folder in packages if not (folder / "__init__.py").exists()] == []
