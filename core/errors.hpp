// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/device.hpp"
#include "core/operation.hpp"

namespace skerry {

// The comment after a class is its Python exception: a class of skerry.exceptions with its bases,
// or a builtin. Types are stable API, texts are not. A text is "what is wrong: values; remedy"; the
// constructor prefixes the operation's name (core/operation.hpp).

/// A standard exception whose text begins with the operation's name.
template <class Exception>
class ErrorOf : public Exception {
 public:
  explicit ErrorOf(const std::string& text) : Exception(with_operation(text)) {}
};

class ShapeError : public ErrorOf<std::invalid_argument> {  // ShapeError(ValueError)
  using ErrorOf::ErrorOf;
};
class ValueError : public ErrorOf<std::invalid_argument> {  // ValueError
  using ErrorOf::ErrorOf;
};
class ReadOnlyError : public ErrorOf<std::invalid_argument> {  // ReadOnlyError(ValueError)
  using ErrorOf::ErrorOf;
};
/// An argument has the wrong Python type. For a wrong dtype, throw DtypeError.
class TypeError : public ErrorOf<std::invalid_argument> {  // TypeError
  using ErrorOf::ErrorOf;
};
class DtypeError : public ErrorOf<std::invalid_argument> {  // DTypeError(TypeError)
  using ErrorOf::ErrorOf;
};
class IndexError : public ErrorOf<std::out_of_range> {  // IndexError
  using ErrorOf::ErrorOf;
};
/// An axis is outside the array.
class AxisError : public ErrorOf<std::out_of_range> {  // AxisError(ValueError, IndexError)
  using ErrorOf::ErrorOf;
};
class OverflowError : public ErrorOf<std::overflow_error> {  // OverflowError
  using ErrorOf::ErrorOf;
};
class InterchangeError
    : public ErrorOf<std::runtime_error> {  // InterchangeError(BufferError, ValueError)
  using ErrorOf::ErrorOf;
};
class NotImplementedError : public ErrorOf<std::logic_error> {  // NotImplementedError
  using ErrorOf::ErrorOf;
};
/// A matrix that the routine can't factor: singular, not positive definite, not finite.
class LinAlgError : public ErrorOf<std::invalid_argument> {  // LinAlgError(ValueError)
  using ErrorOf::ErrorOf;
};
/// A library that skerry loads at first use is missing.
class LibraryError : public ErrorOf<std::runtime_error> {  // RuntimeError
  using ErrorOf::ErrorOf;
};

class DeviceMismatchError
    : public ErrorOf<std::invalid_argument> {  // DeviceMismatchError(ValueError)
 public:
  DeviceMismatchError(const std::string& text, std::vector<Device> devices)
      : ErrorOf(text), devices_(std::move(devices)) {}
  [[nodiscard]] const std::vector<Device>& devices() const noexcept { return devices_; }

 private:
  std::vector<Device> devices_;
};

/// Why a device can't be used; its name is the Python attribute `reason`.
enum class UnavailableReason : std::uint8_t {
  no_driver,
  stub_library,
  driver_too_old,
  no_device,
  no_kernel_image,
  no_cuda_module,  ///< this build has no CUDA module
  out_of_range,    ///< the index is not below the number of devices
  busy,
  forked,
};
[[nodiscard]] const char* to_string(UnavailableReason reason);

class DeviceUnavailableError
    : public ErrorOf<std::runtime_error> {  // DeviceUnavailableError; forked: ForkError
 public:
  DeviceUnavailableError(const std::string& text, UnavailableReason reason)
      : ErrorOf(text), reason_(reason) {}
  [[nodiscard]] UnavailableReason reason() const noexcept { return reason_; }

 private:
  UnavailableReason reason_;
};

/// A call of the device's runtime failed. After a `fatal` error the device is unusable in this
/// process (FatalDeviceError).
class DeviceError : public ErrorOf<std::runtime_error> {  // DeviceError(RuntimeError)
 public:
  DeviceError(const std::string& text, Device device, int code, bool fatal)
      : ErrorOf(text), device_(device), code_(code), fatal_(fatal) {}
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] int code() const noexcept { return code_; }
  [[nodiscard]] bool fatal() const noexcept { return fatal_; }

 private:
  Device device_;
  int code_;
  bool fatal_;
};

class OutOfMemoryError : public std::bad_alloc {  // OutOfMemoryError(MemoryError)
 public:
  OutOfMemoryError(const std::string& text, Device device, std::size_t requested)
      : text_(with_operation(text)), device_(device), requested_(requested) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] std::size_t requested() const noexcept { return requested_; }

 private:
  std::string text_;
  Device device_;
  std::size_t requested_;
};

}  // namespace skerry
