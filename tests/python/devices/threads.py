# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
import threading


def in_thread(function):
    """What a function returns in a thread of its own."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]
