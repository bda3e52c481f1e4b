// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/dtype.hpp"
#include "ops/fuse/kernels.hpp"

// The source of a pass's kernel in CUDA C++, which applies one functor of `ops` after the other. It
// contains no values of arrays or scalars, so one kernel serves all passes of a structure.

namespace skerry {

/// One operation of a pass. It has no padding, since structures are compared as bytes.
struct SourceStep {
  const char* function;                               ///< name of a functor of `ops`
  std::int16_t locations[1 + FusedStep::max_inputs];  ///< as FusedStep::locations
  Dtype types[1 + FusedStep::max_inputs];             ///< of `locations`
  std::uint32_t inputs;
};

/// What the source depends on in addition to the steps.
struct SourceForm {
  static constexpr int threads = 256;  ///< per block
  static constexpr int max_axes = 8;

  std::int16_t operands;
  std::int16_t outputs;
  std::int16_t constants;
  std::int16_t rank;      ///< 0: each operand is a run, or one element
  std::int16_t vector;    ///< elements per thread, moved together
  std::uint16_t singles;  ///< if rank is 0, bits of operands that are one element
  std::uint32_t is_wide;  ///< linear indices take 64 bits
};

/// Returns the source of a kernel that is named fused_pass and takes one struct: constants of 16
/// bytes, the operands' addresses, the number of elements and, if `rank` is not 0, the axes'
/// extents and each operand's strides in bytes, all of them int64.
[[nodiscard]] std::string write_source(const SourceForm& source_form,
                                       std::span<const SourceStep> steps);

}  // namespace skerry
