# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""ops/KERNELS.md has a line for each of our kernels, and for each algorithm of CUB and Thrust that a file calls."""

import pathlib
import re
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[3]
OPS = ROOT / "ops"
PAGE = OPS / "KERNELS.md"
OWNERS = ("ours", "CUB", "Thrust")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
#: Whitespace, `\n` escapes and quotes: the source of fused kernels is split over adjacent C++ string literals.
BLANK = r'(?:\s|\\n|")+'
BOUNDS = r"__launch_bounds__\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
KERNEL = re.compile(rf"__global__{BLANK}void{BLANK}(?:{BOUNDS}{BLANK})?(\w+)\s*\(")
#: A class or function of CUB, or a member function of a class; names in capitals only are constants, and not matched.
CUB = re.compile(r"\bcub::([A-Z][A-Za-z]*[a-z]\w*(?:::[A-Z]\w*)?)")
CUB_TYPES = {"NullType", "TransformAlgorithm", "TransformPolicy", "Uninitialized"}
THRUST = re.compile(r"\bthrust::(?!\w*iterator)(\w+)")
ROW = re.compile(r"\| `([^`|]+)` \| `([^`|]+)` \| ([^|]+) \| ([^|]+) \|")


def kernels_of(text: str) -> set[tuple[str, str]]:
    """Return the kernels that a source defines and the algorithms that it calls, each with its owner."""
    text = COMMENT.sub(" ", text)
    return (
        {(name, "ours") for name in KERNEL.findall(text)}
        | {(f"cub::{name}", "CUB") for name in CUB.findall(text) if name not in CUB_TYPES}
        | {(f"thrust::{name}", "Thrust") for name in THRUST.findall(text)}
    )


def sources():
    return {
        path.relative_to(OPS).as_posix(): path.read_text()
        for ending in ("cu", "cuh", "cpp", "hpp")
        for path in sorted(OPS.rglob(f"*.{ending}"))
    }


def rows():
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    matches = [ROW.fullmatch(line) for line in lines]
    wrong = [line for line, match in zip(lines, matches, strict=True) if match is None]
    assert not wrong, f"not of the form | `file` | `name` | owner | reason |: {wrong}"
    return [match.groups() for match in matches if match]


def test_each_kernel_and_algorithm_has_one_line():
    used = {(file, *kernel) for file, text in sources().items() for kernel in kernels_of(text)}
    listed = Counter((file, name, owner) for file, name, owner, _ in rows())
    assert used, "no kernel was found"
    missing, stale = sorted(used - listed.keys()), sorted(listed.keys() - used)
    assert missing == [], "without a line in ops/KERNELS.md"
    assert stale == [], "in ops/KERNELS.md, and not (or no longer) in the file"
    assert [row for row, count in listed.items() if count > 1] == []


def test_every_global_function_is_recognized():
    for file, text in sources().items():
        marks = len(re.findall("__global__", COMMENT.sub(" ", text)))
        assert marks == len(KERNEL.findall(COMMENT.sub(" ", text))), (
            f"{file}: a kernel is not recognized"
        )


def test_each_line_has_a_reason():
    for file, name, owner, reason in rows():
        assert owner in OWNERS, f"{file}, {name}: owner {owner!r} is not one of {OWNERS}"
        assert len(reason.split()) > 2, f"{file}, {name}: no reason"


def test_kernels_and_calls_are_recognized():
    text = """
    // cub::DeviceScan in a comment
    template <class T> __global__ void __launch_bounds__(threads, (sizeof(T) > 4 ? 3 : 4))
        fold_columns(const T loop) { cub::ShuffleDown<32>(1); cub::Uninitialized<T> x; }
    add("extern \\"C\\" __global__ void __launch_bounds__(256)\\n"
        "fused_pass(const arguments a) {\\n");
    using scan = cub::BlockScan<int, 512, cub::BLOCK_SCAN_WARP_SCANS>;
    cub::DeviceFor::Bulk(1, f); thrust::counting_iterator<int>(0); thrust::sort(a, b);
    """
    assert kernels_of(text) == {
        ("fold_columns", "ours"),
        ("fused_pass", "ours"),
        ("cub::ShuffleDown", "CUB"),
        ("cub::BlockScan", "CUB"),
        ("cub::DeviceFor::Bulk", "CUB"),
        ("thrust::sort", "Thrust"),
    }
