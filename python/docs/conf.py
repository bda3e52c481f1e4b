# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration."""

from __future__ import annotations

import builtins
import inspect
import os
import pathlib
import sys
from typing import Any

import parameter_types
import reference
import skerry
import versions
from numpydoc.xref import DEFAULT_LINKS

HERE = pathlib.Path(__file__).resolve().parent

# To be filled in by the first release: where the sources can be read, such as
# "https://HOST/OWNER/skerry/blob/v{version}/python/{file}#L{first}-L{last}". While it is empty, the links [source] lead
# to copies of the modules on this site.
SOURCE_URL = ""

project = "skerry"
copyright = "The skerry developers"
version = release = skerry.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.linkcode" if SOURCE_URL else "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["programs"]
autosummary_generate = False  # reference.py writes the pages
autosummary_filename_map = reference.FILE_NAMES
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    **{name: f"skerry.{name}" for name in ("Array", "Device", "Event", "Stream")},
    "Generator": "skerry.random.Generator",
    **{name: f"skerry.exceptions.{name}" for name in skerry.exceptions.__all__},
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Links to other sites need the inventories of these sites, which build.py fetches if it can. Without an inventory only
# the links to that site are missing.
SITES = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "array-api": "https://data-apis.org/array-api/2025.12/",
}
_INVENTORIES = pathlib.Path(os.environ.get("SPHINX_INVENTORIES", HERE / "inventories"))
intersphinx_mapping = {
    name: (url, str(_INVENTORIES / f"{name}.inv"))
    for name, url in SITES.items()
    if (_INVENTORIES / f"{name}.inv").is_file()
}
intersphinx_disabled_reftypes = ["std:*"]
# Replaces numpydoc's own links to terms of other sites: they are errors if a site can't be reached or has changed.
numpydoc_xref_aliases |= {name: name for name in DEFAULT_LINKS}
if "python" in intersphinx_mapping:
    numpydoc_xref_aliases |= {
        name: f":py:class:`{name}`" for name in ("bool", "complex", "float", "int", "str", "tuple")
    } | {
        name: f":py:exc:`{name}`"
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    }
if "numpy" in intersphinx_mapping:
    numpydoc_xref_aliases |= {"dtype": "numpy.dtype"}

sphinx_gallery_conf = {
    "examples_dirs": "programs",
    "gallery_dirs": "gallery",
    # Programs with NCCL need four devices and the emulated GPU: the pages show them without output.
    "filename_pattern": r"/(?!collective_)\w+\.py$",
    "doc_module": ("skerry",),
    "backreferences_dir": "gallery/backreferences",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 1_000_000,
    "remove_config_comments": True,
    "reset_modules": ("matplotlib", "conf.set_tight_pictures"),
    "show_signature": False,
    "thumbnail_size": (480, 336),
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"skerry {version}"
html_static_path = ["static"]
html_css_files = ["skerry.css"]
html_favicon = "static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_search_scorer = str(HERE / "scorer.js")
html_sidebars = {name: [] for name in ("index", "changelog", "search", "genindex")}
html_theme_options = {
    "logo": {"text": "skerry", "image_light": "static/logo.svg", "image_dark": "static/logo.svg"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "primary_sidebar_end": [],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version", "theme-version"],
    # The workflow that publishes the pages sets the variable: "dev", or the version of a release.
    **versions.menu(os.environ.get("DOCS_VERSION", "")),
}


def set_tight_pictures(gallery_conf: dict[str, Any], program: str) -> None:
    """Save the pictures of the gallery without a wide margin."""
    import matplotlib

    matplotlib.rcParams["savefig.bbox"] = "tight"


def standard_page(name: str) -> str:
    """Return the address of a function or method in the standard."""
    _, _, inside = name.partition(".")
    folder = "extensions" if inside.startswith(("linalg.", "fft.")) else "API_specification"
    return f"{SITES['array-api']}{folder}/generated/array_api.{inside.replace('Array.', 'array.')}.html"


def lift_source(name: str, lines: list[str]) -> None:
    """Move "Source: …" above the first section: at the end it would be part of the last section."""
    first = next((i for i, line in enumerate(lines) if line.startswith("Source: ")), None)
    if first is None:
        return
    end = next((i for i in range(first, len(lines)) if not lines[i]), len(lines))
    source = lines[first:end]
    standard = "array API 2025.12"
    source[0] = source[0].replace(standard, f"`{standard} <{standard_page(name)}>`__")
    del lines[first:end]
    underline = next((i for i, line in enumerate(lines) if line and set(line) == {"-"}), None)
    heading_index = len(lines) if underline is None else underline - 1
    lines[heading_index:heading_index] = ["", *source, ""]


def _see_also(name: str) -> list[str]:
    """Return the lines of "See Also": the function, method and NumPy function of the same name."""
    prefix, _, last = name.rpartition(".")
    if prefix not in ("skerry", "skerry.Array") or last.startswith("_"):
        return []
    lines = []
    if prefix == "skerry" and last in vars(skerry.Array):
        lines += [f"skerry.Array.{last} : The method."]
    if prefix == "skerry.Array" and last in skerry.__all__:
        lines += [f"skerry.{last} : The function."]
    import numpy

    if "numpy" in intersphinx_mapping and callable(getattr(numpy, last, None)):
        lines += [f"numpy.{last} : The function of NumPy."]
    return lines


def add_sections(
    app: Any, kind: str, name: str, target: object, options: Any, lines: list[str]
) -> None:
    """Complete a docstring before numpydoc reads its sections: types, related names, an example from examples.py."""
    if not name.startswith("skerry."):
        return
    parameter_types.link_names(name, target, lines)
    lift_source(name, lines)
    if kind in ("class", "function", "method"):
        parameter_types.complete_types(name, target, lines)
    if kind not in ("function", "method"):
        return
    related = _see_also(name)
    if related and "See Also" not in lines:
        lines += ["", "See Also", "--------", *related]
    if kind == "function" and not reference.has_own_example(target):
        example = reference.example_of(name.rpartition(".")[2])
        lines += ["", "Examples", "--------", *example, ""] if example else []


def clean_signature(
    app: Any, kind: str, name: str, target: object, options: Any, signature: str, annotation: str
) -> tuple[str, str] | None:
    """Remove the slash that is left in front where a positional-only self was.

    numpydoc would remove all slashes; it is not asked if this function returns a signature.
    """
    if not signature or not name.startswith("skerry."):
        return None
    if signature.startswith("(/"):
        signature = "(" + signature[2:].removeprefix(", ")
    return signature, annotation


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Return the address of the Python source of an object; functions in C++ have none."""
    target: Any = sys.modules.get(info["module"])
    for part in info["fullname"].split("."):
        target = getattr(target, part, None)
    try:
        target = inspect.unwrap(target)
        file = inspect.getsourcefile(target)
        source, first = inspect.getsourcelines(target)
    except (OSError, TypeError):
        return None
    if file is None or "skerry" not in pathlib.Path(file).parts:
        return None
    inside = pathlib.Path(file).as_posix().rpartition("/skerry/")[2]
    return SOURCE_URL.format(
        version=version, file=f"skerry/{inside}", first=first, last=first + len(source) - 1
    )


def setup(app: Any) -> None:
    """Register what runs before numpydoc reads the sections."""
    app.connect("autodoc-process-docstring", add_sections, priority=400)
    app.connect("autodoc-process-signature", clean_signature, priority=400)
