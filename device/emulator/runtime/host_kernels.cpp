// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/host_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "device/emulator/runtime/running_work.hpp"
#include "device/emulator/runtime/undefined_memory.hpp"

namespace skerry::emulation {

namespace {

struct ByteRange {
  std::byte* begin;
  std::byte* end;

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return static_cast<std::size_t>(end - begin);
  }
  /// Null for host memory, which counts as defined.
  [[nodiscard]] std::byte* undefined_bits() const noexcept {
    return undefined_memory_bits(reinterpret_cast<std::uint64_t>(begin));
  }
};

/// Returns disjoint ranges, sorted by address.
std::vector<ByteRange> merge(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  std::vector<ByteRange> merged;
  for (const ByteRange& range : ranges) {
    if (merged.empty() || merged.back().end <= range.begin) {
      merged.push_back(range);
    } else {
      merged.back().end = std::max(merged.back().end, range.end);
    }
  }
  return merged;
}

bool has_undefined_bits(const ByteRange& range) noexcept {
  const std::byte* const bits = range.undefined_bits();
  if (bits == nullptr) return false;
  return bits[0] != std::byte{} || std::memcmp(bits, bits + 1, range.nbytes() - 1) != 0;
}

void invert_undefined_bits(const ByteRange& range) noexcept {
  const std::byte* const bits = range.undefined_bits();
  if (bits == nullptr) return;
  for (std::size_t i = 0; i < range.nbytes(); ++i) range.begin[i] ^= bits[i];
}

/// Concatenated copies of ranges.
class CopiedBytes {
 public:
  explicit CopiedBytes(const std::vector<ByteRange>& ranges) : ranges_(ranges) {
    std::size_t nbytes = 0;
    for (const ByteRange& range : ranges) nbytes += range.nbytes();
    bytes_.resize(nbytes);
  }
  void copy() {
    for_ranges([](const ByteRange& range, std::byte* bytes) {
      std::memcpy(bytes, range.begin, range.nbytes());
    });
  }
  /// Calls `function` with each range and its bytes.
  template <class Function>
  void for_ranges(Function function) {
    std::byte* bytes = bytes_.data();
    for (const ByteRange& range : ranges_) {
      function(range, bytes);
      bytes += range.nbytes();
    }
  }

 private:
  const std::vector<ByteRange>& ranges_;
  std::vector<std::byte> bytes_;
};

void run_twice(void (*kernel)(const void* params), const void* params,
               const std::vector<ByteRange>& accessed_ranges,
               const std::vector<ByteRange>& written) {
  CopiedBytes initial_bytes(written);
  CopiedBytes first(written);
  initial_bytes.copy();
  std::ranges::for_each(accessed_ranges, invert_undefined_bits);
  kernel(params);
  first.copy();
  std::ranges::for_each(accessed_ranges, invert_undefined_bits);
  initial_bytes.for_ranges([](const ByteRange& range, const std::byte* bytes) {
    std::memcpy(range.begin, bytes, range.nbytes());
  });
  kernel(params);
  first.for_ranges([](const ByteRange& range, const std::byte* bytes) {
    std::byte* const bits = range.undefined_bits();
    if (bits == nullptr) return;
    for (std::size_t i = 0; i < range.nbytes(); ++i) bits[i] = bytes[i] ^ range.begin[i];
  });
}

}  // namespace

std::shared_mutex& memory_mutex() noexcept {
  static auto* const mutex = new std::shared_mutex;  // leaked: streams may outlive main()
  return *mutex;
}

void run_host_kernel(void (*kernel)(const void* params), const void* params,
                     std::span<const cuda::KernelOperand> operands) noexcept {
  const RunningWork running_work;
  if (!follows_undefined_memory()) return kernel(params);
  const std::unique_lock lock(memory_mutex());
  try {
    std::vector<ByteRange> accessed_ranges;
    std::vector<ByteRange> written;
    for (const cuda::KernelOperand& operand : operands) {
      auto* const begin = static_cast<std::byte*>(operand.data);
      accessed_ranges.push_back({begin, begin + operand.nbytes});
      if (operand.is_written) written.push_back(accessed_ranges.back());
    }
    accessed_ranges = merge(std::move(accessed_ranges));
    written = merge(std::move(written));
    if (std::ranges::any_of(accessed_ranges, has_undefined_bits)) {
      return run_twice(kernel, params, accessed_ranges, written);
    }
  } catch (const std::bad_alloc&) {
    for (const cuda::KernelOperand& operand : operands) {
      if (operand.is_written) define_memory(operand.data, operand.nbytes);
    }
  }
  kernel(params);
}

}  // namespace skerry::emulation
