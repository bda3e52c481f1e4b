# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Uses of skerry's memory by other libraries, on streams that skerry was not told of, are found; ordered ones are not."""

import json

import pytest

from tests.emulator.cupy.test_cupy import CUPY
from tests.emulator.users_kernels.test_users_kernels import NUMBA_CUDA, REDIRECT, START, child
from tests.python.libraries import installed, missing

PACKAGE = __name__.rpartition(".")[0]
# What makes each library importable, and where it is.
LIBRARIES = {
    "cuda.core": ("", None),
    "numba": (REDIRECT, NUMBA_CUDA),
    "cupy": (f"sys.path.append({str(CUPY)!r})\n", CUPY),
}


@pytest.fixture(scope="module", params=LIBRARIES)
def results(request):
    installed("cuda.core")
    prelude, folder = LIBRARIES[request.param]
    if folder is not None and not folder.exists():
        missing(f"{request.param} is not in {folder}")
    done = child(
        # The emulated runtime must be in place before CuPy is imported.
        f"{START}{prelude}from {PACKAGE} import stream_order_programs\n"
        f"stream_order_programs.main({request.param!r})\n"
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_races_are_reported_with_both_lines(results):
    wrong = results["wrong"]
    assert len(wrong) == 14
    for name, result in wrong.items():
        assert len(result["reports"]) == 1, (name, result)
        (report,) = result["reports"]
        positions = {tuple(one) for one in report["positions"]}
        lines = {user: {tuple(one) for one in result[user]} for user in ("kernel", "skerry")}
        assert positions & lines["skerry"], (name, report)
        if report["kind"] == "use_after_free":
            # Memory that is freed before the kernel runs; the report has the kernel's own line.
            assert name == "reused_behind"
            continue
        assert report["kind"] == "race_streams", (name, report)
        assert positions & lines["kernel"], (name, report)
        assert all(report["sources"]), (name, report)
        assert all(source in report["text"] for source in report["sources"]), (name, report)


def test_ordered_programs_have_no_report(results):
    assert len(results["right"]) == 8
    assert {name: one["reports"] for name, one in results["right"].items() if one["reports"]} == {}
