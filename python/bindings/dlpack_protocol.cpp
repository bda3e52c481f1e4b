// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/interchange.hpp"
#include "device/stream.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/dlpack_tensor.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/lazy_object.hpp"

// The consumer side of `__dlpack__`: which keywords to pass, and fallbacks for producers that do
// not accept them.

namespace skerry::python {
namespace {

using namespace dlpack;

/// Names and constants of the calls, created at import.
struct Vocabulary {
  PyObject* method = nullptr;
  PyObject* device_method = nullptr;
  PyObject* names[4]{};
  PyObject* max_version = nullptr;
  PyObject* host = nullptr;
  PyObject* ndarray = nullptr;
  PyObject* ndarray_method = nullptr;  ///< unbound: takes the array as first argument
  PyObject* ndarray_names = nullptr;
  LazyObject name_tuples[16];  ///< keyword name tuples, indexed by a bit mask of the keywords
};
constinit Vocabulary words;

/// One call of `__dlpack__`; a null value omits the keyword.
struct Request {
  std::array<PyObject*, 4> values{};  ///< stream, max_version, copy, dl_device

  [[nodiscard]] PyObject* send(PyObject* producer) const {
    PyObject* stack[1 + 4] = {producer};
    std::size_t bits = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == nullptr) continue;
      bits |= std::size_t{1} << i;
      stack[1 + count++] = values[i];
    }
    if (count == 0) return PyObject_CallMethodNoArgs(producer, words.method);
    PyObject* const names = words.name_tuples[bits].get([&] { return names_of(bits, count); });
    return PyObject_VectorcallMethod(words.method, stack, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                     names);
  }

  static PyObject* names_of(std::size_t bits, std::size_t count) {
    Object tuple(PyTuple_New(static_cast<Py_ssize_t>(count)));
    Py_ssize_t position = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if ((bits >> i & 1) == 0) continue;
      PyTuple_SET_ITEM(tuple.get(), position++, Py_NewRef(words.names[i]));
    }
    return tuple.release();
  }
};

/// Retries with fewer keywords after a TypeError, as the standard prescribes for older producers.
/// The error of an attempt becomes the context of the next one's, so that a TypeError unrelated to
/// the keywords remains visible.
class Attempts {
 public:
  explicit Attempts(PyObject* producer) : producer_(producer) {}
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;
  ~Attempts() { Py_XDECREF(earlier_); }

  /// Returns null after a TypeError that allows a retry. Throws PythonError for other errors.
  [[nodiscard]] PyObject* operator()(const Request& request, bool is_last) {
    PyObject* capsule = request.send(producer_);
    if (capsule != nullptr) return capsule;
    if (earlier_ == nullptr && (is_last || PyErr_ExceptionMatches(PyExc_TypeError) == 0)) {
      throw PythonError{};
    }
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace != nullptr) PyException_SetTraceback(value, trace);
    if (earlier_ != nullptr) PyException_SetContext(value, std::exchange(earlier_, nullptr));
    if (is_last || PyErr_GivenExceptionMatches(type, PyExc_TypeError) == 0) {
      PyErr_Restore(type, value, trace);
      throw PythonError{};
    }
    earlier_ = value;
    Py_DECREF(type);
    Py_XDECREF(trace);
    return nullptr;
  }

 private:
  PyObject* producer_;
  PyObject* earlier_ = nullptr;
};

/// The capsule, and whether the producer accepted the keyword `copy`.
struct Response {
  Object capsule;
  bool knows_copy = true;
};

Response ask_on_host(PyObject* producer, Request& request) {
  Attempts attempt(producer);
  request.values[1] = words.max_version;
  if (PyObject* capsule = attempt(request, false)) return {Object(capsule)};
  // dl_device requests a copy to the host: without it the result would be unusable.
  if (request.values[3] != nullptr) return {Object(attempt(request, true))};
  return {Object(attempt({}, true)), false};
}

/// Makes the producer's device current during the call, as PyTorch requires, and passes the stream
/// on which the data will be used, so that the producer orders its work before ours.
Response ask_on_cuda(PyObject* producer, Request& request, Device device) {
  Attempts attempt(producer);
  const Stream consumer_stream = current_stream(device);
  const CurrentDevice scope(device);
  const Object handle(
      PyLong_FromSize_t(reinterpret_cast<std::uintptr_t>(consumer_stream.handle())));
  request.values[0] = handle.get();
  request.values[1] = words.max_version;
  if (PyObject* capsule = attempt(request, false)) return {Object(capsule)};
  Request stream_only;
  stream_only.values[0] = handle.get();
  if (PyObject* capsule = attempt(stream_only, false)) return {Object(capsule), false};
  Response response{Object(attempt({}, true)), false};
  // Without a stream argument, the producer synchronizes with the legacy default stream.
  const Stream usual(device);
  if (!(consumer_stream == usual)) consumer_stream.wait(usual);
  return response;
}

