// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <vector>

#include "device/emulator/driver/captures.hpp"
#include "device/emulator/driver/graph_nodes.hpp"
#include "device/emulator/driver/kernels.hpp"

namespace skerry::emulation::driver {

namespace {

/// Returns the address of each parameter in the buffer that `extra` describes. Returns nothing if
/// the buffer is missing or too small, or `extra` has an unknown key. Throws ImageError.
std::vector<void*> arguments_in(void** extra, const RegisteredKernel& named) {
  char* buffer = nullptr;
  const std::size_t* nbytes = nullptr;
  for (; *extra != reinterpret_cast<void*>(abi::extra_end); extra += 2) {
    const auto key = reinterpret_cast<std::uintptr_t>(*extra);
    if (key == abi::extra_buffer) {
      buffer = static_cast<char*>(extra[1]);
    } else if (key == abi::extra_size) {
      nbytes = static_cast<const std::size_t*>(extra[1]);
    } else {
      return {};
    }
  }
  if (has_null(buffer, nbytes)) return {};
  std::vector<void*> argument_pointers;
  const FoundKernel found_kernel = named.find();
  for (const Parameter& parameter : found_kernel.code->parameters()) {
    if (std::size_t{parameter.offset} + parameter.nbytes > *nbytes) return {};
    argument_pointers.push_back(buffer + parameter.offset);
  }
  return argument_pointers;
}

int launch(void* function, LaunchRequest request, void** extra) {
  const auto named = Registry::instance().kernel_at(function);
  if (named == nullptr) return code::invalid_handle;
  const FoundKernel found_kernel = named->find();
  const auto parameters = found_kernel.code->parameters();
  std::vector<void*> argument_pointers;
  if (extra != nullptr) {
    // Arguments and `extra` are mutually exclusive.
    if (request.arguments != nullptr) return code::invalid_value;
    argument_pointers = arguments_in(extra, *named);
    if (argument_pointers.size() != parameters.size()) return code::invalid_value;
    request.arguments = argument_pointers.data();
  }
  if (!parameters.empty()) {
    if (request.arguments == nullptr) return code::invalid_value;
    const std::span<void*> arguments(request.arguments, parameters.size());
    if (std::ranges::find(arguments, nullptr) != arguments.end()) return code::invalid_value;
  }
  if (is_captured(request.stream)) {
    return capture(request.stream, NodeKind::kernel, deferred_launch(named, request));
  }
  const int status = enqueue(named, request);
  // For launches that exceed a limit, the driver returns an invalid value instead of the runtime's
  // statuses.
  const bool is_of_size =
      status == code::invalid_configuration || status == code::launch_out_of_resources;
  return is_of_size ? code::invalid_value : status;
}

}  // namespace

int launch_kernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                  void* stream, void** arguments, void** extra) {
  return in_context([&] {
    return launch(
        function,
        {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, arguments}, extra);
  });
}

int launch_kernel_ex(const abi::DriverLaunch* config, void* function, void** arguments,
                     void** extra) {
  return in_context([&]() -> int {
    if (has_null(config) || (config->attribute_count != 0 && has_null(config->attributes))) {
      return code::invalid_value;
    }
    LaunchRequest request{config->grid, config->block, config->dynamic_shared_bytes, config->stream,
                          arguments};
    for (const abi::LaunchAttribute& attribute :
         std::span(config->attributes, config->attribute_count)) {
      if (!apply(attribute, request)) {
        return unsupported(("launch attribute " + std::to_string(attribute.id)).c_str());
      }
    }
    return launch(function, request, extra);
  });
}

int launch_cooperative(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                       void* stream, void** arguments) {
  return in_context([&] {
    return launch(
        function,
        {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, arguments, true},
        nullptr);
  });
}

}  // namespace skerry::emulation::driver
