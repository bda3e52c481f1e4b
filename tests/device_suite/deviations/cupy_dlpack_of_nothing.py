# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: the DLPack capsule of a zero-size array has a pointer; DLPack says it should be NULL."""

import ctypes

import skerry

skerry.rehearse(cuda=2, kernels=True)  # without two GPUs

import cupy  # noqa: E402

capsule = cupy.ones(3)[:0].__dlpack__()
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
# A DLTensor begins with the pointer.
pointer = ctypes.c_void_p.from_address(get_pointer(capsule, b"dltensor")).value
print("deviates:" if pointer else "", pointer)
