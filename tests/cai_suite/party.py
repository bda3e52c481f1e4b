# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The producer or consumer under test, an adapter: a Python file, optionally with ``:NAME`` of one of several.

Every adapter defines ``title``. A producer's adapter defines

* ``array(host)``: an array of the library in device memory with the elements of a NumPy array;
* ``host_array()``: an array outside device memory, if the library has such;
* ``read_only(x)``: a read-only view; ``broadcast(x, shape)``;
* ``export_version(version)``: a context manager that sets the exported version;
* ``pending(host)``: an array whose elements are written by pending work, and their final values;
* ``synchronize(stream)``: waits for the work on a stream that was exported;
* ``host_memory``: true if device memory can be read by the host at its address; otherwise
* ``read(description)``: the elements that a dictionary describes.

A consumer's adapter defines

* ``memory(host)``: an address in device memory with the elements of a NumPy array, and its owner;
* ``consume(producer)``: the array that the library makes of an object with the attribute;
* ``values(view)``: the elements of such an array, as a NumPy array;
* ``is_read_only(view)``; ``keeps_owner``: whether the result keeps the object alive;
* ``reads_attribute``: whether ``consume`` reads the attribute itself;
* ``slow_stream(owner)``: starts work that adds 1 to the memory of an owner, and returns its stream; a model
  without it ignores streams.

Only the first is required of each side, for consumers the first three; what the others test is otherwise not offered.
"""

import importlib.util
import pathlib
from types import ModuleType
from typing import Any

ADAPTERS = pathlib.Path(__file__).with_name("adapters")


def load(name: str) -> Any:
    """Return the adapter NAME, a file of ``adapters`` or a path; ``FILE:NAME`` is ``parties[NAME]`` of the file."""
    file, _, party = name.partition(":")
    path = pathlib.Path(file) if file.endswith(".py") else ADAPTERS / f"{file}.py"
    spec = importlib.util.spec_from_file_location(f"cai_suite_adapter_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.parties[party] if party else module
