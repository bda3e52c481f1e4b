# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Clusters of several blocks on the emulated GPU, in a new process."""

from tests.emulator.users_kernels.test_users_kernels import run_cases
from tests.python.libraries import installed


def test_clusters_run(monkeypatch):
    installed("cuda.core")
    monkeypatch.setenv("SKERRY_EMULATE_TARGET", "90")
    run_cases("cluster_cases.py")
