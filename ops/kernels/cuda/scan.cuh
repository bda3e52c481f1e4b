// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cuda/scan_loops.cuh"
#include "ops/kernels/cuda/scan_runs.cuh"

// A scan goes one of three ways, chosen by its layout; results depend neither on the run nor on the
// number of multiprocessors. Flat sums of floats alone depend on the GPU's compute capability:
// CUB's scan in a stable order has other tiles from 9.0 on.
//   flat   one contiguous run of integers or a sum of floats: cub::DeviceScan.
//   runs   other contiguous ones: cub::DeviceSegmentedScan over runs, or over chunks of long ones,
//          whose totals are scanned in turn. One block scans a segment, in a fixed order;
//          DeviceScan's look-back takes partial results as they come.
//   loops  columns, and what is misaligned: every thread scans a share of one column.

namespace skerry {
namespace native {

template <class Op, class T>
cudaError_t scan_by_layout(const scan_params& params, load_scanned<Op, T> element,
                           launch_context* context) {
  const bool is_plain = params.is_run && params.length > 0 &&
                        suits<T>(reinterpret_cast<std::intptr_t>(params.input)) &&
                        runs_are_aligned<T>(params);
  if (!is_plain) return scan_by_loops<Op, T>(params, element, context);
  if (params.has_initial) {
    const cudaError_t status = write_initial<Op, T>(params, context);
    if (status != cudaSuccess) return status;
  }
  if constexpr (has_flat_scan<Op, T>) {
    if (params.others == 1) return scan_flat<Op, T>(params, element, context);
  }
#if CCCL_VERSION >= 3003000
  return scan_runs<Op, T>(params, element, context);
#else
  return scan_by_loops<Op, T>(params, element, context);
#endif
}

/// The native kernel of Op over T; its parameter is a scan_params. Sign: see load_scanned.
template <class Op, class T, std::uint64_t Sign>
int scan(const void* params, launch_context* context) {
  return launched(
      scan_by_layout(*static_cast<const scan_params*>(params), load_scanned<Op, T>{Sign}, context));
}

}  // namespace native
}  // namespace skerry
