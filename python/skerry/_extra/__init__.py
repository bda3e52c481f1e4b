# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions beyond the standard: NumPy's, under NumPy's names and with its signatures.

Each module is a topic, and a page of the reference, whose title is the first line of its docstring; its ``__all__`` is
public in ``skerry``, and ``numpy.f(x)`` runs it. They are made of the functions of the standard: they run where their
arrays are and copy nothing to the host.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from skerry._arrays import accept_numpy_arrays

TOPICS = tuple(
    sorted(each.name for each in pkgutil.iter_modules(__path__) if not each.name.startswith("_"))
)

__all__: list[str] = []
for _topic in TOPICS:
    _module = importlib.import_module(f"{__name__}.{_topic}")
    __all__ += _module.__all__
    for _name in _module.__all__:
        _found = getattr(_module, _name)
        if inspect.isfunction(_found):
            setattr(_module, _name, accept_numpy_arrays(_found, _name))
    globals().update({_name: getattr(_module, _name) for _name in _module.__all__})
