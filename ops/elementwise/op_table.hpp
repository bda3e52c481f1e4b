// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dtype.hpp"

namespace skerry {

enum class ChainStep : unsigned char;  // ops/math/op_info.hpp

using op_id = std::int16_t;  ///< position in op_table()

/// Describes one elementwise operation to the front end, Python, the tests and the docs.
struct OpEntry {
  const char* name;
  const char* doc;
  int arity;
  bool expensive;   ///< a transcendental function: threads pay for fewer elements
  bool is_private;  ///< see OpInfo
  ChainStep chain;
  std::optional<bool> result_for_integers;   ///< set if it is the same for all integers
  std::optional<Dtype> result[dtype_count];  ///< by compute dtype; empty if there is no loop
};
[[nodiscard]] std::span<const OpEntry> op_table() noexcept;
[[nodiscard]] std::optional<op_id> find_op(std::string_view name) noexcept;

}  // namespace skerry
