# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Models of how other libraries import a ``__cuda_array_interface__``: small functions without the libraries or a GPU.

Each does the checks of one library, in its order and with its error classes (C++ exceptions as the Python ones that
they become), and returns what the library would read: a NumPy view of the same memory, as rehearsed memory is host
memory. A model is as permissive as its library. The docstrings name the sources.
"""

import json
import operator

import numpy as np

MAX_COLUMN = 2**31 - 1


class InvalidArgument(RuntimeError):
    """Python class of XLA's INVALID_ARGUMENT."""


class Unimplemented(RuntimeError):
    """Python class of XLA's UNIMPLEMENTED."""


class XGBoostError(ValueError):
    """Python class of LOG(FATAL) in xgboost."""


class WrongValues(Exception):
    """The library would silently read wrong elements."""


class _Memory:
    def __init__(self, about):
        self.__array_interface__ = about


def read(pointer, shape, strides, dtype, *, read_only=False):
    """Return the elements at an address as a NumPy view."""
    shape, dtype = tuple(shape), np.dtype(dtype)
    if 0 in shape:
        return np.empty(shape, dtype)
    about = {
        "shape": shape,
        "typestr": dtype.str,
        "data": (pointer, read_only),
        "strides": None if strides is None else tuple(strides),
        "version": 3,
    }
    return np.asarray(_Memory(about))


def c_strides(shape, itemsize):
    """Return the strides in bytes of a C-contiguous array."""
    strides = []
    for length in reversed(shape):
        strides.insert(0, itemsize)
        itemsize *= length
    return tuple(strides)


def product(shape):
    return int(np.prod([operator.index(n) for n in shape], dtype=object)) if len(shape) else 1


def require(condition, error, text):
    if not condition:
        raise error(text)


def dense(shape, strides, itemsize, axes):
    """Whether the axes, innermost first, are contiguous; axes of length 1 may have any stride."""
    for axis in axes:
        if shape[axis] > 1 and strides[axis] != itemsize:
            return False
        itemsize *= shape[axis]
    return True


def numba(about):
    """numba 0.68 ``numba/cuda/api.py:23`` from_cuda_array_interface, ``api_util.py`` prepare_shape_strides_dtype."""
    if about.get("version") >= 1 and about.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    shape, strides = about["shape"], about.get("strides")
    dtype = np.dtype(about["typestr"])
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    strides = tuple(strides) if strides else c_strides(shape, dtype.itemsize)
    require(len(strides) == len(shape), ValueError, "strides and shape differ in length")
    pointer = about["data"][0]
    # get_devptr_for_active_ctx queries the driver for any pointer but 0.
    return read(pointer, shape, strides, dtype)


def numba_cuda_argument(about):
    """numba-cuda 0.30.4 ``typing/typeof.py:346,410`` and cuda.core's StridedMemoryView: a kernel argument by CAI.

    An array that also has ``__dlpack__`` is imported by that instead.
    """
    dtype = np.dtype(about["typestr"])
    shape, strides = about["shape"], about.get("strides")
    _, read_only = about["data"]
    hash((dtype, shape, strides, read_only))  # lru_cache
    if strides is not None and len(shape) and dtype.kind == "b":
        raise AttributeError("'Boolean' object has no attribute 'bitwidth'")
    return cuda_core(about, stream=-1)


def numba_cuda_mlir_argument(about):
    """numba-cuda-mlir 15e780d ``cext/launcher/kernel.cpp`` extract_cuda_array, ``descriptor.py`` for the mask."""
    require(type(about) is dict, TypeError, "__cuda_array_interface__ returned a non-dictionary")
    for key in ("typestr", "shape", "data"):
        require(key in about, TypeError, f"__cuda_array_interface__ is missing the '{key}' key")
    typestr, shape, data = about["typestr"], about["shape"], about["data"]
    require(isinstance(typestr, str), TypeError, "['typestr'] is not a string")
    require(typestr[:1] in ("<", "|"), TypeError, "Only little-endian types are supported")
    require(typestr[1:2] in "biufcVMmSU", TypeError, "Unsupported type code")
    require(type(data) is tuple and len(data) == 2, TypeError, "['data'] is no tuple of length 2")
    require(isinstance(data[0], int), TypeError, "['data'][0] is not an integer")
    require(type(shape) is tuple, TypeError, "['shape'] is not a tuple")
    if about.get("mask") is not None:
        raise NotImplementedError("masked arrays are not supported")
    dtype, strides = np.dtype(typestr), about.get("strides")
    if strides is None:
        return read(data[0], shape, None, dtype)
    require(type(strides) is tuple, TypeError, "['strides'] can only be absent, None, or a tuple")
    if dtype.kind == "c" and any(n > 1 for n in shape):
        # The library divides strides by the width of one component, half an element.
        raise WrongValues("strided complex arrays")
    counts = [int(s / dtype.itemsize) for s in strides]
    return read(data[0], shape, [n * dtype.itemsize for n in counts], dtype)


