// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/errors.hpp"
#include "python/bindings/array_type.hpp"

namespace skerry::python {
namespace {

/// By dtype, as the struct module and NumPy spell them.
constexpr const char* formats[dtype_count] = {"?", "b", "h", "i", "l",  "B", "H",
                                              "I", "L", "f", "d", "Zf", "Zd"};

// Consumers refuse a null pointer even where there is nothing to point to.
alignas(16) char nothing[16];

const char* refusal(const ndarray& array, int flags) {
  if (array.device().kind != device_kind::cpu) {
    return "the array is not in host memory; use x.to_device(\"cpu\")";
  }
  if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && array.read_only()) {
    return "the array is read-only";
  }
  const bool wants_c = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
                       (flags & PyBUF_STRIDES) != PyBUF_STRIDES;
  if (wants_c && !array.is_c_contiguous()) return "the array is not C-contiguous";
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS &&
      !is_f_contiguous(array.layout(), array.itemsize())) {
    return "the array is not F-contiguous";
  }
  if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !array.is_c_contiguous() &&
      !is_f_contiguous(array.layout(), array.itemsize())) {
    return "the array is not contiguous";
  }
  return nullptr;
}

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
  const ndarray& array = value_of(self);
  if (const char* reason = refusal(array, flags)) {
    buffer->obj = nullptr;
    PyErr_Format(PyExc_BufferError, "buffer: %s", reason);
    return -1;
  }
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  const bool with_shape = (flags & PyBUF_ND) == PyBUF_ND;
  const bool with_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  buffer->obj = Py_NewRef(self);
  buffer->buf = array.size() == 0 ? nothing : array.data();
  buffer->len = array.nbytes();
  buffer->itemsize = array.itemsize();
  buffer->readonly = array.read_only() ? 1 : 0;
  buffer->ndim = array.rank();
  buffer->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT
                       ? const_cast<char*>(formats[static_cast<int>(array.dtype())])
                       : nullptr;
  buffer->shape = with_shape ? const_cast<Py_ssize_t*>(array.shape().data()) : nullptr;
  buffer->strides = with_strides ? const_cast<Py_ssize_t*>(array.strides().data()) : nullptr;
  buffer->suboffsets = nullptr;
  buffer->internal = nullptr;
  return 0;
}

}  // namespace

PyType_Slot buffer_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {},
};

}  // namespace skerry::python
