# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""DLPack 1.3's structures in ctypes, with the layout of its header: built for imports, read for exports."""

import ctypes

import numpy as np

CPU, CUDA, CUDA_HOST, ROCM, CUDA_MANAGED = 1, 2, 3, 10, 13
READ_ONLY, IS_COPIED = 1, 2
CODES = {"i": 0, "u": 1, "f": 2, "V": 4, "c": 5, "b": 6}  # "V": bfloat16, a dtype of ml_dtypes


class Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("index", ctypes.c_int32))


class DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Version(ctypes.Structure):
    _fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32))


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class ManagedVersioned(ctypes.Structure):
    _fields_ = (
        ("version", Version),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


FromObject = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
ToObject = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
ViewObject = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
CurrentStream = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
)
SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
Allocate = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.POINTER(Tensor),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p,
    ctypes.c_void_p,
)


class ExchangeTable(ctypes.Structure):
    _fields_ = (
        ("version", Version),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.c_void_p),
        ("to_object", ctypes.c_void_p),
        ("view_object", ctypes.c_void_p),
        ("current_stream", ctypes.c_void_p),
    )


NAMES = {Managed: b"dltensor", ManagedVersioned: b"dltensor_versioned"}

_api = ctypes.pythonapi
# A destructor gets the capsule as an address, not an object: its reference count is already 0.
Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _api)
)
_get_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", _api))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", _api)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_pointer_of_dying = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

# Live structures by address.
_live: dict[int, "Made"] = {}


def _delete(address):
    structure = _live.pop(address, None)
    if structure is None:
        STRAY.append(address)
    else:
        structure.deleted += 1


_immortal: list["Made"] = []  # structures without a deleter, which are never freed
STRAY: list[int] = []  # addresses that were freed twice
DELETER = Deleter(_delete)


def _destroy(capsule):
    for kind, name in NAMES.items():
        if _is_valid(capsule, name):
            managed = kind.from_address(_pointer_of_dying(capsule, name))
            if managed.deleter:
                Deleter(managed.deleter)(ctypes.addressof(managed))


DESTROY = Destructor(_destroy)


def name_of(capsule) -> str:
    return _get_name(capsule).decode()


def set_name(capsule, name: bytes) -> None:
    assert _set_name(capsule, name) == 0


def new_capsule(address: int, name: bytes, destructor: object = None):
    """``name`` must outlive the capsule."""
    return _new(address, name, ctypes.cast(destructor, ctypes.c_void_p) if destructor else None)


def pointer_of(capsule, name: bytes) -> int:
    return _get_pointer(capsule, name)


def opened(capsule):
    """Return the structure in a capsule; it keeps the capsule alive."""
    name = _get_name(capsule)
    kind = {b: a for a, b in NAMES.items()}[name]
    managed = kind.from_address(_get_pointer(capsule, name))
    managed.capsule = capsule
    return managed


class Made:
    """A hand-built structure. ``shape`` and ``strides`` (in elements) may be None for a null pointer."""

    def __init__(
        self,
        data,
        shape,
        strides=None,
        dtype=(2, 64, 1),
        device=(CPU, 0),
        *,
        ndim=None,
        byte_offset=0,
        flags=0,
        version=(1, 3),
        versioned=True,
        deleter=True,
        owner=None,
    ):
        self.deleted = 0
        self.owner = owner
        self.shape = None if shape is None else (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = (
            None if strides is None else (ctypes.c_int64 * max(len(strides), 1))(*strides)
        )
        kind = ManagedVersioned if versioned else Managed
        self.managed = kind()
        tensor = self.managed.tensor
        tensor.data = data
        tensor.device = Device(*device)
        tensor.ndim = len(shape or ()) if ndim is None else ndim
        tensor.dtype = DataType(*dtype)
        if self.shape is not None:
            tensor.shape = ctypes.cast(self.shape, type(tensor.shape))
        if self.strides is not None:
            tensor.strides = ctypes.cast(self.strides, type(tensor.strides))
        tensor.byte_offset = byte_offset
        if versioned:
            self.managed.version = Version(*version)
            self.managed.flags = flags
        self.address = ctypes.addressof(self.managed)
        if deleter:
            self.managed.deleter = ctypes.cast(DELETER, ctypes.c_void_p)
            _live[self.address] = self
        else:
            _immortal.append(self)

    @classmethod
    def from_array(cls, array, device=(CPU, 0), **changes):
        """Build the correct structure of a NumPy array, or of memory that NumPy can describe."""
        step = array.itemsize
        return cls(
            array.ctypes.data,
            array.shape,
            [s // step for s in array.strides],
            (CODES[array.dtype.kind], 8 * step, 1),
            device,
            **{"owner": array, **changes},
        )

    def capsule(self):
        return new_capsule(self.address, NAMES[type(self.managed)], DESTROY)


class Producer:
    """A producer that returns ``make()``, an array or capsule, and records the keywords of each call."""

    def __init__(self, make, device=(CPU, 0)):
        self.make = make
        self.device = device
        self.asked = []

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return self.make()

    def __dlpack_device__(self):
        return self.device


def described(tensor: Tensor):
    """Return shape, strides (bytes) and dtype of a structure that skerry exported."""
    kind = {code: letter for letter, code in CODES.items()}[tensor.dtype.code]
    dtype = np.dtype("bfloat16" if kind == "V" else f"{kind}{tensor.dtype.bits // 8}")
    shape = tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else ()
    strides = (
        tuple(s * dtype.itemsize for s in tensor.strides[: tensor.ndim]) if tensor.ndim else ()
    )
    return shape, strides, dtype
