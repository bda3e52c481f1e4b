# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Build skerry's wheels and source distribution for PyPI: `make wheels`.

The kernels are compiled once, into libskerry.a, which does not depend on Python; the extension module is compiled for
each Python version. pip builds the wheel for this interpreter. Other interpreters are unpacked from packages or passed
as --interpreter. With --machine, wheels for another processor are cross-compiled as well; qemu runs its interpreters.
The wheels are written to dist/. auditwheel and twine check them, and smoke_test.py tests those of skerry itself in a
fresh environment each, to which that of skerry-emulator is added for smoke_test_emulator.py.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass

from check_wheel import find_unversioned
from debian_packages import (
    PYTHON_SUITES,
    require_cross_tools,
    run,
    step,
    unpack,
    unpack_python,
)
from repack import repack
from sysroot import make_sysroot

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build" / "wheels"
GLIBC = "2.28"
# Debian's names of the processors.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# The oldest Debian release on its mirrors. Its C library must not be older than GLIBC.
OLD_DEBIAN = ("bullseye", ["libc6-dev", "linux-libc-dev", "libgcc-s1"])
# The headers of ducc that the CPU's FFT includes. They are dual-licensed, BSD-3-Clause or GPL; other headers of the
# package are GPL only.
DUCC_HEADERS = [
    *(f"fft/{name}.h" for name in ("fft", "fft1d_impl", "fftnd_impl")),
    *(f"infra/{name}.h" for name in ("aligned_array", "error_handling", "mav", "misc_utils")),
    *(f"infra/{name}.h" for name in ("simd", "threading", "useful_macros")),
    *(f"math/{name}.h" for name in ("cmplx", "unity_roots")),
]


@dataclass(frozen=True)
class Target:
    """What the wheels of one build run on."""

    machine: str

    @property
    def is_native(self) -> bool:
        """Whether it is this machine's processor."""
        return self.machine == os.uname().machine

    @property
    def architecture(self) -> str | None:
        """Debian's name of the processor, if it is another than this machine's."""
        return None if self.is_native else ARCHITECTURES[self.machine]

    @property
    def build_folder(self) -> pathlib.Path:
        """The folder of its build."""
        return WORK if self.is_native else WORK / self.machine

    @property
    def linux(self) -> str:
        """The platform of wheels before their repair."""
        return f"linux_{self.machine}"

    @property
    def platform(self) -> str:
        """The platform of the wheels."""
        return f"manylinux_{GLIBC.replace('.', '_')}_{self.machine}"

    def prepare_toolchain(self) -> dict[str, str]:
        """Make the sysroot; return the environment variables for building wheels."""
        suite, packages = OLD_DEBIAN
        root = unpack(self.build_folder / "old_debian", packages, suite, self.architecture)
        sysroot, compat = self.build_folder / "sysroot", self.build_folder / "glibc_compat.o"
        triplet = f"{self.machine}-linux-gnu"
        compiler = os.environ.get("CC", "gcc") if self.is_native else f"{triplet}-gcc"
        if not compat.exists():
            shutil.rmtree(sysroot, ignore_errors=True)
            make_sysroot(root, sysroot, GLIBC, triplet, compiler)
            source = HERE / "glibc_compat.c"
            run(compiler, f"--sysroot={sysroot}", "-O2", "-fPIC", "-c", source, "-o", compat)
        return {
            **os.environ,
            "SKERRY_MACHINE": self.machine,
            "SKERRY_SYSROOT": str(sysroot),
            "SKERRY_GLIBC_COMPAT": str(compat),
            # What pip takes as the platform of the wheel.
            "_PYTHON_HOST_PLATFORM": f"linux-{self.machine}",
        }


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--dist", type=pathlib.Path, default=ROOT / "dist", help="the output folder"
    )
    parser.add_argument("--python", action="append", metavar="X.Y", help="only these versions")
    parser.add_argument(
        "--interpreter",
        action="append",
        default=[],
        metavar="PATH",
        help="an interpreter of another version or without the GIL (3.13t), with headers",
    )
    parser.add_argument(
        "--cuda", action="store_true", help="also build skerry-cuda13 (takes hours)"
    )
    parser.add_argument(
        "--machine",
        action="append",
        default=[],
        choices=["aarch64"],
        help="also build for this processor, by Debian's cross compiler; tested by qemu",
    )
    parser.add_argument(
        "--base",
        type=pathlib.Path,
        metavar="WHEEL",
        help="skerry's wheel for this machine from an earlier run; only the wheels of --machine are built",
    )
    parser.add_argument(
        "--define",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="CMake definition for all builds",
    )
    options = parser.parse_args()
    if options.base and not options.base.is_file():
        parser.error(f"--base: no file {options.base}")
    if options.base and not set(options.machine) - {os.uname().machine}:
        parser.error("--base builds for other processors only; name one by --machine")
    return options


