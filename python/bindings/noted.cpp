// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/noted.hpp"

#include <span>

#include "core/dtype.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"

namespace skerry::python {

namespace {

/// First fields of NumPy's array and dtype objects, which are the same in all versions.
struct NumpyArray {
  PyObject head;
  char* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
};
struct NumpyDtype {
  PyObject head;
  PyTypeObject* scalar_type;
};
static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));

struct ArgumentTraversal {
  void (*visitor)(void* context, const guard::OperandAttributes& operand);
  void* context;
  std::span<const Object> lists;  ///< those that were not looked into yet

  void look_at(PyObject* value) const noexcept {
    if (is_array(value)) {
      const NdArray& x = header_of(value);
      visitor(context, {.dtype = name(x.dtype()),
                        .block = x.memory()->data(),
                        .data = x.data(),
                        .rank = x.rank(),
                        .shape = x.shape().data(),
                        .strides = x.strides().data()});
    } else if (is_base_numpy_array(value)) {
      const auto& x = *reinterpret_cast<const NumpyArray*>(value);
      const auto& type = *reinterpret_cast<const NumpyDtype*>(x.dtype);
      visitor(context, {.dtype = type.scalar_type->tp_name,
                        .block = x.data,
                        .data = x.data,
                        .rank = x.rank,
                        .shape = reinterpret_cast<const std::int64_t*>(x.shape),
                        .strides = reinterpret_cast<const std::int64_t*>(x.strides)});
    }
  }
  void look_into(PyObject* value) noexcept {
    if (value == nullptr) return;
    if (PyList_CheckExact(value)) {
      if (lists.empty()) return;  // there was no memory for copies
      value = lists.front().get();
      lists = lists.subspan(1);
    }
    if (PyTuple_CheckExact(value)) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) look_at(PyTuple_GET_ITEM(value, i));
    } else {
      look_at(value);
    }
  }
};

}  // namespace

void PythonNote::copy_lists() noexcept {
  const auto copy = [&](PyObject* value) {
    if (value != nullptr && PyList_CheckExact(value))
      lists.push_back(Object(PyList_AsTuple(value)));
  };
  const auto copy_all = [&] {
    for (PyObject* const one : objects) copy(one);
    for (Py_ssize_t i = 0; i < value_count; ++i) copy(values[i]);
    return true;
  };
  if (translate_exceptions(copy_all, false)) return;
  PyErr_Clear();
  lists.clear();
}

void PythonNote::visit_arguments(const CallNote& self,
                                 void (*visitor)(void* context,
                                                 const guard::OperandAttributes& operand),
                                 void* context) noexcept {
  const auto& note = static_cast<const PythonNote&>(self);
  ArgumentTraversal traversal{visitor, context, note.lists};
  for (PyObject* const one : note.objects) traversal.look_into(one);
  for (Py_ssize_t i = 0; i < note.value_count; ++i) traversal.look_into(note.values[i]);
}

}  // namespace skerry::python
