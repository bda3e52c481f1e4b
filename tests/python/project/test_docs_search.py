# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The search of the documentation: ``make docs`` fails if a search of the table does not find its page first."""

import json
import sys

import pytest

from tests.python.project.test_docs import DOCS

sys.path.insert(0, str(DOCS))
import reference
import search_ranking

sys.path.remove(str(DOCS))

SEARCHES = search_ranking.searches(DOCS / "searches.csv")
# build.py and Sphinx-Gallery write these pages.
BUILT = {"changelog", "gallery/index"}


def pages():
    written = {path.stem for path in DOCS.glob("*.rst")}
    programs = {f"gallery/{path.stem}" for path in (DOCS / "gallery").glob("*.py")}
    return written | programs | {f"reference/{name[:-4]}" for name in reference.pages()} | BUILT


INDEX = {
    "docnames": ["fuse", "reference/fusion", "reference/generated/skerry.fuse", "streams"],
    "titles": ["Kernel fusion", "Kernel fusion", "skerry.fuse", "Streams"],
    "alltitles": {
        "Kernel fusion": [[0, None], [1, None]],
        "Memory": [[3, "memory"]],
        "skerry.fuse": [[2, None]],
        "Streams": [[3, None]],
    },
    "indexentries": {"overlap": [[3, "index-0", True]], "overlaps": [[0, "index-0", False]]},
    "objects": {"skerry": [[2, 0, 1, "", "fuse"], [3, 1, 1, "", "Stream"]]},
    "objnames": {"0": ["py", "function", "Python function"], "1": ["py", "class", "Python class"]},
    "terms": {"memori": [0, 1, 3], "overlap": [0, 3], "speed": 0},
    "titleterms": {"fusion": [0, 1], "kernel": [0, 1], "memori": 3, "stream": 3},
}


def first(query):
    results = search_ranking.search(INDEX, query)
    return (results[0].page, results[0].kind) if results else None


def test_the_table_has_forty_searches_and_their_pages_exist():
    assert len({query.lower() for query, _ in SEARCHES}) == len(SEARCHES) >= 40
    assert {page for _, results in SEARCHES for page in results} <= pages()


def test_a_term_of_the_glossary_comes_after_the_page_of_its_name():
    index = {
        **INDEX,
        "docnames": [*INDEX["docnames"], "glossary"],
        "titles": [*INDEX["titles"], "Glossary"],
        "indexentries": {**INDEX["indexentries"], "stream": [[4, "term-stream", True]]},
    }
    pages = [result.page for result in search_ranking.search(index, "stream")]
    assert pages[0] == "streams"
    assert "glossary" in pages


def test_a_guide_comes_before_the_reference_of_the_same_title():
    assert first("kernel fusion") == ("fuse", "title")
    assert [result.page for result in search_ranking.search(INDEX, "fusion")][-1] == (
        "reference/fusion"
    )


def test_the_function_of_a_name_comes_first():
    assert first("fuse") == ("reference/generated/skerry.fuse", "object")
    assert first("Stream") == ("streams", "object")


def test_a_main_entry_of_the_index_comes_first_and_another_last():
    results = search_ranking.search(INDEX, "overlap")
    assert (results[0].page, results[0].score) == ("streams", 100)
    results = search_ranking.search(INDEX, "overlaps")
    assert [result.kind for result in results] == ["text", "text"]


def test_a_heading_counts_more_than_the_text():
    assert first("memory") == ("streams", "text")


def test_all_words_of_a_query_are_required():
    assert first("overlap speed") == ("fuse", "text")
    assert first("speed streams") is None
    assert first("no such word") is None


def test_a_part_of_a_word_is_found():
    assert first("overl")[0] == "streams"


@pytest.mark.parametrize(("page", "count"), [("fuse", 0), ("streams", 1)])
def test_misses_are_told_with_what_was_found(tmp_path, page, count):
    index_file, table = tmp_path / "searchindex.js", tmp_path / "searches.csv"
    index_file.write_text(f"Search.setIndex({json.dumps(INDEX)})")
    table.write_text(f"query,page\nkernel fusion,{page} other\n")
    misses = search_ranking.misses(index_file, table)
    assert len(misses) == count
    assert all("'kernel fusion'" in line and "fuse (22, title)" in line for line in misses)
