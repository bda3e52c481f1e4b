# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make gpu-check``: builds for the GPU of this machine, tests and measures on it, and writes a record.

Needs Linux, a CUDA toolkit, CMake, Ninja, and Python with NumPy, pybind11 and scipy-openblas32. There may be no network
to install more, so a part that needs more is skipped, and the record says what is missing. Without a GPU it exits 3; a
rehearsed device does not count as a GPU.

    make gpu-check                                   all parts that fit in nine minutes on 16 cores
    GPU_CHECK="build tests bench" make gpu-check     some parts, in this order
    GPU_CHECK_SECONDS=1200 make gpu-check            another time limit
    make gpu-check GPU_CHECK_OPTIONS=--full          also racecheck, initcheck and synccheck
    make gpu-check GPU_CHECK_OPTIONS="--shrink 2"    benchmark arrays of a quarter of the size, in half the time

Parts: build, kernels (GoogleTest: every kernel on the GPU against the CPU), tests (pytest on cuda:0 and cuda:1),
handover (numba-cuda, CuPy, PyTorch, JAX, as installed), sanitizer (compute-sanitizer over ``kernels``), conformance
(if ARRAY_API_TESTS_DIR is set), runtime (what guards, profiles, graphs, allocators and IPC cost), bench, huge (arrays
over 2**31 elements and 4 GiB, a full and a lost GPU). The record goes to bench/results/<chip>.jsonl and .md.

CMAKE_ARGS is passed to CMake, for example on a machine without network:
-DSKERRY_DUCC_DIR=… -DFETCHCONTENT_SOURCE_DIR_GOOGLETEST=…
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

from bench import records

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "gpu"
SITE = BUILD / "site"
MODULE = SITE / "skerry" / "skerry_cuda.so"
KERNELS = BUILD / "tests" / "kernels_tests"
LOGS = BUILD / "logs"

NO_GPU = 3
NEEDED = {"numpy": "numpy", "pybind11": "pybind11", "scipy_openblas32": "scipy-openblas32"}


class Skipped(Exception):  # noqa: N818
    """Raised by a part that can't run here, with the reason."""


@dataclasses.dataclass
class Outcome:
    """The result of a part."""

    part: str
    result: str  # "passed", "failed: …", "skipped: …"
    seconds: float = 0.0
    detail: str = ""


class Check:
    """The time limit, the environment and the outcomes of the parts."""

    def __init__(self, full: bool, seconds: float, gpus: list[Gpu], shrink: int = 0) -> None:
        self.full, self.shrink = full, shrink
        self.architectures = sorted({gpu.architecture for gpu in gpus})
        self.end = time.monotonic() + seconds
        self.outcomes: list[Outcome] = []
        self.bench: dict[str, object] = {}
        self.figures: list[dict[str, object]] = []
        self.skipped_tests: list[str] = []
        unrehearsed = {k: v for k, v in os.environ.items() if k != "SKERRY_REHEARSE"}
        paths = [str(SITE), os.environ.get("PYTHONPATH")]
        self.environment = {
            **unrehearsed,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "SKERRY_CUDA_MODULE": str(MODULE),
            "PYTHONUNBUFFERED": "1",
        }

    def left(self) -> float:
        """Returns the seconds until the time limit."""
        return self.end - time.monotonic()

    def run(self, name: str, command: list[str], **more: str) -> str:
        """Runs a command with its output in a log; returns the output. Raises if it fails or exceeds the time limit."""
        LOGS.mkdir(parents=True, exist_ok=True)
        log = LOGS / f"{name}.log"
        with log.open("w") as output:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env={**self.environment, **more},
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=max(self.left(), 1),
            )
        text = log.read_text(errors="replace")
        if done.returncode != 0:
            raise subprocess.CalledProcessError(done.returncode, command, text)
        return text

    def part(self, name: str, action: Callable[[Check], str]) -> None:
        """Runs one part and records the outcome."""
        print(f"… {name}", flush=True)
        begin = time.monotonic()
        try:
            if self.left() < 5:
                raise Skipped("the time limit had passed")
            outcome = Outcome(name, "passed", detail=action(self))
        except Skipped as reason:
            outcome = Outcome(name, f"skipped: {reason}")
        except subprocess.TimeoutExpired:
            outcome = Outcome(name, "failed: not finished within the time limit")
        except subprocess.CalledProcessError as error:
            tail = "\n".join(str(error.output).strip().splitlines()[-25:])
            print(tail, flush=True)
            outcome = Outcome(name, f"failed: exit {error.returncode}", detail=tail)
        outcome.seconds = round(time.monotonic() - begin, 1)
        self.outcomes.append(outcome)
        print(f"  {outcome.result} ({outcome.seconds} s)", flush=True)


# CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_* of cuda.h.
MAJOR, MINOR = 75, 76


@dataclasses.dataclass(frozen=True)
class Gpu:
    """One GPU, as the driver reports it."""

    name: str
    architecture: str  # CMake's: "90-real"


def find_gpus() -> tuple[list[Gpu], str]:
    """Returns the GPUs that the driver reports, and why there are none. Creates no context."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return [], f"there is no NVIDIA driver ({error})"
    count = ctypes.c_int()
    try:
        status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    except AttributeError as error:
        return [], f"libcuda.so.1 is no NVIDIA driver ({error})"
    if status:
        return [], f"the NVIDIA driver answers with error {status}"
    gpus = []
    for ordinal in range(count.value):
        device, name = ctypes.c_int(), ctypes.create_string_buffer(256)
        driver.cuDeviceGet(ctypes.byref(device), ordinal)
        driver.cuDeviceGetName(name, len(name), device)
        if name.value.startswith(b"emulated GPU"):
            return [], "libcuda.so.1 is no NVIDIA driver, but an emulated GPU's"
        version = [ctypes.c_int(), ctypes.c_int()]
        for part, attribute in zip(version, (MAJOR, MINOR), strict=True):
            driver.cuDeviceGetAttribute(ctypes.byref(part), attribute, device)
        gpus.append(Gpu(name.value.decode(), f"{version[0].value}{version[1].value}-real"))
    return gpus, "" if gpus else "the NVIDIA driver finds no GPU; check CUDA_VISIBLE_DEVICES"


def is_installed(module: str) -> bool:
    """Returns whether this interpreter finds a module."""
    return importlib.util.find_spec(module) is not None


def query(fields: str) -> str:
    """Queries nvidia-smi for the first GPU; returns an empty string without it."""
    if shutil.which("nvidia-smi") is None:
        return ""
    command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader", "--id=0"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def machine(gpus: list[Gpu]) -> dict[str, object]:
    """Describes the machine of the record."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return {
        "gpu": gpus[0].name,
        "gpus": len(gpus),
        "architectures": ", ".join(sorted({gpu.architecture for gpu in gpus})),
        "driver": query("driver_version"),
        "clocks_as_found": query("clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem"),
        "memory": query("memory.total,memory.used"),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
        "commit": commit.stdout.strip() or "unknown",
        "date": time.strftime("%Y-%m-%d"),
    }


# --- parts ----------------------------------------------------------------------------------------


def configure(check: Check, *more: str) -> str:
    """Runs CMake."""
    command = ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "-DSKERRY_CUDA=ON"]
    command += [f"-DCMAKE_CUDA_ARCHITECTURES={';'.join(check.architectures)}"]
    command += [f"-DPython_EXECUTABLE={sys.executable}"]
    return check.run("configure", [*command, *shlex.split(os.environ.get("CMAKE_ARGS", "")), *more])


def build(check: Check) -> str:
    """Compiles for this GPU, without components that can't be fetched."""
    for tool in ("cmake", "ninja", "nvcc"):
        if shutil.which(tool) is None:
            raise subprocess.CalledProcessError(1, tool, f"{tool} is not on the PATH")
    missing = [package for module, package in NEEDED.items() if not is_installed(module)]
    if missing:
        raise subprocess.CalledProcessError(
            1, "import", f"not installed for {sys.executable}: {', '.join(missing)}"
        )
    without: list[str] = []
    while True:
        try:
            configure(check, *without)
            break
        except subprocess.CalledProcessError as error:
            if "ducc0" in error.output and "-DSKERRY_FFT=OFF" not in without:
                without.append("-DSKERRY_FFT=OFF")
                check.skipped_tests.append("fft on the CPU: ducc0 can't be fetched")
            elif "googletest" in error.output and "-DSKERRY_TESTS=OFF" not in without:
                without.append("-DSKERRY_TESTS=OFF")
                check.skipped_tests.append("kernels: GoogleTest can't be fetched")
            else:
                raise
    check.run("build", ["cmake", "--build", str(BUILD), "--parallel", str(os.cpu_count() or 1)])
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(ROOT / "python" / "skerry", SITE / "skerry")
    check.run(
        "install",
        ["cmake", "--install", str(BUILD), "--component", "python", "--prefix", str(SITE)],
    )
    seen = check.run(
        "look",
        [
            sys.executable,
            "-c",
            "import skerry as sk; x = sk.ones(3, device='cuda:0'); i = x.device.info;"
            "assert not i.rehearsal; print(i.name, float(sk.sum(x)))",
        ],
    )
    return seen.strip() + "".join(f"; without {name}" for name in check.skipped_tests)


