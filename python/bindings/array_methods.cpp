// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/stream.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/host_interface.hpp"
#include "python/bindings/lazy_object.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/scalar_objects.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// Sets the current stream of this thread in its scope.
class StreamScope {
 public:
  explicit StreamScope(const Stream& stream) : previous_stream_(current_stream(stream.device())) {
    set_current_stream(stream);
  }
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;
  ~StreamScope() {
    try {
      set_current_stream(previous_stream_);
    } catch (...) {  // the device and its streams are lost
      static_cast<void>(0);
    }
  }

 private:
  Stream previous_stream_;
};

NdArray moved(const NdArray& x, Device device) {
  const WithoutGil waiting(true);
  return to_device(x, device);
}

PyObject* run_to_device(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  const Device device = usable_device(arguments[0]);
  if (device == x.device()) return Py_NewRef(arguments.self);
  if (!arguments.has(1)) return wrap(moved(x, device));
  const Device owner = capabilities_of(device).runs_later ? device : x.device();
  if (!capabilities_of(owner).runs_later) {
    throw ValueError("stream must be None for a copy between CPU devices");
  }
  const StreamScope scope(parse_stream(arguments[1], owner));
  return wrap(moved(x, device));
}

PyObject* run_array_namespace(const Arguments& arguments) {
  if (arguments.has(0)) {
    static constexpr const char* known_versions[] = {"2021.12", "2022.12", "2023.12", "2024.12",
                                                     "2025.12"};
    const char* requested_version =
        PyUnicode_Check(arguments[0]) ? PyUnicode_AsUTF8(arguments[0]) : "";
    bool is_known_version = false;
    for (const char* version : known_versions)
      is_known_version = is_known_version || std::string(version) == requested_version;
    if (!is_known_version) {
      throw ValueError("unknown api_version " + shown(arguments[0]) +
                       "; supported are 2021.12 to 2025.12");
    }
  }
  return Object(PyImport_ImportModule("skerry")).release();
}

PyObject* run_dlpack(const Arguments& arguments) {
  return export_capsule(target_of(arguments.self), arguments[0], arguments[1], arguments[2],
                        optional_boolean(arguments, 3));
}

PyObject* run_dlpack_device(const Arguments& arguments) {
  return export_device(value_of(arguments.self));
}

PyObject* run_array(const Arguments& arguments) {
  return to_numpy(arguments.self, arguments.has(0) ? arguments[0] : Py_None,
                  arguments.has(1) ? arguments[1] : Py_None);
}

PyObject* run_arrow_array(const Arguments& arguments) {
  const Object function = package_function("skerry._arrow", "arrow_array");
  return PyObject_CallFunctionObjArgs(function.get(), arguments.self,
                                      arguments.has(0) ? arguments[0] : Py_None, nullptr);
}

PyObject* run_bytes(const Arguments& arguments) { return to_bytes(arguments.self); }

PyObject* run_complex(const Arguments& arguments) {
  const Object value = scalar_of(arguments.self);
  if (PyComplex_Check(value.get())) return Py_NewRef(value.get());
  const double real = PyFloat_AsDouble(value.get());
  if (real == -1.0 && PyErr_Occurred()) return nullptr;
  return PyComplex_FromDoubles(real, 0.0);
}

PyObject* run_format(const Arguments& arguments) {
  if (!PyUnicode_Check(arguments[0])) throw TypeError("format_spec must be a str");
  if (PyUnicode_GetLength(arguments[0]) == 0) return PyObject_Str(arguments.self);
  const Object value = scalar_of(arguments.self, "; format its elements, or use str(x)");
  return PyObject_Format(value.get(), arguments[0]);
}

Object real_of(const Arguments& arguments, const char* remedy) {
  Object value = scalar_of(arguments.self, remedy);
  if (!PyComplex_Check(value.get())) return value;
  throw DtypeError("not supported for a complex array: " + describe(value_of(arguments.self)) +
                   "; use skerry.real first");
}

