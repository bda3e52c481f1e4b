// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/dtype.hpp"
#include "ops/fuse/kernels.hpp"

// The CUDA C++ source of a pass's kernel, which applies functors of `ops` one after the other. It
// contains no addresses or scalar values, so one kernel serves all passes of the same structure.

namespace skerry {

/// One operation of a pass. It has no padding, since structures are compared as bytes.
struct SourceStep {
  const char* function;                               ///< name of a functor of `ops`
  std::int16_t locations[1 + FusedStep::max_inputs];  ///< as FusedStep::locations
  Dtype types[1 + FusedStep::max_inputs];             ///< of `locations`
  std::uint32_t inputs;
};

/// Properties, in addition to the steps, on which the source depends.
struct SourceForm {
  static constexpr int threads = 256;  ///< per block
  static constexpr int max_axes = 8;

  std::int16_t operands;
  std::int16_t outputs;
  std::int16_t constants;
  std::int16_t rank;      ///< 0 if each operand is contiguous, or one element
  std::int16_t vector;    ///< elements per thread, moved together
  std::uint16_t singles;  ///< if rank is 0, bits of the operands that are one element
  std::uint32_t is_wide;  ///< 1 if linear indices need 64 bits
};

/// Returns the source of a kernel named fused_pass, whose argument is a struct: constants of 16
/// bytes each, the operands' addresses, the number of elements and, if `rank` is not 0, the axes'
/// extents and each operand's strides in bytes. All numbers are int64.
[[nodiscard]] std::string write_source(const SourceForm& source_form,
                                       std::span<const SourceStep> steps);

}  // namespace skerry
