# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Speed on a GPU compared to CuPy and PyTorch, in one process; the part "bench" of ``make gpu-check``.

    python -m bench.gpu.run                            all subjects; stops after 240 s
    python -m bench.gpu.run --only elementwise,sorts   some subjects
    python -m bench.gpu.run --shrink 6                 a quick trial with arrays that are 2**6 times smaller

A row of the table is one benchmark of rows.py. Missing libraries are listed and left out. Goals are ratios of figures
of this run; goals with missing figures are listed as not measured. Exit status 3: no GPU.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import pathlib
import sys
import time
from collections.abc import Callable

from bench import records
from bench.gpu.rows import SUBJECTS, shapes
from bench.peers.gpu_side_by_side import Bench, CuPy, Figure, Skerry, Torch

COPY = ("copy, device to device", "driver")


@dataclasses.dataclass
class Goal:
    """A minimum of a ratio, or its maximum with ``at_most``."""

    name: str
    at_least: float
    ratio: Callable[[Bench], float | None]
    at_most: bool = False


def rate(bench: Bench, case: str, library: str = "skerry") -> float | None:
    """Returns the GB/s of a row."""
    figure = bench.find(case, library)
    return figure.rate if figure else None


def share(bench: Bench, case: str, reference: tuple[str, str] = COPY) -> float | None:
    """Returns the rate of a row relative to that of another row, by default of the driver's copy."""
    case_rate, whole = rate(bench, case), rate(bench, *reference)
    return case_rate / whole if case_rate and whole else None


def speedup(bench: Bench, case: str, peer: str) -> float | None:
    """Returns the speed relative to a peer."""
    figure, other = bench.find(case, "skerry"), bench.find(case, peer)
    return other.value / figure.value if figure and other else None


def sweep_cases(bench: Bench) -> list[str]:
    """Returns the names of the rows of reductions over one axis."""
    return [
        f"{name} {shape} axis {axis}"
        for shape, axis in shapes(bench)
        if len(shape) > 1
        for name in ("sum", "max")
    ]


def worst(values: list[float | None]) -> float | None:
    """Returns the minimum of the measured values; None if there are none."""
    return min((value for value in values if value is not None), default=None)


def geometric_mean(values: list[float | None]) -> float | None:
    """Returns the geometric mean of the measured values; None if there are none."""
    measured_values = [value for value in values if value is not None]
    return (
        math.exp(sum(map(math.log, measured_values)) / len(measured_values))
        if measured_values
        else None
    )


def shared(case: str, at_least: float) -> Goal:
    """Returns a goal for the rate relative to that of the driver's copy."""
    return Goal(f"{case} / copy", at_least, lambda bench: share(bench, case))


def faster(case: str, peer: str, at_least: float) -> Goal:
    """Returns a goal for the speed relative to a peer."""
    return Goal(f"{case} / {peer}", at_least, lambda bench: speedup(bench, case, peer))


def of_own(case: str, whole: str, at_least: float) -> Goal:
    """Returns a goal for the rate relative to that of another row of skerry."""
    return Goal(f"{case} / {whole}", at_least, lambda bench: share(bench, case, (whole, "skerry")))


def host_share(case: str, peer: str, at_most: float) -> Goal:
    """Returns a goal for the host time relative to that of a peer."""

    def ratio(bench: Bench) -> float | None:
        speed = speedup(bench, case, peer)
        return 1 / speed if speed else None

    return Goal(f"{case} / {peer}", at_most, ratio, at_most=True)


GOALS = [
    *(shared(f"add {dtype}", 0.93) for dtype in ("float32", "float64", "complex64")),
    shared("add int8", 0.88),
    *(of_own(case, "m + m", 0.85) for case in ("m + row", "m + column", "m[:, :-1] + 1")),
    *(of_own(case, "m + m", 0.60) for case in ("m + m.T", "copy of m.T")),
    faster("add float32", "cupy", 1.15),
    faster("add float64", "cupy", 1.0),
    faster("add int8", "cupy", 1.8),
    *(shared(f"{name}, flat", 0.90) for name in ("sum", "max", "mean", "var")),
    Goal(
        "worst reduction over an axis / flat sum",
        0.5,
        lambda bench: worst(
            [share(bench, case, ("sum, flat", "skerry")) for case in sweep_cases(bench)]
        ),
    ),
    Goal(
        "reductions over an axis / cupy, geometric mean",
        2.0,
        lambda bench: geometric_mean([speedup(bench, case, "cupy") for case in sweep_cases(bench)]),
    ),
    Goal(
        "reductions over an axis / cupy, worst",
        0.95,
        lambda bench: worst([speedup(bench, case, "cupy") for case in sweep_cases(bench)]),
    ),
    shared("cumulative_sum flat", 0.80),
    shared("cumulative_sum axis 0", 0.60),
    shared("cumulative_sum axis 1", 0.60),
    *(
        faster(f"sort {dtype}", peer, 1.0)
        for dtype in ("float32", "int64")
        for peer in ("cupy", "torch")
    ),
    faster("argsort float32", "cupy", 1.3),
    faster("sort along the last axis", "cupy", 8.0),
    faster("sort along the last axis", "torch", 1.0),
    faster("x[mask], 50%", "cupy", 2.0),
    faster("unique_counts, all distinct", "cupy", 1.5),
    host_share("host: a + a", "cupy", 0.4),
    host_share("host: a + a", "torch", 0.8),
    Goal(
        "own array to device / pinned copy",
        0.95,
        lambda bench: share(bench, "own array to device", ("copy, pinned to device", "driver")),
    ),
    Goal(
        "NumPy to device / pinned copy",
        0.70,
        lambda bench: share(bench, "NumPy to device", ("copy, pinned to device", "driver")),
    ),
    faster("matmul 2048 float32", "cupy", 0.98),
    faster("matmul 2048 float64", "cupy", 0.98),
]


