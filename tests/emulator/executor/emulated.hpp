// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulator/execute/launch.hpp"
#include "device/emulator/ptx/module.hpp"

namespace skerry::emulation {

/// Memory of a test's kernels, allocated on the host.
class TestMemory : public MemoryMap {
 public:
  /// Allocates `nbytes` of 0xa5 at a multiple of 256 plus `offset`.
  std::uint64_t allocate(std::size_t nbytes, std::size_t offset = 0) {
    auto& buffer = buffers_.emplace_back(std::make_unique<std::byte[]>(nbytes + offset + 512));
    std::memset(buffer.get(), 0xa5, nbytes + offset + 512);
    const auto raw = reinterpret_cast<std::uint64_t>(buffer.get());
    const std::uint64_t begin = (raw + 255) / 256 * 256 + offset;
    live_[begin] = nbytes;
    shadows_[begin].assign(nbytes, std::byte{0xff});
    return begin;
  }
  template <class T>
  std::uint64_t allocate(const std::vector<T>& values) {
    const std::uint64_t begin = allocate(values.size() * sizeof(T));
    std::memcpy(reinterpret_cast<void*>(begin), values.data(), values.size() * sizeof(T));
    shadows_[begin].assign(shadows_[begin].size(), std::byte{});
    return begin;
  }
  void free(std::uint64_t begin) { live_.erase(begin); }
  template <class T>
  [[nodiscard]] std::vector<T> read(std::uint64_t begin, std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), reinterpret_cast<const void*>(begin), count * sizeof(T));
    return values;
  }

  [[nodiscard]] Allocation find(std::uint64_t address) const override {
    auto block = live_.upper_bound(address);
    if (block == live_.begin()) return {};
    --block;
    if (address >= block->first + block->second) return {};
    return {block->first, block->first + block->second};
  }
  [[nodiscard]] MemoryNear nearest(std::uint64_t address) const override {
    auto block = live_.upper_bound(address);
    if (block == live_.begin()) return {.address = address};
    --block;
    return {.state = MemoryState::live,
            .begin = block->first,
            .nbytes = block->second,
            .address = address,
            .device = 0};
  }
  [[nodiscard]] std::byte* undefined_bits(std::uint64_t address) const override {
    const Allocation allocation = find(address);
    return allocation.end == 0
               ? nullptr
               : shadows_.at(allocation.begin).data() + (address - allocation.begin);
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::map<std::uint64_t, std::size_t> live_;
  mutable std::map<std::uint64_t, std::vector<std::byte>> shadows_;
};

[[nodiscard]] inline std::shared_ptr<const Module> load_text(const std::string& text,
                                                             int compute_capability = 90) {
  return Module::load(std::as_bytes(std::span(text)), compute_capability);
}

/// Returns the PTX of a module with one kernel. `parameters` is such as ".param .u64 p".
[[nodiscard]] inline std::string kernel_text(const std::string& parameters, const std::string& body,
                                             const std::string& declarations = "",
                                             const std::string& name = "k") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + declarations + "\n.visible .entry " +
         name + "(" + parameters + ")\n{\n" + body + "\n}\n";
}

/// Returns the bytes of parameters, each at a multiple of its size.
template <class... T>
[[nodiscard]] std::vector<std::byte> parameter_bytes(const T&... values) {
  std::vector<std::byte> bytes;
  [[maybe_unused]] const auto put = [&](const auto& value) {
    bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto* const begin = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
  };
  (put(values), ...);
  return bytes;
}

/// Loads a PTX module and runs one of its kernels. Returns its failure, or that of check_launch().
template <class... T>
[[nodiscard]] std::optional<Failure> run_kernel(const std::string& name, const std::string& text,
                                                const Launch& launch, const DeviceModel& device,
                                                const MemoryMap& memory, const T&... parameters) {
  const auto loaded = load_text(text);
  const Kernel* const kernel = loaded->find(name);
  if (kernel == nullptr) return Failure{-1, "no kernel " + name};
  const std::vector<std::byte> bytes = parameter_bytes(parameters...);
  Launch bound_launch = launch;
  bound_launch.parameters = bytes;
  if (auto refused = check_launch(*kernel, bound_launch, device, 100 << 10)) return refused;
  return run(*kernel, bound_launch, device, memory);
}

template <class... T>
[[nodiscard]] std::optional<Failure> run_text(const std::string& text, const Launch& launch,
                                              const DeviceModel& device, const MemoryMap& memory,
                                              const T&... parameters) {
  return run_kernel("k", text, launch, device, memory, parameters...);
}

[[nodiscard]] inline std::string text_of(const std::optional<Failure>& failure) {
  return failure ? std::to_string(failure->code) + ": " + failure->text : "no failure";
}

#define EXPECT_RUNS(...)                                   \
  do {                                                     \
    const auto failed_ = run_text(__VA_ARGS__);            \
    EXPECT_FALSE(failed_.has_value()) << text_of(failed_); \
  } while (false)

/// Expects a failure with this code, whose text contains all `words`.
inline void expect_failure(const std::optional<Failure>& failure, int code,
                           std::initializer_list<std::string_view> words) {
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->code, code) << failure->text;
  for (const std::string_view word : words) {
    EXPECT_NE(failure->text.find(word), std::string::npos) << word << " in " << failure->text;
  }
}

}  // namespace skerry::emulation
