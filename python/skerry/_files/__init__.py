# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""File formats, used by ``skerry.save``, ``load``, ``savez`` and ``savez_compressed`` in ``_extra/input_output``.

``targets`` writes files under a temporary name, ``elements`` transfers elements between files and devices in chunks;
the other modules implement one format each.
"""
