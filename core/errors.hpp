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

// Python raises each class under the same name in skerry.exceptions, or the builtin named beside
// it. Types are stable, texts are not. Text: "what is wrong: values; remedy". The constructor
// prefixes the operation's name (core/operation.hpp).

/// A standard exception whose text begins with the operation's name.
template <class Exception>
class ErrorOf : public Exception {
 public:
  explicit ErrorOf(const std::string& text) : Exception(with_operation(text)) {}
};

class ShapeError : public ErrorOf<std::invalid_argument> {  // ValueError
  using ErrorOf::ErrorOf;
};
class ValueError : public ErrorOf<std::invalid_argument> {  // ValueError
  using ErrorOf::ErrorOf;
};
class ReadOnlyError : public ErrorOf<std::invalid_argument> {  // ValueError
  using ErrorOf::ErrorOf;
};
/// An argument of a wrong type; where its dtype is wrong, DtypeError.
class TypeError : public ErrorOf<std::invalid_argument> {  // TypeError
  using ErrorOf::ErrorOf;
};
class DtypeError : public ErrorOf<std::invalid_argument> {  // TypeError
  using ErrorOf::ErrorOf;
};
class IndexError : public ErrorOf<std::out_of_range> {  // IndexError
  using ErrorOf::ErrorOf;
};
/// An axis outside the array; in Python both ValueError and IndexError.
class AxisError : public ErrorOf<std::out_of_range> {
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
/// A library that is loaded at first use is missing.
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
  no_cuda_module,  ///< this build has no CUDA part
  out_of_range,    ///< the machine has fewer devices
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

/// A failed call of a device's runtime. After a `fatal` error the device is unusable in this
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
