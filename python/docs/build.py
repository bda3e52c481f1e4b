# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make docs``: write the API reference, run the gallery, build the pages with Sphinx, where a warning is an error.

Finally, the searches of ``searches.csv`` are run: the build fails if one of them does not find its page first.
"""

from __future__ import annotations

import csv
import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent / "skerry"  # has the table of environment variables
ROOT = HERE.parents[1]
CONSUMER = ROOT / "tests" / "consumer"  # the program of the page "C++"


def restructured(markdown: str) -> str:
    """Return the text of CHANGELOG.md as reStructuredText: headings, bold lines, lists, links and code."""
    lines = []
    for line in markdown.splitlines():
        if line.startswith("<!--"):
            continue
        heading = re.match(r"(#+) (.+)", line) or re.match(r"(\*\*)(.+)\*\*$", line)
        if heading:
            underline = {"#": "=", "##": "-"}.get(heading[1], "~")
            lines += [heading[2], underline * len(heading[2])]
            continue
        line = re.sub(r"`([^`]+)`", r"``\1``", line)
        line = re.sub(r"\[([^]]+)\]\(python/docs/(\w+)\.rst\)", r":doc:`\1 <\2>`", line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def fetch_inventories(folder: pathlib.Path) -> None:
    """Fetch the inventories of other sites, for links to them; a site that can't be reached is left out."""
    import concurrent.futures
    import urllib.request

    import conf

    folder.mkdir(parents=True, exist_ok=True)

    def fetch(name: str, url: str) -> None:
        file = folder / f"{name}.inv"
        if not file.exists():
            with urllib.request.urlopen(f"{url}objects.inv", timeout=5) as answer:
                content = answer.read()
            if content.startswith(b"# Sphinx inventory"):
                file.write_bytes(content)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = {name: pool.submit(fetch, name, url) for name, url in conf.SITES.items()}
    for name, future in waiting.items():
        if future.exception() is not None:
            print(f"docs: no links to {name}: {future.exception()}", flush=True)


def add_index_entries(source: pathlib.Path) -> None:
    """Write the entries of the index into the pages that they lead to; the search finds pages by them, too."""
    with (source / "index_entries.csv").open(newline="") as rows:
        for row in csv.DictReader(rows):
            page = source / f"{row['page']}.rst"
            entries = [f"   ! single: {entry.strip()}" for entry in row["entries"].split(";")]
            page.write_text("\n".join([".. index::", *entries, "", page.read_text()]))


def absent_names() -> str:
    """Return lists of the names that skerry does not have, with what to use instead, in sections by library."""
    from skerry._absent_names import read_table

    prefixes = {"skerry": "", "Array": "x."}
    lines: list[str] = []
    library = section = ""
    for row in read_table():
        headings = row["group"].partition(": ")
        if headings[0] != library:
            library = headings[0]
            lines += ["", library, "-" * len(library), ""]
        if headings[2] != section:
            section = headings[2]
            title = section[:1].upper() + section[1:]
            lines += ["", title, "~" * len(title), ""] if section else []
        module = row["module"].split()[0]
        prefix = prefixes.get(module, f"{module}.")
        names = ", ".join(f"``{prefix}{name}``" for name in row["names"].split())
        instead = row["instead"] or "call the function: `skerry.{stem}(x, ...)`"
        lines.append(f"* {names}: {instead.replace('{stem}', 'NAME').replace('`', '``')}")
    return "\n".join([*lines, ""])


def gather(source: pathlib.Path) -> None:
    """Gather the sources of all pages in a folder."""
    shutil.rmtree(source, ignore_errors=True)
    (source / "reference" / "generated").mkdir(parents=True)
    files = [*HERE.glob("*.rst"), *HERE.glob("*.csv"), *PACKAGE.glob("*.csv")]
    for file in (*files, HERE / "conf.py", HERE / "scorer.js"):
        shutil.copy(file, source)
    shutil.copytree(HERE / "static", source / "static")
    shutil.copytree(
        HERE / "gallery", source / "programs", ignore=shutil.ignore_patterns("__pycache__")
    )
    (source / "consumer").mkdir()
    for name in ("CMakeLists.txt", "main.cpp"):
        shutil.copy(CONSUMER / name, source / "consumer")
    add_index_entries(source)
    (source / "changelog.rst").write_text(restructured((ROOT / "CHANGELOG.md").read_text()))
    (source / "absent_names.txt").write_text(absent_names())
    from reference import pages

    for name, text in pages().items():
        (source / "reference" / name).write_text(text)


def main(target: pathlib.Path) -> int:
    """Build HTML in ``target/html`` from sources collected in ``target/source``."""
    # Examples always show rehearsed CUDA devices.
    os.environ.setdefault("SKERRY_REHEARSE", "2")
    os.environ.setdefault("SKERRY_CPU_DEVICES", "2")
    os.environ.setdefault("SPHINX_INVENTORIES", str(target.resolve() / "inventories"))
    fetch_inventories(pathlib.Path(os.environ["SPHINX_INVENTORIES"]))
    gather(target / "source")
    from sphinx.cmd.build import main as sphinx

    html = target / "html"
    status = sphinx(["-W", "--keep-going", "-q", "-b", "html", str(target / "source"), str(html)])
    if status:
        return status
    import search_ranking

    misses = search_ranking.misses(html / "searchindex.js", HERE / "searches.csv")
    for miss in misses:
        print(miss, file=sys.stderr)
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
