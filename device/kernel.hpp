// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace skerry {

/// The arguments of a native kernel besides its parameters. Plain data and function pointers: the
/// CUDA module is loaded at run time and shares no symbol with the rest.
struct LaunchContext {
  void* stream;  ///< a cudaStream_t of the device that is current
  /// Scratch memory of the stream's device, valid until everything enqueued by this launch has run;
  /// null when there is none (the launch then returns cudaErrorMemoryAllocation).
  void* (*workspace)(LaunchContext* self, std::size_t nbytes) noexcept;
  /// Set by a launch that returns an error: an explanation with the remedy, in memory of the
  /// launch.
  const char* explanation = nullptr;
};

/// A kernel's forms with untyped parameters; Kernel<Params> (ops/call/kernel.hpp) is the typed one.
/// `params` points to a trivially copyable struct, which is copied if the work runs later. A null
/// member means that there is no such form.
struct AnyKernel {
  /// Computes on this thread and the thread pool. Never throws.
  void (*host)(const void* params) = nullptr;
  /// Enqueues the work; returns a cudaError_t.
  int (*native)(const void* params, LaunchContext* context) = nullptr;
  /// Returns what the library used by the native form would reject in the parameters; null if
  /// nothing. Called on rehearsed devices, whose host form accepts more. Null if no library is
  /// used.
  const char* (*unsupported_reason)(const void* params) = nullptr;
  /// The inner loop of a host form whose parameter is a plan, over contiguous elements; fusion
  /// calls it directly. Bit p of `accepts` is set if it supports the set p of single operands
  /// (`loop_body` in ops/kernel/cpu/drive.hpp).
  void (*body)(char* const* data, unsigned single, std::int64_t n) noexcept = nullptr;
  unsigned accepts = 0;
};

}  // namespace skerry
