// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/images.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/undefined_memory.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation {

namespace {

constexpr int invalid_device_function = 98;

/// Number of resets of each device.
constinit std::array<std::atomic<std::uint64_t>, rehearsal::max_devices> lives{};

std::uint64_t life_of(int ordinal) noexcept {
  return lives[static_cast<std::size_t>(ordinal)].load();
}

rehearsal::AddressRange& memory_of(int ordinal) noexcept {
  return rehearsal::System::instance().device(ordinal).memory;
}

void free_at(int ordinal, std::uint64_t address) noexcept {
  void* const data = reinterpret_cast<void*>(address);
  if (data == nullptr || !memory_of(ordinal).retire(data)) return;
  static_cast<void>(memory_of(ordinal).reclaim(data));
}

}  // namespace

LoadedImage::~LoadedImage() {
  for (const auto& [ordinal, placed] : placed_) {
    if (placed.life != life_of(ordinal)) continue;
    for (const std::uint64_t address : placed.addresses) free_at(ordinal, address);
  }
}

void LoadedImage::allocate_variables(int ordinal, std::vector<std::uint64_t>& addresses) const {
  for (const Variable& variable : code_->variables()) {
    void* data = nullptr;
    const std::size_t limit = rehearsal::current_settings().memory_bytes.load();
    const std::size_t nbytes = std::max<std::size_t>(variable.nbytes, 1);
    if (memory_of(ordinal).allocate(&data, nbytes, limit) != cuda::success) throw std::bad_alloc();
    addresses.push_back(reinterpret_cast<std::uint64_t>(data));
    std::memset(data, 0, nbytes);
    if (!variable.initial.empty())
      std::memcpy(data, variable.initial.data(), variable.initial.size());
    define_memory(data, nbytes);
  }
  for (std::size_t k = 0; k < addresses.size(); ++k) {
    for (const Variable::Address& one : code_->variables()[k].addresses) {
      auto* const word = reinterpret_cast<std::byte*>(addresses[k]) + one.offset;
      std::uint64_t value = 0;
      std::memcpy(&value, word, sizeof value);
      value += addresses[one.variable];
      std::memcpy(word, &value, sizeof value);
    }
  }
}

std::span<const std::uint64_t> LoadedImage::variables(int ordinal) {
  if (code_->variables().empty()) return {};
  const std::lock_guard lock(mutex_);
  auto& [life, placed] = placed_[ordinal];
  if (life != life_of(ordinal)) placed.clear();
  life = life_of(ordinal);
  if (placed.empty()) {
    try {
      allocate_variables(ordinal, placed);
    } catch (...) {
      for (const std::uint64_t address : placed) free_at(ordinal, address);
      placed.clear();
      throw;
    }
  }
  return placed;
}

void invalidate_variables(int ordinal) noexcept {
  lives[static_cast<std::size_t>(ordinal)].fetch_add(1);
}

std::shared_ptr<LoadedImage> load_image(std::span<const std::byte> image) {
  const int capability = current_emulator_settings().model.compute_capability;
  return std::make_shared<LoadedImage>(Module::load(image, capability));
}

std::shared_ptr<LoadedImage> LazyImage::load() {
  const std::lock_guard lock(mutex_);
  if (error_) throw ImageError(*error_);
  if (loaded_ != nullptr) return loaded_;
  try {
    if (data_ == nullptr) throw ImageError(code::invalid_kernel_image, "not a fat binary");
    loaded_ = load_image({data_, Module::fat_binary_size(data_)});
  } catch (const ImageError& error) {
    error_ = error;
    throw;
  }
  return loaded_;
}

FoundKernel RegisteredKernel::find() const {
  std::shared_ptr<LoadedImage> image = image_->load();
  const Kernel* const code = image->code().find(name_);
  if (code == nullptr)
    throw ImageError(invalid_device_function, "the image has no kernel " + name_);
  return {std::move(image), code};
}

std::size_t RegisteredKernel::max_dynamic_bytes(const KernelAttributes& attributes) const noexcept {
  if (const std::int64_t requested_bytes = requested_dynamic_bytes.load(); requested_bytes >= 0) {
    return static_cast<std::size_t>(requested_bytes);
  }
  const std::size_t without = current_emulator_settings().model.shared_bytes_per_block;
  return without > attributes.static_shared_bytes ? without - attributes.static_shared_bytes : 0;
}

Registry& Registry::instance() noexcept {
  static auto* const one = new Registry;  // leaked: programs unregister after main() has ended
  return *one;
}

void** Registry::add_image(const std::byte* data) {
  const std::unique_lock lock(mutex_);
  auto** const handle = reinterpret_cast<void**>(next_handle_);
  next_handle_ += 16;
  images_[handle].image = std::make_shared<LazyImage>(data);
  return handle;
}

void Registry::remove_image(void** handle) noexcept {
  const std::unique_lock lock(mutex_);
  const auto entry = images_.find(handle);
  if (entry == images_.end()) return;
  for (const void* host : entry->second.kernels) {
    if (const auto kernel = kernels_.find(host); kernel != kernels_.end()) {
      handles_.erase(kernel->second.get());
      kernels_.erase(kernel);
    }
  }
  for (const void* host : entry->second.variables) variables_.erase(host);
  images_.erase(entry);
}

void Registry::add_kernel(void** handle, const void* host, const char* name) {
  const std::unique_lock lock(mutex_);
  const auto entry = images_.find(handle);
  if (entry == images_.end()) return;
  auto new_kernel = std::make_shared<RegisteredKernel>(entry->second.image, name);
  handles_.emplace(new_kernel.get(), new_kernel);
  kernels_[host] = std::move(new_kernel);
  entry->second.kernels.push_back(host);
}

void Registry::add_kernel(const std::shared_ptr<RegisteredKernel>& kernel) {
  const std::unique_lock lock(mutex_);
  handles_.emplace(kernel.get(), kernel);
}

void Registry::remove_kernel(const RegisteredKernel& kernel) noexcept {
  const std::unique_lock lock(mutex_);
  handles_.erase(&kernel);
}

void Registry::add_variable(void** handle, const void* host, const char* name, std::size_t nbytes) {
  const std::unique_lock lock(mutex_);
  const auto entry = images_.find(handle);
  if (entry == images_.end()) return;
  variables_[host] = {entry->second.image, name, nbytes};
  entry->second.variables.push_back(host);
}

std::shared_ptr<RegisteredKernel> Registry::kernel_at(const void* function) const noexcept {
  const std::shared_lock lock(mutex_);
  if (const auto entry = kernels_.find(function); entry != kernels_.end()) return entry->second;
  if (const auto entry = handles_.find(function); entry != handles_.end()) return entry->second;
  return nullptr;
}

std::optional<Registry::RegisteredVariable> Registry::variable_at(const void* host) const {
  const std::shared_lock lock(mutex_);
  const auto entry = variables_.find(host);
  if (entry == variables_.end()) return std::nullopt;
  return entry->second;
}

}  // namespace skerry::emulation
