// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/dtype.hpp"
#include "ops/fuse/kernels.hpp"

// The text of a pass's kernel, in CUDA C++: of one functor of `ops` after the other. No value of an
// array's and no scalar is in it, so one kernel serves all passes of a structure.

namespace skerry {

/// One operation of a pass. What it is has no padding: structures are compared as bytes.
struct SourceStep {
  const char* function;                               ///< a functor of `ops`, by its name
  std::int16_t locations[1 + FusedStep::max_inputs];  ///< as of FusedStep
  Dtype types[1 + FusedStep::max_inputs];             ///< as of places
  std::uint32_t inputs;
};

/// What the text depends on beside the steps.
struct SourceForm {
  static constexpr int threads = 256;  ///< of a block
  static constexpr int max_axes = 8;

  std::int16_t operands;
  std::int16_t outputs;
  std::int16_t constants;
  std::int16_t rank;      ///< 0: each operand is a run, or one element
  std::int16_t vector;    ///< elements of a thread, which are moved together
  std::uint16_t singles;  ///< bits of the operands of runs that are one element
  std::uint32_t is_wide;  ///< whether linear indices take 64 bits
};

/// The kernel is named fused_pass and takes one struct: constants of 16 bytes, the operands'
/// addresses, the number of elements, and where `rank` is not 0 the axes' extents and each
/// operand's strides in bytes, all of them int64.
[[nodiscard]] std::string write_source(const SourceForm& source_form,
                                       std::span<const SourceStep> steps);

}  // namespace skerry
