# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions beyond the standard: NumPy's, under NumPy's names and with its signatures.

Each folder is a chapter of NumPy's reference, "Routines and objects by topic", and has the functions that are there.
Each of its modules is a topic: a section on the chapter's page of our reference, whose title is the first line of its
docstring. Its ``__all__`` is public in ``skerry``, and ``numpy.f(x)`` runs it. They are made of the functions of the
standard: they run where their arrays are and copy nothing to the host.

A topic is imported when one of its functions is first asked for, since together they would double the time of
``import skerry``. ``_topics.py`` and ``__init__.pyi`` say where each is, written by ``python/stubs/generate.py``. What
several docstrings say is in ``_docstrings.py``: a name in braces stands for it until then.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from skerry._extra._topics import TOPIC_OF

__all__ = list(TOPIC_OF)
TOPICS = tuple(sorted(set(TOPIC_OF.values())))
# Of lists where others take arrays: what is written into has to be one, and files are written from the host.
LISTS_IN = {
    "indexing.inserting": "refused",
    "manipulation.copying": "refused",
    "input_output.binary_files": "kept",
}


def __getattr__(name: str) -> Any:
    """Import the topic of a function."""
    topic = TOPIC_OF.get(name)
    if topic is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_topic(topic)
    return globals()[name]


def import_topic(topic: str) -> Any:
    """Import a topic: its functions take NumPy's arrays as arrays on cpu:0, and have whole docstrings, from then on."""
    from skerry._arrays import accept_numpy_arrays
    from skerry._extra._docstrings import composed

    module = importlib.import_module(f"{__name__}.{topic}")
    wrappers: dict[Any, Any] = {}  # by function: two names of one stay one
    for name in module.__all__:
        member = getattr(module, name)
        if inspect.isfunction(member) and not hasattr(member, "__wrapped__"):
            if member not in wrappers:
                member.__doc__ = composed(member.__doc__)
                wrappers[member] = accept_numpy_arrays(
                    member, member.__name__, lists=LISTS_IN.get(topic, "arrays")
                )
            setattr(module, name, wrappers[member])
        globals()[name] = getattr(module, name)
    return module
