# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Generates the pages of the gallery: each program in ``gallery/`` is run, and its picture is shown with its text.

A program is a module. Its docstring is the text of the page, with the first sentence as the title; ``main()`` checks
its own results and returns a matplotlib figure.
"""

from __future__ import annotations

import ast
import importlib.util
import pathlib
import sys

PROGRAMS = sorted((pathlib.Path(__file__).resolve().parent / "gallery").glob("*.py"))


def draw(program: pathlib.Path, target: pathlib.Path) -> None:
    """Run a program and save its picture."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    spec = importlib.util.spec_from_file_location(f"gallery_{program.stem}", program)
    if spec is None or spec.loader is None:
        raise ImportError(program)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # worker processes of other libraries look up functions there
    spec.loader.exec_module(module)
    figure = module.main()
    figure.savefig(target, bbox_inches="tight", dpi=90)
    pyplot.close(figure)


def _page(program: pathlib.Path) -> str:
    text = ast.get_docstring(ast.parse(program.read_text())) or ""
    title, _, rest = text.partition("\n\n")
    title = title.rstrip(".")
    lines = [
        *(f".. _gallery-{program.stem}:", "", title, "=" * len(title), ""),
        *(f".. image:: {program.stem}.png", f"   :alt: {title}", "", rest, ""),
        *(f".. literalinclude:: {program.name}", "   :language: python", "   :lines: 3-", ""),
    ]
    return "\n".join(lines)


def write(folder: pathlib.Path) -> None:
    """Write the pages, programs and pictures of the gallery to a folder."""
    folder.mkdir(parents=True)
    for i, program in enumerate(PROGRAMS, start=1):
        print(f"gallery: {i} of {len(PROGRAMS)}: {program.stem}", flush=True)
        (folder / program.name).write_text(program.read_text())
        (folder / f"{program.stem}.rst").write_text(_page(program))
        draw(program, folder / f"{program.stem}.png")
    entries = [f"   {program.stem}" for program in PROGRAMS]
    text = [
        *("Gallery", "=======", ""),
        "Small complete programs. They use the first CUDA devices; without a GPU they run on rehearsed devices:",
        "",
        *(".. code-block:: sh", "", "   SKERRY_REHEARSE=2 python heat_equation.py", ""),
        "Besides skerry they need matplotlib, and some need scikit-learn, Numba or dask. Each checks its own results.",
        *("", ".. toctree::", "   :maxdepth: 1", "", *entries, ""),
    ]
    (folder / "index.rst").write_text("\n".join(text))
