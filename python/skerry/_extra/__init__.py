# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions beyond the standard, with NumPy's names and signatures.

Each folder corresponds to a chapter of NumPy's reference, "Routines and objects by topic". Each module in it is a
topic: a section on the chapter's page of our reference, with the first line of the module's docstring as its title. The
names in its ``__all__`` are public in ``skerry``, and ``numpy.f(x)`` dispatches to them. ``numpy_names`` has NumPy's
names of functions of the standard, and NumPy's own objects such as ``errstate``. Most functions are composed
of those of the standard, so they run on the device of their arrays. Docstrings say what is read from the device.

A topic is imported at the first use of one of its functions, since importing all of them would double the time of
``import skerry``. ``python/stubs/generate.py`` writes ``_topics.py`` and ``__init__.pyi``, which list the topic of each
function. ``_docstrings.py`` has the texts that several docstrings share: a name in braces is replaced at import.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from skerry._extra._topics import TOPIC_OF

__all__ = list(TOPIC_OF)
TOPICS = tuple(sorted(set(TOPIC_OF.values())))
# How topics handle lists passed for arrays: they can't be written to, and files store them from the host. "untouched":
# NumPy arrays are passed on, too.
LISTS_IN = {
    "creation.existing_data": "untouched",
    "data_types.arrays": "kept",
    "data_types.kinds": "untouched",
    "indexing.inserting": "refused",
    "manipulation.copying": "refused",
    "input_output.binary_files": "kept",
    "input_output.text_files": "untouched",
}


def __getattr__(name: str) -> Any:
    """Import the topic of a function."""
    topic = TOPIC_OF.get(name)
    if topic is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_topic(topic)
    return globals()[name]


def import_topic(topic: str) -> Any:
    """Import a topic and make its functions public."""
    module = import_functions(f"{__name__}.{topic}", LISTS_IN.get(topic, "arrays"))
    for name in module.__all__:
        globals()[name] = getattr(module, name)
    return module


def import_functions(module_name: str, lists: str = "arrays") -> Any:
    """Import a module, make its functions accept NumPy arrays as arrays on cpu:0, and complete their docstrings."""
    from skerry._arrays import accept_numpy_arrays, name_failures_of
    from skerry._extra._docstrings import composed

    module = importlib.import_module(module_name)
    wrappers: dict[Any, Any] = {}  # by function, so that two names of a function share a wrapper
    for name in module.__all__:
        member = getattr(module, name)
        is_own = getattr(member, "__module__", None) == module.__name__
        if inspect.isfunction(member) and is_own and not hasattr(member, "__wrapped__"):
            if member not in wrappers:
                member.__doc__ = composed(member.__doc__)
                wrappers[member] = (
                    name_failures_of(member)
                    if lists == "untouched"
                    else accept_numpy_arrays(member, member.__name__, lists=lists)
                )
            setattr(module, name, wrappers[member])
    return module
