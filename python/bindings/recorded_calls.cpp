// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/recorded_calls.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/promotion.hpp"
#include "device/registry.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/fuse/recording.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/recording_lock.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// Results of fewer bytes are computed eagerly: they fit the L1 cache, and recording would take
/// longer. Break-even is 24 to 40 KiB for chains of 2 to 16 sums and products of float32 and
/// float64 (one thread of an EPYC, AVX2).
constinit std::atomic<std::int64_t> min_recorded_bytes = 32768;

std::int64_t min_recorded_nbytes() noexcept {
  return min_recorded_bytes.load(std::memory_order_relaxed);
}

/// Returns the recording of this thread, or null if it has none or is evaluating. The lock of the
/// recording must be held.
Recording* open_recording() noexcept {
  Recording* const recording = Recording::current();
  return recording == nullptr || recording->is_evaluating() ? nullptr : recording;
}

/// True if the broadcast result of these operands is small.
bool is_small(std::span<const Operand> operands) noexcept {
  int rank = 0;
  std::int64_t width = 1;
  for (const Operand& x : operands) {
    if (x.array == nullptr) continue;
    if (x.array->nbytes() >= min_recorded_nbytes()) return false;
    rank = std::max(rank, x.array->rank());
    width = std::max(width, x.array->itemsize());
  }
  if (!shapes_differ(operands)) return true;
  std::int64_t nbytes = width;
  for (int axis = 1; axis <= rank && nbytes < min_recorded_nbytes(); ++axis) {  // from the last one
    std::int64_t extent = 1;
    for (const Operand& x : operands) {
      if (x.array == nullptr || x.array->rank() < axis) continue;
      extent = std::max(extent, x.array->shape()[x.array->rank() - axis]);
    }
    nbytes *= extent;
  }
  return nbytes < min_recorded_nbytes();
}

/// Operands of a call that is to be recorded.
class RecordedArgs {
 public:
  static constexpr int max_operands = 3;

  /// False if the call can't be recorded; the eager call then reports any error. The first
  /// `required` arguments must not be None. If `arguments` is not null, its first must be an array,
  /// and convertible arguments are converted in call order. Throws PythonError, and like
  /// convert_argument.
  bool read(const Recording& recording, const char* operation, PyObject* const* args, int count,
            int required, const char* const* names, const Arguments* arguments = nullptr) {
    const Operand* aliased = nullptr;
    for (int i = 0; i < count; ++i) {
      Operand& x = operands[i];
      x.name = names[i];
      if (args[i] == nullptr || args[i] == Py_None) {
        if (i < required) return false;
        continue;
      }
      if (is_array(args[i])) {
        x.pending = pending_in(recording, args[i]);
        x.array = x.pending != nullptr ? &header_of(args[i]) : &value_of(args[i]);
        has_pending_ = has_pending_ || x.pending != nullptr;
      } else {
        const Parsed result = parse_scalar(args[i], values_[i]);
        if (result == Parsed::error) PyErr_Clear();
        if (result == Parsed::yes) {
          x.value = &values_[i];
        } else {
          PyObject* const array = arguments != nullptr && result == Parsed::no
                                      ? convert_argument(*arguments, args[i])
                                      : nullptr;
          if (array == nullptr) return false;
          x.array = &value_of(array);
        }
      }
      if (arguments != nullptr && operands[0].array == nullptr) return false;
      if (x.array == nullptr) continue;
      if (!Recording::records(x.array->device())) return false;
      has_array_ = true;
      if (aliased == nullptr && x.pending == nullptr && !Recording::may_read_later(*x.array))
        aliased = &x;
    }
    const std::span<const Operand> all(operands, static_cast<std::size_t>(count));
    if (!has_pending_ && (!has_array_ || is_small(all))) return false;
    if (aliased != nullptr) Recording::report_alias(operation, aliased->name, *aliased->array);
    return aliased == nullptr;
  }

  /// False if another thread has evaluated the recording, or does so, since the operands were
  /// read: reading may wait for the value of another recording.
  [[nodiscard]] bool are_recorded(const Recording& recording) const noexcept {
    return !recording.is_evaluating() && std::ranges::all_of(operands, [&](const Operand& x) {
      return x.pending == nullptr || x.pending->recording() == &recording;
    });
  }

  Operand operands[max_operands];

 private:
  Scalar values_[max_operands];
  bool has_array_ = false;
  bool has_pending_ = false;
};

constexpr const char* unary_names[] = {"x"};
constexpr const char* binary_names[] = {"x1", "x2"};
constexpr const char* where_names[] = {"condition", "x1", "x2"};
constexpr const char* clip_names[] = {"x", "min", "max"};

/// Returns the result of `function` on the operands, or null if the call can't be recorded.
template <class Make>
PyObject* record_by(const char* operation, PyObject* const* args, int count, int required,
                    const char* const* names, Make function, const Arguments* arguments = nullptr) {
  if (Recording::current() == nullptr) return nullptr;
  const RecordingLock lock(*Recording::current());
  Recording* const recording = open_recording();
  if (recording == nullptr) return nullptr;
  RecordedArgs read;
  if (!read.read(*recording, operation, args, count, required, names, arguments)) return nullptr;
  if (!read.are_recorded(*recording)) return nullptr;
  return function(*recording, read.operands);
}

}  // namespace

