# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Measure the tuning constants of ops/kernel/cpu/tuning.hpp on this machine.

``python -m bench.tune NAME...`` times the calls in the ``/// Row:`` comments of each constant, with 1/4, 1/2, 1, 2 and
4 times its value, alternately, each time in a new process. If another value takes less than 0.9 of the time, the
constant is stale on this machine. Without names, all constants that are read at run time are measured. Needs a
compiler, CMake and pybind11, as ``make build`` does: it builds a library in ``build/tune`` from a header that reads
constants from environment variables. Constants that size arrays are compile-time constants: they need a build for each
value and are measured only by name.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from typing import Any, NamedTuple

from bench import records

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADER = pathlib.Path("ops/kernel/cpu/tuning.hpp")
BUILD = ROOT / "build" / "tune"
COMPILED = "// --- compiled in"
CONSTANT = re.compile(
    r"(?P<comment>(?:^///.*\n)*)^inline constexpr (?P<type>\w+) (?P<name>\w+) = (?P<value>[^;]+);\n",
    re.MULTILINE,
)
ROW = re.compile(r"^/// Row( of all cores)?: (.*) \| (.*)$", re.MULTILINE)
FACTORS = (0.25, 0.5, 1, 2, 4)
#: A constant is stale if another value takes less than this fraction of its time.
STALE = 0.9
UNITS = {"kib": 1 << 10, "mib": 1 << 20}
READER = """
#include <cstdlib>
namespace skerry::tuning {
inline long from_environment(const char* name, long value) {
  const char* const text = std::getenv(name);
  return text == nullptr ? value : std::atol(text);
}
}
"""


class Row(NamedTuple):
    """A call on arrays, from a ``/// Row:`` comment."""

    arrays: str
    call: str
    all_cores: bool


class Constant(NamedTuple):
    """A constant of the header."""

    name: str
    value: int
    is_compiled: bool
    rows: list[Row]


def constants(header: str) -> dict[str, Constant]:
    """Returns the constants of the header that have rows, by name."""
    compiled_from = header.index(COMPILED)
    return {
        match["name"]: Constant(
            match["name"], eval(match["value"], UNITS.copy()), match.start() > compiled_from, rows
        )
        for match in CONSTANT.finditer(header)
        if (
            rows := [
                Row(arrays, call, bool(cores))
                for cores, arrays, call in ROW.findall(match["comment"])
            ]
        )
    }


def tunable_header(header: str, compiled_values: dict[str, int]) -> str:
    """Returns the header with run-time constants read from the environment, and with the given compile-time values."""
    by_name = constants(header)

    def replacement(match: re.Match[str]) -> str:
        name = match["name"]
        if name in compiled_values:
            return f"inline constexpr {match['type']} {name} = {compiled_values[name]};\n"
        if name not in by_name or by_name[name].is_compiled:
            return match[0]
        return (
            f"inline const {match['type']} {name} ="
            f' from_environment("TUNING_{name}", {by_name[name].value});\n'
        )

    text = CONSTANT.sub(replacement, header)
    return text.replace("#include <cstdint>\n", "#include <cstdint>\n" + READER, 1)


def build(compiled_values: dict[str, int], jobs: int) -> pathlib.Path:
    """Builds a package whose library has these values, and returns its path."""
    overlay = BUILD / "overlay"
    overlaid = overlay / HEADER
    overlaid.parent.mkdir(parents=True, exist_ok=True)
    text = tunable_header((ROOT / HEADER).read_text(), compiled_values)
    if not overlaid.exists() or overlaid.read_text() != text:
        overlaid.write_text(text)
    options = {
        "SKERRY_CUDA": "OFF",
        "SKERRY_TESTS": "OFF",
        "SKERRY_CPU_TARGETS": "native",
        "SKERRY_DTYPES": "int8;uint8;int32;int64;float16;float32;float64;complex128",
        "CMAKE_CXX_FLAGS": f"-iquote {overlay}",
        "Python_EXECUTABLE": sys.executable,
    }
    definitions = [f"-D{name}={value}" for name, value in options.items()]
    subprocess.run(
        ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "--log-level=WARNING", *definitions],
        check=True,
        stdout=sys.stderr,
    )
    command = ["cmake", "--build", BUILD, "--parallel", str(jobs), "--target", "_core"]
    subprocess.run(command, check=True, stdout=sys.stderr)
    package = BUILD / "package"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "python" / "skerry", package / "skerry")
    for library in (BUILD / "python").glob("_core*.so"):
        shutil.copy(library, package / "skerry")
    return package


