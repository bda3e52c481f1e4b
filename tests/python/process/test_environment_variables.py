# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Environment variables: empty means unset; an invalid value counts as unset and warns once, at import."""

import csv
import os
import pathlib
import subprocess
import sys

import pytest
import skerry as sk
from skerry import _environment
from skerry.testing import instruments

from tests.python.session import HAS_GPU, LEVELS

pytestmark = pytest.mark.skipif(HAS_GPU, reason="other processes would use the GPU")

TABLE = _environment._read_table()
OURS = {
    name: row for name, row in TABLE.items() if name.startswith("SKERRY_") and row["Read by"] in ("skerry", "emulator")
}  # fmt: skip
# Variables that accept any text: a folder to create, files to write.
FREE = {"SKERRY_KERNEL_CACHE", "SKERRY_EMULATE_KERNELS", "SKERRY_EMULATE_LAUNCHES"}
REPORT = """
import skerry as sk
print(sk.get_num_threads(), [str(each) for each in sk.devices()], sk.show_config(mode="dicts")["cuda"]["usable"])
x = sk.arange(5, dtype=sk.float32)
print(float(sk.sum(x)), (x @ x).tolist())
print(__import__("pickle").loads(__import__("pickle").dumps(x)).device)
"""


def run(code=REPORT, **variables):
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith("SKERRY_")
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


def level_names():
    """Return the values of SKERRY_ISA on this processor: they differ from those of another one."""
    return ", ".join(level.rpartition("-")[2] for level in instruments.instruction_sets())


def warnings_of(done):
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "RuntimeWarning: " in line]


def test_invalid_values_warn_once_and_count_as_unset():
    nonsense = dict.fromkeys(OURS.keys() - FREE, "?!")
    done = run(**nonsense)
    lines = warnings_of(done)
    assert done.stdout == run().stdout
    for name in nonsense:
        assert [name for line in lines if f"{name}=?! is not understood: it takes " in line] == [
            name
        ]
    assert len(lines) == len(nonsense)
    values = {name: OURS[name]["Values"] for name in nonsense} | {"SKERRY_ISA": level_names()}
    assert all(
        f"{name}=?! is not understood: it takes {values[name]};" in done.stderr for name in nonsense
    )


def test_empty_variables_count_as_unset():
    done = run(**dict.fromkeys(TABLE.keys() - {"HOME", "PYTHON"}, ""))
    assert done.stderr == ""
    assert done.stdout == run().stdout


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SKERRY_REHEARSE", "-1"),
        ("SKERRY_REHEARSE", "65"),
        ("SKERRY_REHEARSE", "2.0"),
        ("SKERRY_CPU_DEVICES", "0"),
        ("SKERRY_NUM_THREADS", "1025"),
        ("SKERRY_NUM_THREADS", "+2"),
        ("SKERRY_ISA", "v1"),
        ("SKERRY_HOST_CACHE", "5X"),
        ("SKERRY_REHEARSE_DELAY_US", "5-"),
        ("SKERRY_REHEARSE_MEMORY", "0"),
        ("SKERRY_REHEARSE_PEERS", "0-64"),
        ("SKERRY_REHEARSE_FLOAT64", "no"),
        ("SKERRY_REHEARSE_FAIL", "k=1"),
        ("SKERRY_REHEARSE_FAIL", "code=2,k=0"),
        ("SKERRY_SYNC", "yes!"),
        ("SKERRY_CAI_VERSION", "2 "),
        ("SKERRY_EMULATE_SEED", str(2**62 + 1)),
        ("SKERRY_EMULATE_COLLECT", "everything"),
        ("SKERRY_NCCL_TIMEOUT", "0"),
        ("SKERRY_NCCL_FAULT", "dead:1"),
    ],
)
def test_invalid_values_warn(name, text, monkeypatch):
    with pytest.warns(RuntimeWarning, match=rf"{name}=.* is not understood: it takes .*; used: "):
        _environment.warn_of_variables({name: text})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SKERRY_REHEARSE", "64"),
        ("SKERRY_NUM_THREADS", "1024"),
        ("SKERRY_HOST_CACHE", "5G"),
        ("SKERRY_HOST_CACHE", "0"),
        ("SKERRY_REHEARSE_DELAY_US", "60000000"),
        ("SKERRY_REHEARSE_DELAY_US", "0-2000"),
        ("SKERRY_REHEARSE_MEMORY", "64MiB"),
        ("SKERRY_REHEARSE_PEERS", "0-1,2-63"),
        ("SKERRY_REHEARSE_FAIL", "k=5,code=700,sticky"),
        ("SKERRY_REHEARSE_FAIL", "sticky,code=2,k=1"),
        ("SKERRY_REHEARSE_KERNELS", "all"),
        ("SKERRY_PROMOTION", "strict"),
        ("SKERRY_EMULATE_SEED", str(2**62)),
        ("SKERRY_EMULATE_COLLECT", "race_shared,race_streams"),
        ("SKERRY_NCCL_ERRORS", "async"),
        ("SKERRY_NCCL_FAULT", "slow:0-1:0.5,dead:1:2"),
        ("SKERRY_OPENBLAS", __file__),
        ("SKERRY_KERNEL_CACHE", "/nowhere/that/is"),
        ("SKERRY_TEST_HUGE", "any text: the library does not read it"),
        ("CUDA_HOME", "/nowhere"),
    ],
)
def test_valid_values_do_not_warn(name, text):
    _environment.warn_of_variables({name: text})  # a warning is an error in tests


