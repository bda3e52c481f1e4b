// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/launch_list.hpp"

#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "device/emulator/runtime/settings.hpp"

namespace skerry::emulation {

namespace {

using counts = std::initializer_list<std::pair<std::string_view, std::uint64_t>>;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') out += '\\';
    out += character;
  }
  return out + "\"";
}

std::string object(counts fields) {
  std::string out;
  for (const auto& [name, count] : fields) {
    out += (out.empty() ? "{" : ", ") + quoted(name) + ": " + std::to_string(count);
  }
  return out + "}";
}

std::string array(const Extent& extent) {
  return "[" + std::to_string(extent.x) + ", " + std::to_string(extent.y) + ", " +
         std::to_string(extent.z) + "]";
}

std::string requests(const GlobalRequests& global_requests) {
  return object({{"requests", global_requests.requests},
                 {"bytes", global_requests.nbytes},
                 {"sectors", global_requests.sectors},
                 {"distinct_sectors", global_requests.distinct_sectors}});
}

[[nodiscard]] bool is_listing() { return !current_emulator_settings().launch_list.empty(); }

void append(const std::string& line) {
  static std::FILE* const list = [] {
    return std::fopen(current_emulator_settings().launch_list.c_str(), "ae");
  }();
  if (list == nullptr) return;
  std::fprintf(list, "%s\n", line.c_str());
  std::fflush(list);
}

}  // namespace

std::string launch_line(const Kernel& kernel, const Launch& launch, const Statistics& done) {
  const auto number = [](std::string_view name, std::uint64_t value) {
    return ", " + quoted(name) + ": " + std::to_string(value);
  };
  return "{\"kernel\": " + quoted(kernel.name()) + ", \"name\": " + quoted(kernel.readable_name()) +
         ", \"grid\": " + array(launch.grid) + ", \"block\": " + array(launch.block) +
         number("dynamic_shared_bytes", launch.dynamic_shared_bytes) +
         number("warp_instructions", done.warp_instructions) +
         number("lane_instructions", done.lane_instructions) +
         number("divergent_branches", done.divergent_branches) +
         ", \"loads\": " + requests(done.loads) + ", \"stores\": " + requests(done.stores) +
         ", \"shared\": " +
         object({{"requests", done.shared.requests},
                 {"bytes", done.shared.nbytes},
                 {"wavefronts", done.shared.wavefronts},
                 {"conflicts", done.shared.conflicts}}) +
         number("local_requests", done.local_requests) + "}";
}

void list_launch(const Kernel& kernel, const Launch& launch, const Statistics& done) {
  if (is_listing()) append(launch_line(kernel, launch, done));
}

void list_library_call(const std::string& routine) {
  if (is_listing()) {
    append("{\"library\": " + quoted(routine) + "}");
  }
}

}  // namespace skerry::emulation
