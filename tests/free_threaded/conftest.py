# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Rehearses four GPUs, and has an option for the number of calls."""

import skerry as sk

sk.rehearse(cuda=4)


def pytest_addoption(parser):
    parser.addoption(
        "--calls", type=int, default=1_000_000, help="calls of the longest test without the GIL"
    )
