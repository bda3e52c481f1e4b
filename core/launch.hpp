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

/// One kernel in its two forms. `params` points to a trivially copyable struct that the kernel's
/// declaration names; it is copied where the work runs later. A null member means that there is no
/// such form.
struct Kernel {
  void (*host)(const void* params) =
      nullptr;  ///< runs the work on this thread (and the CPU pool), never throws
  int (*native)(const void* params,
                LaunchContext* context) = nullptr;  ///< enqueues; returns a cudaError_t
  /// What the library behind the native form would refuse in the parameters; null if nothing. Asked
  /// on rehearsed devices, whose host form takes more. May itself be null: no library, no demands.
  const char* (*unsupported_reason)(const void* params) = nullptr;
  /// What a host form whose parameter is a plan calls for its elements, for who calls that himself,
  /// and the sets of single operands that it takes (`loop_body` in ops/kernel/cpu/drive.hpp).
  void (*body)(char* const* data, unsigned single, std::int64_t n) noexcept = nullptr;
  unsigned accepts = 0;
};

}  // namespace skerry
