# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Memory that others may write is read when an operation is called, in a fused function as outside of one."""

import ctypes

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401

X = np.linspace(0.5, 2, 1024).reshape(32, 32)


class Interface:
    """Memory as another library reports it."""

    def __init__(self, x, name):
        setattr(self, name, getattr(x, name))
        self.owner = x


def write_to(memory):
    """Returns a function that overwrites all of this memory by NumPy."""

    def write():
        memory[...] = -5

    return write


def write_by_address(x):
    address, count = x.__array_interface__["data"][0], x.size
    return write_to(np.ctypeslib.as_array((ctypes.c_double * count).from_address(address)))


def imported(make):
    """Returns a function that makes an array of NumPy's memory and a function that overwrites the memory."""

    def prepare():
        host = X.copy()
        return make(host), write_to(host)

    return prepare


def exported(give):
    """Returns a function that makes an array of skerry's own memory and a function that overwrites it by an export."""

    def prepare():
        x = sk.asarray(X, copy=True)
        return x, give(x)

    return prepare


def imported_on_a_gpu():
    owner = sk.asarray(X, device="cuda:0")
    x = sk.asarray(Interface(owner, "__cuda_array_interface__"))

    def write():
        owner[...] = -5

    return x, write


def exported_on_a_gpu():
    x = sk.asarray(X, device="cuda:0")
    other = sk.asarray(Interface(x, "__cuda_array_interface__"))

    def write():
        other[...] = -5

    return x, write


EXPORTS = {
    "asarray": lambda x: write_to(np.asarray(x)),
    "to_numpy": lambda x: write_to(x.to_numpy()),
    "from_dlpack": lambda x: write_to(np.from_dlpack(x)),
    "memoryview": lambda x: write_to(np.asarray(memoryview(np.asarray(x)))),
    "interface": lambda x: write_to(np.asarray(Interface(x, "__array_interface__"))),
    "struct": lambda x: write_to(np.asarray(Interface(x, "__array_struct__"))),
    "address": write_by_address,
    "view": lambda x: write_to(np.asarray(x[8:])),
    "other device": lambda x: write_to(np.asarray(sk.from_dlpack(np.asarray(x), device="cpu:1"))),
}  # fmt: skip
MEMORY = {
    "asarray": imported(sk.asarray),
    "from_dlpack": imported(sk.from_dlpack),
    "memoryview": imported(lambda host: sk.asarray(memoryview(host))),
    "interface": imported(lambda host: sk.asarray(Interface(host, "__array_interface__"))),
    "other device": imported(lambda host: sk.asarray(host, device="cpu:1")),
    "view of an import": imported(lambda host: sk.reshape(sk.asarray(host), (-1,))[:1000]),
    "imported on a GPU": imported_on_a_gpu,
    "exported on a GPU": exported_on_a_gpu,
    **{f"{name}, exported": exported(give) for name, give in EXPORTS.items()},
}

CALLS = {
    "operator": lambda x: x + 1,
    "function": lambda x: sk.exp(x),
    "second operand": lambda x: 2.0 - x,
    "with a recorded operand": lambda x: (sk.ones_like(x) * 3 + 1) * x,
    "view": lambda x: x[3:] * 2,
    "where": lambda x: sk.where(x > 1, x, 0.0),
    "clip": lambda x: sk.clip(x, 1, None),
    "astype": lambda x: x.astype("float32"),
    "rows": lambda x: sk.sum(x, axis=-1),
    "in place": lambda x: sk.ones_like(x).__iadd__(x),
}


def host(x):
    return x.to_device("cpu:0").to_numpy()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("memory", MEMORY)
def test_writes_through_aliases_follow_earlier_calls(memory, call):
    x, write = MEMORY[memory]()
    want = host(CALLS[call](x)).copy()

    @sk.fuse
    def run(x):
        y = CALLS[call](x)
        write()
        return y

    np.testing.assert_array_equal(host(run(x)), want)
    assert (host(x)[8:] == -5).all()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("give", EXPORTS)
def test_writes_through_exports_made_inside_follow_earlier_calls(give, call):
    x = sk.asarray(X, copy=True)
    want = host(CALLS[call](x)).copy()

    @sk.fuse
    def run(x):
        y = CALLS[call](x)
        EXPORTS[give](x)()
        return y, x * 2

    first, second = run(x)
    np.testing.assert_array_equal(host(first), want)
    assert (host(second)[8:] == -10).all()


def test_write_to_imported_memory_does_not_change_earlier_results():
    n = np.ones(3)

    @sk.fuse
    def run(x):
        y = x + 1
        n[:] = 5
        return y

    assert run(sk.asarray(n)).tolist() == [2.0, 2.0, 2.0]


def test_in_place_update_of_exported_array_is_visible_at_once():
    x = sk.asarray(X, copy=True)
    seen = np.asarray(Interface(x, "__array_interface__"))

    @sk.fuse
    def run(x):
        x *= 2
        assert (seen == X * 2).all()

    run(x)


def operations_of_passes(function, *args):
    counts = []
    with instruments.watched_passes(lambda operations, *_: counts.append(operations)):
        sk.fuse(function)(*args)
    return counts


def test_calls_are_recorded_again_once_exports_are_gone():
    x = sk.asarray(X, copy=True)
    chain = lambda x: (x + 1) * x  # noqa: E731
    for give in (
        np.asarray,
        np.from_dlpack,
        lambda x: x.__dlpack__(),
        lambda x: x.__array_struct__,
    ):
        assert operations_of_passes(chain, x) == [2]
        view = give(x)
        assert operations_of_passes(chain, x) == []
        del view
        assert operations_of_passes(chain, x) == [2]


def test_copy_of_numpy_array_is_recorded():
    n = X.copy()
    assert operations_of_passes(lambda x: (x + 1) * x, sk.asarray(n)) == []
    assert operations_of_passes(lambda x: (x + 1) * x, sk.asarray(n, copy=True)) == [2]


def test_explain_names_operands_that_are_read_at_once(capsys):
    def run(x, y):
        z = y * 2 - x
        return z / 3

    x, y = sk.asarray(X), sk.asarray(X, copy=True)
    sk.fuse.explain(run, x, y)
    line = run.__code__.co_firstlineno + 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("2 passes, ")
    assert printed[1] == (
        f"  subtract computed eagerly, not in a pass, in line {line}: z = y * 2 - x: x2 is imported memory, "
        "which other code may modify; a copy is recorded"
    )
    assert printed[2].startswith("  1 operation over (32, 32)")
    view = np.asarray(y)
    sk.fuse.explain(lambda: sk.sum(y, axis=1))
    assert "sum computed eagerly" in (out := capsys.readouterr().out)
    assert "x is exported memory, which" in out
    del view
