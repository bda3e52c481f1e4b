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

namespace skerry {

// Each class is what Python raises, by the same name in skerry.exceptions or as the builtin named
// beside it. Types are promised, texts are not. Text: "op: what is wrong: values; remedy".

class ShapeError : public std::invalid_argument {  // ValueError
  using std::invalid_argument::invalid_argument;
};
class ValueError : public std::invalid_argument {  // ValueError
  using std::invalid_argument::invalid_argument;
};
class ReadOnlyError : public std::invalid_argument {  // ValueError
  using std::invalid_argument::invalid_argument;
};
class DtypeError : public std::invalid_argument {  // TypeError
  using std::invalid_argument::invalid_argument;
};
class IndexError : public std::out_of_range {  // IndexError
  using std::out_of_range::out_of_range;
};
/// An axis outside the array: Python's is both ValueError and IndexError.
class AxisError : public std::out_of_range {
  using std::out_of_range::out_of_range;
};
class OverflowError : public std::overflow_error {  // OverflowError
  using std::overflow_error::overflow_error;
};
class InterchangeError : public std::runtime_error {  // InterchangeError(BufferError, ValueError)
  using std::runtime_error::runtime_error;
};
class NotImplementedError : public std::logic_error {  // NotImplementedError
  using std::logic_error::logic_error;
};
/// A matrix that the routine can't take apart: singular, not positive definite, not finite.
class LinAlgError : public std::invalid_argument {  // LinAlgError(ValueError)
  using std::invalid_argument::invalid_argument;
};
/// A library that is opened at first use is not there.
class LibraryError : public std::runtime_error {  // RuntimeError
  using std::runtime_error::runtime_error;
};

class DeviceMismatchError : public std::invalid_argument {  // DeviceMismatchError(ValueError)
 public:
  DeviceMismatchError(const std::string& text, std::vector<Device> devices)
      : std::invalid_argument(text), devices_(std::move(devices)) {}
  [[nodiscard]] const std::vector<Device>& devices() const noexcept { return devices_; }

 private:
  std::vector<Device> devices_;
};

/// Why a device can't be used; the name is the Python attribute `reason`.
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
    : public std::runtime_error {  // DeviceUnavailableError; forked: ForkError
 public:
  DeviceUnavailableError(const std::string& text, UnavailableReason reason)
      : std::runtime_error(text), reason_(reason) {}
  [[nodiscard]] UnavailableReason reason() const noexcept { return reason_; }

 private:
  UnavailableReason reason_;
};

/// A failed call of a device's runtime. `fatal` ones lose the device for this process
/// (FatalDeviceError).
class DeviceError : public std::runtime_error {  // DeviceError(RuntimeError)
 public:
  DeviceError(const std::string& text, Device device, int code, bool fatal)
      : std::runtime_error(text), device_(device), code_(code), fatal_(fatal) {}
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
  OutOfMemoryError(std::string text, Device device, std::size_t requested)
      : text_(std::move(text)), device_(device), requested_(requested) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] std::size_t requested() const noexcept { return requested_; }

 private:
  std::string text_;
  Device device_;
  std::size_t requested_;
};

}  // namespace skerry
