# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Build skerry's wheels and source distribution for PyPI: `make wheels`.

The kernels are compiled once, into libskerry.a, which does not depend on Python; the extension module is compiled for
each Python version. pip builds the wheel for this interpreter. Other interpreters are unpacked from packages or passed
as --interpreter. The wheels are written to dist/. auditwheel and twine check them, and smoke_test.py tests those
of skerry itself in a fresh environment each.
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

from check_wheel import find_unversioned
from debian_packages import PYTHON_SUITES, run, step, unpack, unpack_python
from repack import repack
from sysroot import make_sysroot

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build" / "wheels"
GLIBC = "2.28"
PLATFORM = f"manylinux_{GLIBC.replace('.', '_')}_{os.uname().machine}"
TRIPLET = f"{os.uname().machine}-linux-gnu"
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
        help="an interpreter of another version, with headers",
    )
    parser.add_argument(
        "--cuda", action="store_true", help="also build skerry-cuda13 (takes hours)"
    )
    parser.add_argument(
        "--define",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="CMake definition for all builds",
    )
    return parser.parse_args()


def prepare_toolchain() -> dict[str, str]:
    """Make the sysroot; return the environment variables for building wheels."""
    suite, packages = OLD_DEBIAN
    root = unpack(WORK / "old_debian", packages, suite)
    sysroot, compat = WORK / "sysroot", WORK / "glibc_compat.o"
    compiler = os.environ.get("CC", "gcc")
    if not compat.exists():
        shutil.rmtree(sysroot, ignore_errors=True)
        make_sysroot(root, sysroot, GLIBC, TRIPLET, compiler)
        run(
            compiler,
            f"--sysroot={sysroot}",
            "-O2",
            "-fPIC",
            "-c",
            HERE / "glibc_compat.c",
            "-o",
            compat,
        )
    return {**os.environ, "SKERRY_SYSROOT": str(sysroot), "SKERRY_GLIBC_COMPAT": str(compat)}