def cell(figure: Figure | None) -> str:
    """Formats a figure of the table."""
    if figure is None:
        return ""
    rate_text = f" {figure.rate:.4g}" if figure.rate else ""
    return f"{figure.value:.4g} {figure.unit}{rate_text}{' !' if figure.check else ''}"


def table(bench: Bench) -> str:
    """Formats all figures, the notes and the goals."""
    names = [*bench.libraries, "driver"]
    lines = [f"{'':<40}" + "".join(f"{name:>22}" for name in names)]
    for case in dict.fromkeys(figure.case for figure in bench.figures):
        lines.append(
            f"{case:<40}" + "".join(f"{cell(bench.find(case, name)):>22}" for name in names)
        )
    lines += [
        "",
        "(ms: device time, or wall time for transfers between host and device; us: host time; "
        "then GB/s, or TFLOP/s; ! results differ)",
        "",
    ]
    lines += [f"note: {note}" for note in bench.notes]
    reached = measured = 0
    for goal in GOALS:
        ratio = goal.ratio(bench)
        sign = "<=" if goal.at_most else ">="
        if ratio is None:
            lines.append(f"{goal.name:<56}{'not measured':>14}  {sign} {goal.at_least:g}")
            continue
        measured += 1
        is_reached = ratio <= goal.at_least if goal.at_most else ratio >= goal.at_least
        reached += is_reached
        mark = "" if is_reached else "  << not reached"
        lines.append(f"{goal.name:<56}{ratio:>14.3f}  {sign} {goal.at_least:g}{mark}")
    speeds = [
        speedup(bench, case, peer)
        for case in dict.fromkeys(figure.case for figure in bench.figures)
        for peer in ("cupy", "torch")
    ]
    mean, least = geometric_mean(speeds), worst(speeds)
    if mean and least:
        lines.append(
            f"speed relative to CuPy and PyTorch, all rows: geometric mean {mean:.2f}, worst {least:.2f}"
        )
    lines.append(
        f"{reached} of {measured} measured goals reached, {len(GOALS) - measured} not measured"
    )
    return "\n".join(lines)


def write(out: pathlib.Path | None, bench: Bench, begin: float) -> None:
    """Writes the record; called after each subject."""
    if out is None:
        return
    head = {
        "versions": {name: library.version for name, library in bench.libraries.items()},
        "seconds": round(time.monotonic() - begin),
        "shrink": bench.shrink,
        "notes": bench.notes,
        "table": table(bench),
    }
    records.write(out, head, map(dataclasses.asdict, bench.figures))


def main() -> int:
    """Measures, and returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seconds", type=float, default=240.0, help="start no benchmark after this (240)"
    )
    parser.add_argument("--out", type=pathlib.Path, help="write the record here")
    parser.add_argument("--only", default=",".join(SUBJECTS), help="subjects, comma-separated")
    parser.add_argument("--shrink", type=int, default=0, help="halve the sizes this many times")
    options = parser.parse_args()
    unknown = [name for name in options.only.split(",") if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {', '.join(unknown)}; there are {', '.join(SUBJECTS)}")
    begin = time.monotonic()
    bench = Bench(options.seconds, options.shrink)
    try:
        bench.open([Skerry, CuPy, Torch])
    except Exception as error:
        print(f"nothing was measured: skerry can't use a GPU: {error}")
        return 3
    for name in options.only.split(","):
        print(f"… {name} ({time.monotonic() - begin:.0f} s)", flush=True)
        try:
            SUBJECTS[name](bench)
        except Exception as error:  # for example too little memory to prepare it
            bench.note(name, error)
        bench.release()
        write(options.out, bench, begin)
    print(table(bench), flush=True)
    return 0 if bench.figures else 1


if __name__ == "__main__":
    sys.exit(main())
