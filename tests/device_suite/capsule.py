# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reads the device and the data pointer from a DLPack capsule, without consuming it."""

import ctypes
from typing import Any, NamedTuple


class Exported(NamedTuple):
    """Fields of a DLTensor."""

    device: tuple[int, int]
    pointer: int | None


class Tensor(ctypes.Structure):
    """The first fields of DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
    )


class VersionedTensor(ctypes.Structure):
    """DLManagedTensorVersioned up to its DLTensor."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


get_name = ctypes.pythonapi.PyCapsule_GetName
get_name.restype, get_name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def read_capsule(capsule: Any) -> Exported:
    name = get_name(capsule)
    address = get_pointer(capsule, name)
    if name == b"dltensor_versioned":
        tensor = VersionedTensor.from_address(address).tensor
    elif name == b"dltensor":
        tensor = Tensor.from_address(address)
    else:
        raise AssertionError(f"a capsule named {name}")
    return Exported((tensor.device_type, tensor.device_id), tensor.data)
