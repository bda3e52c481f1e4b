# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make gpu-estimate``: estimates the benchmarks of ``bench/gpu/rows.py`` for a GPU from counts of an emulated one.

    python -m bench.gpu.estimate                           all rows; writes bench/results/gpu-estimate-<target>.jsonl
    python -m bench.gpu.estimate --only elementwise,scans  some subjects; writes nothing
    python -m bench.gpu.estimate --check                   compares with that file instead of writing it

All figures are estimates; ``make gpu-check`` measures. A row is one benchmark. It runs with arrays that are 2**6 times
smaller than on a GPU, which takes seconds, and 2**8 times smaller, which shows how grids grow. It has these figures:
32-byte sectors that warps access divided by those of operands and results, counted once per request and once per
launch; warp instructions times 32 per element; the share of shared memory wavefronts due to bank conflicts; registers
and warps of the slowest kernel; waves of its grid at the full size; the busy fraction of the device with 2**24
elements, which a partial last wave reduces (tail); and the fraction of an H100's copy rate, with its limit. ``--check``
exits 1 if sectors or instructions of a row rose by more than 2 %. Rows that run no kernel of skerry are left out.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bench import records
from bench.gpu import estimate_model as model
from bench.gpu import rows as gpu_rows
from bench.gpu.kernel_resources import resources
from bench.peers.gpu_side_by_side import Bench, Operation, Skerry

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHRINK = 6
#: The second run has a quarter of the elements, which halves the sides of matrices.
SHRINK_MORE = 2
#: The size for ``tail``: it has few waves, for which a tail is expensive.
TAIL_ELEMENTS = 1 << 24
#: Kernels with a smaller share of a row's time don't count for ``tail``.
TAIL_SHARE = 0.05
#: Subjects that run kernels; the others measure the host or the driver.
SUBJECTS = (
    "elementwise",
    "chains",
    "layouts",
    "reductions",
    "scans",
    "sorts",
    "selecting",
    "products",
)


def launches_since(path: str, begin: int) -> list[dict[str, Any]]:
    """Returns the launches that the emulated GPU has written since a position, without library calls."""
    with open(path, "rb") as file:
        file.seek(begin)
        lines = [json.loads(line) for line in file.read().decode().splitlines()]
    return [line for line in lines if "kernel" in line]


class Counting(Bench):
    """Runs each row once on an emulated GPU and records its launches."""

    def __init__(self, shrink: int, launches: str) -> None:
        super().__init__(math.inf, shrink)
        self.launches = launches
        self.libraries = {"skerry": Skerry(is_timed=False)}
        self.rows: list[dict[str, Any]] = []

    def row(
        self,
        case: str,
        operations: Operation | dict[str, Operation],
        inputs: Callable[[], Sequence[np.ndarray]],
        *,
        nbytes: float = 0,
        flops: float = 0,
        tolerance: float | None = 1e-4,
        rotate: bool = True,
    ) -> None:
        """Records the launches of one call."""
        library = self.libraries["skerry"]
        call = operations["skerry"] if isinstance(operations, dict) else operations
        hosts = list(inputs())
        arrays = [library.put(host) for host in hosts]
        library.synchronize()
        begin = os.path.getsize(self.launches) if os.path.exists(self.launches) else 0
        result = call(library.module, *arrays)
        library.synchronize()
        results = result if isinstance(result, tuple) else (result,)
        # The bytes that a row states, else those of all operands and results.
        required_nbytes = nbytes or sum(host.nbytes for host in hosts) + sum(
            array.size * array.dtype.itemsize for array in results
        )
        launches = launches_since(self.launches, begin)
        self.rows.append(
            {
                "case": case,
                "elements": max(host.size for host in hosts),
                "is_matrix": any(host.ndim > 1 for host in hosts),
                "needed": required_nbytes,
                "launches": launches,
            }
        )
        print(f"  {case}: {len(launches)} launches", file=sys.stderr, flush=True)

    def host_row(self, case: str, *_: Any) -> None:
        """Does nothing: host times don't depend on kernels."""

    wall_row = ceiling = host_row


def measure(shrink: int, subjects: Sequence[str], launches: str) -> dict[str, list[dict[str, Any]]]:
    """Returns the rows of each subject."""
    rows_by_subject = {}
    begin = gpu_rows.RNG.bit_generator.state
    for name in subjects:
        # Each subject gets the same values, regardless of which ran before it.
        gpu_rows.RNG.bit_generator.state = begin
        counting = Counting(shrink, launches)
        gpu_rows.SUBJECTS[name](counting)
        rows_by_subject[name] = counting.rows
    return rows_by_subject


