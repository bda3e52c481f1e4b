# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The rules of the CUDA Array Interface documents of versions 0 and 2, by number.

Version 0:

    0.1  the attribute is "dictionary-like"
    0.2  required are "shape, typestr, data, version"
    0.3  optional are "strides, descr"
    0.4  it has no rule for arrays without elements, no mask and no text on lifetime

Version 2:

    2.1  the value "must be a dict"
    2.2  zero-size arrays: the pointer is 0
    2.3  strides: "None" or absent means C-contiguous
    2.4  mask: "None"/absent = all valid; else an object with __cuda_array_interface__ whose shape broadcasts to shape
    2.5  reading the attribute "has no effect on the lifetime of the object from which it was created"
    2.6  "the interface has no slot for the owner of the data"
    2.7  "the User code must preserve the lifetime of the object owning the data for as long as the Consumer might use it"
"""

import collections
import gc
import sys
import types
import weakref

import numpy as np
import pytest
import skerry as sk

from tests.python.interchange.cai_producers import ABSENT, Producer, describe
from tests.python.oracle import to_device, to_numpy


@pytest.fixture
def x(cuda_device):
    return to_device(cuda_device, np.arange(12.0).reshape(3, 4))


def of_version_0(x, **changes):
    return describe(x, version=0, stream=ABSENT, **changes)


def carrier(about, owner):
    return types.SimpleNamespace(__cuda_array_interface__=about, owner=owner)


def test_document_v0_rule_1_the_attribute_is_dictionary_like(x):
    about = of_version_0(x)

    class OwnMapping:
        def keys(self):
            return about.keys()

        def __getitem__(self, key):
            return about[key]

    for mapping in (
        about,
        types.MappingProxyType(about),
        collections.UserDict(about),
        collections.ChainMap(about),
        collections.OrderedDict(about),
        OwnMapping(),
    ):
        assert np.array_equal(to_numpy(sk.as_cuda_array(carrier(mapping, x))), to_numpy(x))
        assert np.array_equal(to_numpy(sk.from_cuda_array_interface(mapping, x)), to_numpy(x))
    # skerry exports a dict in all versions: most consumers accept nothing else.
    with sk.cuda_array_interface_version(0):
        assert type(x.__cuda_array_interface__) is dict


def test_document_v0_rule_2_required_keys(x):
    least = {key: of_version_0(x)[key] for key in ("shape", "typestr", "data", "version")}
    assert np.array_equal(to_numpy(sk.from_cuda_array_interface(least, x)), to_numpy(x))
    for key in least:
        with pytest.raises(ValueError, match=f"'{key}'"):
            sk.from_cuda_array_interface({k: v for k, v in least.items() if k != key}, x)
    with sk.cuda_array_interface_version(0):
        assert set(least) <= set(x.__cuda_array_interface__)


def test_document_v0_rule_3_strides_and_descr_are_optional(x):
    for changes in ({"strides": ABSENT}, {"descr": ABSENT}, {"strides": ABSENT, "descr": ABSENT}):
        y = sk.from_cuda_array_interface(of_version_0(x, **changes), x)
        assert y.strides == x.strides
        assert np.array_equal(to_numpy(y), to_numpy(x))
    transposed_interface = of_version_0(x, shape=(4, 3), strides=(8, 32))
    assert np.array_equal(
        to_numpy(sk.from_cuda_array_interface(transposed_interface, x)), to_numpy(x).T
    )


def test_document_v0_rule_4_undefined_cases(x):
    # The pointer of an empty array is ignored.
    for pointer in (0, 64, None):
        about = of_version_0(x, shape=(0, 4), strides=None, data=(pointer, False))
        assert sk.from_cuda_array_interface(about, x).shape == (0, 4)
    # A mask is not defined in this version, but must not be ignored silently.
    with pytest.raises(NotImplementedError, match="mask"):
        sk.from_cuda_array_interface(of_version_0(x, mask=Producer(x)), x)
    with sk.cuda_array_interface_version(0):
        assert "stream" not in x.__cuda_array_interface__
        assert "mask" not in x.__cuda_array_interface__


def test_document_v2_rule_1_the_value_must_be_a_dict(x):
    about = describe(x, version=2, stream=ABSENT)
    assert np.array_equal(to_numpy(sk.as_cuda_array(carrier(about, x))), to_numpy(x))
    ordered = collections.OrderedDict(about)  # a dict, too
    assert np.array_equal(to_numpy(sk.as_cuda_array(carrier(ordered, x))), to_numpy(x))
    for value in (types.MappingProxyType(about), collections.UserDict(about), list(about.items())):
        with pytest.raises(TypeError, match="must be a dict"):
            sk.as_cuda_array(carrier(value, x))
    with sk.cuda_array_interface_version(2):
        assert type(x.__cuda_array_interface__) is dict


def test_document_v2_rule_2_no_elements_pointer_0(x):
    with sk.cuda_array_interface_version(2):
        for empty in (x[:0], x[:, 2:2], sk.empty((0,), device=x.device)):
            assert empty.__cuda_array_interface__["data"] == (0, False)
    about = describe(x, version=2, shape=(3, 0), strides=None, data=(0, False))
    assert sk.from_cuda_array_interface(about, x).shape == (3, 0)


def test_document_v2_rule_3_strides_none_is_c_order(x):
    with sk.cuda_array_interface_version(2):
        assert x.__cuda_array_interface__["strides"] is None
        assert x[1:].__cuda_array_interface__["strides"] is None
        assert x.T.__cuda_array_interface__["strides"] == (8, 32)
        assert x[:, 1:].__cuda_array_interface__["strides"] == (32, 8)
    for strides in (None, ABSENT):
        about = describe(x, version=2, stream=ABSENT, strides=strides)
        assert sk.from_cuda_array_interface(about, x).strides == (32, 8)


def test_document_v2_rule_4_mask(x):
    for mask in (None, ABSENT):
        about = describe(x, version=2, mask=mask)
        assert np.array_equal(to_numpy(sk.from_cuda_array_interface(about, x)), to_numpy(x))
    data, mask = x, x > 3
    for mask_source in (mask, mask[0], Producer(mask)):  # the second one broadcasts
        with pytest.raises(NotImplementedError, match="import data and mask separately"):
            sk.from_cuda_array_interface(describe(data, version=2, mask=mask_source), data)
    # The remedy of the message.
    theirs = Producer(data, mask=Producer(mask))
    about = theirs.__cuda_array_interface__
    imported_array = sk.from_cuda_array_interface({**about, "mask": None}, theirs)
    valid = sk.as_cuda_array(about["mask"])
    filled = sk.where(valid, imported_array, 0.0)
    assert np.array_equal(to_numpy(filled), np.where(to_numpy(mask), to_numpy(data), 0.0))


def test_document_v2_rule_5_reading_has_no_effect_on_the_lifetime(cuda_device):
    gc.collect()
    x = sk.ones((3,), device=cuda_device)
    old_refcount = sys.getrefcount(x)
    abouts = [x.__cuda_array_interface__ for _ in range(10)]
    assert sys.getrefcount(x) == old_refcount
    seen = weakref.ref(x)
    del x
    assert seen() is None
    assert len(abouts) == 10


def test_document_v2_rule_6_no_slot_for_the_owner(x):
    assert set(x.__cuda_array_interface__) == {
        "shape", "typestr", "descr", "data", "strides", "version", "stream"
    }  # fmt: skip
    # So the owner is the exporting object, or is passed along with the description.
    producer = Producer(x)
    seen = weakref.ref(producer)
    y = sk.as_cuda_array(producer)
    del producer
    assert seen() is not None
    del y
    assert seen() is None


def test_document_v2_rule_7_the_user_preserves_the_lifetime(x):
    about = describe(x, version=2, stream=ABSENT)
    y = sk.from_cuda_array_interface(about)  # this function keeps x alive, y does not
    old_refcount = sys.getrefcount(x)
    del y
    assert sys.getrefcount(x) == old_refcount
    imported_array = sk.from_cuda_array_interface(about, x)
    assert sys.getrefcount(x) == old_refcount + 1
    del imported_array
    assert sys.getrefcount(x) == old_refcount
