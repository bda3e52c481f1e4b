// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"
#include "ops/scan/scans.hpp"

namespace skerry {

inline constexpr int scan_count = ops::size_of<ops::scans>;

/// Layout of a scan: the scanned axis, and the other axes without those of extent 1, ordered (0 is
/// the fastest in the output) and coalesced. Separate from the pointers, since the layout decides
/// whether x or a copy is scanned.
struct ScanLayout {
  static constexpr int max_axes = 8;

  std::int64_t length;  ///< may be 0
  std::int64_t input_step;
  std::int64_t output_step;
  bool is_axis_contiguous;  ///< in both arrays; otherwise, axis 0 of the others is contiguous
  std::int32_t rank;
  std::int64_t outer_size;  ///< product of the other axes; never 0
  std::int64_t shape[max_axes];
  std::int64_t input_strides[max_axes];   ///< in bytes
  std::int64_t output_strides[max_axes];  ///< in bytes
};

/// out[other, j] = x[other, 0] op ... op x[other, j] for j < length.
struct ScanParams : ScanLayout {
  InputPointer<char> input;
  OutputPointer<char> output;  ///< of element 0, after the initial value if there is one
  bool has_initial;            ///< write the identity one step before element 0
};

struct ScanKernels {
  /// By the input's dtype; the output has the dtype of the sum or product.
  Kernel<ScanParams> kernel[scan_count][dtype_count];
};

}  // namespace skerry
