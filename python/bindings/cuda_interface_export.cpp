// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <exception>
#include <string>

#include "device/backend.hpp"
#include "device/environment.hpp"
#include "device/graph.hpp"
#include "device/interchange.hpp"
#include "device/memory.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/cuda_interface.hpp"
#include "python/bindings/exported_memory.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"

namespace skerry::python {
namespace {

constinit ContextVariable context_version;
int version_of_environment = newest_interface_version;

/// Each access copies a dict that has all keys and then sets the values, which takes half the time
/// of filling a new one (0.35 us instead of 0.7 us).
enum Key : std::uint8_t { shape, typestr, descr, data, strides, version, stream };
constexpr const char* key_names[] = {"shape",   "typestr", "descr", "data",
                                     "strides", "version", "stream"};
struct Prepared {
  PyObject* keys[std::size(key_names)];
  PyObject* with_stream;     ///< dict with the keys of version 3
  PyObject* without_stream;  ///< dict with the keys of versions 0, 1 and 2
  std::array<PyObject*, dtype_count> typestrs;
  std::array<PyObject*, dtype_count> fields;  ///< the one entry of descr
};
Prepared prepared_objects{};

PyObject* interned(const char* text) { return Object(PyUnicode_InternFromString(text)).release(); }

void prepare() {
  Object entries(PyDict_New());
  for (std::size_t i = 0; i < std::size(key_names); ++i) {
    if (i == Key::stream)
      prepared_objects.without_stream = Object(PyDict_Copy(entries.get())).release();
    prepared_objects.keys[i] = interned(key_names[i]);
    if (PyDict_SetItem(entries.get(), prepared_objects.keys[i], Py_None) != 0) throw PythonError{};
  }
  prepared_objects.with_stream = entries.release();
  for (std::size_t i = 0; i < dtype_count; ++i) {
    prepared_objects.typestrs[i] = interned(info(static_cast<Dtype>(i)).typestr);
    prepared_objects.fields[i] =
        Object(Py_BuildValue("(sO)", "", prepared_objects.typestrs[i])).release();
  }
}

/// Returns the interface version that this thread or task exports.
int exported_version() {
  const Object value = context_version.value();
  return value.get() == nullptr ? version_of_environment
                                : static_cast<int>(PyLong_AsLong(value.get()));
}

void put(const Object& dictionary, Key name, const Object& value) {
  if (PyDict_SetItem(dictionary.get(), prepared_objects.keys[name], value.get()) != 0)
    throw PythonError{};
}

/// Returns the exported stream: for device memory always 1, the legacy default stream, before which
/// pending work has been ordered. This also works for consumers that ignore the entry and use that
/// stream. None would tell a consumer on a non-blocking stream that it need not wait, which is true
/// only once all work is complete, and that query costs more than the rest of an export. Returns
/// None for host memory, which is written before a call returns, and while this thread captures a
/// graph: kernels are launched on the captured stream, and a consumer that waits for a stream would
/// end the capture.
Object stream_of(const NdArray& array) {
  if (!capabilities_of(array.device()).runs_later) return Object::borrow(Py_None);
  void* const stream = make_ready_on_legacy(*array.memory());
  return Graph::captured() != nullptr ? Object::borrow(Py_None)
                                      : Object(PyLong_FromVoidPtr(stream));
}

Object describe_memory(const NdArray& array) {
  Object stream = stream_of(array);
  const int version = exported_version();
  const bool empty = array.size() == 0;
  const auto type = static_cast<std::size_t>(array.dtype());
  Object about(
      PyDict_Copy(version >= 3 ? prepared_objects.with_stream : prepared_objects.without_stream));
  put(about, Key::shape, tuple_of(array.shape()));
  put(about, Key::typestr, Object::borrow(prepared_objects.typestrs[type]));
  Object fields(PyList_New(1));
  PyList_SET_ITEM(fields.get(), 0, Py_NewRef(prepared_objects.fields[type]));
  put(about, Key::descr, fields);
  Object data(PyTuple_New(2));
  PyTuple_SET_ITEM(
      data.get(), 0,
      Object(PyLong_FromVoidPtr(empty ? nullptr : static_cast<void*>(array.data()))).release());
  PyTuple_SET_ITEM(data.get(), 1, PyBool_FromLong(array.read_only()));
  put(about, Key::data, data);
  // C-contiguous under NumPy's relaxed strides; false for a broadcast axis of several elements.
  if (!array.is_c_contiguous()) put(about, Key::strides, tuple_of(array.strides()));
  put(about, Key::version, Object(PyLong_FromLong(version)));
  if (version >= 3) put(about, Key::stream, stream);
  note_export(array);
  array.memory()->begin_export();  // never ended: the protocol does not report the end of use
  return about;
}

PyObject* get_interface(PyObject*, PyObject* self) {
  return translate_exceptions("__cuda_array_interface__", [&]() -> PyObject* {
    static_cast<void>(require_array("self", self));
    const NdArray& array = target_of(self);
    if (!capabilities_of(array.device()).has_cuda_interface && !is_pinned(*array.memory())) {
      PyErr_Format(PyExc_AttributeError,
                   "__cuda_array_interface__: the array is on %s, whose memory GPUs can't access; "
                   "copy it with x.to_device(\"cuda:0\"), or create it with pinned=True",
                   to_string(array.device()).c_str());
      return nullptr;
    }
    if (array.dtype() == Dtype::bfloat16) {
      PyErr_SetString(
          PyExc_AttributeError,
          "__cuda_array_interface__: it has no type string for bfloat16; use DLPack, or "
          "convert with x.astype(\"float32\")");
      return nullptr;
    }
    try {
      return describe_memory(array).release();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& lost) {
      // The device is unusable. Consumers call hasattr, which handles AttributeError only.
      PyErr_SetString(PyExc_AttributeError, lost.what());
      return nullptr;
    }
  });
}

PyMethodDef interface_definition = {"__cuda_array_interface__", get_interface, METH_O, nullptr};

void read_environment() noexcept {
  const char* text = environment_text("SKERRY_CAI_VERSION");
  if (text == nullptr || text[1] != '\0') return;
  if (text[0] >= '0' && text[0] <= '0' + newest_interface_version) {
    version_of_environment = text[0] - '0';
  }
}

PyObject* run_use_version_context(const Arguments& arguments) {
  context_version.set(arguments[0]);
  Py_RETURN_NONE;
}

PyObject* run_version(const Arguments&) { return PyLong_FromLong(exported_version()); }

constexpr FunctionEntry cuda_export_functions[] = {
    {"use_version_context", "(variable, /)",
     "Take the version of exported CUDA array interfaces from this contextvars.ContextVar.",
     run_use_version_context},
    {"exported_version", "()", "The version of the CUDA array interface that is exported.",
     run_version},
};

}  // namespace

void add_cuda_interface(PyObject* module) {
  read_environment();
  add_functions<cuda_export_functions>(module, nullptr, private_module);
  add_cuda_import(module);
}

void add_interchange(PyTypeObject* type) {
  prepare();
  const Object getter(PyCFunction_New(&interface_definition, nullptr));
  const Object property(PyObject_CallFunction(
      reinterpret_cast<PyObject*>(&PyProperty_Type), "OOOs", getter.get(), Py_None, Py_None,
      "The CUDA array interface, with which Numba, CuPy, PyTorch and others import the array "
      "without a copy: a new dict.\n\nVersion 3 unless cuda_array_interface_version or "
      "SKERRY_CAI_VERSION selects another. Pending work is ordered before the legacy default "
      "stream of the array's device; the host does not "
      "wait.\n\nRaises\n------\nAttributeError\n    For memory that GPUs can't access."));
  set_attribute(reinterpret_cast<PyObject*>(type), "__cuda_array_interface__", property);
}

}  // namespace skerry::python
