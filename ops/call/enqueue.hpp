// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/memory_use.hpp"
#include "core/ndarray.hpp"
#include "core/plan.hpp"
#include "device/backend.hpp"
#include "device/kernel.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Collects the operands of one elementwise call: the output, then the inputs in the order of the
/// kernel. Keeps pointers to the arrays.
class KernelCall {
 public:
  explicit KernelCall(const NdArray& output) : device_(output.device()), shape_(&output.shape()) {
    uses_[use_count_++] = writes(output);
    operands_[operand_count_++] = PlanOperand::from_array(output);
  }
  /// Adds an input, which broadcasts to the output's shape.
  void add(const NdArray& x) {
    uses_[use_count_++] = reads(x);
    operands_[operand_count_++] = PlanOperand::from_array(x);
  }
  void add(Element value, std::int64_t itemsize) {
    operands_[operand_count_++] = PlanOperand::from_element(value, itemsize);
  }
  /// Builds the plan and launches the kernel; on a CUDA device once for each part that fits 32-bit
  /// indices. Launches nothing if the output is empty. Throws DeviceError.
  void enqueue(const Kernel<Plan>& kernel) const;

 private:
  Device device_;
  const Dims* shape_;
  int operand_count_ = 0;
  int use_count_ = 0;
  PlanOperand operands_[Plan::max_operands];
  MemoryUse uses_[Plan::max_operands];
};

/// True if the kernel has a form that `device` can run.
[[nodiscard]] inline bool has_form(const AnyKernel& kernel, Device device) noexcept {
  return runs_on_host(device) ? kernel.host != nullptr : kernel.native != nullptr;
}
/// True if `device` runs the kernel's host form.
[[nodiscard]] inline bool has_host_form(const AnyKernel& kernel, Device device) noexcept {
  return runs_on_host(device) && kernel.host != nullptr;
}
template <class Params>
[[nodiscard]] bool has_form(const Kernel<Params>& kernel, Device device) noexcept {
  return has_form(kernel.untyped(), device);
}
template <class Params>
[[nodiscard]] bool has_host_form(const Kernel<Params>& kernel, Device device) noexcept {
  return has_host_form(kernel.untyped(), device);
}
/// Returns `entry` if it can run on `device`. Throws NotImplementedError if this build has no such
/// kernel for the dtype.
const AnyKernel& require_form(const AnyKernel& entry, Dtype type, Device device);

namespace detail {
extern constinit std::atomic<std::int64_t> native_index_limit;
}

/// Returns how many bytes a part of a plan may span on `device`: native forms have 32-bit indices.
[[nodiscard]] inline std::int64_t index_limit(Device device) noexcept {
  if (is_host(device) || !capabilities_of(device).native_limits) [[likely]]
    return INT64_MAX;
  return detail::native_index_limit.load(std::memory_order_relaxed);
}
/// Lowers the limit of native forms, so that tests can split tiny arrays.
void set_index_limit(std::int64_t nbytes) noexcept;

}  // namespace skerry