def kernels_command(check: Check) -> tuple[list[str], dict[str, str]]:
    """Returns the GoogleTest command and its environment variables: the path of OpenBLAS, which CPU kernels call.

    With --require-gpu a skipped test is a failure, so tests of missing components are excluded by name.
    """
    if not KERNELS.exists():
        raise Skipped("GoogleTest was not found when the tests were to be built")
    command = [str(KERNELS), "--require-gpu"]
    if any(reason.startswith("fft") for reason in check.skipped_tests):
        command.append("--gtest_filter=-*FftKernels*")
    spec = importlib.util.find_spec("scipy_openblas32")
    if spec is None or spec.origin is None:
        return command, {}
    library = pathlib.Path(spec.origin).parent / "lib" / "libscipy_openblas.so"
    return command, {"SKERRY_OPENBLAS": str(library)}


def kernels(check: Check) -> str:
    """Runs GoogleTest: every kernel on the GPU, compared with the CPU's."""
    command, environment = kernels_command(check)
    return last_lines(check.run("kernels", command, **environment), r"^\[ +(PASSED|SKIPPED)")


# Tests that need the GPU exclusively.
ALONE = {
    "gpu_handover": "tests/python/interchange/test_gpu_handover.py",
    "gpu_faults": "tests/python/devices/test_gpu_faults.py",
    "huge_arrays": "tests/python/devices/test_huge_arrays.py",
}


def pytest_command(*arguments: str) -> list[str]:
    """Returns a pytest command; without further options it runs the tests in one process."""
    if not is_installed("pytest"):
        raise Skipped("pytest is not installed")
    without = ["-p", "no:cacheprovider", "-p", "no:benchmark"]  # pytest-benchmark warns with xdist
    return [sys.executable, "-m", "pytest", "-q", *without, "-ra", *arguments]


def tests(check: Check) -> str:
    """Runs the Python tests on cuda:0 and cuda:1: two GPUs, or one as two logical devices."""
    if not is_installed("hypothesis"):
        raise Skipped("hypothesis is not installed")
    command = pytest_command("tests/python", *(f"--ignore={path}" for path in ALONE.values()))
    if is_installed("xdist"):
        command += ["-n", str(min(12, os.cpu_count() or 1)), "--dist", "loadfile"]
    if any(reason.startswith("fft") for reason in check.skipped_tests):
        command.append("--ignore=tests/python/fourier")
    return last_lines(check.run("tests", command), r"\d+ (passed|failed)")


def handover(check: Check) -> str:
    """Runs the tests that export arrays to the installed third-party libraries and import arrays from them."""
    command = pytest_command(ALONE["gpu_handover"])
    return last_lines(check.run("handover", command), r"\d+ (passed|failed|skipped)")


