// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dtype.hpp"

namespace skerry {

using reduction_id = std::int16_t;  ///< position in reduction_table()

/// One reduction as seen by the front end, Python, the tests and the docs.
struct ReductionEntry {
  const char* name;
  const char* doc;
  bool needs_elements;  ///< raises an error over no elements (max, min)
  bool has_dtype;       ///< takes dtype= (sum, prod)
  bool has_correction;  ///< takes correction= (var, std)
  bool has_one_axis;    ///< over one axis, or all elements in C order (argmax, argmin)
  bool is_private;      ///< see OpInfo
  std::optional<Dtype> result[dtype_count];
};
[[nodiscard]] std::span<const ReductionEntry> reduction_table() noexcept;
[[nodiscard]] std::optional<reduction_id> find_reduction(std::string_view name) noexcept;

}  // namespace skerry
