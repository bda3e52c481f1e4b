// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <vector>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/captures.hpp"
#include "device/cuda/emulation/driver/copies.hpp"
#include "device/cuda/emulation/driver/memory.hpp"
#include "device/cuda/emulation/runtime/library_work.hpp"

namespace skerry::emulation::driver {

namespace {

struct Rows {
  address first = 0;
  std::size_t pitch = 0;
  std::size_t width = 0;  ///< of elements
  std::size_t height = 1;
};

[[nodiscard]] bool is_inside(address data, std::size_t nbytes) noexcept {
  const KnownMemory found = memory_at(data);
  if (!found) return false;
  return nbytes <= found.block.nbytes - (data - address_of(found.block.data));
}

template <class Value>
int enqueue_row(address target, Value value, std::size_t count, void* stream) {
  const std::size_t nbytes = count * sizeof(Value);
  if constexpr (sizeof(Value) == 1) {
    return machine_calls().fill_async(pointer(target), value, nbytes, stream);
  } else {
    const auto fill = [target, value, count] {
      char* const to = static_cast<char*>(pointer(target));
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(to + i * sizeof value, &value, sizeof value);
    };
    return enqueue_library_work("cuMemset", stream, {{pointer(target), nbytes}}, fill);
  }
}

/// Everything is looked at before anything is enqueued.
template <class Value>
int enqueue(const Rows& what, Value value, void* stream) {
  if (what.width == 0 || what.height == 0) return code::success;
  const std::size_t nbytes = what.width * sizeof(Value);
  if (nbytes / sizeof(Value) != what.width) return code::invalid_value;
  if (what.first % sizeof(Value) != 0) return code::invalid_value;
  if (what.height > 1 && (what.pitch < nbytes || what.pitch % sizeof(Value) != 0)) {
    return code::invalid_value;
  }
  if (!is_inside(what.first, (what.height - 1) * what.pitch + nbytes)) return code::invalid_value;
  if (what.pitch == nbytes) {
    return enqueue_row(what.first, value, what.width * what.height, stream);
  }
  for (std::size_t y = 0; y < what.height; ++y) {
    const int status = enqueue_row(what.first + y * what.pitch, value, what.width, stream);
    if (status != code::success) return status;
  }
  return code::success;
}

template <class Value>
int fill(const Rows& what, Value value, void* stream) noexcept {
  return in_context([&] {
    return on_stream(stream, NodeKind::fill, [=](void* on) { return enqueue(what, value, on); });
  });
}

/// On the legacy stream: as on a GPU, the host goes on before a fill of device memory has been
/// made, and not before one of the host's memory.
template <class Value>
int fill(const Rows& what, Value value) noexcept {
  return in_context([&]() -> int {
    const bool is_devices = memory_at(what.first).ordinal >= 0;
    const int status = enqueue(what, value, cuda::legacy_stream);
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
