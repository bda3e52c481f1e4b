# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The ranking of the site's search, to check which page a search finds first.

It follows ``searchtools.js`` of Sphinx 9 with the weights of ``scorer.js``: titles, entries of the index, names of
objects, and words of the text.
"""

from __future__ import annotations

import csv
import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

TITLE, PARTIAL_TITLE, TERM, PARTIAL_TERM = 15, 7, 5, 2
OBJECT_NAME, PARTIAL_OBJECT_NAME = 11, 6
OBJECT_PRIORITY = {0: 15, 1: 5, 2: -5}
# Pages that scorer.js ranks lowest.
LAST = re.compile(r"reference/generated|gallery|changelog")


def _rescore(query: str, page: str, title: str, score: int) -> int:
    """Return the score that scorer.js gives to a title or a text."""
    is_title = any(word in title.lower() for word in re.findall(r"\w+", query))
    weight = 4 if LAST.match(page) else 2 if page.startswith("reference/") else 0
    return score + 6 * is_title - weight


class Result(NamedTuple):
    """A page that a search finds."""

    page: str
    title: str
    score: int
    kind: str


def load(file: pathlib.Path) -> dict[str, Any]:
    """Read the index that Sphinx has written."""
    text = file.read_text()
    index: dict[str, Any] = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    return index


def _terms(query: str) -> list[str]:
    """Return the stems of the words of a query, without stop words and numbers."""
    from sphinx.search.en import SearchEnglish

    words = re.findall(r"\w+", query.lower())
    stem = SearchEnglish({}).stem
    return [
        stem(word) for word in words if word not in SearchEnglish.stopwords and not word.isdigit()
    ]


def _files(entry: int | list[int]) -> list[int]:
    return [entry] if isinstance(entry, int) else entry


def _of_titles(index: dict[str, Any], query: str) -> Iterator[Result]:
    for title, occurrences in index["alltitles"].items():
        if query not in title.lower().strip() or len(query) < len(title) / 2:
            continue
        for file, _ in occurrences:
            is_page = index["titles"][file] == title
            score = int(TITLE * len(query) / len(title) + 0.5) + is_page
            page, page_title = index["docnames"][file], index["titles"][file]
            shown = title if is_page else f"{page_title} > {title}"
            yield Result(page, shown, _rescore(query, page, page_title, score), "title")


def _of_index_entries(index: dict[str, Any], query: str) -> Iterator[tuple[Result, bool]]:
    for entry, occurrences in index["indexentries"].items():
        if query not in entry or len(query) < len(entry) / 2:
            continue
        for file, _, is_main in occurrences:
            score = int(100 * len(query) / len(entry) + 0.5)
            page = index["docnames"][file]
            score = score // 10 if page == "glossary" else score  # as scorer.js does
            yield Result(page, index["titles"][file], score, "index"), bool(is_main)


def _of_objects(index: dict[str, Any], query: str) -> Iterator[Result]:
    words = set(re.findall(r"\w+", query))
    for prefix, entries in index["objects"].items():
        for file, kind, priority, _, name in entries:
            full_name = f"{prefix}.{name}".lower() if prefix else name.lower()
            last = full_name.rpartition(".")[2]
            text = (
                f"{prefix} {name} {index['objnames'][str(kind)][2]} {index['titles'][file]}".lower()
            )
            for word in words:
                if word not in full_name or any(other not in text for other in words - {word}):
                    continue
                score = OBJECT_PRIORITY.get(priority, 0)
                if word in (full_name, last):
                    score += OBJECT_NAME
                elif word in last:
                    score += PARTIAL_OBJECT_NAME
                score += 10 * (last in words) - full_name.count(".") - 1  # as scorer.js does
                yield Result(index["docnames"][file], full_name, score, "object")


def _word_scores(index: dict[str, Any], word: str) -> dict[int, int]:
    """Return the score of a word in each page that has it, in the text or in a heading."""
    scores: dict[int, int] = {}
    # The order matters: a later score replaces an earlier one.
    tables = (("terms", TERM), ("titleterms", TITLE))
    for table, score in tables:
        scores |= dict.fromkeys(_files(index[table].get(word, [])), score)
    for table, score in (("terms", PARTIAL_TERM), ("titleterms", PARTIAL_TITLE)):
        if len(word) > 2 and word not in index[table]:
            for term, entry in index[table].items():
                if word in term:
                    scores |= dict.fromkeys(_files(entry), score)
    return scores


def _of_text(index: dict[str, Any], query: str) -> Iterator[Result]:
    words = list(dict.fromkeys(_terms(query)))
    scores = list(filter(None, (_word_scores(index, word) for word in words)))
    required = (len(words), sum(len(word) > 2 for word in words))
    for file in sorted(set().union(*scores)):
        of_words = [of_word[file] for of_word in scores if file in of_word]
        if len(of_words) in required:
            page = index["docnames"][file]
            title = index["titles"][file]
            yield Result(page, title, _rescore(query, page, title, max(of_words)), "text")


def search(index: dict[str, Any], query: str) -> list[Result]:
    """Return the results of the site's search, in the order in which it shows them."""
    query = query.lower().strip()
    results = list(_of_titles(index, query))
    entries = list(_of_index_entries(index, query))
    results += [result for result, is_main in entries if is_main]
    results += [*_of_objects(index, query), *_of_text(index, query)]
    others = [result for result, is_main in entries if not is_main]
    shown: dict[tuple[str, str, bool], Result] = {}
    for group in (results[::-1], others[::-1]):  # of equal results the last comes first
        for result in sorted(group, key=lambda result: (-result.score, result.title.lower())):
            # The results for a page by its title, its text and its index entries are merged: the first counts.
            key = (result.page, result.title, result.kind == "object")
            shown.setdefault(key, result)
    return list(shown.values())


def searches(file: pathlib.Path) -> list[tuple[str, list[str]]]:
    """Return the queries of a table, and the pages one of which has to be first."""
    with file.open(newline="") as rows:
        return [(row["query"], row["page"].split()) for row in csv.DictReader(rows)]


def misses(index_file: pathlib.Path, table: pathlib.Path) -> list[str]:
    """Return a line for each search that does not find its page first."""
    index = load(index_file)
    lines = []
    for query, pages in searches(table):
        results = search(index, query)
        if not results or results[0].page not in pages:
            first = [f"{result.page} ({result.score}, {result.kind})" for result in results[:4]]
            lines.append(
                f"search: {query!r} finds not {' or '.join(pages)} first, but {', '.join(first) or 'nothing'}"
            )
    return lines
