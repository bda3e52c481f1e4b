# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""ARCHITECTURE.md is short, its picture is up to date, decisions and families have pages, and names in them exist."""

import itertools
import pathlib
import re
import runpy

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
DECISIONS = ROOT / "python" / "docs" / "decisions"
FOLDERS = ["core", "device", "ops", "python", "tests", "bench", ".ci"]
TOP = [path for path in ROOT.iterdir() if path.is_file() and path.suffix != ".md"]
FILES = TOP + [
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.is_file()
    and not {"__pycache__", "results"} & set(path.parts)
    and path.parent != DECISIONS  # a page does not prove that its own names exist
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
    """Expand `a/{b,c}.hpp` to its two paths."""
    parts = re.split(r"\{([^{}]*)\}", text)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    return ["".join(combination) for combination in itertools.product(*choices)]


def is_placeholder(text):
    """Whether a path stands for files that a reader adds, or is a suffix."""
    return "<" in text or pathlib.PurePath(text).name.split(".")[0] in ("f", "")


def is_there(path, folder=ROOT):
    if path.startswith(".") and path.count("/") == 0:
        return any(file.name.endswith(path) for file in FILES)
    if any(folder.glob(path.rstrip("/"))):
        return True
    if "/" not in path.rstrip("/"):
        return any(file.name == path for file in FILES) or (ROOT / path).is_dir()
    return any(ROOT.glob(path.rstrip("/")))


DECISION_PAGES = sorted(
    f"python/docs/decisions/{path.name}"
    for path in DECISIONS.glob("*.md")
    if path.name != "README.md"
)
FAMILIES = sorted(path.parent.name for path in ROOT.glob("ops/*/*") if path.name != "README.md")
READMES = [*(f"ops/{family}/README.md" for family in dict.fromkeys(FAMILIES)), "core/README.md"]
READMES += ["device/README.md", "python/bindings/README.md"]
PAGES = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "python/docs/code_tour.md",
    *READMES,
    *DECISION_PAGES,
]
MIN_PATHS = {"ARCHITECTURE.md": 51, "CONTRIBUTING.md": 4}
LINK = re.compile(r"\]\(([^()#\s]+)\)")


@pytest.fixture(scope="module")
def source_text():
    return "\n".join(f"{file.name}\n{file.read_text(errors='ignore')}" for file in FILES)


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page):
    paths = [
        path
        for text in quoted(page)
        if is_path(text)
        for path in expanded(text)
        if not is_placeholder(path)
    ]
    assert len(paths) >= MIN_PATHS.get(page, 1)
    folder = (ROOT / page).parent
    assert [path for path in paths if not is_there(path, folder)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_name_is_in_the_sources(page, source_text):
    names = [text for text in quoted(page) if NAME.fullmatch(text) and not is_path(text)]
    names = [name.rpartition(".")[2] for name in names]
    assert names or page in DECISION_PAGES or page in READMES
    absent = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", source_text)]
    assert absent == []


@pytest.mark.parametrize("page", [*PAGES, "python/docs/decisions/README.md"])
def test_every_link_target_exists(page):
    links = LINK.findall((ROOT / page).read_text())
    links = [link for link in links if "://" not in link]
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).is_file()] == []


@pytest.mark.parametrize("page", READMES)
def test_readme_of_a_folder_is_short_and_says_where_to_begin(page):
    lines = (ROOT / page).read_text().splitlines()
    folder = page.removesuffix("/README.md")
    assert lines[0].startswith((f"# {folder}: ", f"# {folder.removeprefix('ops/')}: "))
    assert len(lines) <= 15
    assert re.search(r"^Start at `", "\n".join(lines), re.MULTILINE)


def test_picture_shows_the_includes_of_the_sources():
    script = ROOT / "python" / "docs" / "architecture_picture.py"
    picture = runpy.run_path(str(script))
    assert picture["PICTURE"].read_text() == picture["draw"](), f"run python {script}"


def test_architecture_has_at_most_200_lines():
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 200


@pytest.mark.parametrize("page", DECISION_PAGES)
def test_decisions_have_context_decision_price_and_code(page):
    lines = (ROOT / page).read_text().splitlines()
    headings = [line for line in lines if line.startswith("#")]
    assert headings[0] == lines[0]
    assert lines[0].startswith("# ")
    assert headings[1:] == ["## Context", "## Decision", "## Price", "## Code"]
    sections = "\n".join(lines[1:]).split("\n## ")[1:]
    assert [
        text.partition("\n")[0] for text in sections if not text.partition("\n")[2].strip()
    ] == []
    assert len(lines) <= 60, "shorten it to a page"


def test_the_index_lists_each_decision_once():
    entries = re.findall(
        r"^\* \[([\w-]+\.md)\]\(\1\): \S", (DECISIONS / "README.md").read_text(), re.MULTILINE
    )
    assert len(DECISION_PAGES) > 20
    assert sorted(entries) == [pathlib.PurePath(page).name for page in DECISION_PAGES]
