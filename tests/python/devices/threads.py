# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
import threading


def in_thread(function):
    """Returns the result of a function called on a new thread."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]
