# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.numpy_names.functions``: its tests compare the objects of both names."""

from skerry._extra.numpy_names import functions

CALLS = {}
OWN_TESTS = dict.fromkeys(functions.__all__, "test_numpy_names")
