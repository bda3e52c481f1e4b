# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Test skerry for aarch64 on a machine of another processor: compiled by a cross compiler, run by qemu-user.

The C++ tests and a selection of the Python tests run under an interpreter unpacked from Debian's or Ubuntu's packages for
arm64; nothing is installed. Then the results of every elementwise function are compared, bit by bit, with those of the
build of `make build`. --part selects some of this. Other options and arguments are passed to pytest.
"""

from __future__ import annotations

import argparse
import json
import operator
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python" / "wheels"))
from debian_packages import (  # noqa: E402
    own_suite,
    require_cross_tools,
    run,
    step,
    unpack,
    write_emulation_script,
)

BUILD = ROOT / "build" / "aarch64"
OLD_PROCESSOR = "cortex-a72"  # Armv8.0-A
GOOGLETEST = pathlib.Path("/usr/src/googletest")
PLATFORMS = ["manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64"]
# Those of the executor of kernels, of the devices on top of it and of the driver.
EMULATOR_TESTS = [f"emulator_{name}_tests" for name in ("executor", "runtime", "driver")]
# They mark the bytes of large address ranges, for which qemu takes over 20 GB of memory.
NOT_RUN = "-HostKernelsTest.*:UndefinedMemoryTest.*"
CPP_TESTS = ["core_tests", "device_tests", "ops_tests", "kernels_tests"]
PARTS = {
    "cpp": "the C++ tests",
    "emulator": "the C++ tests of the emulated GPU",
    "bits": "the results of elementwise functions beside this machine's",
    "python": "the Python tests, and the error on an old processor",
}
TESTS = ["tests/python/standard", "tests/python/elementwise/test_special_cases.py"]
FOLDERS = (
    "create devices elementwise fourier linear move promotion reduce scan select sort standard"
)
ALL_TESTS = [f"tests/python/{folder}" for folder in FOLDERS.split()]


def parse_options() -> tuple[argparse.Namespace, list[str]]:
    """Read the command line; return the options and pytest's arguments."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="all dtypes, all C++ tests, the emulated GPU and 12,700 Python tests; takes two hours",
    )
    parser.add_argument(
        "--part",
        dest="parts",
        action="append",
        choices=PARTS,
        help="only this part; by default, all but the emulator:\n"
        + "\n".join(f"{name}: {content}" for name, content in PARTS.items()),
    )
    parser.add_argument(
        "--table", type=pathlib.Path, metavar="FILE", help="write the digests of the part bits"
    )
    parser.add_argument("--dtypes", default="float32", help="such as all, or float32;int64")
    parser.add_argument(
        "--cpp",
        default=",".join(CPP_TESTS[:2]),
        help="the C++ tests to build and to run; ops_tests and kernels_tests need all dtypes",
    )
    parser.add_argument(
        "--library",
        type=pathlib.Path,
        metavar="PATH",
        help="an existing libskerry.a for aarch64 instead of --dtypes, such as that of\n"
        "make wheels: build/wheels/aarch64/extension_3.11/libskerry.a",
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="parallel jobs of the compiler and tests"
    )
    options, arguments = parser.parse_known_args()
    if options.all:
        options.dtypes, options.cpp = "all", ",".join(CPP_TESTS)
    if not options.parts:
        options.parts = [part for part in PARTS if options.all or part != "emulator"]
    if options.table and "bits" not in options.parts:
        parser.error("--table: the part bits is not selected")
    if options.library and not options.library.is_file():
        parser.error(f"--library: no file {options.library}")
    return options, arguments


def unpack_interpreter() -> tuple[pathlib.Path, pathlib.Path]:
    """Unpack Python for aarch64 with its headers; return the root folder and a script that runs it."""
    names = ["python3", "libpython3-dev", "libstdc++6"]
    root = unpack(BUILD / "python", names, own_suite(), "arm64")
    programs = root / "usr" / "bin"
    return root, write_emulation_script(
        programs / "python-qemu", root, (programs / "python3").resolve()
    )


def install_packages(python: pathlib.Path) -> pathlib.Path:
    """Install the tests' dependencies for that Python, as pinned in pyproject.toml; return their folder."""
    site, done, pins = BUILD / "site", BUILD / "installed", ROOT / "pyproject.toml"
    if done.exists() and done.stat().st_mtime >= pins.stat().st_mtime:
        return site
    with step("packages from PyPI"):
        shutil.rmtree(site, ignore_errors=True)
        version = run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
        platforms = [word for name in PLATFORMS for word in ("--platform", name)]
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        pip += ["--only-binary=:all:", "--target", str(site), *platforms]
        run(*pip, "--python-version", version, "--group", "runtime", "--group", "test")
        done.touch()
    return site


