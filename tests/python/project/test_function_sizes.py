# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions have at most 60 lines. (tests/lint_file_sizes.py reports long files, as advice.)"""

import ast
import re

from tests.python.project.test_layers import LAYERS, ROOT, sources

# The head of a function: a name before its first bracket, and no keyword of another block.
OTHERS = "if|for|while|switch|else|do|return|namespace|enum|union"
HEAD = re.compile(rf"(?!(?:{OTHERS})\b)(?!.*\b(?:struct|class) \w)[^=!.]*?\w\(")


def text_files():
    for layer in LAYERS:
        yield from sources(layer)
        yield from (ROOT / layer).rglob("*.py")


def functions_in_cpp(lines):
    """Yield head and number of lines of each function, relying on clang-format's placement of brackets."""
    last = 0
    for i, line in enumerate(lines):
        if not line.endswith("{") or i < last:
            continue
        first = i
        while first > 0 and re.match(r"[^/#\s].*[^;{}:>]$|\s+\S.*[^;{}:>]$", lines[first - 1]):
            first -= 1
        head = " ".join(text.strip() for text in lines[first : i + 1])
        indent = re.match(" *", lines[first])[0]
        if not HEAD.match(head) or re.search(r"= ?\{$|\]\s*\(?[^()]*\)?\s*\{$", head):
            continue
        last = next(k for k in range(i + 1, len(lines)) if lines[k].startswith(indent + "}"))
        yield head, last - first + 1


def functions_of(path):
    text = path.read_text()
    if path.suffix == ".py":
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
        return [(node.name, node.end_lineno - node.lineno + 1) for node in nodes]
    return list(functions_in_cpp(text.split("\n")))


def test_no_function_has_over_60_lines():
    line_counts = {(path.name, name): n for path in text_files() for name, n in functions_of(path)}
    assert len(line_counts) > 2000
    assert [key for key, lines in line_counts.items() if lines > 60] == []


def test_lines_of_functions_are_counted():
    body = ["  f();"] * 7
    text = [
        "namespace {",
        "template <class T>",
        "int f(int a,",
        "      int b) {",
        *body,
        "}",
        "",
        "}",
    ]
    assert [n for _, n in functions_in_cpp(text)] == [10]
    inside = ["struct s {", "  s() : a(1) {", "    if (b) {", "      f();", "    }", "  }", "};"]
    assert [n for _, n in functions_in_cpp(inside)] == [5]
