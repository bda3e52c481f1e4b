// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype.hpp"
#include "device/backend.hpp"
#include "device/host_action.hpp"
#include "device/stream.hpp"
#include "ops/fuse/recording.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/caller_line.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/gil.hpp"
#include "python/bindings/profiled_call.hpp"
#include "python/bindings/pybind.hpp"
#include "python/bindings/sequence_items.hpp"

// The records of `skerry.profile`. A call is recorded in all open profiles of the context. The
// device's time is that between two events of its stream, or the host's on a CPU device.

namespace skerry::python {

/// One call.
struct CallRecord {
  std::string name;
  std::vector<const char*> operations;  ///< of a fused evaluation
  CallerLine line;
  std::optional<Dtype> dtype;
  std::vector<std::int64_t> shape;
  Device device{};
  std::uintptr_t stream = 0;
  std::int64_t nbytes = 0;
  unsigned long thread = PyThread_get_thread_ident();
  std::int64_t begin = 0;  ///< of host_time(), as the other times
  std::int64_t end = 0;
  std::int64_t device_begin = 0;
  std::int64_t device_end = 0;
  std::optional<Event> first_event;
  std::optional<Event> last_event;
  bool has_range = false;  ///< of NVTX
  bool has_failed = false;
};

namespace {

struct Profile {
  Profile(bool records_calls, bool has_ranges, std::shared_ptr<Profile> enclosing) noexcept
      : is_recording(records_calls), has_nvtx(has_ranges), outer(std::move(enclosing)) {}

