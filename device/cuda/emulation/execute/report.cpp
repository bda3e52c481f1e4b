// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/report.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "device/cuda/emulation/execute/failure_text.hpp"
#include "device/cuda/emulation/ptx/module_source.hpp"

namespace skerry::emulation {
namespace {

/// A deadlock of a large grid needs no more lines than these to be understood.
constexpr std::size_t most_lines = 40;
constexpr std::size_t most_lines_of_a_notice = 4;

/// The lanes of a warp by the instruction that they wait at.
void append_waiting(std::vector<WaitingLanes>& into, const Warp& on) {
  std::map<std::uint32_t, lane_mask> places;
  for_lanes(on.alive, [&](int lane) {
    places[on.at[static_cast<std::size_t>(lane)]] |= lane_mask{1} << lane;
  });
  for (const auto& [at, lanes] : places) {
    if (into.size() >= most_lines) return;
    into.push_back({.block = on.owner->at,
                    .warp = on.number,
                    .first_lane = static_cast<std::uint32_t>(std::countr_zero(lanes)),
                    .count = static_cast<std::uint32_t>(std::popcount(lanes)),
                    .at = line_of(on.owner->launched, at)});
  }
}

[[nodiscard]] Failure of_kind(FailureKind kind, std::string what, const LaunchState& of) {
  Failure made{.code = code_of(kind), .text = {}, .kind = kind};
  made.what = std::move(what);
  made.kernel = of.what.readable_name();
  return made;
}

[[nodiscard]] Failure with_text(Failure made) {
  made.text = text_of(made);
  return made;
}

}  // namespace

SourceLine line_of(const LaunchState& of, std::uint32_t at) {
  const Place& where = of.code.places[at];
  SourceLine found{.file = {}, .line = where.line, .instruction = std::string(where.text)};
  std::ranges::replace_if(found.instruction, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (where.line != 0) {
    const auto& files = of.what.owner().source().files;
    if (const auto file = files.find(where.file); file != files.end()) found.file = file->second;
  }
  return found;
}

Failure located(const KernelFault& found, const Warp& on, std::uint32_t at) {
  const LaunchState& of = on.owner->launched;
  Failure made = of_kind(found.kind, found.what, of);
  made.code = found.code;
  made.has_thread = true;
  made.block = on.owner->at;
  made.warp = on.number;
  made.lane = static_cast<std::uint32_t>(found.lane);
  made.thread = of.how.block.place_of(on.number * warp_size + made.lane);
  made.at = line_of(of, at);
  made.wanted = found.wanted;
  made.memory = found.memory;
  made.other = found.other;
  return with_text(std::move(made));
}

Failure deadlock(const LaunchState& of, std::span<Warp* const> waiting) {
  Failure made = of_kind(FailureKind::deadlock, "deadlock: threads wait for each other", of);
  for (const Warp* on : waiting) append_waiting(made.waiting, *on);
  return with_text(std::move(made));
}

Failure too_long(const LaunchState& of, const std::string& why, std::span<Warp* const> running) {
  Failure made = of_kind(FailureKind::never_ends, why + ": the kernel may never end", of);
  for (const Warp* on : running) append_waiting(made.waiting, *on);
  return with_text(std::move(made));
}

Failure still_running(const LaunchState& of, const std::string& since,
                      std::span<Warp* const> running) {
  Failure made = of_kind(FailureKind::other, "a kernel has run for " + since + " and goes on", of);
  for (const Warp* on : running) append_waiting(made.waiting, *on);
  if (made.waiting.size() > most_lines_of_a_notice) made.waiting.resize(most_lines_of_a_notice);
  return with_text(std::move(made));
}

}  // namespace skerry::emulation