def cross_compile(
    source: pathlib.Path,
    folder: pathlib.Path,
    definitions: dict[str, object],
    targets: list[str],
    jobs: int,
) -> None:
    """Configure a CMake project for aarch64, and build targets of it."""
    definitions = {
        "CMAKE_TOOLCHAIN_FILE": ROOT / "tests" / "aarch64" / "toolchain.cmake",
        "CMAKE_BUILD_TYPE": "Release",
        # Kernels have options of their own; everything else compiles in half the time of -O3. Warnings are no errors, since
        # GCC 12 has wrong ones of std::string at this level.
        "CMAKE_CXX_FLAGS_RELEASE": "-O1 -DNDEBUG",
        **({"FETCHCONTENT_SOURCE_DIR_GOOGLETEST": GOOGLETEST} if GOOGLETEST.exists() else {}),
        **definitions,
    }
    defined = [f"-D{name}={value}" for name, value in definitions.items()]
    run("cmake", "-S", source, "-B", folder, "-G", "Ninja", "-Wno-dev", *defined)
    run("cmake", "--build", folder, "--parallel", jobs, "--target", *targets)


def build(options: argparse.Namespace, root: pathlib.Path, python: pathlib.Path) -> pathlib.Path:
    """Cross-compile what the parts need of the library, the bindings and the C++ tests; return the build folder."""
    folder = BUILD / ("library" if options.library else options.dtypes.replace(";", "_"))
    sources = [*(ROOT / "build" / "python" / "ducc").glob("ducc0-*/")]
    definitions = {
        # Debian puts pyconfig.h in a separate folder, which is searched last.
        "CMAKE_CXX_FLAGS": f"-idirafter {root / 'usr' / 'include'}",
        "SKERRY_CUDA": "OFF",
        "SKERRY_DTYPES": options.dtypes,
        "Python_EXECUTABLE": python,
        "pybind11_DIR": run(sys.executable, "-m", "pybind11", "--cmakedir").strip(),
        **({"SKERRY_DUCC_DIR": sources[0]} if sources else {}),
        **({"SKERRY_LIBRARY": options.library.resolve()} if options.library else {}),
    }
    targets = options.cpp.split(",") if "cpp" in options.parts else []
    if {"bits", "python"} & set(options.parts):
        targets.append("_core")
    with step(f"skerry for aarch64, {options.library or f'dtypes {options.dtypes}'}"):
        cross_compile(ROOT, folder, definitions, targets, options.jobs)
    return folder


def build_emulator(jobs: int) -> pathlib.Path:
    """Cross-compile the emulated GPU and its C++ tests; return the build folder."""
    folder = BUILD / "emulator"
    with step("the emulated GPU for aarch64"):
        options: dict[str, object] = {"SKERRY_EMULATOR_TESTS": "ON"}
        cross_compile(ROOT / "device" / "emulator", folder, options, ["emulator_tests"], jobs)
    return folder


def install_skerry(folder: pathlib.Path, site: pathlib.Path) -> None:
    """Put skerry's Python files and the extension module into the folder of packages."""
    installed = pathlib.Path(sysconfig.get_path("platlib")) / "skerry"
    binaries = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(installed, site / "skerry", ignore=binaries, dirs_exist_ok=True)
    shutil.copytree(ROOT / "python" / "skerry", site / "skerry", dirs_exist_ok=True)
    (extension,) = (folder / "python").glob("_core*.so")
    target = site / "skerry" / extension.name
    target.unlink(missing_ok=True)  # a running program keeps the old file
    shutil.copy2(extension, target)


def run_cpp_tests(
    names: list[str], folder: pathlib.Path, root: pathlib.Path, jobs: int, **variables: str
) -> list[str]:
    """Run the C++ tests, each in `jobs` processes that share its tests; return the names of those that fail."""
    failed = []
    for name in names:
        program = write_emulation_script(folder / f"run_{name}", root, folder / "tests" / name)
        with step(name):
            shards = [
                subprocess.Popen(
                    [program, "--gtest_brief=1"],
                    cwd=folder,
                    env={
                        **os.environ,
                        **variables,
                        "GTEST_FILTER": NOT_RUN,
                        "GTEST_TOTAL_SHARDS": str(jobs),
                        "GTEST_SHARD_INDEX": str(index),
                    },
                )
                for index in range(jobs)
            ]
            statuses = [shard.wait() for shard in shards]
            if any(statuses):
                failed.append(name)
    return failed


