# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.input_output.binary_files``: its tests check the files' contents, also after failures."""

CALLS = {}
OWN_TESTS = dict.fromkeys(("load", "save", "savez", "savez_compressed"), "test_saving")
