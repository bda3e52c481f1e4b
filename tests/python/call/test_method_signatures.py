# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Array methods have NumPy's signatures: in inspect, in the stubs and in their docstrings."""

import ast
import inspect
import pathlib

import numpy as np
import pytest
import skerry as sk

STUB = pathlib.Path(__file__).parents[3] / "python" / "skerry" / "_core" / "_types.pyi"


def _methods():
    for name in dir(sk.Array):
        method = inspect.getattr_static(sk.Array, name)
        is_method = not name.startswith("_") and inspect.ismethoddescriptor(method)
        if is_method and hasattr(sk.Array, name) and hasattr(np.ndarray, name):
            yield name


METHODS = list(_methods())
SINCE_NUMPY_2_5 = {"descending=None"}


@pytest.mark.parametrize("name", METHODS)
def test_signature_is_that_of_numpy(name):
    try:
        theirs = inspect.signature(getattr(np.ndarray, name)).parameters
    except ValueError:
        pytest.skip("NumPy has no signatures before 2.4")
    ours = inspect.signature(getattr(sk.Array, name)).parameters
    open_ended = any(p.kind in (p.VAR_KEYWORD,) for p in theirs.values())
    stated = [str(p) for p in theirs.values() if p.kind is not p.VAR_KEYWORD]
    if name in ("view", "to_device", "setflags"):  # NumPy takes those of setflags by position, too
        return
    got = [str(p) for p in ours.values() if str(p) in stated or str(p) not in SINCE_NUMPY_2_5]
    assert got[: len(stated)] == stated
    assert len(got) == len(stated) or open_ended
    kinds = [p.kind for p in theirs.values() if p.kind is not p.VAR_KEYWORD]
    assert [p.kind for p in ours.values()][: len(stated)] == kinds


def test_stubs_have_the_signatures():
    tree = ast.parse(STUB.read_text())
    array = next(node for node in tree.body if getattr(node, "name", "") == "Array")
    declared = {
        node.name: node.args
        for node in array.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }
    for name in METHODS:
        parameters = inspect.signature(getattr(sk.Array, name)).parameters.values()
        args = declared[name]
        listed = [*args.posonlyargs, *args.args, *filter(None, [args.vararg]), *args.kwonlyargs]
        assert [argument.arg for argument in listed] == [p.name for p in parameters], name


def test_docstrings_name_the_numpy_method():
    assert "numpy.ndarray.sum" in sk.Array.sum.__doc__
    assert "skerry.linalg.trace" in sk.Array.trace.__doc__
    assert all(inspect.getdoc(getattr(sk.Array, name)) for name in METHODS)
