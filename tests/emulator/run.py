# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make emulate``: runs tests on the CUDA module over an emulated GPU.

    make emulate                                            all parts, compute capabilities 80 and 90
    make emulate EMULATE_OPTIONS="--targets 80 tests/python/scan/test_scan.py -k float32"
    make emulate EMULATE_OPTIONS="--parts kernels --seed 7 --resident 8 --quantum 30"
    make emulate EMULATE_OPTIONS="--parts checks --seeds 20"

Parts: decode (all instructions of the module's kernels are implemented), kernels (GoogleTest: every kernel compared
with the CPU), python (tests/python), models (results don't depend on the number of multiprocessors), checks (races,
missing lanes and undefined values in the kernels that depend on the schedule, with several seeds), conformance (the
official suite, if ARRAY_API_TESTS_DIR is set). Unknown arguments are passed to pytest, and select the part python.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import time

from skerry_emulator import find_library

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("decode", "kernels", "python", "models", "checks", "conformance")
# Python tests that cover the kernels. The other tests make the same calls, or test other layers.
KERNEL_TESTS = (
    "advanced_indexing bfloat16 bins bits_on_cuda compiled_passes complex_alignment complex_special_cases creation elementwise "
    "fft fused_rules half_linalg half_reductions half_scans halves_on_cuda in_place joining kernel_edges linalg "
    "linalg_products linalg_stacks mask_chunks matmul nan_positions partial reduction_order reductions same_numbers "
    "scan scatter_reduce searchsorted sets sorting special_cases standard_values statistics take tiled_layouts "
    "views_and_indexing graphs graph_errors graph_random_numbers"
).split()
# GoogleTest's filters for kernels whose threads or blocks exchange values: scans, reductions, sorting, sets, indexing.
# SCHEDULED is for the checks of races; each seed tests one of the 15 dtypes. INITIALIZED, for undefined values, selects
# fewer tests and needs no seeds: uses of undefined values don't depend on the seed, and the check is 50 times slower.
SCHEDULED = "*Order*:*Reduction*:*reduction*:*select*:*take*:*counting*:*Scatter*:*Partial*"
SHARES_OF_SCHEDULED = 15
INITIALIZED = "*Order*/int16:*Reduction*/float32:*reduction*:*select*:*take*:*counting*:*Scatter*/int32:*Partial*/float32"
# Options, which are also names of the emulator's variables, and their help.
SETTINGS = (
    ("multiprocessors", "number of the device's multiprocessors (4)"),
    ("seed", "seed of the schedule (0)"),
    ("resident", "number of interleaved blocks (1)"),
    ("quantum", "instructions before a switch to another warp (0: only when a warp waits)"),
    ("limit", "warp instructions after which a kernel fails (0: unlimited)"),
    ("hold-stores", "1: plain stores become visible only at a fence (0)"),
    ("initcheck", "1: the use of an undefined value is a failure (0)"),
    ("racecheck", "1: a race on memory is a failure (0)"),
    ("synccheck", "1: a lane missing at a synchronisation is a failure (0)"),
    (
        "kernels",
        "file for the names of kernels that ran; FILE.80.missing lists the others of target 80",
    ),
    ("statistics", "1: print statistics of kernels at process exit (0)"),
    ("devices", "number of devices (2)"),
)


def environment_for(target: str, options: argparse.Namespace):
    libraries = [str(options.emulator / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, libraries)),
        "SKERRY_CUDA_MODULE": str(options.emulator / "lib" / "skerry_cuda.so"),
        "SKERRY_EMULATED": "1",
        "SKERRY_EMULATE_TARGET": target,
    }
    environment.pop("SKERRY_REHEARSE", None)
    # Used by the stand-ins for NVIDIA's libraries.
    if (package := importlib.util.find_spec("scipy_openblas32")) and package.origin:
        library = pathlib.Path(package.origin).parent / "lib" / "libscipy_openblas.so"
        environment.setdefault("SKERRY_OPENBLAS", str(library))
    # The library to which the emulator's stand-in forwards.
    if nvrtc := find_library("libnvrtc.so.13"):
        environment.setdefault("SKERRY_NVRTC", nvrtc)
    environment.setdefault("SKERRY_KERNEL_CACHE", str(options.emulator.resolve() / "fused_kernels"))
    for name, _ in SETTINGS:
        value = getattr(options, name.replace("-", "_"))
        if value is not None:
            environment[f"SKERRY_EMULATE_{name.replace('-', '_').upper()}"] = value
    return environment