PyObject* run_round(const Arguments& arguments) {
  const Object value = real_of(arguments, "; skerry.round rounds each element");
  if (!arguments.has(0)) return PyObject_CallMethod(value.get(), "__round__", nullptr);
  const Object digits(PyLong_FromLongLong(integer(arguments, 0)));
  return PyObject_CallMethod(value.get(), "__round__", "O", digits.get());
}
/// Implements `__floor__`, `__ceil__` and `__trunc__`, which math.floor etc. call.
PyObject* run_to_integer(const Arguments& arguments) {
  const char* method = arguments.signature->function();
  const std::string name(method + 2, std::strlen(method) - 4);
  const std::string remedy = "; skerry." + name + " is elementwise";
  const Object value = real_of(arguments, remedy.c_str());
  return PyObject_CallMethod(value.get(), method, nullptr);
}

PyObject* run_copy(const Arguments& arguments) {
  const NdArray& x = value_of(arguments.self);
  return wrap_result(x.size() > min_size_without_gil, [&] { return copy(x); });
}

/// Converts the elements from `first` on along the axes from `axis` on to nested lists; a scalar if
/// there are no more axes.
template <class T>
Object nested_lists(const NdArray& host, int axis, const char* first) {
  if (axis == host.rank()) return Object(to_python<T>(first));
  const std::int64_t count = host.shape()[axis];
  const std::int64_t stride = host.strides()[axis];
  const bool is_last = axis + 1 == host.rank();
  Object list(PyList_New(count));
  for (std::int64_t i = 0; i < count; ++i, first += stride) {
    Object item = is_last ? Object(to_python<T>(first)) : nested_lists<T>(host, axis + 1, first);
    PyList_SET_ITEM(list.get(), i, item.release());
  }
  return list;
}

/// Checks the memory for lists at every depth and the element objects; bools are singletons.
void require_lists(const NdArray& x) {
  double count = 0;
  double length = 1;
  for (const std::int64_t n : x.shape()) count += length *= static_cast<double>(n);
  require_memory_for_objects(count, x.dtype() == Dtype::bool_ ? 8 : 32);
}

PyObject* run_tolist(const Arguments& arguments) {
  require_lists(value_of(arguments.self));
  const NdArray host = moved(value_of(arguments.self), Device{});
  return visit(host.dtype(), [&]<class T>(type_identity<T>) {
    return nested_lists<T>(host, 0, host.data()).release();
  });
}

PyObject* run_reduce(const Arguments& arguments) {
  const Object function = package_function("skerry._pickle", "reduce_array");
  return PyObject_CallFunctionObjArgs(function.get(), arguments.self, arguments[0], nullptr);
}

/// Implements `__dir__`, without the absent attributes.
PyObject* run_dir(const Arguments& arguments) {
  const Object base(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__dir__",
                                        "O", arguments.self));
  Object names(PyList_New(0));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(base.get()); ++i) {
    PyObject* const name = PyList_GET_ITEM(base.get(), i);
    if (is_absent_attribute(utf8(name))) continue;
    if (PyList_Append(names.get(), name) != 0) throw PythonError{};
  }
  return names.release();
}

PyObject* run_html(const Arguments& arguments) {
  const Object function = package_function("skerry._repr", "array_html");
  return PyObject_CallOneArg(function.get(), arguments.self);
}

PyObject* run_sizeof(const Arguments& arguments) {
  return PyLong_FromLongLong(static_cast<long long>(sizeof(ArrayObject)) +
                             value_of(arguments.self).nbytes());
}

