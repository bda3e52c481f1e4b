// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/module.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "device/emulator/execute/program.hpp"
#include "device/emulator/ptx/kernel_decoder.hpp"
#include "device/emulator/ptx/kernel_names.hpp"
#include "device/emulator/ptx/module_source.hpp"

namespace skerry::emulation {

struct Kernel::LazilyDecoded {
  std::mutex mutex;
  std::unique_ptr<const Program> code;
};

Kernel::Kernel(const Module& owner, const ptx::EntrySource& source)
    : owner_(owner),
      source_(source),
      name_(source.name),
      decoded_(std::make_unique<LazilyDecoded>()) {}

Kernel::~Kernel() = default;

std::string Kernel::readable_name() const { return readable_kernel_name(name_); }

std::span<const Parameter> Kernel::parameters() const noexcept { return source_.parameters; }

const Program& Kernel::decoded() const {
  const std::lock_guard lock(decoded_->mutex);
  if (!decoded_->code) decoded_->code = ptx::KernelDecoder(owner_.source(), source_).decode();
  return *decoded_->code;
}

namespace {

/// Returns the size of constant memory, with each variable aligned.
[[nodiscard]] std::size_t constant_bytes_of(std::span<const Variable> all) {
  std::size_t end = 0;
  for (const Variable& one : all) {
    if (!one.is_constant) continue;
    end = (end + one.alignment - 1) / one.alignment * one.alignment + one.nbytes;
  }
  return end;
}

}  // namespace

KernelAttributes Kernel::attributes() const {
  const Program& code = decoded();
  // A 32-bit register of a GPU corresponds to a row of 4 bytes per lane.
  const auto rows = static_cast<int>(code.register_nbytes / (4 * warp_size));
  // ptxas spills registers beyond the kernel's limit to local memory.
  const int max_registers =
      source_.max_registers != 0 ? static_cast<int>(source_.max_registers) : 255;
  return {.static_shared_bytes = code.static_shared_nbytes,
          .local_bytes = code.local_nbytes,
          .parameter_bytes = source_.parameter_nbytes,
          .constant_bytes = constant_bytes_of(owner_.variables()),
          .registers = std::min(std::max(rows, 16), max_registers),
          .max_threads_per_block =
              source_.max_threads != 0 ? static_cast<int>(source_.max_threads) : 1024,
          .ptx_version = owner_.target(),
          .binary_version = owner_.compute_capability()};
}

Module::Module(std::unique_ptr<ptx::ModuleSource> source, int compute_capability)
    : source_(std::move(source)), compute_capability_(compute_capability) {
  for (const ptx::EntrySource& entry : source_->entries) {
    kernels_.push_back(std::make_unique<Kernel>(*this, entry));
  }
  std::ranges::sort(kernels_, {}, [](const auto& one) -> std::string_view { return one->name(); });
}

Module::~Module() = default;

std::shared_ptr<const Module> Module::load(std::span<const std::byte> image,
                                           int compute_capability) {
  auto source = std::make_unique<ptx::ModuleSource>();
  source->text = ptx::text_of(image, compute_capability);
  ptx::parse_module(*source);
  if (source->target > compute_capability) {
    throw ImageError(code::no_kernel_image_for_device,
                     "PTX for compute capability " + std::to_string(source->target) +
                         ", the device has " + std::to_string(compute_capability));
  }
  return std::shared_ptr<const Module>(new Module(std::move(source), compute_capability));
}

std::size_t Module::fat_binary_size(const std::byte* data) { return ptx::fat_binary_size(data); }

std::span<const std::byte> Module::image_at(const void* data) { return ptx::image_at(data); }

const Kernel* Module::find(std::string_view name) const noexcept {
  const auto kernel = std::ranges::lower_bound(
      kernels_, name, {}, [](const auto& one) -> std::string_view { return one->name(); });
  return kernel != kernels_.end() && (*kernel)->name() == name ? kernel->get() : nullptr;
}

std::span<const Variable> Module::variables() const noexcept { return source_->variables; }

const Variable* Module::find_variable(std::string_view name) const noexcept {
  const auto variable = std::ranges::find(source_->variables, name, &Variable::name);
  return variable != source_->variables.end() ? &*variable : nullptr;
}

int Module::target() const noexcept { return source_->target; }

}  // namespace skerry::emulation
