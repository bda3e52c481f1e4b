# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The page "What is shown without a GPU" has a row for each page that concerns GPUs."""

import csv
import re

from tests.python.project.test_docs import DOCS

# Pages with CUDA devices in examples, but without promises of their own about them.
WITHOUT_PROMISES = {
    "array_api_consumers", "cpp", "environment", "faq", "from_cupy", "from_numpy", "from_pytorch", "getting_started",
    "glossary", "guides", "index", "install", "limitations", "pitfalls", "quickstart", "support", "tutorial",
    "unsupported", "without_gpu",
}  # fmt: skip
GPU = re.compile(r"cuda:\d|emulated|rehears|:term:`rehearsed|CUDA device")


def test_every_page_about_gpus_has_a_row():
    with (DOCS / "without_gpu.csv").open(newline="") as file:
        _, *rows = csv.reader(file)
    pages = [re.fullmatch(r":doc:`(\w+)`", row[0]).group(1) for row in rows]
    about_gpus = {path.stem for path in DOCS.glob("*.rst") if GPU.search(path.read_text())}
    assert len(set(pages)) == len(pages)
    assert set(pages) == about_gpus - WITHOUT_PROMISES
    assert about_gpus >= WITHOUT_PROMISES
    assert all(all(row) for row in rows)
