# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
import gc

import skerry as sk


def live_bytes(device="cuda:0"):
    """Returns how much memory is in use, without garbage."""
    gc.collect()
    return sk.memory_statistics(device).live_bytes
