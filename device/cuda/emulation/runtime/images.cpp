// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/images.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "device/cuda/emulation/runtime/emulated_machine.hpp"
#include "device/cuda/emulation/runtime/undefined_memory.hpp"
#include "device/cuda/rehearsal/machine.hpp"

namespace skerry::emulation {

namespace {

constexpr int invalid_device_function = 98;

/// How often each device was reset.
constinit std::array<std::atomic<std::uint64_t>, rehearsal::most_devices> lives{};

std::uint64_t life_of(int ordinal) noexcept {
  return lives[static_cast<std::size_t>(ordinal)].load();
}

rehearsal::AddressRange& memory_of(int ordinal) noexcept {
  return rehearsal::Machine::instance().at(ordinal).memory;
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

void LoadedImage::place(int ordinal, std::vector<std::uint64_t>& into) const {
  for (const Variable& each : code_->variables()) {
    void* data = nullptr;
    const std::size_t limit = rehearsal::current_settings().memory_bytes.load();
    const std::size_t nbytes = std::max<std::size_t>(each.nbytes, 1);
    if (memory_of(ordinal).allocate(&data, nbytes, limit) != cuda::success) throw std::bad_alloc();
    into.push_back(reinterpret_cast<std::uint64_t>(data));
    std::memset(data, 0, nbytes);
    if (!each.initial.empty()) std::memcpy(data, each.initial.data(), each.initial.size());
    define_memory(data, nbytes);
  }
  for (std::size_t k = 0; k < into.size(); ++k) {
    for (const Variable::Address& one : code_->variables()[k].addresses) {
      auto* const word = reinterpret_cast<std::byte*>(into[k]) + one.offset;
      std::uint64_t value = 0;
      std::memcpy(&value, word, sizeof value);
      value += into[one.variable];
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
      place(ordinal, placed);
    } catch (...) {
      for (const std::uint64_t address : placed) free_at(ordinal, address);
      placed.clear();
      throw;
    }
  }
  return placed;
}

void forget_variables(int ordinal) noexcept {
  lives[static_cast<std::size_t>(ordinal)].fetch_add(1);
}

std::shared_ptr<LoadedImage> load_image(std::span<const std::byte> image) {
  const int capability = current_emulator_settings().model.compute_capability;
  return std::make_shared<LoadedImage>(Module::load(image, capability));
}

std::shared_ptr<LoadedImage> LazyImage::load() {
  const std::lock_guard lock(mutex_);
  if (problem_) throw ImageError(*problem_);
  if (loaded_ != nullptr) return loaded_;
  try {
    if (data_ == nullptr) throw ImageError(code::invalid_kernel_image, "no fat binary");
    loaded_ = load_image({data_, Module::fat_binary_size(data_)});
  } catch (const ImageError& problem) {
    problem_ = problem;
    throw;
  }
  return loaded_;
}

FoundKernel RegisteredKernel::find() const {
  std::shared_ptr<LoadedImage> image = image_->load();
  const Kernel* const code = image->code().find(name_);
  if (code == nullptr) throw ImageError(invalid_device_function, "the image has no " + name_);
  return {std::move(image), code};
}

std::size_t RegisteredKernel::most_dynamic_bytes(const KernelAttributes& of) const noexcept {
  if (const std::int64_t asked = dynamic_bytes_asked.load(); asked >= 0) {
    return static_cast<std::size_t>(asked);
  }
  const std::size_t without = current_emulator_settings().model.shared_bytes_per_block;
  return without > of.static_shared_bytes ? without - of.static_shared_bytes : 0;
}

Registry& Registry::instance() noexcept {
  static auto* const one = new Registry;  // programs unregister after main has ended
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
  const auto found = images_.find(handle);
  if (found == images_.end()) return;
  for (const void* host : found->second.kernels) {
    if (const auto kernel = kernels_.find(host); kernel != kernels_.end()) {
      handles_.erase(kernel->second.get());
      kernels_.erase(kernel);
    }
  }
  for (const void* host : found->second.variables) variables_.erase(host);
  images_.erase(found);
}

void Registry::add_kernel(void** handle, const void* host, const char* name) {
  const std::unique_lock lock(mutex_);
  const auto found = images_.find(handle);
  if (found == images_.end()) return;
  auto fresh = std::make_shared<RegisteredKernel>(found->second.image, name);
  handles_.emplace(fresh.get(), fresh);
  kernels_[host] = std::move(fresh);
  found->second.kernels.push_back(host);
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
  const auto found = images_.find(handle);
  if (found == images_.end()) return;
  variables_[host] = {found->second.image, name, nbytes};
  found->second.variables.push_back(host);
}

std::shared_ptr<RegisteredKernel> Registry::kernel_at(const void* function) const noexcept {
  const std::shared_lock lock(mutex_);
  if (const auto found = kernels_.find(function); found != kernels_.end()) return found->second;
  if (const auto found = handles_.find(function); found != handles_.end()) return found->second;
  return nullptr;
}

std::optional<Registry::RegisteredVariable> Registry::variable_at(const void* host) const {
  const std::shared_lock lock(mutex_);
  const auto found = variables_.find(host);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

}  // namespace skerry::emulation