def time_rows(rows: list[list[Any]]) -> None:
    """Prints the seconds per call of each row; runs in a process of its own."""
    import skerry as sk

    def random(dtype: Any, scale: float) -> Any:
        def make(*shape: int) -> Any:
            values = generator.random(shape) * scale
            return values < 0.5 * scale if dtype is sk.bool else sk.astype(values, dtype)

        return make

    generator = sk.random.default_rng(1)
    names: dict[str, Any] = {"sk": sk, "p8": lambda n: sk.argsort(generator.random(n))}
    for name, dtype, scale in (
        ("f4", sk.float32, 1.0),
        ("f8", sk.float64, 1.0),
        ("i4", sk.int32, 1000.0),
        ("i8", sk.int64, 1000.0),
        ("u1", sk.uint8, 200.0),
        ("b1", sk.bool, 1.0),
    ):
        names[name] = random(dtype, scale)
    seconds = []
    for arrays, call, all_cores in rows:
        sk.set_num_threads(os.cpu_count() or 1 if all_cores else 1)
        local = dict(names)
        exec(arrays, local)
        exec(f"def loop(repeats):\n for _ in range(repeats): {call}", local)
        loop = local["loop"]
        loop(2)
        start = time.perf_counter()
        loop(1)
        repeats = max(1, int(0.01 / (time.perf_counter() - start)))
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter()
            loop(repeats)
            best = min(best, (time.perf_counter() - start) / repeats)
        seconds.append(best)
    print(json.dumps(seconds))


def times(package: pathlib.Path, rows: list[Row], environment: dict[str, str]) -> list[float]:
    """Returns the seconds of each row, measured in a new process."""
    command = [sys.executable, "-m", "bench.tune", "--rows", json.dumps(rows)]
    paths = {"PYTHONPATH": os.pathsep.join((str(package), str(ROOT)))}
    output = subprocess.run(
        command,
        cwd=package,
        env=os.environ | paths | environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    return json.loads(output)


def measure(constant: Constant, rounds: int, jobs: int) -> dict[str, Any]:
    """Returns a row of the record: times by value, relative to that of the current value."""
    values = {max(1, round(constant.value * factor)) for factor in FACTORS}
    best: dict[int, list[float]] = {}

    def time_once(package: pathlib.Path, value: int, environment: dict[str, str]) -> None:
        seconds = times(package, constant.rows, environment)
        best[value] = list(map(min, seconds, best.get(value, seconds)))

    if constant.is_compiled:
        for value in sorted(values):
            package = build({constant.name: value}, jobs)
            for _ in range(rounds):
                time_once(package, value, {})
    else:
        package = BUILD / "package"
        for _ in range(rounds):
            for value in sorted(values):
                time_once(package, value, {f"TUNING_{constant.name}": str(value)})
    from bench.peers.side_by_side import geometric_mean

    shares = {
        value: geometric_mean(
            [now / then for now, then in zip(best[value], best[constant.value], strict=True)]
        )
        for value in sorted(values)
    }
    return {
        "constant": constant.name,
        "value": constant.value,
        "shares": {str(value): round(share, 3) for value, share in shares.items()},
        "rows": [f"{row.arrays} | {row.call}" for row in constant.rows],
    }


def main() -> int:
    """Builds, measures and reports; returns 1 if a constant is stale."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="constants of tuning.hpp")
    parser.add_argument("--rounds", type=int, default=6, help="processes for each value")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compiler jobs")
    parser.add_argument("--record", action="store_true", help="writes bench/results/tuning-….jsonl")
    parser.add_argument("--rows", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rows:
        time_rows(json.loads(options.rows))
        return 0
    by_name = constants((ROOT / HEADER).read_text())
    unknown = [name for name in options.names if name not in by_name]
    if unknown:
        parser.error(f"{', '.join(unknown)}: not in {HEADER}; it has {', '.join(by_name)}")
    chosen = [
        by_name[name]
        for name in options.names or by_name
        if options.names or not by_name[name].is_compiled
    ]
    build({}, options.jobs)
    rows = []
    for constant in chosen:
        row = measure(constant, options.rounds, options.jobs)
        rows.append(row)
        value, share = min(row["shares"].items(), key=lambda item: item[1])
        verdict = f"STALE: {value} takes {share:.2f} of the time" if share < STALE else "holds"
        shares = "  ".join(f"{value}: {share:.2f}" for value, share in row["shares"].items())
        print(f"{constant.name:<28} {verdict:<44} {shares}", flush=True)
    if options.record:
        from bench.peers.side_by_side import machine

        about = machine()
        path = records.result_of(f"tuning {about['processor']}")
        records.write(path, {"tuned_on": about}, rows)
        print(f"{path.relative_to(ROOT)}: {len(rows)} constants")
    return int(any(min(row["shares"].values()) < STALE for row in rows))


if __name__ == "__main__":
    sys.exit(main())