def share_of(sample: int | None, nth_target: int) -> str:
    """Return the share of the tests that a target runs. It differs between targets and varies with the commit, so that
    all tests run over many commits."""
    if not sample:
        return "1/1"
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return f"{(int(commit.stdout or '0', 16) + nth_target) % sample + 1}/{sample}"


def python_tests(sample: int | None, nth_target: int, more: list[str]) -> list[str]:
    """Return pytest's arguments: the caller's, or all tests, or a sample of the tests of kernels."""
    if more:
        return more
    several = ["-n", "auto", "--dist", "load" if sample else "loadfile"]
    if sample is None:
        return several
    folder = ROOT / "tests" / "python"
    files = [str(next(folder.glob(f"*/test_{name}.py"))) for name in KERNEL_TESTS]
    share = share_of(sample, nth_target)
    print(f"tests of kernels: part {share}, selected by the commit", flush=True)
    return [*several, "-q", "-k", "not cpu", f"--share={share}", *files]


def require_matches(command: list[str], patterns: str) -> None:
    """End the program if a pattern selects no test. A test that is renamed would otherwise no longer be checked."""
    for pattern in patterns.split(":"):
        listing = [command[0], "--gtest_list_tests", f"--gtest_filter={pattern}"]
        if not subprocess.run(listing, capture_output=True, text=True, check=True).stdout.strip():
            sys.exit(f"no test of {command[0]} matches {pattern}")


def checks(options: argparse.Namespace, command: list[str]):
    """Yield the commands of the part checks, with their variables."""
    for patterns in (SCHEDULED, INITIALIZED):
        require_matches(command, patterns)
    interleaved = {
        "SKERRY_EMULATE_RESIDENT": options.resident or "8",
        "SKERRY_EMULATE_QUANTUM": options.quantum or "30",
        "SKERRY_EMULATE_RACECHECK": "1",
        "SKERRY_EMULATE_SYNCCHECK": "1",
    }
    command = [*command, "--gtest_brief=1"]
    scheduled = [*command, f"--gtest_filter={options.filter or SCHEDULED}"]
    for seed in range(int(options.seed or 1), int(options.seed or 1) + options.seeds):
        variables = {**interleaved, "SKERRY_EMULATE_SEED": str(seed)}
        if options.filter is None:
            variables["GTEST_TOTAL_SHARDS"] = str(SHARES_OF_SCHEDULED)
            variables["GTEST_SHARD_INDEX"] = str(seed % SHARES_OF_SCHEDULED)
        yield f"checks, races, seed {seed}", scheduled, variables
    initialized = [*command, f"--gtest_filter={options.filter or INITIALIZED}"]
    yield "checks, undefined values", initialized, {"SKERRY_EMULATE_INITCHECK": "1"}


def commands_for(options: argparse.Namespace, nth_target: int, target: str, more: list[str]):
    """Yield the parts that can run, with their commands and additional variables."""
    suite = os.environ.get("ARRAY_API_TESTS_DIR")
    build, emulator, sample = options.build, options.emulator, options.sample
    kernels = [str(build / "tests" / "kernels_tests"), "--require-gpu"]
    share = share_of(sample, nth_target)
    for part in options.parts:
        if part == "decode":
            command = ["cmake", "--build", str(emulator), "--target", "emulator_decode"]
            yield "decode, built", command, {}
            program = emulator / "tests" / "emulator_decode"
            yield part, [str(program), str(emulator / "lib" / "skerry_cuda.so"), target], {}
        elif part in ("kernels", "checks"):
            # Compiles for minutes; the other parts don't need it.
            command = ["cmake", "--build", str(build), "--target", "kernels_tests"]
            yield f"{part}, built", command, {}
            if part == "checks":
                yield from checks(options, kernels)
            else:
                yield part, [*kernels, f"--gtest_filter={options.filter or '*'}"], {}
        elif part == "python":
            yield (
                part,
                [sys.executable, "-m", "pytest", *python_tests(sample, nth_target, more)],
                {},
            )
        elif part == "models":
            numbers = "1,132" if sample else "1,4,132"
            yield part, [sys.executable, "-m", "tests.emulator.models", numbers, share], {}
        elif suite:
            runner = str(ROOT / "tests" / "conformance" / "run.py")
            command = [sys.executable, runner, suite, "--devices", "cuda:0", "--max-examples", "60"]
            yield part, command, {}
        else:
            print("conformance: skipped, ARRAY_API_TESTS_DIR is not set")


def missing_targets(module: pathlib.Path, targets: list[str]) -> list[str]:
    """Return the targets without kernels in the module, which contains PTX as plain text."""
    compiled = module.read_bytes()
    return [target for target in targets if f".target sm_{target}".encode() not in compiled]


