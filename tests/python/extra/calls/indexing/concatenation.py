# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.indexing.concatenation``: its tests index the objects."""

CALLS = {}
OWN_TESTS = {"c_": "test_index_objects", "r_": "test_index_objects"}