def digests(python: object, environment: dict[str, str]) -> dict[str, str]:
    """Return the digests of every elementwise function's results, by function and dtype."""
    program = ["-m", "tests.python.elementwise.equal_inputs", "--digests"]
    done = subprocess.run(
        [str(python), *program], cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)


def compare_bits(
    python: pathlib.Path, environment: dict[str, str], table: pathlib.Path | None
) -> list[str]:
    """Compare the results of every elementwise function with this machine's; return those that differ."""
    with step("results of elementwise functions beside this machine's"):
        results = digests(python, environment)
        expected = digests(sys.executable, {**os.environ, "SKERRY_ISA": "v3"})
        differing = [name for name, digest in results.items() if expected.get(name) != digest]
        print(f"{len(results) - len(differing)} of {len(results)} functions have the same bits")
        if table:
            table.write_text(table_of_digests(results, differing))
    return [f"other bits in {name}" for name in differing]


def table_of_digests(results: dict[str, str], differing: list[str]) -> str:
    """Return a table in Markdown: the first digits of each digest, with a star if this machine has another."""
    names, dtypes = (
        list(dict.fromkeys(column)) for column in zip(*map(str.split, results), strict=True)
    )
    rows = [["function", *dtypes], ["---"] * (1 + len(dtypes))]
    for name in names:
        cases = [f"{name} {dtype}" for dtype in dtypes]
        stars = ["*" if case in differing else "" for case in cases]
        digits = [results.get(case, "")[:12] for case in cases]
        rows.append([name, *map(operator.add, digits, stars)])
    title = "# Digests of elementwise functions on aarch64\n\n"
    source = (
        "SHA-256 of the results of `tests/python/elementwise/equal_inputs.py --digests`. A star marks a digest other than that "
        "of x86-64-v3; NaNs count as equal.\n\n"
    )
    return title + source + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def check_old_processor(python: pathlib.Path, environment: dict[str, str]) -> list[str]:
    """Check that a processor without Armv8.2-A is refused with a reason."""
    done = subprocess.run(
        [python, "-c", "import skerry"],
        env={**environment, "QEMU_CPU": OLD_PROCESSOR},
        capture_output=True,
        text=True,
        check=False,
    )
    if "lacks instructions of aarch64-v8" in done.stderr:
        return []
    return [f"import on {OLD_PROCESSOR}: {done.returncode}, {done.stderr}"]


def prepare_package(folder: pathlib.Path, root: pathlib.Path, site: pathlib.Path) -> dict[str, str]:
    """Install skerry for the interpreter; return the environment variables of its programs."""
    install_skerry(folder, site)
    # Other libraries are not installed. Without the variable, their tests are skipped.
    environment = {
        name: value for name, value in os.environ.items() if name != "SKERRY_ALL_CONSUMERS"
    }
    environment["PYTHONPATH"] = str(site)
    # Tests that compile an extension module find pyconfig.h there.
    environment["CPLUS_INCLUDE_PATH"] = str(root / "usr" / "include")
    return environment


def run_python_tests(
    python: pathlib.Path,
    environment: dict[str, str],
    options: argparse.Namespace,
    arguments: list[str],
) -> list[str]:
    """Run pytest with the arguments, on the selection of tests if they name none; return what fails."""
    named = [argument for argument in arguments if (ROOT / argument.partition("::")[0]).exists()]
    selection = ALL_TESTS if options.all else TESTS
    command = [python, "-m", "pytest", "-n", str(options.jobs), "--dist", "loadfile", "--quick"]
    with step("Python tests"):
        tests = [*command, *arguments, *([] if named else selection)]
        done = subprocess.run(tests, cwd=ROOT, env=environment, check=False)
    return ["Python tests"] if done.returncode != 0 else []


def main() -> int:
    """Build, test and compare; return the exit status."""
    options, arguments = parse_options()
    require_cross_tools()
    root, python = unpack_interpreter()
    failed = []
    if "emulator" in options.parts:
        folder = build_emulator(options.jobs)
        failed += run_cpp_tests(EMULATOR_TESTS, folder, root, options.jobs)
    if options.parts != ["emulator"]:
        folder = build(options, root, python)
        site = install_packages(python)
    if "cpp" in options.parts:
        openblas = str(site / "scipy_openblas32" / "lib" / "libscipy_openblas.so")
        names = options.cpp.split(",")
        failed += run_cpp_tests(names, folder, root, options.jobs, SKERRY_OPENBLAS=openblas)
    if {"bits", "python"} & set(options.parts):
        environment = prepare_package(folder, root, site)
    if "bits" in options.parts:
        failed += compare_bits(python, environment, options.table)
    if "python" in options.parts:
        failed += check_old_processor(python, environment)
        failed += run_python_tests(python, environment, options, arguments)
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