constexpr FunctionEntry methods[] = {
    {"__array__", "($self, dtype=None, copy=None)",
     "The elements as a numpy.ndarray: a view of an array on a CPU device, unless another dtype or "
     "copy=True requires a copy.\n\nRaises\n------\nTypeError\n    For an array on a CUDA device; "
     "use x.to_device(\"cpu\") first.\nValueError\n    If copy=False and a copy is required.",
     run_array},
    {"__array_namespace__", "($self, /, *, api_version=None)",
     "The module skerry, which has all functions of the standard.\n\nRaises\n------\nValueError\n"
     "    For an unsupported version.",
     run_array_namespace},
    {"__arrow_array__", "($self, type=None)",
     "A pyarrow.Array of a 1-D array on a CPU device, for pyarrow.array(self).\n\nRaises\n"
     "------\nTypeError\n    For an array on a CUDA device; use x.to_device(\"cpu\") first.",
     run_arrow_array},
    {"__bytes__", "($self, /)",
     "The bytes of the elements in C order. TypeError for an array on a CUDA device.", run_bytes},
    {"__ceil__", "($self, /)", "math.ceil(self), an int, for a real 0-d array.", run_to_integer},
    {"__complex__", "($self, /)", "complex(self), for a 0-d array.", run_complex},
    {"__copy__", "($self, /)", "A copy on the same device.", run_copy},
    {"__deepcopy__", "($self, memo, /)", "A copy on the same device.", run_copy},
    {"__dir__", "($self, /)", "The names of the attributes.", run_dir},
    {"__dlpack__", "($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)",
     "A DLPack capsule of the array, for from_dlpack of another library.\n\n"
     "Pending work is ordered before the consumer's stream; the host does not wait. "
     "dl_device=(1, 0) copies to the host. PyTorch, which ignores the read-only flag, gets a copy "
     "of a "
     "read-only array.\n\nRaises\n------\nInterchangeError\n    (BufferError "
     "and ValueError) if the array can't be exported as requested.",
     run_dlpack},
    {"__dlpack_device__", "($self, /)", "The DLPack device type and the CUDA runtime's ordinal.",
     run_dlpack_device},
    {"__floor__", "($self, /)", "math.floor(self), an int, for a real 0-d array.", run_to_integer},
    {"__format__", "($self, format_spec, /)",
     "format(self, format_spec): formats a 0-d array as its Python scalar; an empty format_spec is "
     "str(self), for any array.",
     run_format},
    {"__reduce_ex__", "($self, protocol, /)",
     "Support for pickle; protocol 5 passes the elements out of band.", run_reduce},
    {"__round__", "($self, ndigits=None, /)",
     "round(self), an int, or round(self, ndigits), for a real 0-d array: as for the Python "
     "scalar. skerry.round is\nelementwise.",
     run_round},
    {"__sizeof__", "($self, /)", "Bytes of the object and of its elements.", run_sizeof},
    {"__trunc__", "($self, /)", "math.trunc(self), an int, for a real 0-d array.", run_to_integer},
    {"_repr_html_", "($self, /)",
     "HTML for notebooks: a summary, and a table of the elements at the edges.", run_html},
    {"to_device", "($self, device, /, *, stream=None)",
     "Copy the array to a device; returns the array itself if it is already there.\n\n"
     "Parameters\n----------\ndevice : Device or str\n    The destination.\nstream : Stream, int "
     "or object with "
     "__cuda_stream__, optional\n    Where the copy is enqueued; the current stream by default.\n\n"
     "Returns\n-------\nArray\n    Later work on it is ordered after the copy. The host waits only "
     "for a copy to a CPU.\n\nRaises\n------\nDeviceUnavailableError\n    If the device can't be "
     "used.\n"
     "OutOfMemoryError\n    If the device has too little free memory.\nValueError\n    For stream= "
     "in a copy between CPU devices.\n\n"
     "Source: array API 2025.12, array object.",
     run_to_device},
    {"tolist", "($self, /)", "The elements as nested lists of Python scalars.", run_tolist},
};

}  // namespace

PyMethodDef* array_methods() { return definitions<methods>(); }

PyObject* represent(PyObject* self) {
  return translate_exceptions([&] {
    static constinit LazyObject function;  // importing costs a third of formatting one number
    return PyObject_CallOneArg(
        function.get([] { return package_function("skerry._repr", "array_repr").release(); }),
        self);
  });
}

}  // namespace skerry::python