/// Replaces an AttributeError by one that names the missing protocol method. Keeps an
/// AttributeError that the producer's own methods raised.
void name_missing_method(PyObject* producer) {
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  for (PyObject* const method : {words.method, words.device_method}) {
    if (PyObject_HasAttr(producer, method) != 0) continue;
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    const Object kind = package_function("skerry.exceptions", "MissingProtocolError");
    PyErr_Format(kind.get(), "%s: x must be an object with the DLPack protocol: %s has no %U",
                 current_operation(), Py_TYPE(producer)->tp_name, method);
    return;
  }
  PyErr_Restore(type, value, trace);
}

Response ask_any(PyObject* producer, std::optional<bool> copied, bool to_host) {
  Request request;
  if (copied) request.values[2] = *copied ? Py_True : Py_False;
  // NumPy's arrays are in host memory; query the device of others.
  if (is_numpy_array(producer)) return ask_on_host(producer, request);
  const DeviceId id = id_of_object(producer);
  switch (id.code) {
    case DeviceCode::cpu:
    case DeviceCode::cuda_host:
      return ask_on_host(producer, request);
    case DeviceCode::cuda:
    case DeviceCode::cuda_managed:
      if (const auto device = device_of_physical(id.index)) {
        return ask_on_cuda(producer, request, *device);
      }
      break;
  }
  // Unsupported kind of device: its library may copy to the host, if the caller allows it.
  if (!to_host) {
    throw InterchangeError("the array is on DLPack device (" +
                           std::to_string(static_cast<int>(id.code)) + ", " +
                           std::to_string(id.index) + "), which is not a device of this process; " +
                           "copy it to the host first, or pass device=\"cpu\"");
  }
  request.values[3] = words.host;
  return ask_on_host(producer, request);
}

Response ask(PyObject* producer, std::optional<bool> copied, bool to_host) {
  try {
    return ask_any(producer, copied, to_host);
  } catch (const PythonError&) {
    name_missing_method(producer);
    throw;
  }
}

bool capsule_is_copy(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, ManagedTensorVersioned::name) == 0) return false;
  const auto* managed = static_cast<const ManagedTensorVersioned*>(
      PyCapsule_GetPointer(capsule, ManagedTensorVersioned::name));
  return managed->written_by.major == own_version.major && (managed->flags & flag_is_copied) != 0;
}

}  // namespace

void prepare_protocol() {
  const auto require_object = [](PyObject* object) { return Object(object).release(); };
  const auto interned = [&](const char* text) {
    return require_object(PyUnicode_InternFromString(text));
  };
  words.method = interned("__dlpack__");
  words.device_method = interned("__dlpack_device__");
  constexpr const char* keywords[] = {"stream", "max_version", "copy", "dl_device"};
  for (std::size_t i = 0; i < std::size(keywords); ++i) words.names[i] = interned(keywords[i]);
  words.max_version = require_object(Py_BuildValue("(ii)", own_version.major, own_version.minor));
  words.host = require_object(Py_BuildValue("(ii)", static_cast<int>(DeviceCode::cpu), 0));
  words.ndarray = require_object(PyObject_GetAttrString(numpy(), "ndarray"));
  words.ndarray_method = require_object(PyObject_GetAttr(words.ndarray, words.method));
  words.ndarray_names = require_object(Py_BuildValue("(O)", words.names[1]));
}

NdArray from_capsule(PyObject* object, std::optional<bool> copied, bool to_host) {
  if (PyCapsule_CheckExact(object)) {
    NdArray array = take_capsule(object);
    return copied == true ? copy(array) : array;
  }
  if (is_numpy_array(object)) {
    // Fast path for most calls: no fallbacks for older versions or other devices.
    if (!copied && reinterpret_cast<PyObject*>(Py_TYPE(object)) == words.ndarray) {
      PyObject* stack[] = {object, words.max_version};
      const Object capsule(
          PyObject_Vectorcall(words.ndarray_method, stack, 1, words.ndarray_names));
      return take_capsule(capsule.get());
    }
  } else {
    if (const ExchangeTable* table = exchange_table_of(Py_TYPE(object))) {
      if (auto array = from_exchange_table(object, *table)) {
        return copied == true ? copy(*array) : std::move(*array);
      }
    }
  }
  const Response got = ask(object, copied, to_host);
  if (!copied || (*copied && got.knows_copy)) return take_capsule(got.capsule.get());
  if (*copied) return copy(take_capsule(got.capsule.get()));
  if (capsule_is_copy(got.capsule.get())) {
    throw InterchangeError(std::string("copy=False, but ") + Py_TYPE(object)->tp_name +
                           " has made a copy");
  }
  return take_capsule(got.capsule.get());
}

}  // namespace skerry::python
