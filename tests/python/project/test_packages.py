# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The packages agree on version and Pythons; what builds and checks wheels does its work on small examples."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "python" / "wheels"))
import check_wheel  # noqa: E402
import debian_packages  # noqa: E402
import repack  # noqa: E402
import sysroot  # noqa: E402

PACKAGES = [
    "pyproject.toml",
    "device/emulator/pyproject.toml",
    "device/cuda/package/pyproject.toml",
]


def read(name):
    return tomllib.loads((ROOT / name).read_text())


def test_only_one_file_states_the_version():
    assert [name for name in PACKAGES if "version" in read(name)["project"]] == ["pyproject.toml"]
    for name in PACKAGES[1:]:
        pattern = read(name)["tool"]["scikit-build"]["metadata"]["version"]["input"]
        assert (ROOT / name).parent.joinpath(pattern).resolve() == ROOT / "pyproject.toml"


def test_packages_require_each_other_in_this_version():
    version = read("pyproject.toml")["project"]["version"]
    minor = ".".join(version.split(".")[:2])
    requirements = [
        requirement
        for name in PACKAGES
        for project in [read(name)["project"]]
        for requirement in [
            *project["dependencies"],
            *(
                dependency
                for extra in project.get("optional-dependencies", {}).values()
                for dependency in extra
            ),
        ]
        if re.match(r"skerry[\w-]*==", requirement)
    ]
    assert len(requirements) >= 4
    assert {requirement.partition("==")[2] for requirement in requirements} == {f"{minor}.*"}


def test_installation_page_names_the_extras():
    page = (ROOT / "python" / "docs" / "install.rst").read_text()
    extras = read("pyproject.toml")["project"]["optional-dependencies"]
    assert re.findall(r"^   \* - ``skerry\[(\w+)\]``$", page, re.MULTILINE) == list(extras)


PAGES = ["README.md", "python/docs/install.rst", "python/docs/support.rst"]


@pytest.mark.parametrize("page", PAGES)
def test_pages_classifiers_and_packages_name_the_same_pythons(page):
    first, last = re.search(r"\b(3\.\d+) to (3\.\d+)", (ROOT / page).read_text()).groups()
    minors = range(int(first[2:]), int(last[2:]) + 1)
    assert list(debian_packages.PYTHON_SUITES) == [f"3.{minor}" for minor in minors]
    project = read("pyproject.toml")["project"]
    named = [
        c.rpartition(" ")[2] for c in project["classifiers"] if re.search(r"Python :: 3\.\d", c)
    ]
    assert named == [f"3.{minor}" for minor in minors]
    assert project["requires-python"] == f">={first}"


@pytest.mark.parametrize("page", PAGES)
def test_pages_requirement_and_pin_name_the_same_oldest_numpy(page):
    text = (ROOT / page).read_text()
    oldest = re.search(r"NumPy(?:\n     -)? (2\.\d+) or newer", text).group(1)
    settings = read("pyproject.toml")
    assert f"numpy>={oldest}" in settings["project"]["dependencies"]
    assert settings["dependency-groups"]["oldest-runtime"][0].startswith(f"numpy=={oldest}.")


def test_license_files_exist():
    files = [
        path
        for pattern in read("pyproject.toml")["project"]["license-files"]
        for path in ROOT.glob(pattern)
    ]
    assert [path.name for path in files] == ["LICENSE", "BSD-3-Clause-ducc0.txt"]
    assert "Max-Planck-Society" in files[1].read_text()


def compile_module(folder, source, *options):
    (folder / "module.c").write_text(source)
    library = folder / "module.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-o", library, folder / "module.c", *options]
    subprocess.run(command, check=True)
    return library


def test_stand_ins_have_the_newest_version_that_is_old_enough(tmp_path):
    library = next(pathlib.Path("/lib/x86_64-linux-gnu").glob("libm.so.6"), None)
    if library is None:
        pytest.skip("no libm.so.6 of x86-64 where Debian has it")
    newest = sysroot.read_symbols(library, "9.99")
    older = sysroot.read_symbols(library, "2.28")
    assert older["pow"][0] == "2.2.5"
    assert sysroot.version_number(newest["pow"][0]) == (2, 29)
    sysroot.write_stand_in(library, "2.28", tmp_path / "libm.so.6", "gcc")
    module = compile_module(
        tmp_path,
        "double pow(double, double); double f(double x) { return pow(x, x); }",
        tmp_path / "libm.so.6",
    )
    assert ("U", "pow@GLIBC_2.2.5") in check_wheel.nm(module, "--undefined-only")


def test_undefined_symbols_without_a_version_are_found(tmp_path):
    module = compile_module(
        tmp_path, "int no_such_function(void); int f(void) { return no_such_function(); }"
    )
    wheel = tmp_path / "a-1-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(module, "a/module.so")
    assert check_wheel.find_unversioned(wheel) == {"module.so": ["no_such_function"]}


def test_a_repacked_wheel_has_the_other_module_and_a_right_record(tmp_path):
    wheel = tmp_path / "skerry-1-cp311-cp311-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("skerry/_core.cpython-311-x86_64-linux-gnu.so", b"old")
        archive.mkdir("skerry")
        archive.writestr("skerry/__init__.py", b"import this")
        archive.writestr("skerry-1.dist-info/WHEEL", "Tag: cp311-cp311-manylinux_2_28_x86_64\n")
        archive.writestr("skerry-1.dist-info/RECORD", "")
    module = tmp_path / "_core.cpython-314-x86_64-linux-gnu.so"
    module.write_bytes(b"new")
    repacked = repack.repack(wheel, module)
    assert repacked.name == "skerry-1-cp314-cp314-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(repacked) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files.pop("skerry/_core.cpython-314-x86_64-linux-gnu.so") == b"new"
    assert b"Tag: cp314-cp314-manylinux_2_28_x86_64" in files["skerry-1.dist-info/WHEEL"]
    record = files["skerry-1.dist-info/RECORD"].decode().splitlines()
    assert f"skerry/__init__.py,{repack.digest(b'import this')},11" in record
    assert record[-1] == "skerry-1.dist-info/RECORD,,"
    assert len(record) == 4


