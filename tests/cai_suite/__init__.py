# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The CUDA Array Interface, versions 0 to 3, as tests for any producer and any consumer."""
