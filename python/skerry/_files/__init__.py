# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Files of arrays. ``skerry.save``, ``load``, ``savez`` and ``savez_compressed`` are in ``_extra/input_output``.

``targets`` writes under a temporary name, ``elements`` moves elements between files and devices by chunks; the others
are a format each.
"""
