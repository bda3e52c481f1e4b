# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The errors of typical mistakes: their classes and their whole texts."""

import re

import numpy as np
import pytest
import skerry as sk

from tests.python.project import (
    typical_mistakes,
    typical_mistakes_composed,
    typical_mistakes_of_arguments,
)

TABLES = (typical_mistakes, typical_mistakes_of_arguments, typical_mistakes_composed)
MISTAKES = [mistake for table in TABLES for mistake in table.MISTAKES]
NAMESPACE = {"sk": sk, "np": np}


@pytest.mark.parametrize(("code", "error", "text"), MISTAKES, ids=[code for code, _, _ in MISTAKES])
def test_typical_mistake_raises_this_text(code, error, text):
    with pytest.raises(Exception) as caught:
        eval(code, dict(NAMESPACE))
    assert (type(caught.value).__name__, str(caught.value)) == (error, text)


def test_texts_name_the_function_and_what_is_wrong():
    """`op: what is wrong: values; remedy`, or what Python itself says of a call's arguments."""
    assert len(MISTAKES) >= 220
    form = re.compile(
        r"\w+(\.\w+)*: \S|[\w.]+\(\) (takes|got)|'skerry\.Array' object has no attribute"
    )
    assert [text for _, _, text in MISTAKES if not form.match(text)] == []


def test_dtype_errors_are_about_dtypes():
    texts = [text for _, error, text in MISTAKES if error == "DTypeError"]
    assert len(texts) >= 10
    about = re.compile("dtype|complex|float|int|bool")
    assert [text for text in texts if not about.search(text)] == []
