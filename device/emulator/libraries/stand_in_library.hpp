// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/emulator/runtime/entry_points.hpp"
#include "device/emulator/runtime/library_tasks.hpp"

// Stand-ins for the parts of NVIDIA's libraries that skerry calls, on the emulated GPU. They check
// arguments according to the libraries' documentation, and compute with the CPU's routines in
// stream order. CUDA's enumerations and statuses are ints here.

#define SKERRY_LIBRARY(symbol) __asm__(#symbol) __attribute__((visibility("default")))
/// Declares an entry point, and begins its definition.
#define SKERRY_ENTRY_POINT(symbol, function, parameters) \
  int function parameters SKERRY_LIBRARY(symbol);        \
  int function parameters
/// Defines an entry point that rejects every call.
#define SKERRY_REJECTED(symbol, status)             \
  SKERRY_ENTRY_POINT(symbol, reject_##symbol, ()) { \
    report_rejection(#symbol, "not supported");     \
    return status;                                  \
  }

namespace skerry::emulation {

/// A library's handle: the device that was current at its creation, and its stream.
struct LibraryHandle {
  /// Marks live handles, so that destroyed and invalid ones are detected.
  static constexpr std::uint64_t alive = 0x7365727279'6c6962;
  std::uint64_t mark = alive;
  int ordinal = 0;
  void* stream = nullptr;
};

[[nodiscard]] inline int current_device() {
  int ordinal = 0;
  static_cast<void>(entry_points::get_device(&ordinal));
  return ordinal;
}

[[nodiscard]] inline bool is_aligned(const void* data, std::size_t nbytes) {
  return reinterpret_cast<std::uintptr_t>(data) % nbytes == 0;
}

/// Returns why a handle can't be used now, or null.
[[nodiscard]] inline const char* error_message_of(const LibraryHandle* handle) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return "invalid handle";
  if (handle->ordinal != current_device()) return "the handle's device is not the current one";
  int ordinal = -1;
  if (entry_points::stream_device(handle->stream, &ordinal) != 0) return "invalid stream";
  return ordinal == handle->ordinal ? nullptr
                                    : "the stream belongs to another device than the handle";
}

/// Returns the bytes that a column-major matrix spans.
[[nodiscard]] constexpr std::size_t extent_of_matrix(std::int64_t rows, std::int64_t columns,
                                                     std::int64_t leading, std::size_t itemsize) {
  if (rows <= 0 || columns <= 0) return 0;
  return static_cast<std::size_t>((columns - 1) * leading + rows) * itemsize;
}

/// Lists of matrices' addresses in device memory, which are read in stream order.
class MatrixLists {
 public:
  template <class T>
  void add(T* const* list, std::int64_t count, std::size_t nbytes_each) {
    lists_.push_back({reinterpret_cast<const void* const*>(list), count, nbytes_each, sizeof(T)});
  }

  /// Reads the lists. Returns the matrices; throws invalid_argument if one is misaligned.
  std::vector<AccessedRange> operator()() const {
    std::vector<AccessedRange> all;
    for (const List& list : lists_) {
      for (std::int64_t i = 0; i < list.count; ++i) {
        if (!is_aligned(list.addresses[i], list.alignment)) {
          throw std::invalid_argument("a matrix is not aligned to its element size");
        }
        all.push_back({list.addresses[i], list.nbytes});
      }
    }
    return all;
  }

 private:
  struct List {
    const void* const* addresses;
    std::int64_t count;
    std::size_t nbytes;
    std::size_t alignment;
  };
  std::vector<List> lists_;
};

}  // namespace skerry::emulation
