# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.polynomials.classes``: its tests compute with the objects."""

CALLS = {}
OWN_TESTS = {"poly1d": "test_poly1d"}
