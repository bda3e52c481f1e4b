// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <stdexcept>
#include <string>

#include "device/cuda/emulation/check/undefined_values.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/elementwise.hpp"
#include "device/cuda/emulation/execute/failure_text.hpp"
#include "device/cuda/emulation/execute/heap.hpp"
#include "device/cuda/emulation/execute/memory_access.hpp"
#include "device/cuda/emulation/execute/printed_text.hpp"
#include "device/cuda/emulation/execute/printf.hpp"

// Functions that CUDA has and a module only declares: an operation `call.name` for each.
namespace skerry::emulation {
namespace {

template <class T>
[[nodiscard]] T argument(Warp& on, const Instruction& what, std::size_t source, int lane) {
  return on.values<const T>(what.source[source])[lane];
}

template <class T>
void give(Warp& on, const Instruction& what, int lane, T value) {
  if (what.destination[0] != no_row) on.values<T>(what.destination[0])[lane] = value;
}

[[nodiscard]] std::string_view string_at(Warp& on, const Instruction& what, int lane,
                                         std::uint64_t address) {
  const std::span<std::byte> bytes = reachable(on, what, lane, address, {.nbytes = 1});
  const auto* const begin = reinterpret_cast<const char*>(bytes.data());
  const void* const end = std::memchr(begin, 0, bytes.size());
  if (end == nullptr) fault(code::illegal_address, lane, "a string without an end");
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

void print(Warp& on, const Instruction& what, lane_mask active) {
  LaunchState& launched = on.owner->launched;
  for_lanes(active, [&](int lane) {
    const std::string_view format = string_at(on, what, lane, argument<u64>(on, what, 0, lane));
    const u64 given = argument<u64>(on, what, 1, lane);
    const auto arguments =
        given == 0 ? std::span<std::byte>{} : reachable(on, what, lane, given, {.nbytes = 1});
    try {
      FormattedText found = format_printf(
          format, arguments, [&](u64 address) { return string_at(on, what, lane, address); });
      give(on, what, lane, static_cast<u32>(found.arguments));
      launched.printed().append(std::move(found.text));
    } catch (const std::out_of_range& problem) {
      fault(code::illegal_address, lane, std::string(problem.what()) + " end before its format");
    }
  });
}

/// As CUDA's text of an assertion has them: [1,0,0].
[[nodiscard]] std::string in_brackets(const Extent& place) {
  std::string text = text_of(place);
  text.front() = '[';
  text.back() = ']';
  return text;
}

/// With the text that CUDA prints for each thread.
void fail_assertion(Warp& on, const Instruction& what, lane_mask active) {
  const Extent& block = on.owner->launched.how.block;
  const Extent& at = on.owner->at;
  std::string text;
  for_lanes(active, [&](int lane) {
    const auto string = [&](std::size_t source) {
      return std::string(string_at(on, what, lane, argument<u64>(on, what, source, lane)));
    };
    const u32 thread = on.number * warp_size + static_cast<u32>(lane);
    if (!text.empty()) text += '\n';
    text += string(1) + ":" + std::to_string(argument<u32>(on, what, 2, lane)) + ": " + string(3) +
            ": block: " + in_brackets(at) + ", thread: " + in_brackets(block.place_of(thread)) +
            " Assertion `" + string(0) + "` failed.";
  });
  fault(code::assertion, std::countr_zero(active), text);
}

void allocate(Warp& on, const Instruction& what, lane_mask active) {
  DeviceHeap* const heap = on.owner->launched.how.heap;
  for_lanes(active, [&](int lane) {
    const u64 nbytes = argument<u64>(on, what, 0, lane);
    give(on, what, lane, heap == nullptr || nbytes == 0 ? u64{0} : heap->allocate(nbytes));
  });
}

void release(Warp& on, const Instruction& what, lane_mask active) {
  LaunchState& launched = on.owner->launched;
  for_lanes(active, [&](int lane) {
    const u64 address = argument<u64>(on, what, 0, lane);
    if (address == 0) return;
    DeviceHeap* const heap = launched.how.heap;
    const std::string problem = heap == nullptr ? "free without a heap" : heap->release(address);
    if (!problem.empty()) fault(code::launch_failure, lane, problem);
  });
  // What instructions remember of allocations may be one of these.
  std::ranges::fill(launched.known, Allocation{});
}

void note_write(Warp& on, const std::byte* to, u64 nbytes) {
  if (on.owner->undefined) on.owner->undefined->filled(to, static_cast<u32>(nbytes));
}

[[nodiscard]] u32 access_size(u64 nbytes, int lane) {
  if (nbytes > 0xffffffff) fault(code::illegal_address, lane, "more than 4 GiB at once");
  return static_cast<u32>(nbytes);
}

void copy_bytes(Warp& on, const Instruction& what, lane_mask active) {
  for_lanes(active, [&](int lane) {
    const u64 to = argument<u64>(on, what, 0, lane);
    const u32 nbytes = access_size(argument<u64>(on, what, 2, lane), lane);
    if (nbytes != 0) {
      const auto from = reachable(on, what, lane, argument<u64>(on, what, 1, lane), {nbytes});
      const auto into = reachable(on, what, lane, to, {.nbytes = nbytes, .writes = true});
      std::memmove(into.data(), from.data(), nbytes);
      if (on.owner->undefined) on.owner->undefined->copied(into.data(), from.data(), nbytes);
    }
    give(on, what, lane, to);
  });
}

void fill_bytes(Warp& on, const Instruction& what, lane_mask active) {
  for_lanes(active, [&](int lane) {
    const u64 to = argument<u64>(on, what, 0, lane);
    const u32 nbytes = access_size(argument<u64>(on, what, 2, lane), lane);
    if (nbytes != 0) {
      const auto into = reachable(on, what, lane, to, {.nbytes = nbytes, .writes = true});
      std::memset(into.data(), static_cast<int>(argument<u32>(on, what, 1, lane)), nbytes);
      note_write(on, into.data(), nbytes);
    }
    give(on, what, lane, to);
  });
}

/// A value of a frame, of the function that was called, into that of its caller.
void copy_in_frame(Warp& on, const Instruction& what, lane_mask active) {
  for_lanes(active, [&](int lane) {
    auto* const frame = reinterpret_cast<std::byte*>(argument<u64>(on, what, 0, lane));
    const auto* const from = frame + what.immediate;
    std::byte* const to = frame + argument<u64>(on, what, 1, lane);
    const u32 nbytes = argument<u32>(on, what, 2, lane);
    std::memmove(to, from, nbytes);
    if (on.owner->undefined) on.owner->undefined->copied(to, from, nbytes);
  });
}

/// What stands for the grid in calls of cudaCG functions; 0 in an ordinary launch.
void get_grid_handle(Warp& on, const Instruction& what, lane_mask active) {
  const u64 handle = on.owner->launched.grid_workspace();
  for_lanes(active, [&](int lane) { give(on, what, lane, handle); });
}

void write_word(Warp& on, const Instruction& what, int lane, u64 address, u32 value) {
  if (address == 0) return;
  const auto into = reachable(on, what, lane, address, {.nbytes = sizeof value, .writes = true});
  std::memcpy(into.data(), &value, sizeof value);
  note_write(on, into.data(), sizeof value);
}

void get_grid_size(Warp& on, const Instruction& what, lane_mask active) {
  const Launch& how = on.owner->launched.how;
  const auto threads = static_cast<u32>(how.grid.count() * how.block.count());
  for_lanes(active, [&](int lane) {
    write_word(on, what, lane, argument<u64>(on, what, 0, lane), threads);
    write_word(on, what, lane, argument<u64>(on, what, 1, lane), 1);
    give(on, what, lane, u32{0});
  });
}

void get_grid_rank(Warp& on, const Instruction& what, lane_mask active) {
  const Launch& how = on.owner->launched.how;
  const Extent& at = on.owner->at;
  const u64 block = (u64{at.z} * how.grid.y + at.y) * how.grid.x + at.x;
  for_lanes(active, [&](int lane) {
    const u64 rank =
        block * how.block.count() + u64{on.number} * warp_size + static_cast<u64>(lane);
    write_word(on, what, lane, argument<u64>(on, what, 0, lane), static_cast<u32>(rank));
    write_word(on, what, lane, argument<u64>(on, what, 1, lane), 0);
    give(on, what, lane, u32{0});
  });
}

void nothing(Warp& /*on*/, const Instruction& /*what*/, lane_mask /*active*/) {}

}  // namespace

void declare_builtins(OperationTable& table) {
  table.add({"call.vprintf"}, {.run = print, .results = {4}, .arguments = {8, 8}});
  table.add({"call.__assertfail"}, {.run = fail_assertion, .arguments = {8, 8, 4, 8, 8}});
  table.add({"call.malloc"}, {.run = allocate, .results = {8}, .arguments = {8}});
  table.add({"call.free"}, {.run = release, .arguments = {8}});
  table.add({"call.memcpy"}, {.run = copy_bytes, .results = {8}, .arguments = {8, 8, 8}});
  table.add({"call.memmove"}, {.run = copy_bytes, .results = {8}, .arguments = {8, 8, 8}});
  table.add({"call.memset"}, {.run = fill_bytes, .results = {8}, .arguments = {8, 4, 8}});
  table.add({"copy.frame"}, {.run = copy_in_frame, .arguments = {8, 8, 4}});
  table.add({"call.cudaCGGetIntrinsicHandle"},
            {.run = get_grid_handle, .results = {8}, .arguments = {4}});
  table.add({"call.cudaCGGetSize"}, {.run = get_grid_size, .results = {4}, .arguments = {8, 8, 8}});
  table.add({"call.cudaCGGetRank"}, {.run = get_grid_rank, .results = {4}, .arguments = {8, 8, 8}});
  for (const std::string_view name : {"cudaCGSynchronize", "cudaCGSynchronizeGrid"}) {
    table.add({"call.", name},
              {.run = nothing, .flow = Control::barrier, .results = {4}, .arguments = {8, 4}});
  }
}

}  // namespace skerry::emulation
