# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What ARCHITECTURE.md and CONTRIBUTING.md name in code quotes is there: files, folders, and names in the sources."""

import itertools
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = ["core", "device", "ops", "python", "tests", "bench", ".ci"]
TOP = [path for path in ROOT.iterdir() if path.is_file() and path.suffix != ".md"]
FILES = TOP + [
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts and "results" not in path.parts
]
PATH = re.compile(r"[\w.*<>{},/-]+")
ENDINGS = ("hpp", "cpp", "cu", "cuh", "py", "pyi", "rst", "in", "cmake", "txt", "toml", "md")
NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*")


def quoted(page):
    return sorted(set(re.findall(r"`([^`\n]+)`", (ROOT / page).read_text())))


def is_path(text):
    return bool(PATH.fullmatch(text)) and (
        text.rstrip("/").count("/") > 0 or text.endswith(("/", *(f".{e}" for e in ENDINGS)))
    )


def expanded(text):
    """`a/{b,c}.hpp` as its two paths."""
    parts = re.split(r"\{([^{}]*)\}", text)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    return ["".join(combination) for combination in itertools.product(*choices)]


def is_placeholder(text):
    """Files of a family, kind or topic that a reader is to add, and endings."""
    return "<" in text or pathlib.PurePath(text).name.split(".")[0] in ("f", "")


def is_there(path):
    if path.startswith(".") and path.count("/") == 0:
        return any(file.name.endswith(path) for file in FILES)
    if "/" not in path.rstrip("/"):
        return any(file.name == path for file in FILES) or (ROOT / path).is_dir()
    return any(ROOT.glob(path.rstrip("/")))


PAGES = ["ARCHITECTURE.md", "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page):
    paths = [
        path
        for text in quoted(page)
        if is_path(text)
        for path in expanded(text)
        if not is_placeholder(path)
    ]
    assert len(paths) > (50 if page == "ARCHITECTURE.md" else 3)
    assert [path for path in paths if not is_there(path)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_name_is_in_the_sources(page):
    sources = "\n".join(f"{file.name}\n{file.read_text(errors='ignore')}" for file in FILES)
    names = [text for text in quoted(page) if NAME.fullmatch(text) and not is_path(text)]
    names = [name.rpartition(".")[2] for name in names]
    assert names
    left = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", sources)]
    assert left == []