# Patterns of the mangled names of kernels that CUB compiles for a target but never launches there: its policies decide
# at run time.
SMALL_KEYS = "policy_selector_from_typesI[ahst]"
NEVER_LAUNCHED = {
    # EmptyKernel is only queried for its PTX version. Rows that fit a tile are sorted by merging. Keys of 1 and 2 bytes
    # don't use onesweep, and only use the smaller digit size.
    "80": "EmptyKernel|RadixSortSingleTile|RadixSortInitKernel"
    f"|RadixSort(Histogram|ExclusiveSum|Onesweep)K.*{SMALL_KEYS}"
    f"|RadixSort(Up|Down)sweepK.*{SMALL_KEYS}.*Lb0E",
    # All keys use onesweep.
    "90": "EmptyKernel|RadixSortSingleTile|RadixSort(Upsweep|ScanBins|Downsweep)Kernel",
}


def coverage(module: pathlib.Path, target: str, ran: pathlib.Path) -> str:
    """Return how many of the module's kernels ran; write the names of the others to a file."""
    # The module contains each target's PTX as plain text.
    texts = re.split(rb"\.target\s+sm_(\d+)", module.read_bytes())
    compiled = {
        entry.decode()
        for architecture, text in zip(texts[1::2], texts[2::2], strict=True)
        if architecture.decode() == target
        for entry in re.findall(rb"\.entry\s+([\w$]+)\s*\(", text)
    }
    lines = ran.read_text().splitlines() if ran.exists() else []
    launched = {line.removeprefix(f"{target} ") for line in lines}
    names = {
        name for name in compiled if name in launched or not re.search(NEVER_LAUNCHED[target], name)
    }
    missing = sorted(names - launched)
    pathlib.Path(f"{ran}.{target}.missing").write_text("".join(f"{name}\n" for name in missing))
    return (
        f"{target}: {len(names) - len(missing)} of {len(names)} kernels ran, "
        f"{len(compiled) - len(names)} more are never launched"
    )


def parse() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--build",
        type=pathlib.Path,
        default=ROOT / "build" / "python",
        help="build folder of skerry",
    )
    parser.add_argument(
        "--emulator",
        type=pathlib.Path,
        default=ROOT / "build" / "emulator",
        help="build folder of the emulator",
    )
    parser.add_argument(
        "--targets", default="80,90", help="compute capabilities, separated by commas or semicolons"
    )
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="run kernels, models, and one in N of the Python tests of kernels, depending on target and commit",
    )
    parser.add_argument("--parts", help=f"comma-separated list of {', '.join(PARTS)}")
    parser.add_argument(
        "--filter",
        help="GoogleTest's filter for the tests of kernels; the part checks then runs all of them with each seed",
    )
    parser.add_argument(
        "--seeds", type=int, default=20, help="number of schedules of the part checks (20)"
    )
    for name, meaning in SETTINGS:
        parser.add_argument(f"--{name}", help=meaning)
    options, more = parser.parse_known_args()
    sampled = ("kernels", "python", "models")
    chosen = ("python",) if more else sampled if options.sample else PARTS
    options.parts = options.parts.split(",") if options.parts else list(chosen)
    if options.kernels:
        options.kernels = str(pathlib.Path(options.kernels).resolve())
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}; accepted: {', '.join(PARTS)}")
    return options, more


def main() -> int:
    options, more = parse()
    lines = []
    targets = re.split("[,;]", options.targets)
    # A build folder keeps the targets of its first configuration.
    if missing := missing_targets(options.emulator / "lib" / "skerry_cuda.so", targets):
        architectures = ";".join(f"{target}-virtual" for target in targets)
        print(
            f"the CUDA module was built without {' and '.join(missing)}: rebuild it with "
            f"BUILD_OPTIONS=\"-Ccmake.define.CMAKE_CUDA_ARCHITECTURES='{architectures}'\""
            ", or exclude them with --targets"
        )
        return 1
    for nth, target in enumerate(targets):
        environment = environment_for(target, options)
        for part, command, settings in commands_for(options, nth, target, more):
            began = time.perf_counter()
            variables = {**environment, **settings}
            code = subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode
            state = "passed" if code == 0 else f"FAILED ({code})"
            line = f"{target} {part}: {state} in {time.perf_counter() - began:.0f} s"
            lines.append((code, line))
            print(line, flush=True)
        if options.kernels:
            module = pathlib.Path(environment["SKERRY_CUDA_MODULE"])
            lines.append((0, coverage(module, target, pathlib.Path(options.kernels))))
    print(*(line for _, line in lines), sep="\n")
    return 1 if any(code for code, _ in lines) or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
