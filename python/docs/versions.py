# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The documentation of several versions on one site: a folder for each, and the list that the version menu shows.

``python python/docs/versions.py HTML SITE dev`` (or a version instead of ``dev``) puts a build into the folder of its
version, in a checkout of the site. The workflow ``docs.yml`` does so for ``main`` and for each release.
"""

from __future__ import annotations

import json
import pathlib
import shutil
import sys
import tomllib
from typing import Any

PROJECT = pathlib.Path(__file__).resolve().parents[2] / "pyproject.toml"
LIST = "switcher.json"
_REDIRECT = """<!DOCTYPE html>
<meta charset="utf-8">
<title>skerry</title>
<meta http-equiv="refresh" content="0; url={version}/index.html">
<a href="{version}/index.html">Documentation of skerry</a>
"""


def site_url() -> str:
    """Return the address of the site: the URL "Documentation" of the project, with a slash at its end."""
    urls = tomllib.loads(PROJECT.read_text())["project"]["urls"]
    return urls["Documentation"].rstrip("/") + "/"


def menu(version: str) -> dict[str, Any]:
    """Return the options of the theme for the version menu of a page; none for a build that is not for the site.

    The menu reads its list from the site, so a local build has none.
    """
    if not version:
        return {}
    return {
        "switcher": {"json_url": site_url() + LIST, "version_match": version},
        "check_switcher": False,  # the list is fetched by the reader's browser, not by the build
        "show_version_warning_banner": True,
        "navbar_end": ["version-switcher", "theme-switcher"],
    }


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def entries(site: pathlib.Path) -> list[dict[str, Any]]:
    """Return the list of the menu: ``dev`` first, then the releases in the site, the newest first."""
    folders = {page.parent.name for page in site.glob("*/index.html")}
    releases = sorted(folders - {"dev"}, key=_numbers, reverse=True)
    newest = releases[0] if releases else None
    rows: list[dict[str, Any]] = []
    for version in [*({"dev"} & folders), *releases]:
        is_newest = version == newest
        row = {"version": version, "url": f"{site_url()}{version}/"}
        row["name"] = f"{version} (stable)" if is_newest else version
        rows.append({**row, "preferred": True} if is_newest else row)
    return rows


def publish(html: pathlib.Path, site: pathlib.Path, version: str) -> None:
    """Put a build into the folder of its version; write the list, and a start page that leads to the newest release."""
    if version != "dev":
        _numbers(version)  # raises for what is not a version
    shutil.rmtree(site / version, ignore_errors=True)
    shutil.copytree(html, site / version)
    rows = entries(site)
    (site / LIST).write_text(json.dumps(rows, indent=2) + "\n")
    start = next((row["version"] for row in rows if row.get("preferred")), "dev")
    (site / "index.html").write_text(_REDIRECT.format(version=start))
    # Otherwise GitHub Pages leaves out folders that begin with an underscore.
    (site / ".nojekyll").touch()


if __name__ == "__main__":
    publish(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])
