// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/runtime/launch_list.hpp"

#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "device/cuda/emulation/runtime/settings.hpp"

namespace skerry::emulation {

namespace {

using counts = std::initializer_list<std::pair<std::string_view, std::uint64_t>>;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') out += '\\';
    out += each;
  }
  return out + "\"";
}

std::string object(counts of) {
  std::string out;
  for (const auto& [name, count] : of) {
    out += (out.empty() ? "{" : ", ") + quoted(name) + ": " + std::to_string(count);
  }
  return out + "}";
}

std::string array(const Extent& of) {
  return "[" + std::to_string(of.x) + ", " + std::to_string(of.y) + ", " + std::to_string(of.z) +
         "]";
}

std::string requests(const GlobalRequests& of) {
  return object({{"requests", of.requests},
                 {"bytes", of.nbytes},
                 {"sectors", of.sectors},
                 {"distinct_sectors", of.distinct_sectors}});
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

std::string launch_line(const Kernel& what, const Launch& how, const Statistics& done) {
  const auto number = [](std::string_view name, std::uint64_t value) {
    return ", " + quoted(name) + ": " + std::to_string(value);
  };
  return "{\"kernel\": " + quoted(what.name()) + ", \"name\": " + quoted(what.readable_name()) +
         ", \"grid\": " + array(how.grid) + ", \"block\": " + array(how.block) +
         number("dynamic_shared_bytes", how.dynamic_shared_bytes) +
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

void list_launch(const Kernel& what, const Launch& how, const Statistics& done) {
  if (is_listing()) append(launch_line(what, how, done));
}

void list_library_call(const std::string& routine) {
  if (is_listing()) {
    append("{\"library\": " + quoted(routine) + "}");
  }
}

}  // namespace skerry::emulation
