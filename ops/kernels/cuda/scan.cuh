// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cuda/scan_loops.cuh"
#include "ops/kernels/cuda/scan_runs.cuh"

// A scan goes one of three ways, chosen by its layout; results do not depend on the run.
//   flat   one contiguous run of integers or a sum of floats: cub::DeviceScan.
//   runs   other contiguous ones: cub::DeviceSegmentedScan over runs, or over chunks of long ones,
//          whose totals are scanned in turn. One block scans a segment, in a fixed order;
//          DeviceScan's look-back takes partial results as they come.
//   loops  columns, and what is misaligned: every thread scans a share of one column.

namespace skerry {
namespace native {

template <class Op, class T>
cudaError_t scan_by_layout(const scan_params& params, launch_context* context) {
  const bool is_plain = params.is_run && params.length > 0 &&
                        suits<T>(reinterpret_cast<std::intptr_t>(params.input)) &&
                        runs_are_aligned<T>(params);
  if (!is_plain) return scan_by_loops<Op, T>(params, context);
  if (params.has_initial) {
    const cudaError_t status = write_initial<Op, T>(params, context);
    if (status != cudaSuccess) return status;
  }
  if (has_flat_scan<Op, T> && params.others == 1) return scan_flat<Op, T>(params, context);
#if CCCL_VERSION >= 3003000
  return scan_runs<Op, T>(params, context);
#else
  return scan_by_loops<Op, T>(params, context);
#endif
}

/// The native kernel of Op over T; its parameter is a scan_params.
template <class Op, class T>
int scan(const void* params, launch_context* context) {
  return launched(scan_by_layout<Op, T>(*static_cast<const scan_params*>(params), context));
}

}  // namespace native
}  // namespace skerry