  const bool is_recording;
  const bool has_nvtx;
  const std::shared_ptr<Profile> outer;
  const std::int64_t begin = host_time();
  std::atomic<bool> is_open{true};
  std::mutex mutex;
  std::vector<std::shared_ptr<CallRecord>> records;
};

constexpr const char* capsule_name = "skerry.profile";
constinit ContextVariable current_profile;
/// Profile of all contexts that have none of their own, for SKERRY_NVTX; never freed.
constinit std::atomic<Profile*> process_profile{nullptr};
constinit std::atomic<PyObject*> push_range{nullptr};
constinit std::atomic<PyObject*> pop_range{nullptr};
constinit thread_local int call_depth = 0;
/// The evaluation of a recording that a thread executes.
struct FusedRange {
  std::shared_ptr<CallRecord> record;
  FusedRange* outer = nullptr;
};
constinit thread_local FusedRange* current_range = nullptr;

const std::shared_ptr<Profile>& profile_of(PyObject* capsule) {
  void* const pointer = PyCapsule_GetPointer(capsule, capsule_name);
  if (pointer == nullptr) throw PythonError{};
  return *static_cast<std::shared_ptr<Profile>*>(pointer);
}

Profile* innermost_open(Profile* profile) noexcept {
  while (profile != nullptr && !profile->is_open.load(std::memory_order_relaxed))
    profile = profile->outer.get();
  return profile;
}

/// Returns the innermost open profile of the context; null if there is none. `capsule` keeps it.
Profile* find_profile(Object& capsule) {
  capsule = current_profile.value();
  Profile* profile = nullptr;
  if (capsule.get() != nullptr && capsule.get() != Py_None)
    profile = innermost_open(profile_of(capsule.get()).get());
  return profile != nullptr ? profile : process_profile.load(std::memory_order_acquire);
}

bool has_ranges(const Profile& profile) noexcept {
  return profile.has_nvtx || process_profile.load(std::memory_order_relaxed) != nullptr;
}

/// Calls `visitor` with each array among the values, also inside lists and tuples.
template <class Visitor>
void visit_arrays(PyObject* value, const Visitor& visitor) {
  if (value == nullptr) return;
  if (is_array(value)) return visitor(value);
  if (!is_list_or_tuple(value)) return;
  for (PyObject* const item : SequenceItems(value)) {
    if (is_array(item)) visitor(item);
  }
}

/// Returns the device that an argument names: `device=`.
std::optional<Device> named_device(PyObject* value) {
  if (value == nullptr) return std::nullopt;
  if (py::isinstance<Device>(value)) return py::cast<Device>(py::handle(value));
  if (PyUnicode_CheckExact(value) == 0) return std::nullopt;
  try {
    return parse_device(utf8(value));
  } catch (const std::exception&) {
    return std::nullopt;  // another text, such as a dtype
  }
}

/// Returns the device of the arguments on which work runs later, else the first device of them,
/// else the default device.
Device device_of_call(PyObject* self, std::span<PyObject* const> values) {
  std::optional<Device> device;
  const auto consider = [&](Device candidate) {
    if (!device || (!capabilities_of(*device).runs_later && capabilities_of(candidate).runs_later))
      device = candidate;
  };
  const auto consider_array = [&](PyObject* array) { consider(header_device(array)); };
  visit_arrays(self, consider_array);
  for (PyObject* const value : values) visit_arrays(value, consider_array);
  for (PyObject* const value : values) {
    if (const auto named = named_device(value)) consider(*named);
  }
  if (!device) device = find_default_device();
  return device.value_or(Device{});
}

void note_array(CallRecord& record, PyObject* array) {
  const NdArray& x = header_of(array);
  record.dtype = x.dtype();
  record.shape.assign(x.shape().begin(), x.shape().end());
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (const std::int64_t extent : shape) text += std::to_string(extent) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

std::string range_text(const CallRecord& record) {
  std::string text = record.name;
  for (const char* const operation : record.operations) text += std::string(" ") + operation;
  if (record.dtype) text += std::string(" ") + name(*record.dtype) + shape_text(record.shape);
  return text + " " + to_string(record.device) + " " + std::to_string(record.nbytes) + " bytes";
}

/// Reports an error of the package nvtx; the call goes on.
void begin_range(CallRecord& record) {
  PyObject* const push = push_range.load(std::memory_order_acquire);
  if (push == nullptr) return;
  const std::string text = range_text(record);
  PyObject* const done = PyObject_CallFunction(push, "s", text.c_str());
  if (done == nullptr) return PyErr_WriteUnraisable(push);
  Py_DECREF(done);
  record.has_range = true;
}

void end_range(const CallRecord& record) {
  if (!record.has_range) return;
  PyObject* const pop = pop_range.load(std::memory_order_acquire);
  PyObject* const done = PyObject_CallNoArgs(pop);
  if (done == nullptr) PyErr_WriteUnraisable(pop);
  Py_XDECREF(done);
}

/// Records a timed event on the current stream of the record's device. Without one, as on a device
/// that can't be used, the device's time is unknown.
std::optional<Event> record_event(const CallRecord& record) {
  if (!capabilities_of(record.device).runs_later) return std::nullopt;
  try {
    Event event(record.device);
    event.record(current_stream(record.device));
    return event;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void begin_record(CallRecord& record, const Profile& profile) {
  record.line = CallerLine::find();
  if (has_ranges(profile)) begin_range(record);
  if (profile.is_recording) {
    record.stream = reinterpret_cast<std::uintptr_t>(current_stream_handle(record.device));
    record.first_event = record_event(record);
  }
  record.begin = host_time();
}

void end_record(const std::shared_ptr<CallRecord>& record) {
  record->end = host_time();
  if (record->first_event) record->last_event = record_event(*record);
  end_range(*record);
  if (!record->last_event) {
    record->device_begin = record->begin;
    record->device_end = record->end;
  }
  Object capsule;
  for (Profile* profile = find_profile(capsule); profile != nullptr;
       profile = innermost_open(profile->outer.get())) {
    if (!profile->is_recording) continue;
    const std::lock_guard lock(profile->mutex);
    profile->records.push_back(record);
  }
}

/// Runs a function; the call that it observes goes on after an exception, which is reported.
template <class Function>
void report_exceptions(const Function& function) noexcept {
  const auto run = [&] {
    function();
    return true;
  };
  if (!translate_exceptions(run, false)) PyErr_WriteUnraisable(nullptr);
}

/// Begins the record of a call, which `describe` describes; null if no profile is open.
template <class Describe>
std::shared_ptr<CallRecord> start_record(const char* name, const Describe& describe) noexcept {
  std::shared_ptr<CallRecord> started;
  report_exceptions([&] {
    Object capsule;
    const Profile* const profile = find_profile(capsule);
    if (profile == nullptr) return;
    auto record = std::make_shared<CallRecord>();
    record->name = name;
    describe(*record, *profile);
    begin_record(*record, *profile);
    started = std::move(record);
  });
  return started;
}

bool is_pending(PyObject* result) { return is_array(result) && pending_of(result) != nullptr; }

/// Notes the result and the bytes of a call: those of its arrays, or none if the result is a view
/// of an argument.
void note_result(CallRecord& record, PyObject* self, std::span<PyObject* const> values,
                 PyObject* result) {
  std::vector<Object> arguments;
  const auto is_argument = [&](PyObject* array) {
    return std::ranges::find(arguments, array, &Object::get) != arguments.end();
  };
  const auto add = [&](PyObject* array) {
    if (!is_argument(array)) arguments.push_back(Object::borrow(array));
  };
  visit_arrays(self, add);
  for (PyObject* const value : values) visit_arrays(value, add);
  for (const Object& array : arguments) record.nbytes += header_of(array.get()).nbytes();
  bool is_view = false;
  bool has_result = false;
  visit_arrays(result, [&](PyObject* array) {
    if (!std::exchange(has_result, true)) note_array(record, array);
    const auto shares = [&](const Object& argument) {
      // Another thread may be giving memory to a pending array.
      return pending_of(argument.get()) == nullptr &&
             header_of(argument.get()).memory() == header_of(array).memory();
    };
    const bool is_input = is_argument(array);
    is_view = is_view || (!is_input && std::ranges::any_of(arguments, shares));
    // `out=` is written only; an array that a method changes in place is read and written.
    if (!is_input || array == self) record.nbytes += header_of(array).nbytes();
  });
  if (!has_result && !arguments.empty()) note_array(record, arguments[0].get());
  if (is_view) record.nbytes = 0;
}

}  // namespace

ProfiledCall::ProfiledCall(const char* name, PyObject* self,
                           std::span<PyObject* const> values) noexcept
    : self_(self), values_(values) {
  if (call_depth++ > 0) return;
  record_ = start_record(name, [&](CallRecord& record, const Profile& profile) {
    record.device = device_of_call(self, values);
    if (has_ranges(profile)) note_result(record, self, values, Py_None);
  });
}

ProfiledCall::~ProfiledCall() { --call_depth; }

PyObject* ProfiledCall::end(PyObject* result) noexcept {
  if (record_ == nullptr) return result;
  const bool has_failed = result == nullptr && PyErr_Occurred() != nullptr;
  // A call that is recorded by skerry.fuse does no work yet; an iterator ends without an error.
  const bool has_work = result == nullptr ? has_failed : !is_pending(result);
  end(result != nullptr ? result : Py_None, has_work, has_failed);
  return result;
}

int ProfiledCall::end(int status) noexcept {
  if (record_ != nullptr) end(Py_None, true, status < 0);
  return status;
}

void ProfiledCall::end(PyObject* result, bool has_work, bool has_failed) noexcept {
  record_->has_failed = has_failed;
  const ErrorAside error_scope;
  report_exceptions([&] {
    if (!has_work) return end_range(*record_);
    record_->nbytes = 0;
    note_result(*record_, self_, values_, result);
    end_record(record_);
  });
}

void* begin_fused_range(const EvaluationReport& report) noexcept {
  const ErrorAside error_scope;
  auto* const range = new (std::nothrow) FusedRange;
  if (range == nullptr) return nullptr;
  range->outer = std::exchange(current_range, range);
  range->record = start_record("fuse", [&](CallRecord& record, const Profile&) {
    record.operations = report.operations;
    record.device = report.device;
    record.dtype = report.dtype;
    record.shape.assign(report.shape.begin(), report.shape.end());
  });
  return range;
}

void end_fused_range(void* opaque_range, bool has_failed) noexcept {
  const std::unique_ptr<FusedRange> range(static_cast<FusedRange*>(opaque_range));
  if (range == nullptr) return;
  current_range = range->outer;
  if (range->record == nullptr) return;
  const ErrorAside error_scope;
  report_exceptions([&] {
    range->record->has_failed = has_failed;
    end_record(range->record);
  });
}

void add_fused_bytes(std::int64_t nbytes) noexcept {
  if (current_range != nullptr && current_range->record != nullptr)
    current_range->record->nbytes += nbytes;
}

namespace {

/// Open profiles, including the one of the process.
struct OpenProfiles {
  std::mutex mutex;
  int count = 0;
};
OpenProfiles open_profiles;

void count_profile(int change) {
  const std::lock_guard lock(open_profiles.mutex);
  open_profiles.count += change;
  profile_call_sites(open_profiles.count != 0);
  profile_evaluations(open_profiles.count != 0);
}

py::object open_profile(bool has_nvtx, const py::object& outer) {
  auto enclosing = outer.is_none() ? nullptr : profile_of(outer.ptr());
  auto owned = std::make_unique<std::shared_ptr<Profile>>(
      std::make_shared<Profile>(true, has_nvtx, std::move(enclosing)));
  count_profile(1);
  return py::capsule(owned.release(), capsule_name,
                     [](void* pointer) { delete static_cast<std::shared_ptr<Profile>*>(pointer); });
}

void close_profile(const py::object& capsule) {
  if (profile_of(capsule.ptr())->is_open.exchange(false)) count_profile(-1);
}

void use_nvtx(const py::object& push, const py::object& pop) {
  // Never freed: another thread may be calling them.
  push_range.store(Py_NewRef(push.ptr()));
  pop_range.store(Py_NewRef(pop.ptr()));
}

void profile_process() {
  if (process_profile.load() != nullptr) return;
  process_profile.store(new Profile(false, true, nullptr));
  count_profile(1);
}

std::vector<std::shared_ptr<CallRecord>> records_of(Profile& profile) {
  const std::lock_guard lock(profile.mutex);
  return profile.records;
}

/// An event of a device whose time of the host is known.
struct Reference {
  Event event;
  std::int64_t time;
};

Reference make_reference(Device device) {
  Event event(device);
  event.record(current_stream(device));
  event.synchronize();
  return {event, host_time()};
}

/// Profiles that nest have the same records.
constinit std::mutex measuring_mutex;

/// Waits for the events of the records, and computes the device's times. To be called without the
/// GIL: a guard may acquire it to record the wait.
void measure(const std::vector<std::shared_ptr<CallRecord>>& records) {
  const std::lock_guard lock(measuring_mutex);
  std::map<Device, Reference> references;
  for (const auto& record : records) {
    if (!record->last_event) continue;
    record->last_event->synchronize();
    auto reference = references.find(record->device);
    if (reference == references.end())
      reference = references.emplace(record->device, make_reference(record->device)).first;
    const auto time_of = [&](const Event& event) {
      return reference->second.time -
             static_cast<std::int64_t>(event.elapsed(reference->second.event) * 1e9);
    };
    record->device_begin = time_of(*record->first_event);
    record->device_end = time_of(*record->last_event);
    record->first_event.reset();
    record->last_event.reset();
  }
}

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

py::tuple row_of(const CallRecord& record) {
  py::list operations;
  for (const char* const operation : record.operations) operations.append(operation);
  PyObject* const file = record.line.file();
  const py::object dtype = record.dtype ? py::object(py::str(name(*record.dtype))) : py::none();
  return py::make_tuple(record.name, py::tuple(operations), dtype,
                        py::tuple(py::cast(record.shape)), to_string(record.device), record.stream,
                        record.nbytes, seconds(record.begin), seconds(record.end - record.begin),
                        seconds(record.device_begin),
                        seconds(record.device_end - record.device_begin), record.thread,
                        py::reinterpret_borrow<py::object>(file != nullptr ? file : Py_None),
                        record.line.number(), record.has_failed);
}

py::list read_profile(const py::object& capsule) {
  const OperationScope scope("profile");
  const auto records = records_of(*profile_of(capsule.ptr()));
  {
    const WithoutGil waiting(true);
    measure(records);
  }
  py::list rows;
  for (const auto& record : records) rows.append(row_of(*record));
  return rows;
}

}  // namespace

void add_profiles(py::module_& module) {
  module.def(
      "use_profile_context",
      [](const py::object& variable) { current_profile.set(variable.ptr()); }, py::arg("variable"),
      py::pos_only(), "Use this contextvars.ContextVar for the records of the innermost profile.");
  module.def("open_profile", open_profile, py::arg("nvtx"), py::arg("outer"), py::pos_only(),
             "Open a profile, which records the calls of its context. `outer` is the enclosing "
             "profile, or None.");
  module.def("close_profile", close_profile, py::arg("profile"), py::pos_only(),
             "Close a profile: nothing is recorded for it any more, in any context.");
  module.def(
      "is_profile_open",
      [](const py::object& capsule) { return profile_of(capsule.ptr())->is_open.load(); },
      py::arg("profile"), py::pos_only(), "Whether the profile is open.");
  module.def("read_profile", read_profile, py::arg("profile"), py::pos_only(),
             "The rows of a profile, for skerry._profile.ProfileRecord. Waits for the work.");
  module.def("use_nvtx", use_nvtx, py::arg("push"), py::arg("pop"), py::pos_only(),
             "Call push(text) and pop() for the NVTX range of a call.");
  module.def("profile_process", profile_process, "Make NVTX ranges for all calls of the process.");
}

}  // namespace skerry::python
