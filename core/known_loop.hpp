// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/plan.hpp"

namespace skerry {

/// What a kernel calls for its elements, as who calls it directly has to know (`loop` in
/// ops/kernel/cpu/drive.hpp).
struct known_loop {
  void (*body)(char* const* data, unsigned single, std::int64_t n) noexcept = nullptr;
  unsigned accepts = 0;  ///< bit p: the set p of single operands
};

/// For a kernel whose parameter is a plan and that ends in run(): a plan of no elements asks.
inline known_loop ask_loop(void (*host)(const void* params)) noexcept {
  known_loop told;
  plan question;
  question.size = 0;
  question.data[0] = reinterpret_cast<char*>(&told);
  host(&question);
  return told;
}

}  // namespace skerry
