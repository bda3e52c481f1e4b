// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <vector>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/captures.hpp"
#include "device/emulator/driver/copies.hpp"
#include "device/emulator/driver/memory.hpp"
#include "device/emulator/runtime/library_tasks.hpp"

namespace skerry::emulation::driver {

namespace {

struct Rows {
  address first = 0;
  std::size_t pitch = 0;
  std::size_t width = 0;  ///< in elements
  std::size_t height = 1;
};

[[nodiscard]] bool is_inside(address data, std::size_t nbytes) noexcept {
  const KnownMemory memory = memory_at(data);
  if (!memory) return false;
  return nbytes <= memory.block.nbytes - (data - address_of(memory.block.data));
}

template <class Value>
int enqueue_row(address target, Value value, std::size_t count, void* stream) {
  const std::size_t nbytes = count * sizeof(Value);
  if constexpr (sizeof(Value) == 1) {
    return driver_api().fill_async(pointer(target), value, nbytes, stream);
  } else {
    const auto fill = [target, value, count] {
      char* const destination = static_cast<char*>(pointer(target));
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(destination + i * sizeof value, &value, sizeof value);
    };
    return enqueue_library_task("cuMemset", stream, {{pointer(target), nbytes, RangeAccess::write}},
                                fill);
  }
}

/// Checks all rows before it enqueues any.
template <class Value>
int enqueue(const Rows& rows, Value value, void* stream) {
  if (rows.width == 0 || rows.height == 0) return code::success;
  const std::size_t nbytes = rows.width * sizeof(Value);
  if (nbytes / sizeof(Value) != rows.width) return code::invalid_value;
  if (rows.first % sizeof(Value) != 0) return code::invalid_value;
  if (rows.height > 1 && (rows.pitch < nbytes || rows.pitch % sizeof(Value) != 0)) {
    return code::invalid_value;
  }
  if (!is_inside(rows.first, (rows.height - 1) * rows.pitch + nbytes)) return code::invalid_value;
  if (rows.pitch == nbytes) {
    return enqueue_row(rows.first, value, rows.width * rows.height, stream);
  }
  for (std::size_t y = 0; y < rows.height; ++y) {
    const int status = enqueue_row(rows.first + y * rows.pitch, value, rows.width, stream);
    if (status != code::success) return status;
  }
  return code::success;
}

template <class Value>
int fill(const Rows& rows, Value value, void* stream) noexcept {
  return in_context([&] {
    return on_stream(stream, NodeKind::fill,
                     [=](void* launch_stream) { return enqueue(rows, value, launch_stream); });
  });
}

/// Fills on the legacy stream. As on a GPU, asynchronous for device memory and synchronous for host
/// memory.
template <class Value>
int fill(const Rows& rows, Value value) noexcept {
  return in_context([&]() -> int {
    const bool is_devices = memory_at(rows.first).ordinal >= 0;
    const int status = enqueue(rows, value, cuda::legacy_stream);
    return is_devices ? status : wait_for_legacy_stream(status);
  });
}

}  // namespace

int fill_bytes(address target, unsigned char value, std::size_t count) {
  return fill(Rows{target, 0, count, 1}, value);
}
int fill_shorts(address target, unsigned short value, std::size_t count) {
  return fill(Rows{target, 0, count, 1}, value);
}
int fill_words(address target, unsigned value, std::size_t count) {
  return fill(Rows{target, 0, count, 1}, value);
}
int fill_bytes_async(address target, unsigned char value, std::size_t count, void* stream) {
  return fill(Rows{target, 0, count, 1}, value, stream);
}
int fill_shorts_async(address target, unsigned short value, std::size_t count, void* stream) {
  return fill(Rows{target, 0, count, 1}, value, stream);
}
int fill_words_async(address target, unsigned value, std::size_t count, void* stream) {
  return fill(Rows{target, 0, count, 1}, value, stream);
}

int fill_bytes_2d(address target, std::size_t pitch, unsigned char value, std::size_t width,
                  std::size_t height) {
  return fill(Rows{target, pitch, width, height}, value);
}
int fill_shorts_2d(address target, std::size_t pitch, unsigned short value, std::size_t width,
                   std::size_t height) {
  return fill(Rows{target, pitch, width, height}, value);
}
int fill_words_2d(address target, std::size_t pitch, unsigned value, std::size_t width,
                  std::size_t height) {
  return fill(Rows{target, pitch, width, height}, value);
}
int fill_bytes_2d_async(address target, std::size_t pitch, unsigned char value, std::size_t width,
                        std::size_t height, void* stream) {
  return fill(Rows{target, pitch, width, height}, value, stream);
}
int fill_shorts_2d_async(address target, std::size_t pitch, unsigned short value, std::size_t width,
                         std::size_t height, void* stream) {
  return fill(Rows{target, pitch, width, height}, value, stream);
}
int fill_words_2d_async(address target, std::size_t pitch, unsigned value, std::size_t width,
                        std::size_t height, void* stream) {
  return fill(Rows{target, pitch, width, height}, value, stream);
}

}  // namespace skerry::emulation::driver
