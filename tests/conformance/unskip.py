# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for ``--unskip``: also runs the items that the official suite skips as flaky."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.own_markers[:] = [mark for mark in item.own_markers if mark.name != "skip"]
