# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Options that all tests in Python share: those of skerry and those of skerry-emulator, in one session or two."""

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--full", action="store_true", help="tests that walk or try everything: at their full size"
    )


@pytest.fixture(scope="session")
def full(request):
    """Whether tests that walk or try everything do so at their full size."""
    return request.config.getoption("--full")
