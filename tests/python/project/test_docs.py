# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The documentation: every example prints the output shown, and every public name is in the reference once."""

import contextlib
import doctest
import inspect
import pathlib
import re
import sys

import numpy as np
import pytest
import skerry as sk

from tests.python.libraries import library
from tests.python.session import HAS_GPU

DOCS = pathlib.Path(__file__).parents[3] / "python" / "docs"
sys.path.insert(0, str(DOCS))
import examples  # noqa: E402
import reference  # noqa: E402

sys.path.remove(str(DOCS))  # other modules in it shadow packages

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
# The code blocks of these pages are programs that other tests run.
RUN_ELSEWHERE = {
    "array_api_consumers.rst": "tests/python/interchange/test_array_api_consumers_page.py",
    "cpp.rst": "tests/consumer",
    "custom_kernels.rst": "tests/emulator/users_kernels/test_custom_kernels_page.py",
    "dask.rst": "tests/python/interchange/test_dask.py",
    "kernels.rst": "tests/emulator/users_kernels/test_kernels_page.py",
}
PAGES = sorted(path.name for path in DOCS.glob("*.rst") if path.name not in RUN_ELSEWHERE)
ROW = re.compile(r"^   \* - ``(.+?)``.*\n     - ``(.+)``$", re.MULTILINE)
LIBRARIES = {
    "hand_over.rst": ("numba", "pyarrow", "tvm_ffi", "cuda.core.utils"),
    "saving.rst": ("safetensors",),
}
REHEARSED = pytest.mark.skipif(HAS_GPU, reason="the pages show rehearsed devices")


def functions():
    for prefix, module in reference.modules().items():
        for name in module.__all__:
            function = getattr(module, name)
            if callable(function) and not inspect.isclass(function):
                yield prefix + name, function


FUNCTIONS = dict(functions())
OWN = {name for name, function in FUNCTIONS.items() if reference.has_own_example(function)}


def run(text, name, names):
    """Run the examples of a text in the namespace ``names``, which keeps their definitions."""
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    test.globs = names
    said = []
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(
        test, out=said.append, clear_globs=False
    )
    assert result.attempted, f"{name}: no example"
    assert not result.failed, "".join(said)


@pytest.mark.parametrize("name", sorted(OWN))
def test_examples_of_docstrings(name):
    run(inspect.getdoc(FUNCTIONS[name]), name, {"sk": sk})


@pytest.mark.parametrize("name", ["Event", "Stream"])
@REHEARSED
def test_examples_of_classes(name):
    run(inspect.getdoc(getattr(sk, name)), name, {"sk": sk})


@pytest.mark.parametrize("name", sorted(examples.examples()))
def test_examples_of_the_reference(name):
    if HAS_GPU and name == "rehearse":
        pytest.skip("a GPU is not rehearsed")
    shown = examples.session(examples.examples()[name])
    assert shown.startswith(">>> ")
    run(shown, name, {"sk": sk})


def test_every_function_has_one_example():
    # Some functions are in both linalg and the main namespace.
    left = {name.rpartition(".")[2] for name in set(FUNCTIONS) - OWN}
    assert left <= set(examples.examples()), "functions without an example"
    assert not OWN & set(examples.WRITTEN), "these have an example in their docstring too"


def test_every_public_name_is_in_the_reference_once():
    listed = [name for _, names in reference.GROUPS.values() for name in names]
    listed += [
        name for topics in reference.TOPICS.values() for names in topics.values() for name in names
    ]
    listed += [name for names in reference.CLASSES.values() for name in names]
    assert len(listed) == len(set(listed))
    assert set(sk.__all__) <= {*listed, *reference.ELSEWHERE}
    text = "\n".join(reference.pages().values())
    for name, function in FUNCTIONS.items():
        assert len(re.findall(rf"autofunction:: {re.escape(function.__name__)}\n", text)) >= 1, name


@REHEARSED
@pytest.mark.parametrize("page", PAGES)
def test_examples_of_pages(page):
    text = (DOCS / page).read_text()
    for name in LIBRARIES.get(page, ()):
        library(name)
    names = {}
    run(text, page, names)
    rows = ROW.findall(text)
    # The header of a table of replacements is not in code quotes, so ROW does not match it.
    replacements = page.startswith("from_")
    assert bool(rows) or not replacements
    for left, right in rows if replacements else []:
        got = evaluate(right, names)
        if page == "from_numpy.rst":
            assert_equal_to_numpy(got, left, names)


def evaluate(code, names):
    got = eval(code, dict(names))
    if hasattr(got, "__enter__"):
        with got:
            pass
    return got


def assert_equal_to_numpy(got, code, names):
    """Check that ``code``, run with NumPy, gives the result ``got``."""
    theirs = {
        name: np.asarray(value.to_device("cpu")) if isinstance(value, sk.Array) else value
        for name, value in names.items()
    }
    want = eval(code, {**theirs, "np": np})
    if isinstance(got, sk.Array):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-14, err_msg=code)
        assert got.shape == np.shape(want), code
        assert got.dtype == np.asarray(want).dtype, code
    else:
        assert got == want, code


def test_every_table_row_is_recognized():
    for page in PAGES:
        text = (DOCS / page).read_text()
        if page.startswith("from_"):
            assert len(ROW.findall(text)) == text.count("\n   * - ``"), page


@pytest.fixture(autouse=True)
def settings_are_kept():
    """Restore defaults, limits and threads, which examples change."""
    threads = sk.get_num_threads()
    yield
    sk.set_num_threads(threads)
    sk.set_default_device("cpu:0")
    with contextlib.suppress(RuntimeError):
        for device in ("cpu:0", "cuda:0"):
            sk.set_memory_limit(device, None)
