// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/functions.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/runtime.hpp"

namespace skerry::cuda {

namespace {

void fill_kernels(KernelTable& table) {
  const ModuleInterface* const module = loaded_module();
  if (module != nullptr && module->fill_kernels != nullptr) module->fill_kernels(table);
}

constexpr Backend make_backend(KernelForm kernel_form, bool has_float64) {
  return {
      .name = "cuda",
      .can = {.kernel_form = kernel_form,
              .host_memory = false,
              .runs_later = true,
              .native_limits = true,
              .has_cuda_interface = true,
              .has_float64 = has_float64,
              .dlpack_code = 2},
      .devices = {.count = count_devices,
                  .require = require_device,
                  .describe = describe,
                  .ordinal = ordinal_of,
                  .used = used,
                  .shut_down = shut_down},
      .memory = {.allocate = allocate,
                 .allocate_managed = allocate_managed,
                 .allocate_empty = allocate_empty,
                 .statistics = statistics,
                 .reset_peak = reset_peak,
                 .set_limit = set_memory_limit,
                 .trim = trim,
                 .adopt = adopt},
      .streams = {.default_handle = 1,  // legacy_stream
                  .create = create_stream,
                  .synchronize = synchronize_stream,
                  .idle = is_idle,
                  .wait = wait_for_stream,
                  .synchronize_device = synchronize_device,
                  .current = current_stream,
                  .current_handle = current_stream_handle,
                  .set_current = set_current_stream,
                  .create_event = create_event,
                  .record = record_event,
                  .wait_for_event = wait_for_event,
                  .synchronize_event = synchronize_event,
                  .is_done = is_event_done,
                  .elapsed = elapsed},
      .transfers = {.from_host = copy_from_host,
                    .to_host = copy_to_host,
                    .between = copy_between,
                    .does_from_host_wait = does_from_host_wait,
                    .open_upload = open_upload},
      .deferred = {.add = add_deferred, .close = close_deferred},
      .interchange = {.make_ready_on_legacy = make_ready_on_legacy,
                      .make_ready_on = make_ready_on,
                      .make_ready_on_current = make_ready_on_current,
                      .note_import_on_current = note_import_on_current,
                      .make_ready_on_host = make_ready_on_host,
                      .inspect_pointer = inspect_pointer,
                      .ordinal_of_stream = ordinal_of_stream,
                      .make_device_current = make_device_current},
      .launch = launch,
      .fill_kernels = kernel_form == KernelForm::native ? fill_kernels : nullptr,
      .begin_capture = begin_capture,
  };
}

}  // namespace

constexpr Backend native_backend = make_backend(KernelForm::native, true);
constexpr Backend rehearsed_backend = make_backend(KernelForm::host, true);
constexpr Backend native_backend_without_float64 = make_backend(KernelForm::native, false);
constexpr Backend rehearsed_backend_without_float64 = make_backend(KernelForm::host, false);

void use_backend(const Backend& backend) noexcept {
  skerry::detail::backends[static_cast<std::size_t>(kind)].store(&backend);
}

}  // namespace skerry::cuda