def environment_for(options: argparse.Namespace, launches: str) -> dict[str, str]:
    """Returns the environment of the counting process."""
    from skerry_emulator import find_library

    libraries = [str(options.libraries), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, libraries)),
        "SKERRY_CUDA_MODULE": str(options.module),
        "SKERRY_EMULATED": "1",
        "SKERRY_EMULATE_DEVICES": "1",
        "SKERRY_EMULATE_TARGET": str(options.target),
        "SKERRY_EMULATE_MULTIPROCESSORS": str(model.H100.multiprocessors),
        "SKERRY_EMULATE_LAUNCHES": launches,
    }
    environment.pop("SKERRY_REHEARSE", None)
    # The emulator's replacements of NVIDIA's libraries use OpenBLAS.
    if (package := importlib.util.find_spec("scipy_openblas32")) and package.origin:
        library = pathlib.Path(package.origin).parent / "lib" / "libscipy_openblas.so"
        environment.setdefault("SKERRY_OPENBLAS", str(library))
    # The real NVRTC, which the emulator's replacement calls.
    if nvrtc := find_library("libnvrtc.so.13"):
        environment.setdefault("SKERRY_NVRTC", nvrtc)
    return environment


def count(options: argparse.Namespace, shrink: int) -> dict[str, list[dict[str, Any]]]:
    """Counts in a new process, which sees only the emulated GPU."""
    with tempfile.TemporaryDirectory() as folder:
        launches, out = f"{folder}/launches", f"{folder}/rows"
        command = [sys.executable, "-m", "bench.gpu.estimate", "--count", out]
        command += ["--shrink", str(shrink), "--only", options.only]
        subprocess.run(command, env=environment_for(options, launches), check=True)
        rows: dict[str, list[dict[str, Any]]] = json.loads(pathlib.Path(out).read_text())
        return rows


def totals(launch: dict[str, Any]) -> dict[str, float]:
    """Returns the counts of a launch that the model uses."""
    both = (launch["loads"], launch["stores"])
    return {
        "sectors": sum(access["sectors"] for access in both),
        "distinct_sectors": sum(access["distinct_sectors"] for access in both),
        "requests": sum(access["requests"] for access in both),
        "bytes_asked": sum(access["bytes"] for access in both),
        "warp_instructions": launch["warp_instructions"],
        "lane_instructions": launch["lane_instructions"],
        "conflicts": launch["shared"]["conflicts"],
        "wavefronts": launch["shared"]["wavefronts"],
        "divergent_branches": launch["divergent_branches"],
        "local_requests": launch["local_requests"],
    }


class Row(NamedTuple):
    """How the number of elements of a row grows."""

    ratio: float  # elements over those of the smaller run
    scale: float  # elements of the full size over those of this run
    tail_scale: float  # TAIL_ELEMENTS over those of this run
    is_matrix: bool


