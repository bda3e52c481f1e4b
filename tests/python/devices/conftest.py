# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
import pytest
import skerry as sk


@pytest.fixture
def x():
    """Four elements on a device; some modules have another array of this name."""
    return sk.asarray([0.0, 1.0, 2.0, 3.0], device="cuda:0")