def cupy(about):
    """CuPy 15 ``cupy/_core/core.pyx:3299`` _convert_object_with_cuda_array_interface, ``cuda/memory.pyx:181``."""
    require(type(about) is dict, TypeError, "Expected dict")
    shape = about["shape"]
    require(type(shape) is tuple, TypeError, "Expected tuple")
    pointer = about["data"][0]
    dtype = np.dtype(about["typestr"])
    require(dtype.isnative, ValueError, "Unsupported byte order")
    require(about.get("mask") is None, ValueError, "CuPy currently does not support masked arrays.")
    strides = about.get("strides")
    if strides is None:
        nbytes = product(shape) * dtype.itemsize
    else:
        nbytes = max((abs(n * s) for n, s in zip(shape, strides, strict=False)), default=0)
    require(pointer != 0 or nbytes == 0, RuntimeError, "UnownedMemory requires explicit device ID")
    require(all(n >= 0 for n in shape), ValueError, "Negative dimensions are not allowed")
    require(strides is None or len(strides) == len(shape), ValueError, "strides: wrong length")
    return read(pointer, shape, strides, dtype)


def torch(about):
    """PyTorch ``torch/csrc/utils/tensor_numpy.cpp:390`` tensor_from_cuda_array_interface, as as_tensor(x) calls it."""
    require(type(about) is dict, TypeError, "`__cuda_array_interface__` must be a dict")
    for key in ("shape", "typestr", "data"):
        require(key in about, TypeError, f"attribute `{key}` must exist")
    shape = tuple(about["shape"])
    try:
        dtype = np.dtype(about["typestr"])
    except TypeError as error:
        raise ValueError("cannot parse `typestr`") from error
    # Checks only the kind, not the byte order.
    require(dtype.kind in "biufc", TypeError, "can't convert np.ndarray of that type")
    data = about["data"]
    require(
        type(data) is tuple and len(data) == 2, TypeError, "`data` must be a 2-tuple of (int, bool)"
    )
    require(isinstance(data[0], int), TypeError, "an integer is required")
    require(not data[1], TypeError, "the read only flag is not supported, should always be False")
    strides = about.get("strides")
    if strides is None:
        strides = c_strides(shape, dtype.itemsize)
    require(
        len(strides) == len(shape),
        TypeError,
        "strides must be a sequence of the same length as shape",
    )
    require(
        all(s % dtype.itemsize == 0 for s in strides),
        ValueError,
        "given array strides not a multiple of the element byte size",
    )
    require(all(n >= 0 for n in shape), RuntimeError, "negative dimension")
    overflows = any(s < 0 and n > 1 for s, n in zip(strides, shape, strict=True))
    require(0 in shape or not overflows, RuntimeError, "Storage size calculation overflowed")
    return read(data[0], shape, strides, dtype.newbyteorder("="))


def jax(about):
    """JAX ``jaxlib/py_array.cc`` CudaArrayInterfaceToBuffer. The result is never written to; the mask is ignored."""
    for key in ("data", "shape", "typestr", "version"):
        require(key in about, InvalidArgument, f"CUDA Array Interface does not define `{key}`")
    pointer, shape = about["data"][0], list(about["shape"])
    require(pointer or 0 in shape, InvalidArgument, "`data`(=NULL) and `shape` are inconsistent")
    dtype = np.dtype(about["typestr"])
    require(dtype.isnative, TypeError, "dtype is not supported")
    if pointer and about["version"] == 3 and about.get("stream") is not None:
        require(about["stream"] != 0, InvalidArgument, "does not allow zero stream value")
    strides = about.get("strides")
    if strides is None or not pointer:
        return read(pointer, shape, None, dtype, read_only=True)
    require(len(strides) == len(shape), InvalidArgument, "dimensionalities are inconsistent")
    # Of axes with equal strides, the later one is the inner one.
    axes = sorted(range(len(shape)), key=lambda axis: (strides[axis], -axis))
    require(
        dense(shape, strides, dtype.itemsize, axes),
        Unimplemented,
        "Only arrays with trivial (compact) striding are supported",
    )
    return read(pointer, shape, strides, dtype, read_only=True)


