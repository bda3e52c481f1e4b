# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.indexing.grids``: its tests index the objects."""

CALLS = {}
OWN_TESTS = {"mgrid": "test_index_objects", "ogrid": "test_index_objects"}
