// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdlib>
#include <type_traits>

#include "device/emulator/libraries/cublas.hpp"
#include "device/emulator/libraries/routine_call.hpp"

// What cuBLAS's routines share: scalars and results in memory of the host or the device, vectors
// with an increment, operands that are transposed.

/// Defines an entry point as one call.
#define SKERRY_BLAS(symbol, function, parameters, call) \
  SKERRY_ENTRY_POINT(cublas##symbol, function, parameters) { return call; }

namespace skerry::emulation::cublas {

// The same layout as float2 and double2 of CUDA.
using std_complex64 = std::complex<float32>;
using std_complex128 = std::complex<float64>;

template <class T>
struct real_type {
  using type = T;
};
template <class R>
struct real_type<std::complex<R>> {
  using type = R;
};
template <class T>
using real_of = typename real_type<T>::type;

template <class T>
[[nodiscard]] T conjugate(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return x;
  } else {
    return std::conj(x);
  }
}

/// A factor: the value at the time of the call, or an address of the device that is read when the
/// routine runs.
template <class T>
class Scalar {
 public:
  Scalar(const T* address, bool is_in_device_memory)
      : value_(is_in_device_memory || address == nullptr ? T() : *address),
        address_(is_in_device_memory ? address : nullptr) {}
  [[nodiscard]] T operator()() const { return address_ != nullptr ? *address_ : value_; }

 private:
  T value_;
  const T* address_;
};

/// Elements of a vector with an increment; a negative one begins at the end.
template <class T>
class Vector {
 public:
  Vector(T* data, std::int64_t count, std::int64_t increment)
      : first_(increment < 0 ? data + (1 - count) * increment : data), increment_(increment) {}
  T& operator[](std::int64_t index) const { return first_[index * increment_]; }

 private:
  T* first_;
  std::int64_t increment_;
};

/// Elements of a column-major matrix to which an operation is applied.
template <class T>
class Operand {
 public:
  Operand(const T* data, std::int64_t leading, int op) : data_(data), leading_(leading), op_(op) {}
  T operator()(std::int64_t row, std::int64_t column) const {
    if (op_ == not_transposed) return data_[column * leading_ + row];
    const T value = data_[row * leading_ + column];
    return op_ == adjoint ? conjugate(value) : value;
  }

 private:
  const T* data_;
  std::int64_t leading_;
  int op_;
};

class BlasCall : public RoutineCall {
 public:
  BlasCall(const char* routine, Handle* handle)
      : RoutineCall(routine, handle, {not_initialized, invalid_value, execution_failed}),
        handle_(handle) {}

  /// Reads a factor as the handle's pointer mode says.
  template <class T>
  Scalar<T> factor(const T* address) {
    require(address != nullptr, "null factor");
    if (status() != success) return {nullptr, false};
    if (is_in_device_memory()) vector(address, 1);
    return {address, is_in_device_memory()};
  }
  template <class T>
  Vector<T> strided(T* data, std::int64_t count, std::int64_t increment) {
    require(increment != 0, "zero increment");
    vector(data, count > 0 ? (count - 1) * std::abs(increment) + 1 : 0);
    return {data, count, increment};
  }
  /// `rows` and `columns` are those after the operation.
  template <class T>
  Operand<T> operand(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                     int op) {
    require(op >= not_transposed && op <= adjoint, "invalid operation");
    if (op == not_transposed) {
      matrix(data, rows, columns, leading);
    } else {
      matrix(data, columns, rows, leading);
    }
    return {data, leading, op};
  }

  /// Runs `compute` and stores its value at `result`. A result in host memory is there on return.
  template <class T, class Body>
  int run_with_result(T* result, Body compute) {
    require(result != nullptr, "null result");
    if (status() != success) return status();
    if (is_in_device_memory()) vector(result, 1);
    const int code = run([=] { *result = compute(); });
    if (code != success || is_in_device_memory()) return code;
    return entry_points::stream_synchronize(handle_->stream) == 0 ? success : execution_failed;
  }

 private:
  [[nodiscard]] bool is_in_device_memory() const {
    return handle_->pointer_mode == pointers_to_device;
  }
  Handle* handle_;
};

}  // namespace skerry::emulation::cublas
