# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The programs of the page "Array API consumers", each in a process of its own: SciPy reads its variable at import."""

import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

from tests.python.libraries import library
from tests.python.session import HAS_GPU

PAGE = pathlib.Path(__file__).parents[3] / "python" / "docs" / "array_api_consumers.rst"
BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", re.MULTILINE)
PROGRAMS = [textwrap.dedent(block) for block in BLOCK.findall(PAGE.read_text())]
NEEDS = [("sklearn",), ("scipy",), ("array_api_compat", "array_api_extra"), ("opt_einsum",)]


@pytest.mark.skipif(HAS_GPU, reason="the programs rehearse devices")
@pytest.mark.parametrize("number", range(len(NEEDS)), ids=[names[0] for names in NEEDS])
def test_programs_of_the_page_run(number):
    assert len(PROGRAMS) == len(NEEDS)
    for name in NEEDS[number]:
        library(name)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[number]],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SKERRY_REHEARSE": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
