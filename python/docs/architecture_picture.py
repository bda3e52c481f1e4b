# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Draws architecture.svg: the folders of C++ sources, and which includes which.

The arrows are the #include lines of the sources, except arrows that others imply. A box contains a folder's name and
its purpose, from the first line of its README.md. `python python/docs/architecture_picture.py` writes the file, and
tests/python/project/test_architecture.py fails if it is out of date.
"""

import functools
import html
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "python" / "docs" / "architecture.svg"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
LAYERS = ("core", "device", "ops", "python")
SUFFIXES = {".h", ".hpp", ".cpp", ".cu", ".cuh"}
COLORS = {"core": "#dbeafe", "device": "#dcfce7", "ops": "#fef3c7", "python": "#fce7f3"}
WIDTH, HEIGHT, GAP, ROW = 178, 62, 14, 112
LINE = 27  # maximum characters per line of text in a box


def folder_of(name):
    """Return the folder whose box contains a file: a family of ops, the emulator, the bindings, or a whole layer."""
    parts = name.split("/")
    if name.startswith(("ops/", "python/", "device/emulator/")) and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def include_graph():
    """Return the folders that each folder includes."""
    graph = {}
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            folder = folder_of(path.relative_to(ROOT).as_posix())
            included = {
                folder_of(name)
                for name in INCLUDE.findall(path.read_text())
                if name.split("/")[0] in LAYERS and (ROOT / name).exists()
            }
            graph.setdefault(folder, set()).update(included - {folder})
    return graph


def without_implied(graph):
    """Drop the arrows that others imply (transitive reduction)."""

    @functools.cache
    def reachable(folder):
        return frozenset(graph[folder]).union(*map(reachable, graph[folder]))

    return {
        folder: {b for b in below if not any(b in reachable(c) for c in below - {b})}
        for folder, below in graph.items()
    }


def rows_of(graph):
    """Sort folders into rows, each above all folders that it includes."""

    @functools.cache
    def rank(folder):
        return 1 + max(map(rank, graph[folder]), default=-1)

    rows = [[] for _ in range(1 + max(map(rank, graph)))]
    for folder in sorted(graph):
        rows[rank(folder)].append(folder)
    return rows[::-1]


def purpose(folder):
    """Return the purpose in the first line of a folder's README, after ": ", wrapped to fit its box."""
    first = (ROOT / folder / "README.md").read_text().partition("\n")[0]
    lines = [""]
    for word in first.partition(": ")[2].replace("`", "").split():
        if len(lines[-1]) + len(word) >= LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    if len(lines) > 2:
        raise ValueError(f"{folder}/README.md: the first line is too long for its box: {first}")
    return lines


def draw():
    """Return the picture as the text of an SVG file."""
    graph = include_graph()
    rows = rows_of(graph)
    width = max(map(len, rows)) * (WIDTH + GAP) + GAP
    corners = {}
    for number, row in enumerate(rows):
        left = (width - len(row) * (WIDTH + GAP) + GAP) / 2
        for index, folder in enumerate(row):
            corners[folder] = (left + index * (WIDTH + GAP), GAP + number * ROW)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{len(rows) * ROW}"'
        f' viewBox="0 0 {width} {len(rows) * ROW}" font-family="sans-serif" font-size="11.5">',
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#6b7280"/></marker></defs>',
        f'<rect width="{width}" height="{len(rows) * ROW}" fill="white"/>',
    ]
    for folder, below in sorted(without_implied(graph).items()):
        x, y = corners[folder]
        for other in sorted(below):
            end_x, end_y = corners[other]
            start_x, end_x = x + WIDTH / 2, end_x + WIDTH / 2
            middle = (y + HEIGHT + end_y) / 2
            curve = f"M{start_x:g} {y + HEIGHT:g} C{start_x:g} {middle:g} {end_x:g} {middle:g} {end_x:g} {end_y:g}"
            parts.append(
                f'<path d="{curve}" fill="none" stroke="#6b7280" marker-end="url(#arrow)"/>'
            )
    for folder, (x, y) in sorted(corners.items()):
        color = COLORS[folder.split("/")[0]]
        parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{color}" stroke="#374151"/>'
            f'<text x="{x + 9:g}" y="{y + 19:g}" font-weight="bold" font-size="13">{folder}</text>'
        )
        for index, line in enumerate(purpose(folder)):
            parts.append(
                f'<text x="{x + 9:g}" y="{y + 36 + 15 * index:g}">{html.escape(line)}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw())
