# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``issubdtype`` and ``promote_types``: NumPy's rules, which ml_dtypes does not complete for bfloat16."""

import importlib.util
import itertools

import numpy as np
import pytest
import skerry as sk

NUMPYS = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64", "complex64", "complex128", "longdouble", "clongdouble", ">i4", ">f8", "S3", "U2", "V4", "O", "M8[s]",
)  # fmt: skip
KINDS = (
    "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating",
)  # fmt: skip
#: Other forms of dtypes.
OTHERS = (float, int, complex, bool, str, None, "f", [("a", "f4")], np.dtypes.StringDType())
OURS = NUMPYS[: NUMPYS.index("longdouble")]
needs_bfloat16 = pytest.mark.skipif(
    importlib.util.find_spec("ml_dtypes") is None, reason="bfloat16 is a dtype of ml_dtypes"
)


def outcome(function, *arguments):
    """Return a result, or the class of an error."""
    try:
        return function(*arguments)
    except TypeError as error:
        return type(error)


def test_kinds_of_numpys_dtypes_are_those_of_numpy():
    types = [*NUMPYS, *OTHERS, *(getattr(np, kind) for kind in KINDS)]
    for pair in itertools.product(types, repeat=2):
        assert outcome(sk.issubdtype, *pair) is outcome(np.issubdtype, *pair), pair


def test_promotion_of_numpys_dtypes_is_that_of_numpy():
    for pair in itertools.product([*NUMPYS, *OTHERS], repeat=2):
        assert outcome(sk.promote_types, *pair) == outcome(np.promote_types, *pair), pair


@pytest.mark.parametrize(
    ("function", "parameters"),
    [("issubdtype", ("arg1", "arg2")), ("promote_types", ("type1", "type2"))],
)
def test_what_is_no_dtype_is_named(function, parameters):
    for wrong in ("int33", 1.5, object()):
        for index, parameter in enumerate(parameters):
            pair = ["f4", "f4"]
            pair[index] = wrong
            with pytest.raises(TypeError, match=f"{function}: {parameter}") as caught:
                getattr(sk, function)(*pair)
            assert str(wrong) in str(caught.value)


def test_promotion_to_no_dtype_is_rejected():
    for pair in ((None, "float32"), ("float32", None), (None, None)):
        with pytest.raises(TypeError):
            sk.promote_types(*pair)


@needs_bfloat16
@pytest.mark.parametrize("form", [lambda x: x, np.dtype, lambda x: "bfloat16"])
def test_bfloat16_is_of_the_kinds_of_float16(form):
    bfloat16 = form(sk.bfloat16)
    for kind in (*(getattr(sk, name) for name in KINDS), *OTHERS, np.void, "S3", "V2"):
        assert sk.issubdtype(bfloat16, kind) is sk.issubdtype(sk.float16, kind), kind
        assert sk.issubdtype(kind, bfloat16) is False, kind
    for other in OURS:
        assert sk.issubdtype(bfloat16, other) is False, other
        assert sk.issubdtype(other, bfloat16) is False, other
    assert sk.issubdtype(bfloat16, bfloat16) is True
    assert sk.issubdtype(bfloat16, sk.bfloat16) is True


@needs_bfloat16
def test_bfloat16_promotes_as_in_result_type():
    for other in (*OURS, "bfloat16"):
        expected = sk.result_type("bfloat16", other)
        for bfloat16 in (sk.bfloat16, np.dtype(sk.bfloat16), "bfloat16"):
            assert sk.promote_types(bfloat16, other) == expected
            assert sk.promote_types(np.dtype(other), bfloat16) == expected
    assert sk.promote_types(sk.bfloat16, sk.float16) == sk.float32
    assert sk.promote_types(">i4", sk.bfloat16) == sk.bfloat16
    assert sk.promote_types(sk.bfloat16, ">f2") == sk.float32


@needs_bfloat16
def test_promotion_of_dtypes_is_not_strict():
    for other in OURS:
        expected = sk.promote_types(sk.bfloat16, other)
        with sk.strict_promotion():
            assert sk.promote_types(sk.bfloat16, other) == expected


@needs_bfloat16
def test_bfloat16_and_dtypes_that_skerry_lacks_promote_as_in_numpy():
    for other in ("longdouble", "clongdouble", "S3", "U2", "V4", "O", "M8[s]", None, "nothing"):
        for pair in ((sk.bfloat16, other), (other, sk.bfloat16)):
            assert outcome(sk.promote_types, *pair) == outcome(np.promote_types, *pair), pair


@needs_bfloat16
def test_arrays_give_their_dtypes():
    x = sk.ones(2, dtype=sk.bfloat16)
    assert sk.issubdtype(x.dtype, sk.floating)
    assert not sk.issubdtype(x.dtype, sk.float32)


@needs_bfloat16
def test_other_functions_of_dtypes_take_bfloat16_as_float16():
    bfloat16, float16 = (sk.asarray(1.5, dtype=dtype) for dtype in (sk.bfloat16, sk.float16))
    assert sk.isdtype(sk.bfloat16, "real floating")
    assert sk.finfo(sk.bfloat16).bits == sk.finfo(sk.float16).bits
    with pytest.raises(TypeError):
        sk.iinfo(sk.bfloat16)
    assert sk.min_scalar_type(bfloat16) == bfloat16.dtype
    assert sk.min_scalar_type(sk.bfloat16(1.5)) == bfloat16.dtype
    assert sk.isscalar(sk.bfloat16(1.5))
    assert sk.common_type(bfloat16) is sk.bfloat16
    assert sk.common_type(bfloat16, float16) is sk.float32
    for other in {*OURS} - {"float16"}:
        assert sk.can_cast(sk.bfloat16, other) == sk.can_cast(sk.float16, other)
        assert sk.can_cast(other, sk.bfloat16) == sk.can_cast(other, sk.float16)
