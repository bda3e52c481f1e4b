# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin with the only correction to the official suite, for default devices other than CPUs.

``test_dunder_dlpack`` of checkouts up to 55fcc60 (2026-04-03) requests ``dl_device=(1, 0)`` together with
``copy=False`` and counts every exception as a failure. The standard requires a ``BufferError`` there if the array is
on another device, since that needs a copy. Later versions of the suite accept this error (array-api-tests #456, #457);
the plugin does the same for older checkouts, without modifying them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest


def _only_a_copy_could_serve(values: dict[str, Any]) -> bool:
    device = values["dl_device_kw"].get("dl_device")
    return (
        values["copy_kw"].get("copy") is False
        and device is not None
        and tuple(device) != values["x"].__dlpack_device__()
    )


def _tolerant(test: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*args: Any, **values: Any) -> None:
        try:
            test(*args, **values)
        except BufferError:
            if not _only_a_copy_could_serve(values):
                raise

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.name == "test_dunder_dlpack":
            drawn = item.obj.hypothesis  # type: ignore[attr-defined]
            drawn.inner_test = _tolerant(drawn.inner_test)
