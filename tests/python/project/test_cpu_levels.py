# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Which levels of which processor CPU kernels are compiled for: device/cpu/levels.cmake, with stand-ins for the compiler."""

import pathlib
import re
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake")
LEVELS = pathlib.Path(__file__).resolve().parents[3] / "device" / "cpu" / "levels.cmake"
SCRIPT = f"""
include({LEVELS})
skerry_choose_cpu_levels()
foreach(level IN LISTS skerry_cpu_levels)
  message(STATUS "${{level}}: ${{skerry_level_options_${{skerry_processor}}-${{level}}}}")
endforeach()
"""
V3 = ("__x86_64__", "__AVX2__", "__FMA__", "__F16C__")
V8 = ("__aarch64__", "__ARM_FEATURE_ATOMICS", "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC")


@pytest.fixture
def choose(tmp_path):
    """Returns a function that returns the output of CMake for a compiler with certain macros."""

    def chosen(targets, macros, native=None, **variables):
        compiler = tmp_path / "compiler"
        text = {
            name: "\n".join(f"#define {macro} 1" for macro in defined)
            for name, defined in {"plain": macros, "native": native or macros}.items()
        }
        compiler.write_text(
            f'#!/bin/sh\ncase "$*" in\n*-march=native*) echo "{text["native"]}" ;;\n*) echo "{text["plain"]}" ;;\nesac\n'
        )
        compiler.chmod(0o755)
        script = tmp_path / "levels.cmake"
        script.write_text(SCRIPT)
        definitions = {"CMAKE_CXX_COMPILER": compiler, "SKERRY_CPU_TARGETS": targets, **variables}
        command = ["cmake", *(f"-D{name}={value}" for name, value in definitions.items())]
        done = subprocess.run([*command, "-P", script], capture_output=True, text=True, timeout=60)
        return re.sub(r"\s+", " ", done.stdout + done.stderr).strip()

    return chosen


@pytest.mark.parametrize(
    ("targets", "plain", "native", "levels"),
    [
        ("all", ["__x86_64__"], None, ["v2", "v3", "v4"]),
        ("native", ["__x86_64__"], ["__x86_64__"], ["v2"]),
        ("native", ["__x86_64__"], V3, ["v3"]),
        ("native", ["__x86_64__"], [*V3, "__AVX512DQ__", "__AVX512VL__"], ["v4"]),
        ("v2;v4", ["__x86_64__"], None, ["v2", "v4"]),
        ("all", ["__aarch64__"], None, ["v8"]),
        ("native", ["__aarch64__"], ["__aarch64__"], ["generic"]),
        ("native", ["__aarch64__"], V8, ["v8"]),
        ("generic;v8", ["__aarch64__"], None, ["generic", "v8"]),
    ],
)
def test_levels_are_those_of_the_compilers_processor(choose, targets, plain, native, levels):
    options = {
        "v8": "-march=armv8.2-a+fp16",
        "generic": "-march=armv8-a",
        **{level: f"-march=x86-64-{level}" for level in ("v2", "v3", "v4")},
    }
    output = choose(targets, plain, native)
    assert output == " ".join(f"-- {level}: {options[level]}" for level in levels)


@pytest.mark.parametrize("targets", ["all", "native", "generic"])
def test_an_unknown_processor_gets_generic_kernels_and_a_line(choose, targets):
    output = choose(targets, ["__riscv"], CMAKE_SYSTEM_PROCESSOR="riscv64")
    assert output == (
        "-- skerry: riscv64 has no vector code of its own; kernels of the level generic use the compiler's vectors "
        "-- generic:"
    )


@pytest.mark.parametrize(
    ("macro", "targets", "text"),
    [
        ("__x86_64__", "v8", "x86-64 has no level 'v8'; give all, native or some of v2;v3;v4"),
        (
            "__aarch64__",
            "v3;v8",
            "aarch64 has no level 'v3'; give all, native or some of generic;v8",
        ),
    ],
)
def test_levels_of_another_processor_are_errors(choose, macro, targets, text):
    assert f"SKERRY_CPU_TARGETS: {text}" in choose(targets, [macro])


def test_a_cross_compiler_has_no_native_level(choose):
    output = choose("native", ["__aarch64__"], CMAKE_CROSSCOMPILING="ON")
    assert "compiles for another machine; name some of the levels generic;v8" in output
