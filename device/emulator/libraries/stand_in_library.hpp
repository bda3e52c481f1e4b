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

// Stand-ins for NVIDIA's libraries on the emulated GPU, as far as skerry calls them: they check
// what the libraries' documentation asks of arguments, and compute by the CPU's routines when the
// stream comes there. CUDA's enumerations and statuses are ints here.

#define SKERRY_LIBRARY(symbol) __asm__(#symbol) __attribute__((visibility("default")))

namespace skerry::emulation {

/// A library's handle: the device that was current when it was made, and the stream it works on.
struct LibraryHandle {
  /// For nothing else's memory: a handle that was destroyed, or never was one, is noticed.
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

/// What is wrong with a handle that is about to work; null if nothing is.
[[nodiscard]] inline const char* error_message_of(const LibraryHandle* handle) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return "a handle that is none";
  if (handle->ordinal != current_device()) return "a handle of another device than the current one";
  int ordinal = -1;
  if (entry_points::stream_device(handle->stream, &ordinal) != 0) return "a stream that is none";
  return ordinal == handle->ordinal ? nullptr : "a stream of another device";
}

/// Bytes from the first to the last element of a column-major matrix.
[[nodiscard]] constexpr std::size_t extent_of_matrix(std::int64_t rows, std::int64_t columns,
                                                     std::int64_t leading, std::size_t itemsize) {
  if (rows <= 0 || columns <= 0) return 0;
  return static_cast<std::size_t>((columns - 1) * leading + rows) * itemsize;
}

/// Lists of addresses of matrices in the device's memory, which are read when the stream comes
/// there.
class MatrixLists {
 public:
  template <class T>
  void add(T* const* list, std::int64_t count, std::size_t nbytes_each) {
    lists_.push_back({reinterpret_cast<const void* const*>(list), count, nbytes_each, sizeof(T)});
  }

  /// The matrices.
  std::vector<AccessedRange> operator()() const {
    std::vector<AccessedRange> all;
    for (const List& list : lists_) {
      for (std::int64_t i = 0; i < list.count; ++i) {
        if (!is_aligned(list.addresses[i], list.alignment)) {
          throw std::invalid_argument("a matrix that does not begin at a multiple of an item");
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
