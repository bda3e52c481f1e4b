# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What guards, profiles, graphs, allocators, traces of memory and IPC cost; the part "runtime" of ``make gpu-check``.

    python -m bench.gpu.runtime                       all subjects, in less than a minute
    python -m bench.gpu.runtime --only calls,graphs   some subjects
    SKERRY_REHEARSE=1 python -m bench.gpu.runtime     without a GPU: host times of a rehearsed device

Each case has several variants; the table shows each one's time relative to the first. Host times are the fastest of 20
bursts, each with an empty queue; times of a loop with synchronization are medians. Every variant's values are checked:
the exit status is 1 if one is wrong, or if a subject fails. What can't run here is listed. Exit status 3: there is no
CUDA device.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import sys
from collections.abc import Callable

import skerry as sk

from bench import records
from bench.gpu import memory_rows, runtime_rows
from bench.gpu.runtime_rows import ADD, LOOP_HOST, Runtime

SUBJECTS = runtime_rows.SUBJECTS | memory_rows.SUBJECTS


@dataclasses.dataclass
class Goal:
    """A maximum of a figure."""

    name: str
    at_most: float
    figure: Callable[[Runtime], float | None]


def entry_us(runtime: Runtime) -> float | None:
    """Returns the time of a ledger's entry."""
    plain, entry = runtime.find(ADD, "plain"), runtime.find(ADD, "guard, an entry")
    return entry - plain if plain and entry else None


def replay_share(runtime: Runtime) -> float | None:
    """Returns the host time of a replay relative to that of the loop."""
    eager, graph = runtime.find(LOOP_HOST, "eager"), runtime.find(LOOP_HOST, "graph")
    return graph / eager if eager and graph else None


GOALS = [
    Goal("entry of a ledger, us", 0.3, entry_us),
    Goal("replay / loop of 40 operations, host", 0.25, replay_share),
]


def table(runtime: Runtime) -> str:
    """Formats all rows, the notes and the goals."""
    lines = [f"{'case':<32}{'variant':<24}{'time':>12}{'relative':>10}"]
    first: dict[str, float] = {}
    for row in runtime.rows:
        shown_case = "" if row.case in first else row.case
        ratio = row.value / first.setdefault(row.case, row.value)
        time_text = f"{row.value:.4g} {row.unit}"
        check = f"  ! {row.check}" if row.check else ""
        lines.append(f"{shown_case:<32}{row.variant:<24}{time_text:>12}{ratio:>10.2f}{check}")
    device = runtime.device.info.name
    if runtime.is_rehearsed or device.startswith("emulated GPU"):
        device += ", no GPU: times are a CPU's"
    lines += ["", f"({device}; ! what is wrong)", ""]
    lines += [f"note: {note}" for note in runtime.notes]
    reached = measured = 0
    for goal in GOALS:
        figure = goal.figure(runtime)
        if figure is None:
            lines.append(f"{goal.name:<56}{'not measured':>14}  <= {goal.at_most:g}")
            continue
        measured += 1
        reached += figure <= goal.at_most
        mark = "" if figure <= goal.at_most else "  << not reached"
        lines.append(f"{goal.name:<56}{figure:>14.3f}  <= {goal.at_most:g}{mark}")
    lines.append(f"{reached} of {measured} measured goals reached; {len(runtime.rows)} rows")
    return "\n".join(lines)


def measure(runtime: Runtime, names: list[str]) -> bool:
    """Measures subjects; returns whether all ran and all values are right."""
    failed = False
    for name in names:
        print(f"… {name}", flush=True)
        try:
            SUBJECTS[name](runtime)
            sk.trim(runtime.device)
        except Exception as error:  # the failure of a subject is noted; the others continue
            runtime.note(f"{name} failed", error)
            failed = True
    return not failed and not any(row.check for row in runtime.rows)


def main() -> int:
    """Measures, and returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=pathlib.Path, help="write the record here")
    parser.add_argument("--only", default=",".join(SUBJECTS), help="subjects, comma-separated")
    parser.add_argument("--calls", type=int, default=100, help="calls in a burst (100)")
    options = parser.parse_args()
    names = options.only.split(",")
    unknown = [name for name in names if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {', '.join(unknown)}; there are {', '.join(SUBJECTS)}")
    try:
        runtime = Runtime(options.calls)
    except Exception as error:
        print(f"nothing was measured: there is no CUDA device: {error}")
        return 3
    is_right = measure(runtime, names)
    text = table(runtime)
    print(text, flush=True)
    if options.out is not None:
        head = {"notes": runtime.notes, "table": text}
        records.write(options.out, head, map(dataclasses.asdict, runtime.rows))
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
