// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/backend.hpp"

#include "device/cuda/module.hpp"

namespace skerry::cuda {

namespace {

/// 32-bit indices of elements, and offsets of bytes that are added to them.
constexpr std::int64_t index_limit = std::int64_t{1} << 31;

void fill_kernels(void* table) {
  const module_interface* const module = loaded_module();
  if (module != nullptr && module->fill_kernels != nullptr) module->fill_kernels(table);
}

constexpr backend make_backend(kernel_form form) {
  return {
      .name = "cuda",
      .can = {.form = form,
              .host_memory = false,
              .runs_later = true,
              .dense_operands = true,
              .has_cuda_interface = true,
              .index_limit = index_limit,
              .dlpack_code = 2},
      .fill_kernels = form == kernel_form::native ? fill_kernels : nullptr,
  };
}

}  // namespace

constexpr backend native_backend = make_backend(kernel_form::native);
constexpr backend rehearsed_backend = make_backend(kernel_form::host);

void use_backend(const backend& chosen) noexcept {
  detail::backends[static_cast<std::size_t>(device_kind::cuda)].store(&chosen);
}

}  // namespace skerry::cuda