def test_a_wheel_is_repacked_for_another_processor(tmp_path):
    wheel = tmp_path / "skerry-1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"
    tags = [f"Tag: cp311-cp311-manylinux_2_{minor}_x86_64\n" for minor in (27, 28)]
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("skerry/_core.cpython-311-x86_64-linux-gnu.so", b"old")
        archive.writestr("skerry-1.dist-info/WHEEL", "Root-Is-Purelib: false\n" + "".join(tags))
        archive.writestr("skerry-1.dist-info/RECORD", "")
    module = tmp_path / "_core.cpython-313-aarch64-linux-gnu.so"
    module.write_bytes(b"new")
    folder = tmp_path / "output"
    folder.mkdir()
    repacked = repack.repack(wheel, module, folder, "linux_aarch64")
    assert repacked == folder / "skerry-1-cp313-cp313-linux_aarch64.whl"
    with zipfile.ZipFile(repacked) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files["skerry/_core.cpython-313-aarch64-linux-gnu.so"] == b"new"
    description = files["skerry-1.dist-info/WHEEL"].decode()
    assert description == "Root-Is-Purelib: false\nTag: cp313-cp313-linux_aarch64\n"


def test_an_unpacked_interpreter_of_another_processor_finds_its_dynamic_linker(
    tmp_path, monkeypatch
):
    root = tmp_path / "root"
    for folder in ("usr/bin", "usr/lib"):
        (root / folder).mkdir(parents=True)
    (root / "usr/lib/ld-linux-aarch64.so.1").touch()
    monkeypatch.setattr(debian_packages, "unpack", lambda *arguments: root)
    script = debian_packages.unpack_python(tmp_path, "3.13", "arm64")
    assert str(root / "usr/bin/python3.13") in script.read_text()
    assert (root / "lib/ld-linux-aarch64.so.1").exists()


@pytest.fixture
def build(monkeypatch):
    """Returns the module build.py; PyPI has a package of that name, too."""
    spec = importlib.util.spec_from_file_location("build_wheels", ROOT / "python/wheels/build.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def test_an_interpreter_without_the_gil_is_another_one(tmp_path, monkeypatch, build):
    interpreter = tmp_path / "python"
    program = "import sys; sys.abiflags = 't'; exec(sys.argv[1])"
    interpreter.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{program}" "$2"\n')
    interpreter.chmod(0o755)
    monkeypatch.setattr(build, "PYTHON_SUITES", {})
    monkeypatch.setattr(sys, "argv", ["build.py", "--interpreter", str(interpreter)])
    interpreters = build.find_interpreters(build.Target(os.uname().machine), build.parse_options())
    assert interpreters == {f"{sys.version_info.major}.{sys.version_info.minor}t": interpreter}


@pytest.mark.skipif(os.uname().machine == "aarch64", reason="builds for another processor")
def test_with_a_base_only_wheels_of_other_processors_are_built(
    tmp_path, monkeypatch, capsys, build
):
    base = tmp_path / "skerry-1-cp311-cp311-manylinux_2_28_x86_64.whl"
    base.touch()
    built = []
    monkeypatch.setattr(build, "require_cross_tools", lambda: None)
    monkeypatch.setattr(build, "run", lambda *command: "")
    monkeypatch.setattr(
        build, "build_target", lambda target, base, options: built.append((target.machine, base))
    )
    options = ["build.py", "--base", str(base), "--dist", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", [*options, "--machine", "aarch64"])
    build.main()
    assert built == [("aarch64", base)]
    assert base.exists()
    for arguments, message in [
        (options, "name one by --machine"),
        (["build.py", "--base", "missing.whl", "--machine", "aarch64"], "no file missing.whl"),
    ]:
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit):
            build.main()
        assert message in capsys.readouterr().err


@pytest.mark.skipif(
    shutil.which("aarch64-linux-gnu-gcc") is None, reason="needs gcc-aarch64-linux-gnu"
)
def test_a_wheel_of_another_processor_is_repaired(tmp_path, build):
    pytest.importorskip("auditwheel", reason="needs auditwheel")
    source, module = tmp_path / "module.c", tmp_path / "module.so"
    source.write_text("void* PyInit_module(void) { return 0; }")
    compiler = ["aarch64-linux-gnu-gcc", "-shared", "-fPIC", "-nostdlib"]
    subprocess.run([*compiler, source, "-o", module], check=True)
    wheel = tmp_path / "a-1-cp311-cp311-linux_aarch64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(module, "a/module.so")
        tag = "Root-Is-Purelib: false\nTag: cp311-cp311-linux_aarch64\n"
        archive.writestr("a-1.dist-info/WHEEL", "Wheel-Version: 1.0\n" + tag)
        archive.writestr("a-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: a\nVersion: 1\n")
        archive.writestr("a-1.dist-info/RECORD", "a/module.so,,\n")
    repaired = build.repair(build.Target("aarch64"), wheel)
    assert "manylinux_2_28_aarch64" in repaired.name