def sanitizer_command(tool: str) -> list[str]:
    """Returns a compute-sanitizer command. It needs SKERRY_ALLOCATOR=system to see the bounds of each array."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9"]
    if tool == "memcheck":
        # Padding keeps out-of-bounds accesses out of adjacent arrays. API errors are not reported: the library checks
        # all statuses and makes calls that may fail.
        command += ["--leak-check", "no", "--padding", "512", "--report-api-errors", "no"]
    return command


def sanitizer(check: Check) -> str:
    """Runs compute-sanitizer on every kernel."""
    if shutil.which("compute-sanitizer") is None:
        raise Skipped("compute-sanitizer is not installed")
    kernels, environment = kernels_command(check)
    done = []
    for tool in ("memcheck", "racecheck", "initcheck", "synccheck")[: 4 if check.full else 1]:
        command = [*sanitizer_command(tool), *kernels]
        try:
            text = check.run(f"sanitizer-{tool}", command, SKERRY_ALLOCATOR="system", **environment)
        except subprocess.CalledProcessError as error:
            if "Device not supported" in str(error.output):
                raise Skipped("compute-sanitizer refuses this device") from error
            raise
        done.append(f"{tool} {last_lines(text, r'ERROR SUMMARY')}".strip())
    return "; ".join(done)


def conformance(check: Check) -> str:
    """Runs the official test suite with cuda:0 as the default device."""
    suite = os.environ.get("ARRAY_API_TESTS_DIR")
    if not suite:
        raise Skipped("ARRAY_API_TESTS_DIR is not set")
    for module in ("pytest", "hypothesis", "ndindex", "pytest_jsonreport"):
        if not is_installed(module):
            raise Skipped(f"{module} is not installed")
    command = [sys.executable, "tests/conformance/run.py", suite, "--devices", "cuda:0"]
    return last_lines(
        check.run("conformance", [*command, "--max-examples", "100", "-pno:benchmark"]),
        r"passed, \d+ failed",
    )


def huge(check: Check) -> str:
    """Tests arrays over 2**31 elements in each family of functions, arrays over 4 GiB, and a full or lost GPU."""
    command = pytest_command(ALONE["huge_arrays"], ALONE["gpu_faults"], "-k", "cuda or gpu_faults")
    text = check.run("huge", command, SKERRY_TEST_HUGE="40")
    return last_lines(text, r"\d+ (passed|failed|skipped)")


def runtime(check: Check) -> str:
    """Measures guards, profiles, graphs, allocators and IPC, and checks their values."""
    out = BUILD / "runtime.jsonl"
    text = check.run("runtime", [sys.executable, "-m", "bench.gpu.runtime", "--out", str(out)])
    head, figures = records.read(out)
    check.figures += figures
    print(text, flush=True)
    return str(head["table"])


def bench(check: Check) -> str:
    """Measures against CuPy and PyTorch."""
    out = BUILD / "bench.jsonl"
    seconds = str(int(max(check.left() - 15, 10)))
    command = [sys.executable, "-m", "bench.gpu.run", "--seconds", seconds, "--out", str(out)]
    text = check.run("bench", [*command, "--shrink", str(check.shrink)])
    check.bench, figures = records.read(out)
    check.figures += figures
    print(text, flush=True)
    return last_lines(text, r"goals reached")


PARTS: dict[str, Callable[[Check], str]] = {
    part.__name__: part
    for part in (build, kernels, tests, handover, sanitizer, conformance, runtime, bench, huge)
}


# --- the record -----------------------------------------------------------------------------------


def last_lines(text: str, pattern: str) -> str:
    """Returns the lines of the output that match, as a summary."""
    return "; ".join(line.strip() for line in text.splitlines() if re.search(pattern, line))[-400:]


def table(outcomes: list[Outcome]) -> str:
    """Formats the outcomes, one line per part."""
    lines = [f"{'part':<12}{'seconds':>8}  result"]
    lines += [f"{o.part:<12}{o.seconds:>8}  {o.result}" for o in outcomes]
    return "\n".join(lines)


def write_record(check: Check, about: dict[str, object]) -> pathlib.Path:
    """Writes the raw figures, and a page to read."""
    path = records.result_of(str(about["gpu"]))
    head = {
        "machine": about,
        "parts": [dataclasses.asdict(outcome) for outcome in check.outcomes],
        "bench": {name: value for name, value in check.bench.items() if name != "table"},
    }
    records.write(path, head, check.figures)
    page = [f"# {about['gpu']}, {about['date']}, commit {about['commit']}", ""]
    page += [f"- {key}: {value}" for key, value in about.items() if value]
    page += ["", "```", table(check.outcomes), "```", ""]
    for outcome in check.outcomes:
        if outcome.detail:
            page += [f"## {outcome.part}", "", "```", outcome.detail, "```", ""]
    if check.bench:
        page += ["## Figures", "", "```", str(check.bench.get("table", "")), "```", ""]
    path.with_suffix(".md").write_text("\n".join(page))
    return path


def main() -> int:
    """Runs the selected parts and returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="all tools of compute-sanitizer")
    parser.add_argument(
        "--shrink", type=int, default=0, help="halve the benchmark's sizes this many times"
    )
    options = parser.parse_args()
    gpus, reason = find_gpus()
    if not gpus:
        print(f"gpu-check: no GPU, so nothing was run: {reason}.", flush=True)
        return NO_GPU
    chosen = os.environ.get("GPU_CHECK", " ".join(PARTS)).split()
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        print(f"gpu-check: no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
        return 2
    about = machine(gpus)
    print(", ".join(f"{key} {value}" for key, value in about.items()), flush=True)
    seconds = float(os.environ.get("GPU_CHECK_SECONDS", 540))
    check = Check(options.full, seconds, gpus, options.shrink)
    for name in chosen:
        check.part(name, PARTS[name])
        if name == "build" and check.outcomes[-1].result != "passed":
            break
    path = write_record(check, about)
    print(f"\n{about['gpu']}, driver {about['driver']}, commit {about['commit']}")
    print(table(check.outcomes))
    print(f"written to {os.path.relpath(path, ROOT)} and .md")
    return int(any(outcome.result.startswith("failed") for outcome in check.outcomes))


if __name__ == "__main__":
    sys.exit(main())
