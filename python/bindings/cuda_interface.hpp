// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/dims.hpp"
#include "core/dtype.hpp"

namespace skerry::python {

/// Adds the functions that import memory by the CUDA array interface.
void add_cuda_import(PyObject* module);

/// The version that is exported by default, and the newest one supported for import.
inline constexpr int newest_interface_version = 3;

struct ForeignData {
  void* address = nullptr;
  bool is_none = false;
  bool read_only = false;
};

/// Parsed entries of a dictionary, before any query to the driver.
struct InterfaceFields {
  Dims shape;
  Dims strides;
  Dtype type = Dtype::uint8;
  ForeignData data;
  std::optional<std::int64_t> stream;
  bool is_empty = false;
};

/// Reads all entries but the version, and validates each of them. Throws TypeError for a wrong
/// type, InterchangeError, ShapeError and OverflowError for a wrong value, NotImplementedError for
/// a mask.
[[nodiscard]] InterfaceFields read_fields(PyObject* description);

[[noreturn]] void reject_interface(const std::string& error_message);
[[noreturn]] void reject_interface_type(const std::string& error_message);
/// Returns repr(value), truncated for use in a message.
[[nodiscard]] std::string represent_briefly(PyObject* value);

}  // namespace skerry::python