COLUMN_TYPES = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"}


def pylibcudf(about):
    """cudf ``pylibcudf/column.pyx:244`` _prepare_array_metadata, ``:1031`` from_cuda_array_interface."""
    if about.get("mask") is not None:
        raise NotImplementedError("mask not yet supported")
    typestr, data, shape = about["typestr"], about.get("data"), about["shape"]
    require(typestr[0] != ">", ValueError, "Big-endian data is not supported")
    require(
        isinstance(data, tuple) and isinstance(data[0], int),
        ValueError,
        "Expected a data field with an integer pointer",
    )
    require(
        isinstance(shape, tuple) and len(shape) > 0, ValueError, "shape must be a non-empty tuple"
    )
    require(typestr[1:] in COLUMN_TYPES, ValueError, f"Unsupported dtype: {typestr[1:]}")
    dtype, strides = np.dtype(typestr), about.get("strides")
    if strides is not None and 0 not in shape:
        axes = range(len(shape) - 1, -1, -1)
        require(
            dense(shape, strides, dtype.itemsize, axes), ValueError, "Data must be C-contiguous"
        )
    require(product(shape) <= MAX_COLUMN, ValueError, "Flat size exceeds size_type limit")
    return read(data[0], shape, None, dtype)


def cudf(about):
    """cuDF ``cudf/core/column/column.py:1046`` from_cuda_array_interface: a Series. Copies strided data.

    cuDF supports a mask, which becomes the column's; the model ignores it.
    """
    dtype = np.dtype(about["typestr"])
    shape, strides = about["shape"], about["strides"]
    require(len(shape) <= 1, ValueError, "Data must be 1-dimensional")
    require(dtype != np.float16, TypeError, "Unsupported type float16")
    about = {key: value for key, value in about.items() if key != "mask"}
    if len(shape) == 0:
        about |= {"shape": (1,), "strides": None}
    elif strides is not None and 0 not in shape and dtype.itemsize != strides[0] and shape[0] > 1:
        copy = np.ascontiguousarray(cupy(about))
        about |= {"data": (copy.ctypes.data, False), "strides": None}
        return pylibcudf(about).copy()
    return pylibcudf(about)


def rmm(about):
    """RMM ``rmm/pylibrmm/device_buffer.pyx:329`` copy_from_device: bytes, copied on RMM's own stream."""
    shape, strides = about["shape"], about.get("strides")
    dtype = np.dtype(about["typestr"])
    require(len(shape) <= 1, ValueError, "Only 1-D contiguous arrays are supported")
    if strides is not None:
        require(
            strides[0] == dtype.itemsize, ValueError, "Only 1-D contiguous arrays are supported"
        )
    nbytes = shape[0] * dtype.itemsize  # IndexError for 0-d
    return read(about["data"][0], (nbytes,), None, np.uint8).copy().view(dtype)


def contiguous_span(shape, strides, itemsize):
    """Return the first and last byte of an array relative to its pointer. ValueError if it has gaps."""
    if not strides:
        return 0, itemsize * product(shape)
    first, last = 0, itemsize
    for length, stride in zip(shape, strides, strict=True):
        if length == 0:
            first = last = 0
            break
        first += min(stride, 0) * (length - 1)
        last += max(stride, 0) * (length - 1)
    require(last - first == itemsize * product(shape), ValueError, "array data is non-contiguous")
    return first, last


def pyarrow(about):
    """Arrow ``pyarrow/_cuda.pyx:308`` buffer_from_object: the bytes in memory order, not index order."""
    pointer = about["data"][0]
    if pointer is None:
        return np.empty(0, np.uint8)
    dtype = np.dtype(about["typestr"])
    first, last = contiguous_span(about["shape"], about.get("strides"), dtype.itemsize)
    return read(pointer + first, (last - first,), None, np.uint8)