def build_by_pip(
    target: Target,
    source: pathlib.Path,
    defines: dict[str, str],
    build: pathlib.Path,
    environment: dict[str, str],
) -> pathlib.Path:
    """Build a wheel for this Python with pip in the folder `build`; return it after its repair for the platform."""
    output = build.with_name(f"{build.name}_wheel")
    shutil.rmtree(output, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
    command += ["--no-build-isolation", "--no-deps", "--wheel-dir", str(output)]
    command += [
        f"-Cbuild-dir={build}",
        f"-Ccmake.define.CMAKE_TOOLCHAIN_FILE={HERE}/toolchain.cmake",
    ]
    command += [f"-Ccmake.define.{name}={value}" for name, value in defines.items()]
    log_file = build.with_name(f"{build.name}.log")
    with log_file.open("w") as log:
        done = subprocess.run(
            [*command, str(source)], env=environment, stdout=log, stderr=log, check=False
        )
    if done.returncode != 0:
        sys.exit(f"pip wheel failed; see {log_file}")
    (wheel,) = output.glob("*.whl")
    return repair(target, wheel)


def repair(target: Target, wheel: pathlib.Path) -> pathlib.Path:
    """Replace a wheel by one with the platform that auditwheel finds; return its path."""
    folder = wheel.parent
    # auditwheel offers the platforms of platform.machine() only, but repairs wheels for any processor.
    program = f"import platform, sys; platform.machine = lambda: {target.machine!r}; "
    program += "from auditwheel.main import main; sys.exit(main())"
    auditwheel = [sys.executable, "-c", program, "repair"]
    run(*auditwheel, "--plat", target.platform, "--wheel-dir", folder / "repaired", wheel)
    (repaired,) = (folder / "repaired").glob("*.whl")
    wheel.unlink()
    return pathlib.Path(shutil.move(repaired, folder))


def build_extension(
    build: pathlib.Path,
    python: pathlib.Path,
    defines: dict[str, str],
    environment: dict[str, str],
) -> pathlib.Path:
    """Build the extension module for another Python in the folder `build`; return its path."""
    include = run(python, "-c", "import sysconfig; print(sysconfig.get_path('include'))").strip()
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_TOOLCHAIN_FILE": HERE / "toolchain.cmake",
        # Debian's pyconfig.h includes another file by its path under usr/include.
        "CMAKE_CXX_FLAGS": f"-idirafter {python.parents[1] / 'include'} -isystem {include}",
        "Python_EXECUTABLE": python,
        "pybind11_DIR": run(sys.executable, "-m", "pybind11", "--cmakedir").strip(),
    }
    arguments = [f"-D{name}={value}" for name, value in {**options, **defines}.items()]
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", *arguments]
    for command in (configure, ["cmake", "--build", str(build), "--target", "_core"]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\n{done.stderr}\nthe extension module of {build.name} failed")
    (module,) = (build / "python").glob("_core*.so")
    return module


def find_interpreters(target: Target, options: argparse.Namespace) -> dict[str, pathlib.Path]:
    """Return the Pythons by version that pip doesn't build for: those of --interpreter, then unpacked ones."""
    own_version = f"{sys.version_info.major}.{sys.version_info.minor}{sys.abiflags}"
    query = "import sys; print('%d.%d' % sys.version_info[:2] + sys.abiflags)"
    interpreters = {
        run(path, "-c", query).strip(): pathlib.Path(path)
        for path in options.interpreter
        if target.is_native
    }
    requested = set(options.python or [*PYTHON_SUITES, *interpreters])
    if target.is_native:
        requested -= {own_version}
    for version in requested & set(PYTHON_SUITES) - set(interpreters):
        home = target.build_folder / f"python{version}"
        interpreters[version] = unpack_python(home, version, target.architecture)
    return {version: path for version, path in sorted(interpreters.items()) if version in requested}


def copy_ducc(archive_folder: pathlib.Path) -> None:
    """Copy ducc's DUCC_HEADERS and their license into third_party/, which the source distribution includes."""
    (archive,) = archive_folder.glob("ducc0-*.tar.gz")
    target = ROOT / "third_party" / "ducc0"
    shutil.rmtree(target, ignore_errors=True)
    with tarfile.open(archive) as sources:
        for member in sources.getmembers():
            name = member.name.partition("/src/ducc0/")[2]
            if name not in DUCC_HEADERS:
                continue
            file = sources.extractfile(member)
            assert file is not None
            text = file.read()
            if b"BSD-3-Clause" not in text[:4000]:
                sys.exit(f"{member.name}: no BSD-3-Clause license in its header")
            path = target / "src" / "ducc0" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
    count = sum(1 for path in target.rglob("*.h"))
    if count != len(DUCC_HEADERS):
        sys.exit(f"{archive} has only {count} of the {len(DUCC_HEADERS)} headers in DUCC_HEADERS")
    shutil.copy2(ROOT / "LICENSES" / "BSD-3-Clause-ducc0.txt", target)


def build_source_distribution(dist: pathlib.Path) -> None:
    """Write the source distribution. A build from it downloads nothing."""
    copy_ducc(WORK / "skerry" / "ducc")
    try:
        run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", dist, ROOT)
    finally:
        shutil.rmtree(ROOT / "third_party")


def try_wheels(
    target: Target, wheel: pathlib.Path, emulator: pathlib.Path, python: pathlib.Path
) -> None:
    """Run the smoke tests in a fresh environment, first with skerry's wheel and its dependencies only."""
    tag, platforms = re.findall(r"-(cp\d+t?)-([\w.]+)\.whl$", wheel.name)[0]
    home = target.build_folder / f"environment_{tag}"
    shutil.rmtree(home, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    install = ["install", "--quiet", "--only-binary=:all:", "--target", str(home)]
    path = "/nonexistent"  # no compiler
    if target.is_native:
        pip += ["--python", str(python)]
    else:
        names = [*platforms.split("."), f"manylinux2014_{target.machine}"]
        install += [word for name in names for word in ("--platform", name)]
        install += ["--python-version", f"{tag[2]}.{tag[3:]}"]
        path = str(pathlib.Path(shutil.which("qemu-aarch64-static") or path).parent)
    environment = {"PATH": path, "PYTHONPATH": str(home), "HOME": str(home)}
    # skerry is the emulator's only dependency, and not on PyPI.
    for packages, test in (
        ([wheel], "smoke_test.py"),
        (["--no-deps", emulator], "smoke_test_emulator.py"),
    ):
        run(*pip, *install, *packages)
        done = subprocess.run(
            [python, HERE / test], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"{test}, {wheel.name}: {done.stdout}{done.stderr}")
        print(f"  {done.stdout.strip()}")


def check(target: Target, wheels: list[pathlib.Path]) -> None:
    """Print the size and platform of each wheel; exit if one does not comply with the target's platform."""
    for wheel in wheels:
        said = run(sys.executable, "-m", "auditwheel", "show", wheel)
        policies = re.findall(r'"(manylinux_(\d+)_(\d+)_\w+)"', said)
        newest = tuple(map(int, GLIBC.split(".")))
        if not any((int(major), int(minor)) <= newest for _, major, minor in policies):
            sys.exit(f"{wheel.name} does not comply with {target.platform}:\n{said}")
        if unversioned := find_unversioned(wheel):
            sys.exit(f"{wheel.name} has undefined symbols without a version: {unversioned}")
        print(f"  {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {policies[0][0]}")


def build_skerry(
    target: Target,
    base: pathlib.Path | None,
    interpreters: dict[str, pathlib.Path],
    defines: dict[str, str],
    environment: dict[str, str],
) -> list[pathlib.Path]:
    """Build skerry's wheel for each interpreter in the target's folder `wheels`.

    The Python files are those of `base`, a wheel for another processor. If it is None, pip builds the wheel for this
    Python first.
    """
    folder = target.build_folder / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    definitions = {"SKERRY_CUDA": "OFF", "SKERRY_TESTS": "OFF", "SKERRY_CPU_TARGETS": "all"}
    definitions |= defines
    wheels = []
    if base is None:
        with step("skerry, for this Python"):
            wheel = build_by_pip(target, ROOT, definitions, WORK / "skerry", environment)
        base = pathlib.Path(shutil.copy2(wheel, folder))
        wheels.append(base)
        definitions["SKERRY_LIBRARY"] = str(WORK / "skerry" / "libskerry.a")
    else:
        # CMake downloads ducc where there was no build for this machine.
        for sources in (WORK / "skerry" / "ducc").glob("ducc0-*/"):
            definitions["SKERRY_DUCC_DIR"] = str(sources)
    for version, python in interpreters.items():
        build = target.build_folder / f"extension_{version}"
        with step(f"the extension for Python {version}, {target.machine}"):
            module = build_extension(build, python, definitions, environment)
        definitions.setdefault("SKERRY_LIBRARY", str(build / "libskerry.a"))
        wheel = repack(base, module, folder, None if target.is_native else target.linux)
        wheels.append(wheel if target.is_native else repair(target, wheel))
    return wheels


def build_target(
    target: Target, base: pathlib.Path | None, options: argparse.Namespace
) -> list[pathlib.Path]:
    """Build the wheels for a target, check them, and copy them to the output folder; return skerry's."""
    target.build_folder.mkdir(parents=True, exist_ok=True)
    environment = target.prepare_toolchain()
    defines = dict(define.split("=", 1) for define in options.define)
    interpreters = find_interpreters(target, options)
    wheels = build_skerry(target, base, interpreters, defines, environment)
    with step(f"skerry-emulator, {target.machine}"):
        name = "skerry" if base is None else f"extension_{next(iter(interpreters))}"
        library = {"SKERRY_LIBRARY": str(target.build_folder / name / "libskerry.a")}
        sources, build = ROOT / "device" / "emulator", target.build_folder / "emulator"
        emulator = build_by_pip(target, sources, library, build, environment)
    others = [emulator]
    if options.cuda and target.is_native:
        with step("skerry-cuda13"):
            package = ROOT / "device" / "cuda" / "package"
            others.append(build_by_pip(target, package, defines, WORK / "cuda", environment))
    with step(f"checks, {target.machine}"):
        check(target, [*wheels, *others])
    with step(f"fresh environments, {target.machine}"):
        pythons = [*interpreters.values()]
        if target.is_native:
            pythons.insert(0, pathlib.Path(sys.executable))
        for wheel, python in zip(wheels, pythons, strict=True):
            try_wheels(target, wheel, emulator, python)
    for wheel in [*wheels, *others]:
        shutil.copy2(wheel, options.dist)
    return wheels


def main() -> None:
    """Build the packages, then check them."""
    options = parse_options()
    machines = set(options.machine) - {os.uname().machine}
    if machines:
        require_cross_tools()
    if not options.base:
        shutil.rmtree(options.dist, ignore_errors=True)
    options.dist.mkdir(parents=True, exist_ok=True)
    base = options.base or build_target(Target(os.uname().machine), None, options)[0]
    for machine in sorted(machines):
        build_target(Target(machine), base, options)
    if not options.base:
        with step("the source distribution"):
            build_source_distribution(options.dist)
    run(sys.executable, "-m", "twine", "check", "--strict", *options.dist.iterdir())


if __name__ == "__main__":
    main()
