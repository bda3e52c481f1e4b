// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace skerry {

/// What a native kernel gets besides its parameters. Plain data and function pointers: the CUDA
/// module is loaded at run time and shares no symbol with the rest.
struct LaunchContext {
  void* stream;  ///< a cudaStream_t of the device that is current
  /// Scratch memory of the stream's device, valid until everything enqueued by this launch has run;
  /// null when there is none (the launch then returns cudaErrorMemoryAllocation).
  void* (*workspace)(LaunchContext* self, std::size_t nbytes) noexcept;
  /// What a launch that returns an error may add to it, with the remedy; kept by the launch.
  const char* explanation = nullptr;
};

/// A kernel in its two forms, whatever its parameters: Kernel<Params> (ops/call/kernel.hpp) knows
/// them. `params` points to a trivially copyable struct, which is copied where the work runs later.
/// A null member means that there is no such form.
struct AnyKernel {
  /// Does the work on this thread and the CPU pool. Never throws.
  void (*host)(const void* params) = nullptr;
  /// Enqueues the work; returns a cudaError_t.
  int (*native)(const void* params, LaunchContext* context) = nullptr;
  /// What the library behind the native form would refuse in the parameters; null if nothing. Asked
  /// on rehearsed devices, whose host form takes more. Null where no library has demands.
  const char* (*unsupported_reason)(const void* params) = nullptr;
  /// The inner loop of a host form whose parameter is a plan, over contiguous elements; fusion
  /// calls it directly. `accepts` are the sets of single operands that it takes (`loop_body` in
  /// ops/kernel/cpu/drive.hpp).
  void (*body)(char* const* data, unsigned single, std::int64_t n) noexcept = nullptr;
  unsigned accepts = 0;
};

}  // namespace skerry