def mpi4py(about, *, receive=False):
    """mpi4py 4.1 ``src/mpi4py/MPI.src/ascaibuf.pxi`` Py_GetCAIBuffer: elements in memory order."""
    for value, kind in ((about, dict), (about["data"], tuple), (about["typestr"], str)):
        require(type(value) is kind, TypeError, f"Expected {kind.__name__}")
    require(type(about["shape"]) is tuple, TypeError, "Expected tuple")
    typestr, shape, strides = about["typestr"], about["shape"], about.get("strides")
    require(strides is None or type(strides) is tuple, TypeError, "Expected tuple")
    pointer, read_only = about["data"]
    size = product(shape)
    pointer = 0 if pointer is None and size == 0 else pointer
    require(isinstance(pointer, int), TypeError, "an integer is required")
    itemsize = int(typestr[2:])
    require(typestr[0] in "<|", BufferError, "typestr with non-native byte order")
    require(about.get("mask") is None, BufferError, "cannot handle masked arrays")
    require(size >= 0, BufferError, "buffer with negative size")
    if strides is not None:
        axes = range(len(shape))
        contiguous = dense(shape, strides, itemsize, axes) or dense(
            shape, strides, itemsize, reversed(axes)
        )
        require(contiguous, BufferError, "buffer is not contiguous")
    require(not (receive and read_only), BufferError, "Object is not writable.")
    is_known = typestr[1] in "biufc" and itemsize in (1, 2, 4, 8, 16)
    dtype = np.dtype(typestr) if is_known else np.dtype((np.void, itemsize))  # bytes
    return read(pointer, (size,), None, dtype, read_only=read_only)


def cuda_core(about, *, stream=1):
    """cuda.core ``cuda/core/_memoryview.pyx`` view_as_cai; ``stream`` is the consumer's, -1 disables synchronization."""
    require(type(about) is dict, TypeError, "Expected dict")
    require(
        about["version"] >= 3, BufferError, "only CUDA Array Interface v3 or above is supported"
    )
    require(about.get("mask") is None, BufferError, "mask is not supported")
    require(stream is not None, BufferError, "stream=None is ambiguous with view()")
    pointer, read_only = about["data"]
    dtype, shape, strides = np.dtype(about["typestr"]), about["shape"], about.get("strides")
    require(type(shape) is tuple, TypeError, "Expected tuple")
    if strides is not None:
        whole = all(s % dtype.itemsize == 0 for s in strides)
        require(whole, ValueError, "strides must be divisible by itemsize")
    if stream != -1 and about.get("stream") is not None:
        require(about["stream"] > 0, AssertionError, "")
    return read(pointer, shape, strides, dtype, read_only=read_only)


XGBOOST_TYPES = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"}


def xgboost(about):
    """XGBoost ``src/data/array_interface.h`` ArrayInterface<2>; ``data.py`` passes the dict as JSON."""
    if "mask" in about:  # even if None
        raise XGBoostError("Masked array is not yet supported.")
    about = json.loads(json.dumps(about))
    require("version" in about, XGBoostError, "Missing `version' field for array interface")
    require(about["version"] <= 3, XGBoostError, "Only version <= 3 is supported.")
    for key in ("typestr", "shape", "data"):
        require(key in about, XGBoostError, f"Missing `{key}' field for array interface")
    typestr, shape, strides = about["typestr"], about["shape"], about.get("strides")
    require(len(typestr) in (3, 4), XGBoostError, "`typestr' should be of another format")
    require(typestr[1:] in XGBOOST_TYPES, XGBoostError, f"{typestr} is not supported.")
    dtype = np.dtype(typestr)
    require(len(shape) <= 2, XGBoostError, "Only 2 dimensional array is valid.")
    require(
        strides is None or len(strides) == len(shape), XGBoostError, "stride and shape don't match."
    )
    pointer = about["data"][0]
    require(pointer or 0 in shape, XGBoostError, "Empty data with non-zero shape.")
    padding = [1] * (2 - len(shape))
    if strides is not None:
        strides = [*strides, *(dtype.itemsize for _ in padding)]
    return read(pointer, [*shape, *padding], strides, dtype)


MODELS = {
    "numba": numba,
    "numba-cuda argument": numba_cuda_argument,
    "numba-cuda-mlir argument": numba_cuda_mlir_argument,
    "cupy": cupy,
    "torch": torch,
    "jax": jax,
    "cudf": cudf,
    "pylibcudf": pylibcudf,
    "rmm": rmm,
    "pyarrow": pyarrow,
    "mpi4py": mpi4py,
    "cuda.core": cuda_core,
    "xgboost": xgboost,
}
# Libraries that read the bytes of the whole array in memory order.
IN_MEMORY_ORDER = {"pyarrow", "mpi4py"}
