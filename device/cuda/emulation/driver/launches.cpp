// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <vector>

#include "device/cuda/emulation/driver/captures.hpp"
#include "device/cuda/emulation/driver/graph_nodes.hpp"
#include "device/cuda/emulation/driver/kernels.hpp"

namespace skerry::emulation::driver {

namespace {

/// The place of each parameter in the one piece of memory that `extra` describes. Throws
/// ImageError; empty if it describes none that is large enough.
std::vector<void*> arguments_in(void** extra, const RegisteredKernel& named) {
  char* buffer = nullptr;
  const std::size_t* nbytes = nullptr;
  for (; *extra != reinterpret_cast<void*>(abi::extra_end); extra += 2) {
    const auto what = reinterpret_cast<std::uintptr_t>(*extra);
    if (what == abi::extra_buffer) {
      buffer = static_cast<char*>(extra[1]);
    } else if (what == abi::extra_size) {
      nbytes = static_cast<const std::size_t*>(extra[1]);
    } else {
      return {};
    }
  }
  if (has_null(buffer, nbytes)) return {};
  std::vector<void*> places;
  const FoundKernel found = named.find();
  for (const Parameter& each : found.code->parameters()) {
    if (std::size_t{each.offset} + each.nbytes > *nbytes) return {};
    places.push_back(buffer + each.offset);
  }
  return places;
}

int launch(void* function, LaunchRequest request, void** extra) {
  const auto named = Registry::instance().kernel_at(function);
  if (named == nullptr) return code::invalid_handle;
  const FoundKernel found = named->find();
  const auto parameters = found.code->parameters();
  std::vector<void*> places;
  if (extra != nullptr) {
    // One way or the other.
    if (request.arguments != nullptr) return code::invalid_value;
    places = arguments_in(extra, *named);
    if (places.size() != parameters.size()) return code::invalid_value;
    request.arguments = places.data();
  }
  if (!parameters.empty()) {
    if (request.arguments == nullptr) return code::invalid_value;
    const std::span<void*> given(request.arguments, parameters.size());
    if (std::ranges::find(given, nullptr) != given.end()) return code::invalid_value;
  }
  if (is_captured(request.stream)) {
    return capture(request.stream, NodeKind::kernel, kept_launch(named, request));
  }
  const int status = enqueue(named, request);
  // For a grid, a block or a kernel's bounds the driver says that an argument is wrong.
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

int launch_kernel_ex(const abi::DriverLaunch* how, void* function, void** arguments, void** extra) {
  return in_context([&]() -> int {
    if (has_null(how) || (how->attribute_count != 0 && has_null(how->attributes))) {
      return code::invalid_value;
    }
    LaunchRequest request{how->grid, how->block, how->dynamic_shared_bytes, how->stream, arguments};
    for (const abi::LaunchAttribute& each : std::span(how->attributes, how->attribute_count)) {
      if (!apply(each, request)) {
        return unsupported(("launch attribute " + std::to_string(each.id)).c_str());
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