def build_by_pip(
    source: pathlib.Path, defines: dict[str, str], build: pathlib.Path, environment: dict[str, str]
) -> pathlib.Path:
    """Build a wheel for this Python with pip in the folder `build`; return it after its repair for PLATFORM."""
    output = build.with_name(f"{build.name}_wheel")
    shutil.rmtree(output, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
    command += ["--no-build-isolation", "--no-deps", "--wheel-dir", str(output)]
    command += [
        f"-Cbuild-dir={build}",
        f"-Ccmake.define.CMAKE_TOOLCHAIN_FILE={HERE}/toolchain.cmake",
    ]
    command += [f"-Ccmake.define.{name}={value}" for name, value in defines.items()]
    with (WORK / f"{build.name}.log").open("w") as log:
        done = subprocess.run(
            [*command, str(source)], env=environment, stdout=log, stderr=log, check=False
        )
    if done.returncode != 0:
        sys.exit(f"pip wheel failed; see {WORK / build.name}.log")
    (wheel,) = output.glob("*.whl")
    run(
        sys.executable,
        "-m",
        "auditwheel",
        "repair",
        "--plat",
        PLATFORM,
        "--wheel-dir",
        output,
        wheel,
    )
    wheel.unlink()
    (repaired,) = output.glob("*.whl")
    return repaired


def build_extension(
    version: str, python: pathlib.Path, defines: dict[str, str], environment: dict[str, str]
) -> pathlib.Path:
    """Build the extension module for another Python, linked with the libskerry.a of the first wheel's build."""
    build = WORK / f"extension_{version}"
    include = run(python, "-c", "import sysconfig; print(sysconfig.get_path('include'))").strip()
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_TOOLCHAIN_FILE": HERE / "toolchain.cmake",
        # Debian's pyconfig.h includes another file by its path under usr/include.
        "CMAKE_CXX_FLAGS": f"-idirafter {python.parents[1] / 'include'} -isystem {include}",
        "SKERRY_LIBRARY": WORK / "skerry" / "libskerry.a",
        "Python_EXECUTABLE": python,
        "pybind11_DIR": run(sys.executable, "-m", "pybind11", "--cmakedir").strip(),
    }
    arguments = [f"-D{name}={value}" for name, value in {**options, **defines}.items()]
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", *arguments]
    for command in (configure, ["cmake", "--build", str(build), "--target", "_core"]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\n{done.stderr}\nthe extension for Python {version} failed")
    (module,) = (build / "python").glob("_core*.so")
    return module


def find_interpreters(options: argparse.Namespace) -> dict[str, pathlib.Path]:
    """Return the other Pythons by version: those of --interpreter, then unpacked ones."""
    own_version = f"{sys.version_info.major}.{sys.version_info.minor}"
    query = "import sys; print('%d.%d' % sys.version_info[:2])"
    interpreters = {
        run(path, "-c", query).strip(): pathlib.Path(path) for path in options.interpreter
    }
    requested = set(options.python or [*PYTHON_SUITES, *interpreters]) - {own_version}
    for version in requested & set(PYTHON_SUITES) - set(interpreters):
        interpreters[version] = unpack_python(WORK / f"python{version}", version)
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


def try_wheel(wheel: pathlib.Path, python: pathlib.Path, name: str) -> None:
    """Run the smoke test in a fresh environment without a compiler, with the wheel and its dependencies."""
    home = WORK / f"environment_{name}"
    shutil.rmtree(home, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--quiet", "--only-binary=:all:", "--target", home, wheel)
    environment = {"PATH": "/nonexistent", "PYTHONPATH": str(home), "HOME": str(home)}
    done = subprocess.run(
        [python, HERE / "smoke_test.py"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{wheel.name}: {done.stdout}{done.stderr}")
    print(f"  {done.stdout.strip()}")


def check(wheels: list[pathlib.Path], dist: pathlib.Path) -> None:
    """Print the size and platform of each wheel; exit if one does not comply with PLATFORM."""
    for wheel in wheels:
        said = run(sys.executable, "-m", "auditwheel", "show", wheel)
        policies = re.findall(r'"(manylinux_(\d+)_(\d+)_\w+)"', said)
        newest = tuple(map(int, GLIBC.split(".")))
        if not any((int(major), int(minor)) <= newest for _, major, minor in policies):
            sys.exit(f"{wheel.name} does not comply with {PLATFORM}:\n{said}")
        if unversioned := find_unversioned(wheel):
            sys.exit(f"{wheel.name} has undefined symbols without a version: {unversioned}")
        print(f"  {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {policies[0][0]}")
    run(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir())


def main() -> None:
    """Build the packages, then check them."""
    options = parse_options()
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(options.dist, ignore_errors=True)
    options.dist.mkdir(parents=True)
    environment = prepare_toolchain()
    wheels = []
    overrides = dict(define.split("=", 1) for define in options.define)
    cpu = {"SKERRY_CUDA": "OFF", "SKERRY_TESTS": "OFF", "SKERRY_CPU_TARGETS": "all", **overrides}
    with step("skerry, for this Python"):
        wheels.append(build_by_pip(ROOT, cpu, WORK / "skerry", environment))
    interpreters = find_interpreters(options)
    modules = []
    for version, python in interpreters.items():
        with step(f"the extension for Python {version}"):
            modules.append(build_extension(version, python, overrides, environment))
    base = pathlib.Path(shutil.copy2(wheels.pop(), options.dist))
    wheels = [base, *(repack(base, module) for module in modules)]
    with step("skerry-emulator"):
        library = {"SKERRY_LIBRARY": str(WORK / "skerry" / "libskerry.a")}
        emulator = build_by_pip(
            ROOT / "device" / "emulator", library, WORK / "emulator", environment
        )
        extras = [pathlib.Path(shutil.copy2(emulator, options.dist))]
    if options.cuda:
        with step("skerry-cuda13"):
            cuda = build_by_pip(
                ROOT / "device" / "cuda" / "package", overrides, WORK / "cuda", environment
            )
            extras.append(pathlib.Path(shutil.copy2(cuda, options.dist)))
    with step("the source distribution"):
        build_source_distribution(options.dist)
    with step("checks"):
        check([*wheels, *extras], options.dist)
    with step("fresh environments"):
        for wheel, python in zip(
            wheels, [pathlib.Path(sys.executable), *interpreters.values()], strict=True
        ):
            try_wheel(wheel, python, re.findall(r"-(cp\d+)-", wheel.name)[0])


if __name__ == "__main__":
    main()
