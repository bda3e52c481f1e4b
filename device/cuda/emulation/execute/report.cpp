// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/report.hpp"

#include <algorithm>
#include <map>

#include "device/cuda/emulation/ptx/module_source.hpp"

namespace skerry::emulation {
namespace {

/// A deadlock of a large grid needs no more lines than these to be understood.
constexpr std::size_t most_lines = 40;

[[nodiscard]] std::string to_text(const extent& at) {
  std::string text = "(";
  text += std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z);
  return text += ')';
}

[[nodiscard]] std::string instruction_at(const launch_state& of, std::uint32_t at) {
  const place& where = of.code.places[at];
  std::string text(where.text);
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (where.line != 0) {
    const auto& files = of.what.owner().source().files;
    const auto file = files.find(where.file);
    text += "  // " + std::string(file != files.end() ? file->second : "?") + ":" +
            std::to_string(where.line);
  }
  return text;
}

[[nodiscard]] std::string thread_of(const warp& on, int lane) {
  const extent& block = on.owner->launched.how.block;
  const std::uint32_t thread = on.number * warp_size + static_cast<std::uint32_t>(lane);
  return to_text({thread % block.x, thread / block.x % block.y, thread / block.x / block.y});
}

[[nodiscard]] std::string kernel_line(const launch_state& of) {
  return "\n  kernel: " + of.what.readable_name();
}

/// The lanes of a warp by the instruction that they wait at.
void append_waiting(std::string& text, std::size_t& lines, const warp& on) {
  std::map<std::uint32_t, lane_mask> places;
  for_lanes(on.alive, [&](int lane) {
    places[on.at[static_cast<std::size_t>(lane)]] |= lane_mask{1} << lane;
  });
  for (const auto& [at, lanes] : places) {
    if (++lines > most_lines) return;
    text += "\n  block " + to_text(on.owner->at) + ", warp " + std::to_string(on.number) + ", " +
            std::to_string(std::popcount(lanes)) + " lanes from " +
            std::to_string(std::countr_zero(lanes)) + ": " + instruction_at(on.owner->launched, at);
  }
}

}  // namespace

failure located(const kernel_fault& found, const warp& on, std::uint32_t at) {
  const launch_state& of = on.owner->launched;
  return {found.code, found.what + "\n  instruction: " + instruction_at(of, at) + "\n  block " +
                          to_text(on.owner->at) + ", thread " + thread_of(on, found.lane) +
                          ", warp " + std::to_string(on.number) + ", lane " +
                          std::to_string(found.lane) + kernel_line(of)};
}

failure deadlock(const launch_state& of, std::span<warp* const> waiting) {
  std::string text = "deadlock: threads wait for each other";
  std::size_t lines = 0;
  for (const warp* on : waiting) append_waiting(text, lines, *on);
  return {code::launch_failure, text + kernel_line(of)};
}

failure too_long(const launch_state& of, const warp& on) {
  std::string text = "more than " + std::to_string(of.device.instruction_limit) +
                     " instructions of warps: the kernel may never end";
  std::size_t lines = 0;
  append_waiting(text, lines, on);
  return {code::launch_timeout, text + kernel_line(of)};
}

}  // namespace skerry::emulation
