# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Count uninformative names by folder; fail if the counts differ from lint_names.csv.

    python tests/lint_names.py                 compare with lint_names.csv
    python tests/lint_names.py --update        rewrite lint_names.csv: counts may fall, not rise
    python tests/lint_names.py --list FOLDER   every such name with its file and line

There are two kinds: identifiers that consist of a preposition, a pronoun or a participle, and C++ identifiers that
contain a word of the last column of the glossary in CONTRIBUTING.md. Not counted are comments, strings, includes, names
of C++ tests, the members `at` and `what` of std, and attributes in Python, as NumPy and the standard prescribe public ones.
"""

import argparse
import collections
import csv
import io
import keyword
import pathlib
import re
import sys
import tokenize
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
RECORD = pathlib.Path(__file__).with_suffix(".csv")
FOLDERS = ("core", "device", "ops", "python", "tests", "bench")
#: Rejected as whole names, in addition to those in parentheses in the glossary.
FURTHER = frozenset(
    """of by with onto beside before after whom whose which how such each own mine places lies made asked told given kept
    known held settled taken ready turned fed meant wanted needed dear far near there again ever many so like alike""".split()
)
CPP = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".inc"}
TEST_NAME = re.compile(r"\bTEST(?:_F|_P)?\([^()]*\)")
NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'|^\s*#\s*include[^\n]*",
    re.DOTALL | re.MULTILINE,
)
STANDARD_MEMBER = re.compile(r"(?:\.|->)(?:at|what)\s*\(")
IDENTIFIER = re.compile(r"(?<![\w:])(?<!std::)([A-Za-z_]\w*)(?!\s*::)")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

Name = collections.namedtuple("Name", "folder kind name file line")


def struck_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return words that no C++ identifier may contain, and words that no identifier may equal."""
    rows = re.findall(
        r"^\|(?:[^|\n]*\|){3}([^|\n]*)\|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE
    )
    words = frozenset(word.strip() for row in rows for word in row.split(","))
    words -= {"", "instead of", "---"}
    if not words:
        sys.exit("CONTRIBUTING.md: no glossary found; its last column must list the rejected words")
    whole = frozenset(word for word in words if word.startswith("("))
    return words - whole, FURTHER | {word.strip("()") for word in whole}


def blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def read_cpp(text: str, struck: frozenset[str], whole: frozenset[str]) -> Iterator[tuple[str, int]]:
    text = STANDARD_MEMBER.sub(blank, TEST_NAME.sub(blank, NOISE.sub(blank, text)))
    for number, line in enumerate(text.split("\n"), 1):
        for match in IDENTIFIER.finditer(line):
            if match[1].startswith("Py"):  # CPython's API
                continue
            words = {word.lower() for word in PART.findall(match[1])}
            words |= {word.removesuffix("s") for word in words}
            if match[1] in whole or words & struck:
                yield match[1], number


def read_python(text: str, whole: frozenset[str]) -> Iterator[tuple[str, int]]:
    previous = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
        if is_name and previous != "." and token.string.strip("_") in whole:
            yield token.string, token.start[0]
        previous = token.string


def find_names(folders: tuple[str, ...]) -> Iterator[Name]:
    struck, whole = struck_words()
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*")):
        file = path.relative_to(ROOT)
        if path.suffix in CPP:
            kind, names = "C++", read_cpp(path.read_text(), struck, whole)
        elif path.suffix == ".py":
            kind, names = "Python", read_python(path.read_text(), whole)
        else:
            continue
        folder = "/".join(file.parts[:2]) if len(file.parts) > 2 else file.parts[0]
        for name, line in names:
            yield Name(folder, kind, name, str(file), line)


def main() -> int:
    parser = argparse.ArgumentParser(description="Count uninformative names.")
    parser.add_argument("--update", action="store_true", help=f"rewrite {RECORD.name}")
    parser.add_argument(
        "--list",
        metavar="FOLDER",
        nargs="+",
        help="print the names in these folders, with file and line",
    )
    options = parser.parse_args()
    names = list(find_names(tuple(options.list or FOLDERS)))
    if options.list:
        for name in names:
            print(f"{name.file}:{name.line}: {name.name}")
        return 0
    counts = collections.Counter((name.folder, name.kind, name.name) for name in names)
    with RECORD.open(newline="") as file:
        limits = {
            (row["folder"], row["language"], row["name"]): int(row["count"])
            for row in csv.DictReader(file)
        }
    for name in names:
        if counts[name[:3]] > limits.get(name[:3], 0):
            print(
                f"{name.file}:{name.line}: {name.name}: uninformative, or rejected by the glossary (CONTRIBUTING.md)"
            )
    rises = any(count > limits.get(key, 0) for key, count in counts.items())
    if options.update and not rises:
        with RECORD.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["folder", "language", "name", "count"])
            writer.writerows([*key, count] for key, count in sorted(counts.items()))
        return 0
    lower = [key for key, limit in limits.items() if counts[key] < limit]
    for folder, kind, name in lower:
        print(
            f"{RECORD.name}: {folder}: {name} ({kind}): {counts[folder, kind, name]} remain: run tests/lint_names.py --update"
        )
    print(f"names: {sum(counts.values())} uninformative, {sum(limits.values())} allowed")
    return int(rises or bool(lower))


if __name__ == "__main__":
    sys.exit(main())
