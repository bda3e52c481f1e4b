# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""No static local of the bindings has a dynamic initializer: its guard would be held while Python code runs.

That code may release the GIL to a thread that then waits for the guard: a deadlock. ``constinit`` and ``constexpr``
variables have no guard; a ``LazyObject`` is created on first use without one.
"""

import re

import pytest

from tests.python.project.test_layers import ROOT, sources

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# Up to the start of an initializer, a body or the next statement.
STATEMENT = re.compile(
    r"^[ \t]+(?:inline )?static (?!constexpr |constinit |inline constinit )([^;{=]*)([;{=])",
    re.MULTILINE,
)
FUNCTION = re.compile(r"\)\s*(?:const\s*)?(?:noexcept\s*)?$")
DECLARATION = re.compile(r"\)\s*noexcept\s*$")


def guarded_statics(text):
    """Return the declarations of indented static variables that are neither constexpr nor constinit."""
    text = TEXT.sub('""', COMMENT.sub("", text))
    return [
        " ".join(head.split())
        for head, end in STATEMENT.findall(text)
        if not (end == "{" and FUNCTION.search(head))
        and not (end == ";" and DECLARATION.search(head))
    ]


def test_no_static_local_of_the_bindings_has_a_guard():
    guards_by_path = {
        str(path.relative_to(ROOT)): names
        for path in sources("python")
        if (names := guarded_statics(path.read_text()))
    }
    assert not guards_by_path, "use a static constinit LazyObject, or create it at import"


@pytest.mark.parametrize(
    "line",
    [
        '  static PyObject* const type = named_tuple_type("skerry", "UniqueCountsResult", "values");',
        "  static PyObject* const type =\n      object(PyType_FromSpec(&spec)).release();",
        "  static const Signature takes(Table[I].name, Table[I].signature);",
        "  static Vocabulary all;",
        "  static const std::string name{f()};",
        "    static PyObject* const names[] = {PyUnicode_InternFromString(a)};",
    ],
)
def test_guarded_statics_are_detected(line):
    assert guarded_statics(f"void f() {{\n{line}\n}}\n")


@pytest.mark.parametrize(
    "line",
    [
        "  static constinit LazyObject type;",
        "  static constexpr int count = 3;",
        "  static Object borrow(PyObject* other) { return Object(Py_NewRef(other)); }",
        "  static void free(Exported* whole) noexcept {",
        "  static void visit(const note& self, void (*each)(void* context), void* context) noexcept;",
        "  static inline constinit const char* name = nullptr;",
        '  // static PyObject* const type = f("a");',
    ],
)
def test_other_statics_are_not_reported(line):
    assert not guarded_statics(f"void f() {{\n{line}\n}}\n")