def test_every_number_has_its_bounds():
    ranges = [
        (name, int(least), eval(most.replace("^", "**")))
        for name, row in OURS.items()
        for least, _, most in [row["Values"].partition(" to ")]
        if least.isdecimal() and most.replace("^", "").isdecimal()
    ]
    assert len(ranges) > 10
    for name, least, most in ranges:
        _environment.warn_of_variables({name: str(least)})
        _environment.warn_of_variables({name: str(most)})
        for beyond in (least - 1, most + 1):
            with pytest.warns(RuntimeWarning, match=name):
                _environment.warn_of_variables({name: str(beyond)})


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("SKERRY_REHERSE", "; did you mean SKERRY_REHEARSE?"),
        ("SKERRY_NUMTHREADS", "; did you mean SKERRY_NUM_THREADS?"),
        ("SKERRY_QQQ", ""),
    ],
)
def test_unknown_names_warn_with_the_nearest_name(name, hint):
    lines = warnings_of(run("import skerry", **{name: "2"}))
    assert len(lines) == 1
    assert lines[0].endswith(f"{name}=2: skerry reads no variable of that name{hint}")


def test_levels_that_do_not_exist_here_warn_with_those_that_do():
    built = sk.show_config(mode="dicts")["instruction set"]
    assert set(level_names().split(", ")) <= {"generic", *(x.rpartition("-")[2] for x in LEVELS)}
    for level in ("generic", "v1", "v2", "v3", "v4", "v8", "V3", built):
        code = "import skerry as sk; print(sk.show_config(mode='dicts')['instruction set'])"
        done = run(code, SKERRY_ISA=level)
        used = done.stdout.strip()
        lines = warnings_of(done)
        if level in level_names().split(", "):
            assert lines == []
            assert used.rpartition("-")[2] == level
            continue
        is_level = level in ("generic", "v2", "v3", "v4", "v8")
        reason = (
            ": this build or this processor lacks that level;"
            if is_level
            else " is not understood:"
        )
        end = f"SKERRY_ISA={level}{reason} it takes {level_names()}; used: {instruments.instruction_sets()[-1]}"
        assert [line.endswith(end) for line in lines] == [True]
        assert used == instruments.instruction_sets()[-1]


def test_table_matches_the_documentation():
    folder = pathlib.Path(_environment.__file__).parent
    with (folder / "environment.csv").open() as file:
        assert [row["Variable"].strip("`") for row in csv.DictReader(file)] == list(TABLE)