PendingValue* pending_in(const Recording& recording, PyObject* array) noexcept {
  PendingValue* const pending = pending_of(array);
  return pending != nullptr && pending->recording() == &recording ? pending : nullptr;
}

Recording* recording_for(PyObject* array) noexcept {
  Recording* const recording = open_recording();
  if (recording == nullptr) return nullptr;
  if (pending_of(array) != nullptr) {
    return pending_in(*recording, array) != nullptr ? recording : nullptr;
  }
  return header_of(array).nbytes() >= min_recorded_nbytes() ? recording : nullptr;
}

std::int64_t exchange_min_recorded_bytes(std::int64_t nbytes) noexcept {
  return min_recorded_bytes.exchange(nbytes, std::memory_order_relaxed);
}

bool runs_at_once(PyObject* const* args, int count) noexcept {
  const NdArray* first = nullptr;
  for (int i = 0; i < count; ++i) {
    if (!is_array(args[i])) {
      if (PyFloat_CheckExact(args[i]) || PyLong_CheckExact(args[i])) continue;
      return false;
    }
    if (pending_of(args[i]) != nullptr) return false;
    const NdArray& x = header_of(args[i]);
    if (first == nullptr) {
      if (x.nbytes() >= min_recorded_nbytes()) return false;
      first = &x;
    } else if (x.itemsize() > first->itemsize() || x.rank() != first->rank()) {
      return false;
    } else {
      // A loop instead of memcmp, whose call costs half as much as everything else here.
      const std::int64_t* const shape = x.shape().data();
      for (int axis = 0; axis < x.rank(); ++axis) {
        if (shape[axis] != first->shape()[axis]) return false;
      }
    }
  }
  return first != nullptr;
}

PyObject* record_call(op_id op, PyObject* const* args, int count) noexcept {
  return translate_exceptions(op_table()[op].name, [&] {
    return record_by(
        op_table()[op].name, args, count, count, count == 1 ? unary_names : binary_names,
        [&](Recording& recording, const Operand* operands) {
          if (PyObject* const component = part_of_reals(op, args[0], *operands[0].array)) {
            return component;
          }
          return wrap(record(recording, op, {operands, static_cast<std::size_t>(count)}));
        });
  });
}

PyObject* part_of_reals(op_id op, PyObject* array, const NdArray& x) {
  const bool is_imaginary = op == op_id_of<ops::imag>;
  if (!is_imaginary && op != op_id_of<ops::real>) return nullptr;
  if (kind(x.dtype()) == DtypeKind::complex_floating) return nullptr;
  // The standard defines real for numeric and imag for complex dtypes only.
  const bool is_open = is_imaginary || x.dtype() == Dtype::bool_;
  if (is_open && promotion_is_strict()) return nullptr;
  if (!is_imaginary) return Py_NewRef(array);
  return wrap(zeros_like(x));
}

PyObject* record_in_place(op_id op, PyObject* self, PyObject* other) noexcept {
  return translate_exceptions(op_table()[op].name, [&]() -> PyObject* {
    Recording* const recording = Recording::current();
    if (recording == nullptr) return nullptr;
    const RecordingLock lock(*recording);
    if (recording->is_evaluating()) {
      evaluate_readers(value_of(self));
      return nullptr;
    }
    auto* const changed = reinterpret_cast<ArrayObject*>(self);
    const bool is_pending = pending_in(*recording, self) != nullptr;
    const NdArray& target = is_pending ? header_of(self) : value_of(self);
    const bool may_change = is_pending || recording->may_change(target);
    PyObject* const args[] = {self, other};
    const char* const operation = op_table()[op].name;
    RecordedArgs read;
    if (may_change && read.read(*recording, operation, args, 2, 2, binary_names) &&
        read.are_recorded(*recording)) {
      PendingArray result = record_into(*recording, op, {read.operands, 2});
      if (make_pending(changed, std::move(result.value))) {
        limit_recording(*recording);
        return Py_NewRef(self);
      }
    }
    if (!is_pending) {
      const bool is_aliased = !may_change && !Recording::may_read_later(target);
      if (is_aliased) Recording::report_alias(operation, binary_names[0], target);
      evaluate_readers(target);
    }
    return nullptr;
  });
}

PyObject* record_where(const Arguments& arguments) {
  return record_by(
      "where", arguments.values, 3, 3, where_names,
      [&](Recording& recording, const Operand* operands) {
        return wrap(skerry::record_where(recording, operands[0], operands[1], operands[2]));
      },
      &arguments);
}

PyObject* record_clip(const Arguments& arguments) {
  return record_by(
      "clip", arguments.values, 3, 1, clip_names,
      [&](Recording& recording, const Operand* operands) {
        return wrap(skerry::record_clip(recording, operands[0], operands[1], operands[2]));
      },
      &arguments);
}

PyObject* record_astype(const Arguments& arguments) {
  return record_by(
      "astype", arguments.values, 1, 1, unary_names,
      [&](Recording& recording, const Operand* operands) -> PyObject* {
        const NdArray& x = *operands[0].array;
        const Dtype type = parse_dtype(arguments[1]);
        const bool copied = boolean(arguments, 2, true);
        if (arguments.has(3) && usable_device(arguments[3]) != x.device()) return nullptr;
        if (!copied && type == x.dtype()) return Py_NewRef(arguments[0]);
        return wrap(skerry::record_astype(recording, operands[0], type));
      },
      &arguments);
}

}  // namespace skerry::python
