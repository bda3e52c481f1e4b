# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""dir(), the errors of absent attributes and misplaced arguments, HTML for notebooks."""

import importlib.util
import re

import numpy as np
import pytest
import skerry as sk
import skerry.testing
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import to_device

MODULES = {"skerry": sk, "skerry.linalg": sk.linalg, "skerry.fft": sk.fft, "skerry.exceptions": sk.exceptions}  # fmt: skip
#: Attributes of other libraries' arrays, and the replacement that the error names.
OTHERS = {
    "clone": "x.copy()",
    "contiguous": "x.copy()",
    "cpu": 'x.to_device("cpu")',
    "cuda": 'x.to_device("cuda:0")',
    "detach": "gradients",
    "get": 'np.asarray(x.to_device("cpu"))',
    "numpy": 'np.asarray(x.to_device("cpu"))',
    "permute": "skerry.permute_dims",
    "ptp": "skerry.",
    "to": "x.to_device",
    "unsqueeze": "skerry.expand_dims",
}


@pytest.mark.parametrize("name", MODULES)
def test_dir_lists_the_api_only(name):
    module = MODULES[name]
    listed = {attribute for attribute in dir(module) if not attribute.startswith("__")}
    optional = {"bfloat16", "comm", "testing"} if module is sk else set()
    assert listed - optional == {
        attribute for attribute in module.__all__ if not attribute.startswith("__")
    }
    absent = set() if importlib.util.find_spec("ml_dtypes") else {"bfloat16"}
    assert all(hasattr(module, attribute) for attribute in set(dir(module)) - absent)


def test_dir_of_an_array_lists_existing_attributes():
    x = sk.ones((2, 2))
    assert all(hasattr(x, name) for name in dir(x) if not name.startswith("__"))
    assert {"sum", "shape", "to_device", "__add__"} <= set(dir(x))
    assert not {"get", "ptp", "cuda"} & set(dir(x))


@pytest.mark.parametrize("name", OTHERS)
def test_absent_attributes_name_their_replacement(name, device):
    x = sk.ones((2,), device=device)
    with pytest.raises(AttributeError, match=re.escape(OTHERS[name])) as raised:
        getattr(x, name)
    assert str(raised.value).startswith(f"'skerry.Array' object has no attribute '{name}'; ")
    assert not hasattr(x, name)
    assert not hasattr(sk.Array, name)
    assert getattr(x, name, None) is None
    with pytest.raises(AttributeError):
        setattr(x, name, 1)


def test_numpy_attributes_exist_or_name_a_replacement():
    x = sk.ones((2, 2))
    for name in dir(np.ndarray):
        if name.startswith("_") or hasattr(x, name):
            continue
        with pytest.raises(AttributeError, match="; "):
            getattr(x, name)


def test_attribute_lookup_uses_the_generic_slot():
    x = sk.ones((2,))
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        x.nothing
    assert sk.Array.__getattribute__ is object.__getattribute__
    assert "__getattr__" not in vars(sk.Array)


def test_named_replacements_exist():
    """A remedy that begins with skerry.f( names a public function."""
    x = sk.ones((2, 2))
    for name in vars(sk.Array):
        if hasattr(x, name) or name.startswith("__"):
            continue
        with pytest.raises(AttributeError) as raised:
            getattr(x, name)
        for called in re.findall(r"skerry\.(\w+)\(", str(raised.value)):
            assert called in sk.__all__, raised.value
        for called in re.findall(r"\bx\.(\w+)", str(raised.value)):
            if not called.startswith("__"):
                assert hasattr(x, called), raised.value


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda x: sk.cumulative_sum(x, 1), "axis is keyword-only: cumulative_sum(x, axis=1)"),
        (lambda x: sk.count_nonzero(x, (0, 1), True), "count_nonzero(x, axis, keepdims=True)"),
        (lambda x: sk.cumulative_prod(x, None, x), "axis, dtype are keyword-only: cumulative_prod(x, axis=None, dtype=...)"),
        (lambda x: sk.unstack(x, 1), "unstack(x, axis=1)"),
        (lambda x: sk.linalg.cross(x, x, 0), "cross(x1, x2, axis=0)"),
        (lambda x: sk.linalg.cholesky(x, True), "cholesky(x, upper=True)"),
        (lambda x: sk.fft.fftfreq(4, 0.5, "float32"), "fftfreq(n, d, dtype='float32')"),
        (lambda x: x.argmax(0, None, True), "argmax(axis, out, keepdims=True)"),
    ],
)  # fmt: skip
def test_error_shows_the_call_with_keyword_only_arguments(call, shown):
    x = sk.ones((2, 2))
    with pytest.raises(TypeError, match=re.escape(shown)):
        call(x)


def test_too_many_arguments():
    with pytest.raises(TypeError, match="pass axis=, dtype=, out=, include_initial= by keyword"):
        sk.cumulative_sum(sk.ones((2,)), 1, 2, 3, 4, 5, 6)


def test_html_describes_the_array(device):
    text = sk.ones((2, 3), dtype="float32", device=device)._repr_html_()
    for word in ("(2, 3)", "float32", device, ">24<"):
        assert word in text
    assert text.count("<td>1.</td>") == 6


def test_html_of_a_large_array_has_the_edges_only(device):
    x = to_device(device, np.arange(1_000_000.0).reshape(1000, 1000))
    old_transfers = instruments.transfers()
    text = x._repr_html_()
    assert len(text) < 4000
    for shown in ("<td>0.</td>", "<td>2997.</td>", "<td>999999.</td>", "⋮", "…"):
        assert shown in text
    assert "<td>3.</td>" not in text
    assert "<td>3000.</td>" not in text
    read = sum(instruments.transfers().values()) - sum(old_transfers.values())
    assert read < 100_000


@loop_over("shape", [(), (0,), (0, 3), (2, 2, 2), (9,), (8, 1)])
def test_html_of_any_shape(shape, device):
    text = sk.ones(shape, dtype="complex64", device=device)._repr_html_()
    assert text.startswith("<div><table>")
    assert text.count("<") == text.count(">")
    assert "'" not in text
    assert repr(shape) in text


def test_testing_is_listed_once_it_is_imported():
    assert skerry.testing is sk.testing
    assert "testing" in dir(sk)
