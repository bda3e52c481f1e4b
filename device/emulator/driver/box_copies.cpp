// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Two- and three-dimensional copies, row by row.

#include <cstdint>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/captures.hpp"
#include "device/emulator/driver/copies.hpp"

namespace skerry::emulation::driver {

namespace {

/// Source or target of a copy: the address of its first row, and the strides of rows and planes.
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

/// Returns the address of a side. Null for CUDA arrays and unknown kinds of memory.
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

BoxSide side_of(const abi::Copy2d::Side& side, std::size_t width_bytes) noexcept {
  const std::size_t pitch = side.pitch != 0 ? side.pitch : width_bytes;
  char* const base = base_of(side.kind, side.host, side.device);
  return {base == nullptr ? nullptr : base + side.y * pitch + side.x_bytes, pitch, 0};
}

BoxSide side_of(const abi::Copy3d::Side& side, std::size_t width_bytes,
                std::size_t height) noexcept {
  const std::size_t pitch = side.pitch != 0 ? side.pitch : width_bytes;
  const std::size_t plane = pitch * (side.height != 0 ? side.height : height);
  char* const base = base_of(side.kind, side.host, side.device);
  return {base == nullptr ? nullptr : base + side.z * plane + side.y * pitch + side.x_bytes, pitch,
          plane};
}

int enqueue(const BoxCopy& box, void* stream) {
  if (box.width_bytes == 0 || box.height == 0 || box.depth == 0) return code::success;
  if (has_null(box.source.data, box.target.data)) return code::invalid_value;
  if (box.height > 1 &&
      (box.source.row_bytes < box.width_bytes || box.target.row_bytes < box.width_bytes)) {
    return code::invalid_value;
  }
  const bool is_dense =
      box.source.row_bytes == box.width_bytes && box.target.row_bytes == box.width_bytes;
  const std::size_t rows = is_dense ? 1 : box.height;
  const std::size_t nbytes = is_dense ? box.width_bytes * box.height : box.width_bytes;
  for (std::size_t z = 0; z < box.depth; ++z) {
    char* const target_plane = box.target.data + z * box.target.plane_bytes;
    const char* const source_plane = box.source.data + z * box.source.plane_bytes;
    for (std::size_t y = 0; y < rows; ++y) {
      const int status = enqueue_copy(target_plane + y * box.target.row_bytes,
                                      source_plane + y * box.source.row_bytes, nbytes, stream);
      if (status != code::success) return status;
    }
  }
  return code::success;
}

template <class Copy>
[[nodiscard]] bool has_array(const Copy& copy_params) noexcept {
  return copy_params.source.kind == abi::MemoryKind::array ||
         copy_params.target.kind == abi::MemoryKind::array;
}

int enqueue_2d(const abi::Copy2d* copy_params, void* stream) {
  if (has_null(copy_params)) return code::invalid_value;
  if (has_array(*copy_params)) return unsupported(array_text);
  return enqueue({side_of(copy_params->source, copy_params->width_bytes),
                  side_of(copy_params->target, copy_params->width_bytes), copy_params->width_bytes,
                  copy_params->height, 1},
                 stream);
}

int enqueue_3d(const abi::Copy3d* copy_params, void* stream) {
  if (has_null(copy_params)) return code::invalid_value;
  if (has_array(*copy_params)) return unsupported(array_text);
  if (copy_params->source.level != 0 || copy_params->target.level != 0) return code::invalid_value;
  return enqueue({side_of(copy_params->source, copy_params->width_bytes, copy_params->height),
                  side_of(copy_params->target, copy_params->width_bytes, copy_params->height),
                  copy_params->width_bytes, copy_params->height, copy_params->depth},
                 stream);
}

}  // namespace

int copy_2d(const abi::Copy2d* copy_params) {
  return in_context(
      [&] { return wait_for_legacy_stream(enqueue_2d(copy_params, cuda::legacy_stream)); });
}
int copy_2d_unaligned(const abi::Copy2d* copy_params) { return copy_2d(copy_params); }
int copy_2d_async(const abi::Copy2d* copy_params, void* stream) {
  return in_context([&]() -> int {
    if (has_null(copy_params)) return code::invalid_value;
    return on_stream(stream, NodeKind::copy, [params = *copy_params](void* launch_stream) {
      return enqueue_2d(&params, launch_stream);
    });
  });
}

int copy_3d(const abi::Copy3d* copy_params) {
  return in_context(
      [&] { return wait_for_legacy_stream(enqueue_3d(copy_params, cuda::legacy_stream)); });
}
int copy_3d_async(const abi::Copy3d* copy_params, void* stream) {
  return in_context([&]() -> int {
    if (has_null(copy_params)) return code::invalid_value;
    return on_stream(stream, NodeKind::copy, [params = *copy_params](void* launch_stream) {
      return enqueue_3d(&params, launch_stream);
    });
  });
}

}  // namespace skerry::emulation::driver
