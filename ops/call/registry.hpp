// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/device.hpp"
#include "core/dtype.hpp"

namespace skerry {

struct kernel_table;  // ops/table/table.hpp

using op_id = std::int16_t;         ///< position in op_table()
using reduction_id = std::int16_t;  ///< position in reduction_table()

/// One elementwise operation as the front end, Python, the tests and the docs see it.
struct op_entry {
  const char* name;
  const char* doc;
  int arity;
  bool expensive;  ///< a transcendental: worth threads from fewer elements
  std::optional<dtype> result[dtype_count];  ///< by compute dtype; empty where there is no loop
};
[[nodiscard]] std::span<const op_entry> op_table() noexcept;
[[nodiscard]] std::optional<op_id> find_op(std::string_view name) noexcept;

struct reduction_entry {
  const char* name;
  const char* doc;
  bool needs_elements;  ///< an error over no elements (max, min)
  bool has_dtype;       ///< takes dtype= (sum, prod)
  bool has_correction;  ///< takes correction= (var, std)
  bool has_one_axis;    ///< over one axis, or all elements as they lie in C order (argmax, argmin)
  std::optional<dtype> result[dtype_count];
};
[[nodiscard]] std::span<const reduction_entry> reduction_table() noexcept;
[[nodiscard]] std::optional<reduction_id> find_reduction(std::string_view name) noexcept;

/// Whether this build has kernels for a dtype (SKERRY_DTYPES).
[[nodiscard]] bool is_built(dtype type) noexcept;

/// The kernels for this machine: host forms for the best instruction set, chosen when the library
/// is loaded.
[[nodiscard]] const kernel_table& kernels() noexcept;
/// The same, with the native forms of the device's kind, if it has any.
[[nodiscard]] const kernel_table& kernels(device where) noexcept;

}  // namespace skerry
