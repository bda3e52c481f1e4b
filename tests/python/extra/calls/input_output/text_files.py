# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.input_output.text_files``: its tests read and write files."""

CALLS = {}
OWN_TESTS = dict.fromkeys(
    ("fromfile", "fromstring", "genfromtxt", "loadtxt", "savetxt"), "test_text_files"
)
