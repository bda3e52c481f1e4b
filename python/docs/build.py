# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make docs``: write the API reference, run the gallery, and build the pages with Sphinx, with warnings as errors."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent / "skerry"  # has the table of environment variables
ROOT = HERE.parents[1]
CONSUMER = ROOT / "tests" / "consumer"  # the program of the page "C++"


def main(target: pathlib.Path) -> int:
    """Build HTML in ``target/html`` from sources collected in ``target/source``."""
    # Examples always show rehearsed CUDA devices.
    os.environ.setdefault("SKERRY_REHEARSE", "2")
    os.environ.setdefault("SKERRY_CPU_DEVICES", "2")
    source = target / "source"
    shutil.rmtree(source, ignore_errors=True)
    (source / "reference").mkdir(parents=True)
    for file in (
        *HERE.glob("*.rst"),
        *HERE.glob("*.csv"),
        *PACKAGE.glob("*.csv"),
        HERE / "conf.py",
    ):
        shutil.copy(file, source)
    (source / "consumer").mkdir()
    for name in ("CMakeLists.txt", "main.cpp"):
        shutil.copy(CONSUMER / name, source / "consumer")
    import gallery
    from reference import pages

    gallery.write(source / "gallery")

    for name, text in pages().items():
        (source / "reference" / name).write_text(text)
    from sphinx.cmd.build import main as sphinx

    return sphinx(["-W", "--keep-going", "-q", "-b", "html", str(source), str(target / "html")])


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
