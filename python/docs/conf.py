# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration."""

from __future__ import annotations

from typing import Any

import skerry

project = "skerry"
copyright = "The skerry developers"
version = release = skerry.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
autosummary_generate = False
napoleon_google_docstring = False
autodoc_member_order = "bysource"
add_module_names = False
html_theme = "pydata_sphinx_theme"
html_title = "skerry"
html_show_sourcelink = False
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}


def lift_source(
    app: Any, kind: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Move "Source: …" above the first section; otherwise napoleon adds it to the preceding section."""
    first = next((i for i, line in enumerate(lines) if line.startswith("Source: ")), None)
    if first is None:
        return
    end = next((i for i in range(first, len(lines)) if not lines[i]), len(lines))
    source = lines[first:end]
    del lines[first:end]
    underline = next((i for i, line in enumerate(lines) if line and set(line) == {"-"}), None)
    heading_index = len(lines) if underline is None else underline - 1
    lines[heading_index:heading_index] = [*source, ""]


def setup(app: Any) -> None:
    """Register the hook to run before napoleon."""
    app.connect("autodoc-process-docstring", lift_source, priority=400)
