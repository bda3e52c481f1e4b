// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/report.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/ptx/embedded_source.hpp"
#include "device/emulator/ptx/module_source.hpp"

namespace skerry::emulation {
namespace {

/// Enough lines to understand a deadlock, even of a large grid.
constexpr std::size_t max_lines = 40;
constexpr std::size_t max_notice_lines = 4;

/// Groups the live lanes of a warp by their instruction.
void append_waiting(std::vector<WaitingLanes>& waiting_lanes, const Warp& warp) {
  std::map<std::uint32_t, lane_mask> lanes_by_pc;
  for_lanes(warp.alive, [&](int lane) {
    lanes_by_pc[warp.pc[static_cast<std::size_t>(lane)]] |= lane_mask{1} << lane;
  });
  for (const auto& [pc, lanes] : lanes_by_pc) {
    if (waiting_lanes.size() >= max_lines) return;
    waiting_lanes.push_back({.block = warp.owner->index,
                             .warp = warp.number,
                             .first_lane = static_cast<std::uint32_t>(std::countr_zero(lanes)),
                             .count = static_cast<std::uint32_t>(std::popcount(lanes)),
                             .source_line = line_of(warp.owner->launch_state, pc)});
  }
}

/// Returns a line of a file; empty if it cannot be read.
[[nodiscard]] std::string read_line(const std::string& file, std::uint32_t number) {
  std::ifstream input(file);
  std::string line;
  for (std::uint32_t k = 0; k < number; ++k) {
    if (!std::getline(input, line)) return {};
  }
  return line;
}

/// Removes blanks at both ends, and the rest of a long line.
[[nodiscard]] std::string shortened(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\f\v";
  constexpr std::size_t max_length = 160;
  const std::size_t begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  line = line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
  return line.size() <= max_length ? std::string(line)
                                   : std::string(line.substr(0, max_length)) + "...";
}

/// Returns the text of a source line: of a program that was compiled from a string, or of a file.
[[nodiscard]] std::string quoted(const ptx::ModuleSource& source, const SourceLine& source_line) {
  if (source_line.file.empty()) return {};
  const auto line = ptx::embedded_line(source.text, source_line.file, source_line.line);
  return line ? shortened(*line) : line_text(source_line.file, source_line.line);
}

[[nodiscard]] Failure of_kind(FailureKind kind, std::string summary, const LaunchState& state) {
  Failure failure{.code = code_of(kind), .text = {}, .kind = kind};
  failure.summary = std::move(summary);
  failure.kernel = state.kernel.readable_name();
  return failure;
}

[[nodiscard]] Failure with_text(Failure failure) {
  failure.text = text_of(failure);
  return failure;
}

}  // namespace

SourceLine line_of(const LaunchState& state, std::uint32_t pc) {
  const SourceLocation& location = state.program.locations[pc];
  SourceLine source_line{
      .file = {}, .line = location.line, .instruction = std::string(location.text)};
  std::ranges::replace_if(
      source_line.instruction, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (location.line != 0) {
    const ptx::ModuleSource& source = state.kernel.owner().source();
    if (const auto file = source.files.find(location.file); file != source.files.end())
      source_line.file = file->second;
    source_line.quote = quoted(source, source_line);
  }
  return source_line;
}

std::string line_text(const std::string& file, std::uint32_t number) {
  return shortened(read_line(file, number));
}

Failure located(const KernelFault& kernel_fault, const Warp& warp, std::uint32_t pc) {
  const LaunchState& state = warp.owner->launch_state;
  Failure failure = of_kind(kernel_fault.kind, kernel_fault.summary, state);
  failure.code = kernel_fault.code;
  failure.has_thread = true;
  failure.block = warp.owner->index;
  failure.warp = warp.number;
  failure.lane = static_cast<std::uint32_t>(kernel_fault.lane);
  failure.thread = state.launch.block.unravel_index(warp.number * warp_size + failure.lane);
  failure.source_line = line_of(state, pc);
  failure.access = kernel_fault.access;
  failure.memory = kernel_fault.memory;
  failure.other = kernel_fault.other;
  return with_text(std::move(failure));
}

Failure deadlock(const LaunchState& state, std::span<Warp* const> waiting) {
  Failure failure = of_kind(FailureKind::deadlock, "deadlock: threads wait for each other", state);
  for (const Warp* warp : waiting) append_waiting(failure.waiting, *warp);
  return with_text(std::move(failure));
}

Failure too_long(const LaunchState& state, const std::string& why, std::span<Warp* const> running) {
  Failure failure = of_kind(FailureKind::never_ends, why + ": the kernel may never end", state);
  for (const Warp* warp : running) append_waiting(failure.waiting, *warp);
  return with_text(std::move(failure));
}

Failure still_running(const LaunchState& state, const std::string& since,
                      std::span<Warp* const> running) {
  Failure failure =
      of_kind(FailureKind::other, "a kernel has run for " + since + " and is still running", state);
  for (const Warp* warp : running) append_waiting(failure.waiting, *warp);
  if (failure.waiting.size() > max_notice_lines) failure.waiting.resize(max_notice_lines);
  return with_text(std::move(failure));
}

}  // namespace skerry::emulation
