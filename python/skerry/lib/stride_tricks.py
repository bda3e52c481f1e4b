# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sliding window views."""

from skerry._extra import sliding_window_view

__all__ = ["sliding_window_view"]
