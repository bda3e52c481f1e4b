// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Copies of two and three dimensions, row by row.

#include <cstdint>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/captures.hpp"
#include "device/cuda/emulation/driver/copies.hpp"

namespace skerry::emulation::driver {

namespace {

/// One side of a copy: where its first row begins, and how far it is to the next row and plane.
struct BoxSide {
  char* data = nullptr;
  std::size_t row_bytes = 0;
  std::size_t plane_bytes = 0;
};

struct BoxCopy {
  BoxSide source;
  BoxSide target;
  std::size_t width_bytes = 0;
  std::size_t height = 0;
  std::size_t depth = 1;
};

constexpr const char* array_text = "a copy from or to a CUDA array";

/// Null for a kind of memory that isn't.
char* base_of(abi::MemoryKind kind, void* host, address device) noexcept {
  switch (kind) {
    case abi::MemoryKind::host:
      return static_cast<char*>(host);
    case abi::MemoryKind::device:
    case abi::MemoryKind::unified:
      return static_cast<char*>(pointer(device));
    case abi::MemoryKind::array:
      break;
  }
  return nullptr;
}

BoxSide side_of(const abi::Copy2d::Side& from, std::size_t width_bytes) noexcept {
  const std::size_t pitch = from.pitch != 0 ? from.pitch : width_bytes;
  char* const base = base_of(from.kind, from.host, from.device);
  return {base == nullptr ? nullptr : base + from.y * pitch + from.x_bytes, pitch, 0};
}

BoxSide side_of(const abi::Copy3d::Side& from, std::size_t width_bytes,
                std::size_t height) noexcept {
  const std::size_t pitch = from.pitch != 0 ? from.pitch : width_bytes;
  const std::size_t plane = pitch * (from.height != 0 ? from.height : height);
  char* const base = base_of(from.kind, from.host, from.device);
  return {base == nullptr ? nullptr : base + from.z * plane + from.y * pitch + from.x_bytes, pitch,
          plane};
}

int enqueue(const BoxCopy& what, void* stream) {
  if (what.width_bytes == 0 || what.height == 0 || what.depth == 0) return code::success;
  if (has_null(what.source.data, what.target.data)) return code::invalid_value;
  if (what.height > 1 &&
      (what.source.row_bytes < what.width_bytes || what.target.row_bytes < what.width_bytes)) {
    return code::invalid_value;
  }
  const bool is_dense =
      what.source.row_bytes == what.width_bytes && what.target.row_bytes == what.width_bytes;
  const std::size_t rows = is_dense ? 1 : what.height;
  const std::size_t nbytes = is_dense ? what.width_bytes * what.height : what.width_bytes;
  for (std::size_t z = 0; z < what.depth; ++z) {
    char* const to = what.target.data + z * what.target.plane_bytes;
    const char* const from = what.source.data + z * what.source.plane_bytes;
    for (std::size_t y = 0; y < rows; ++y) {
      const int status = enqueue_copy(to + y * what.target.row_bytes,
                                      from + y * what.source.row_bytes, nbytes, stream);
      if (status != code::success) return status;
    }
  }
  return code::success;
}

template <class Copy>
[[nodiscard]] bool has_array(const Copy& what) noexcept {
  return what.source.kind == abi::MemoryKind::array || what.target.kind == abi::MemoryKind::array;
}

int enqueue_2d(const abi::Copy2d* what, void* stream) {
  if (has_null(what)) return code::invalid_value;
  if (has_array(*what)) return unsupported(array_text);
  return enqueue({side_of(what->source, what->width_bytes),
                  side_of(what->target, what->width_bytes), what->width_bytes, what->height, 1},
                 stream);
}

int enqueue_3d(const abi::Copy3d* what, void* stream) {
  if (has_null(what)) return code::invalid_value;
  if (has_array(*what)) return unsupported(array_text);
  if (what->source.level != 0 || what->target.level != 0) return code::invalid_value;
  return enqueue({side_of(what->source, what->width_bytes, what->height),
                  side_of(what->target, what->width_bytes, what->height), what->width_bytes,
                  what->height, what->depth},
                 stream);
}

}  // namespace

int copy_2d(const abi::Copy2d* what) {
  return in_context([&] { return wait_for_legacy_stream(enqueue_2d(what, cuda::legacy_stream)); });
}
int copy_2d_unaligned(const abi::Copy2d* what) { return copy_2d(what); }
int copy_2d_async(const abi::Copy2d* what, void* stream) {
  return in_context([&]() -> int {
    if (has_null(what)) return code::invalid_value;
    return on_stream(stream, NodeKind::copy,
                     [kept = *what](void* on) { return enqueue_2d(&kept, on); });
  });
}

int copy_3d(const abi::Copy3d* what) {
  return in_context([&] { return wait_for_legacy_stream(enqueue_3d(what, cuda::legacy_stream)); });
}
int copy_3d_async(const abi::Copy3d* what, void* stream) {
  return in_context([&]() -> int {
    if (has_null(what)) return code::invalid_value;
    return on_stream(stream, NodeKind::copy,
                     [kept = *what](void* on) { return enqueue_3d(&kept, on); });
  });
}

}  // namespace skerry::emulation::driver
