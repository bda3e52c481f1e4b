# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The documentation: every example prints the output shown, and every public name is in the reference once."""

import contextlib
import doctest
import gc
import inspect
import pathlib
import re
import sys

import numpy as np
import pytest
import skerry as sk

from tests.python.libraries import library
from tests.python.session import GUARDED, HAS_GPU

DOCS = pathlib.Path(__file__).parents[3] / "python" / "docs"
sys.path.insert(0, str(DOCS))
import array_members  # noqa: E402
import examples  # noqa: E402
import reference  # noqa: E402

sys.path.remove(str(DOCS))  # other modules in it shadow packages

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
# The code blocks of these pages are programs that other tests run.
RUN_ELSEWHERE = {
    "array_api_consumers.rst": "tests/python/interchange/test_array_api_consumers_page.py",
    "collectives.rst": "tests/emulator/nccl/test_collectives_page.py",
    "cpp.rst": "tests/consumer",
    "cupy_without_gpu.rst": "tests/emulator/cupy/test_cupy_page.py",
    "custom_kernels.rst": "tests/emulator/users_kernels/test_custom_kernels_page.py",
    "dask.rst": "tests/python/interchange/test_dask.py",
    "from_cudasim.rst": "tests/emulator/users_kernels/test_custom_kernels_page.py",
    "kernels.rst": "tests/emulator/users_kernels/test_kernels_page.py",
}
WITHOUT_EXAMPLES = {"getting_started.rst", "glossary.rst", "guides.rst"}
PAGES = sorted(
    path.name
    for path in DOCS.glob("*.rst")
    if path.name not in RUN_ELSEWHERE and path.name not in WITHOUT_EXAMPLES
)
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
            has_page = prefix != "" or name not in reference.ELSEWHERE
            if has_page and callable(function) and not inspect.isclass(function):
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


@pytest.mark.parametrize(
    "name",
    ["Event", "Stream", "broadcast", "c_", "mgrid", "ogrid", "poly1d", "r_", "vectorize"],
)
@REHEARSED
def test_examples_of_classes_and_objects(name):
    run(inspect.getdoc(getattr(sk, name)), name, {"sk": sk})


@REHEARSED
def test_example_of_the_class_array():
    run(array_members.INTRODUCTION, "Array", {})


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


@pytest.fixture(scope="module")
def reference_pages():
    return reference.pages()


def test_every_public_function_has_a_page(reference_pages):
    for name in FUNCTIONS:
        text = reference_pages[f"generated/skerry.{name}.rst"]
        assert f".. autofunction:: {name.rpartition('.')[2]}\n" in text, name


def test_every_page_of_a_name_is_in_one_table(reference_pages):
    pages = {
        pathlib.PurePath(name).stem if name.startswith("generated/") else None
        for name in reference_pages
    } - {None}
    assert len({page.lower() for page in pages}) == len(pages), "names that differ only in case"
    of_file = {file: name for name, file in reference.FILE_NAMES.items()}
    listed = []
    for text in reference_pages.values():
        module = re.search(r"currentmodule:: (\S+)", text)
        for table in re.findall(r"autosummary::\n   :toctree: \S+\n\n((?:   \S+\n)+)", text):
            listed += [f"{module[1]}.{name.lstrip('~')}" for name in table.split()]
    assert sorted(listed) == sorted(of_file.get(page, page) for page in pages)


def test_every_page_of_the_reference_is_in_the_navigation_once(reference_pages):
    captions = " ".join(reference.CAPTIONS.values()).split()
    group_pages = {name[:-4] for name in reference_pages if "/" not in name} - {"index"}
    assert sorted(captions) == sorted(group_pages)


def test_the_page_of_the_array_lists_attributes_first_and_operators_last(reference_pages):
    text = reference_pages["array.rst"]
    headings = re.findall(r"^(.+)\n-+$", text, re.MULTILINE)
    assert headings[0] == "Attributes"
    assert headings[-1] == "Operators"
    first = re.search(r"autosummary::\n.*\n\n   ~(\S+)", text)
    assert first[1] == "Array.device"


def test_the_page_of_the_array_lists_every_member():
    listed = [name for names in array_members.GROUPS.values() for name in names]
    listed += array_members.operators()
    assert len(listed) == len(set(listed))
    assert set(listed) == array_members.public_members()


@REHEARSED
@pytest.mark.parametrize("page", PAGES)
def test_examples_of_pages(page):
    if GUARDED and page in ("guard.rst", "profile.rst"):
        pytest.skip("freeing guarded memory waits for its device")
    text = (DOCS / page).read_text()
    for name in LIBRARIES.get(page, ()):
        library(name)
    names = {}
    gc.collect()  # garbage of other tests that is freed now would change figures of memory
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