def kernel_record(
    launch: dict[str, Any],
    smaller: dict[str, Any] | None,
    row: Row,
    resources_by_kernel: dict[str, model.Resources],
) -> dict[str, Any]:
    """Returns the figures of a launch, also extrapolated to the size on a GPU (the full size)."""
    blocks, threads = math.prod(launch["grid"]), math.prod(launch["block"])
    record: dict[str, Any] = {
        "kernel": launch["kernel"],
        "blocks": blocks,
        "threads": threads,
        "dynamic_shared_bytes": launch["dynamic_shared_bytes"],
        **(counts := totals(launch)),
    }
    smaller_counts = {"blocks": math.prod(smaller["grid"]), **totals(smaller)} if smaller else {}

    def power(name: str, value: float) -> float:
        return model.growth(smaller_counts.get(name, 0), value, row.ratio, is_matrix=row.is_matrix)

    # A block may do more work for more elements, so all counts grow like the fastest-growing one.
    most = max(power(name, counts[name]) for name in ("sectors", "warp_instructions"))
    record["full"] = {name: round(value * row.scale**most) for name, value in counts.items()}
    record["full"]["blocks"] = round(blocks * row.scale ** power("blocks", blocks))
    if kernel_resources := resources_by_kernel.get(launch["kernel"]):
        resident = model.resident_blocks(threads, kernel_resources, launch["dynamic_shared_bytes"])
        record |= dataclasses.asdict(kernel_resources)
        record["warps_per_multiprocessor"] = resident * -(-threads // model.WARP)
        if resident:
            full_blocks = record["full"]["blocks"]
            record["waves"] = full_blocks / (resident * model.H100.multiprocessors)
            record["busy"] = model.busy(full_blocks, resident)
            tail_blocks = round(blocks * row.tail_scale ** power("blocks", blocks))
            record["tail"] = model.busy(tail_blocks, resident)
    return record


def row_record(
    subject: str,
    row: dict[str, Any],
    smaller: dict[str, Any],
    resources_by_kernel: dict[str, model.Resources],
) -> dict[str, Any]:
    """Returns the figures of a row; grids and tails are those at the full size."""
    # Rows that are small on a GPU, too, are not scaled.
    ratio = row["elements"] / smaller["elements"]
    full = row["elements"] << SHRINK if ratio > 1 else row["elements"]
    tail = TAIL_ELEMENTS if ratio > 1 else row["elements"]
    growing = Row(ratio, full / row["elements"], tail / row["elements"], row["is_matrix"])
    # Without the same kernels in both runs, grids are not scaled.
    pairs: list[dict[str, Any] | None] = [None] * len(row["launches"])
    if [launch["kernel"] for launch in row["launches"]] == [
        launch["kernel"] for launch in smaller["launches"]
    ]:
        pairs = list(smaller["launches"])
    kernels = [
        kernel_record(launch, smaller_launch, growing, resources_by_kernel)
        for launch, smaller_launch in zip(row["launches"], pairs, strict=True)
    ]
    summed = {name: sum(kernel[name] for kernel in kernels) for name in totals(row["launches"][0])}
    share, limit = model.share_of_copy(
        row["needed"] * full / row["elements"],
        [(kernel["full"], kernel.get("busy", 1.0)) for kernel in kernels],
    )
    filled = row["needed"] / model.SECTOR
    times = [model.seconds(kernel["full"])[0] for kernel in kernels]
    tails = [
        kernel["tail"]
        for kernel, time_ in zip(kernels, times, strict=True)
        if "tail" in kernel and time_ >= TAIL_SHARE * sum(times)
    ]
    return {
        "case": row["case"],
        "subject": subject,
        "elements": row["elements"],
        "full_elements": full,
        "needed_bytes": row["needed"],
        **summed,
        "sectors_per_needed": summed["sectors"] / filled,
        "distinct_sectors_per_needed": summed["distinct_sectors"] / filled,
        "instructions_per_element": summed["warp_instructions"] * model.WARP / row["elements"],
        "share_of_copy": share,
        "limit": limit,
        "tail": min(tails, default=None),
        "kernels": kernels,
    }


def estimate(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Returns all rows that run a kernel."""
    rows, smaller = count(options, SHRINK), count(options, SHRINK + SHRINK_MORE)
    names = {
        launch["kernel"]
        for subject_rows in rows.values()
        for row in subject_rows
        for launch in row["launches"]
    }
    resources_by_kernel = resources(options.module, options.target, names)
    print(f"ptxas: {len(resources_by_kernel)} of {len(names)} kernels", file=sys.stderr, flush=True)
    return [
        row_record(subject, row, smaller_row, resources_by_kernel)
        for subject, subject_rows in rows.items()
        for row, smaller_row in zip(subject_rows, smaller[subject], strict=True)
        if row["launches"]
    ]


#: Published measurements of the same or a similar algorithm, as fractions of the copy rate (92 % of the data sheet's),
#: on an H100 SXM unless noted. Bytes are those that the row counts.
PUBLISHED = {
    "add float32": (0.998, "transform of 3 float32, 2^28, H200: cccl#6921, 4,408 GB/s"),
    "add int8": (0.861, "transform of 2 int8, 2^28, H200: cccl#6921, 3,801 GB/s"),
    "sum, flat": (0.978, "cub reduce of 1 GiB of float32: ParallelReductionsBenchmark, 3,012 GB/s"),
    "cumulative_sum flat": (0.825, "cub exclusive sum of 2^28 int32: cub#712, 2,541 GB/s"),
    "sort float32": (0.124, "cub radix sort of 2^28 float32: cccl#9768, 5.63 ms"),
}


def beside_published(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Returns lines that compare estimates with published measurements."""
    return [
        f"{row['case']:<36}{row['share_of_copy']:>6.2f}, measured {share:.2f}: "
        f"{row['share_of_copy'] / share - 1:+.0%} ({source})"
        for row in rows
        if row["case"] in PUBLISHED
        for share, source in [PUBLISHED[row["case"]]]
    ]


HEAD = (
    f"{'(estimates)':<36}{'sectors':>9}{'once':>7}{'instr/el':>10}{'conflicts':>11}{'diverge':>9}"
    f"{'regs':>6}{'warps':>7}{'waves':>8}{'tail':>6}{'share':>7}  by"
)


def line(row: dict[str, Any]) -> str:
    """Formats a row of the table."""
    slowest = max(row["kernels"], key=lambda kernel: model.seconds(kernel["full"])[0])
    spills = "!" if any(kernel.get("spill_bytes") for kernel in row["kernels"]) else ""
    cells = [
        f"{row['case']:<36}{row['sectors_per_needed']:>9.3f}",
        f"{row['distinct_sectors_per_needed']:>7.3f}{row['instructions_per_element']:>10.2f}",
        f"{row['conflicts'] / max(row['wavefronts'], 1):>11.1%}{row['divergent_branches']:>9.3g}",
        f"{str(slowest.get('registers', '')) + spills:>6}",
        f"{slowest.get('warps_per_multiprocessor', ''):>7}",
        f"{slowest['waves']:>8.2f}" if "waves" in slowest else f"{'':>8}",
        f"{row['tail']:>6.2f}" if row["tail"] is not None else f"{'':>6}",
        f"{row['share_of_copy']:>7.2f}  {row['limit']}",
    ]
    return "".join(cells)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Formats all rows."""
    return "\n".join([HEAD, *map(line, rows)])


#: Fields of a row in the record: its identity, the figures that must not grow (``model.WATCHED``), and the estimates.
RECORDED = (
    "case",
    "subject",
    "elements",
    *model.WATCHED,
    "distinct_sectors_per_needed",
    "share_of_copy",
    "limit",
    "tail",
)


def recorded_figures(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row of the record."""
    return {name: row[name] for name in RECORDED}


def parse() -> argparse.Namespace:
    """Parses the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    built = ROOT / "build" / "emulator" / "lib"
    parser.add_argument(
        "--target", type=int, default=90, choices=(80, 90), help="target of the PTX (90)"
    )
    parser.add_argument(
        "--libraries", type=pathlib.Path, default=built, help="folder of the emulator's libraries"
    )
    parser.add_argument("--module", type=pathlib.Path, default=built / "skerry_cuda.so")
    parser.add_argument("--only", default=",".join(SUBJECTS), help="subjects, comma-separated")
    parser.add_argument(
        "--check", action="store_true", help="fail if a figure is worse than in the record"
    )
    parser.add_argument("--out", type=pathlib.Path, help="path of the record")
    parser.add_argument("--count", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--shrink", type=int, default=SHRINK, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.only.split(",")) - set(SUBJECTS):
        parser.error(f"no subject {', '.join(sorted(unknown))}; there are {', '.join(SUBJECTS)}")
    if options.count is None and not options.module.exists():
        parser.error(f"{options.module} is not there: make emulate builds it")
    options.is_whole = set(options.only.split(",")) == set(SUBJECTS)
    if options.out is None:
        options.out = records.result_of(f"gpu-estimate-{options.target}")
    return options


def check(path: pathlib.Path, rows: Sequence[dict[str, Any]], *, whole: bool) -> int:
    """Prints the figures that became worse, and returns the exit status."""
    if not path.exists():
        print(f"{path} is not there: nothing to compare with")
        return 1
    _, recorded = records.read(path)
    regressions = model.regressions(recorded, rows, whole=whole)
    print(*regressions, sep="\n")
    print(f"{len(regressions)} figures rose by more than 2 %, or are missing")
    return 1 if regressions else 0


def main() -> int:
    """Estimates, and returns the exit status."""
    options = parse()
    if options.count is not None:
        launches = os.environ["SKERRY_EMULATE_LAUNCHES"]
        rows = measure(options.shrink, options.only.split(","), launches)
        options.count.write_text(json.dumps(rows))
        return 0
    begin = time.monotonic()
    estimates = estimate(options)
    print(
        table(estimates),
        "",
        "Compared with published figures:",
        *beside_published(estimates),
        "",
        sep="\n",
    )
    if options.check:
        return check(options.out, estimates, whole=options.is_whole)
    if options.is_whole:
        head = {
            "what": "estimates from an emulated GPU, no measurement",
            "target": options.target,
            "gpu": dataclasses.asdict(model.H100),
        }
        records.write(options.out, head, map(recorded_figures, estimates))
    print(f"{len(estimates)} rows in {time.monotonic() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
