// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <stdexcept>
#include <string>

#include "device/emulator/check/undefined_values.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/elementwise.hpp"
#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/execute/heap.hpp"
#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/printf.hpp"
#include "device/emulator/execute/printf_output.hpp"

// Functions that modules declare and CUDA defines, such as malloc, whose operation is
// `call.malloc`.
namespace skerry::emulation {
namespace {

template <class T>
[[nodiscard]] T argument(Warp& warp, const Instruction& instruction, std::size_t source, int lane) {
  return warp.values<const T>(instruction.source[source])[lane];
}

template <class T>
void give(Warp& warp, const Instruction& instruction, int lane, T value) {
  if (instruction.destination[0] != no_row)
    warp.values<T>(instruction.destination[0])[lane] = value;
}

[[nodiscard]] std::string_view string_at(Warp& warp, const Instruction& instruction, int lane,
                                         std::uint64_t address) {
  const std::span<std::byte> bytes = reachable(warp, instruction, lane, address, {.nbytes = 1});
  const auto* const begin = reinterpret_cast<const char*>(bytes.data());
  const void* const end = std::memchr(begin, 0, bytes.size());
  if (end == nullptr) fault(code::illegal_address, lane, "string is not null-terminated");
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

void print(Warp& warp, const Instruction& instruction, lane_mask active) {
  LaunchState& launch_state = warp.owner->launch_state;
  for_lanes(active, [&](int lane) {
    const std::string_view format =
        string_at(warp, instruction, lane, argument<u64>(warp, instruction, 0, lane));
    const u64 arguments_address = argument<u64>(warp, instruction, 1, lane);
    const auto arguments = arguments_address == 0 ? std::span<std::byte>{}
                                                  : reachable(warp, instruction, lane,
                                                              arguments_address, {.nbytes = 1});
    try {
      FormattedText formatted_text = format_printf(format, arguments, [&](u64 address) {
        return string_at(warp, instruction, lane, address);
      });
      give(warp, instruction, lane, static_cast<u32>(formatted_text.arguments));
      launch_state.printf_output().append(std::move(formatted_text.text));
    } catch (const std::out_of_range& error) {
      fault(code::illegal_address, lane,
            std::string(error.what()) + " are fewer than its format requires");
    }
  });
}

/// Formats an index as CUDA's assertion messages do: [1,0,0].
[[nodiscard]] std::string in_brackets(const Extent& index) {
  std::string text = text_of(index);
  text.front() = '[';
  text.back() = ']';
  return text;
}

/// Faults with the text that CUDA prints for each thread.
void fail_assertion(Warp& warp, const Instruction& instruction, lane_mask active) {
  const Extent& block = warp.owner->launch_state.launch.block;
  const Extent& block_index = warp.owner->index;
  std::string text;
  for_lanes(active, [&](int lane) {
    const auto string = [&](std::size_t source) {
      return std::string(
          string_at(warp, instruction, lane, argument<u64>(warp, instruction, source, lane)));
    };
    const u32 thread = warp.number * warp_size + static_cast<u32>(lane);
    if (!text.empty()) text += '\n';
    text += string(1) + ":" + std::to_string(argument<u32>(warp, instruction, 2, lane)) + ": " +
            string(3) + ": block: " + in_brackets(block_index) +
            ", thread: " + in_brackets(block.unravel_index(thread)) + " Assertion `" + string(0) +
            "` failed.";
  });
  fault(code::assertion, std::countr_zero(active), text);
}

void allocate(Warp& warp, const Instruction& instruction, lane_mask active) {
  DeviceHeap* const heap = warp.owner->launch_state.launch.heap;
  for_lanes(active, [&](int lane) {
    const u64 nbytes = argument<u64>(warp, instruction, 0, lane);
    give(warp, instruction, lane, heap == nullptr || nbytes == 0 ? u64{0} : heap->allocate(nbytes));
  });
}

void release(Warp& warp, const Instruction& instruction, lane_mask active) {
  LaunchState& launch_state = warp.owner->launch_state;
  for_lanes(active, [&](int lane) {
    const u64 address = argument<u64>(warp, instruction, 0, lane);
    if (address == 0) return;
    DeviceHeap* const heap = launch_state.launch.heap;
    const std::string error_message =
        heap == nullptr ? "free in a launch without a heap" : heap->release(address);
    if (!error_message.empty()) fault(code::launch_failure, lane, error_message);
  });
  // The cached allocations of instructions may be freed ones.
  std::ranges::fill(launch_state.cached_allocations, Allocation{});
}

void note_write(Warp& warp, const std::byte* destination, u64 nbytes) {
  if (warp.owner->undefined_values)
    warp.owner->undefined_values->note_fill(destination, static_cast<u32>(nbytes));
}

[[nodiscard]] u32 access_size(u64 nbytes, int lane) {
  if (nbytes > 0xffffffff)
    fault(code::illegal_address, lane, "memcpy or memset of more than 4 GiB");
  return static_cast<u32>(nbytes);
}

void copy_bytes(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_lanes(active, [&](int lane) {
    const u64 destination_address = argument<u64>(warp, instruction, 0, lane);
    const u32 nbytes = access_size(argument<u64>(warp, instruction, 2, lane), lane);
    if (nbytes != 0) {
      const auto source =
          reachable(warp, instruction, lane, argument<u64>(warp, instruction, 1, lane), {nbytes});
      const auto destination = reachable(warp, instruction, lane, destination_address,
                                         {.nbytes = nbytes, .writes = true});
      std::memmove(destination.data(), source.data(), nbytes);
      if (warp.owner->undefined_values)
        warp.owner->undefined_values->note_copy(destination.data(), source.data(), nbytes);
    }
    give(warp, instruction, lane, destination_address);
  });
}

void fill_bytes(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_lanes(active, [&](int lane) {
    const u64 destination_address = argument<u64>(warp, instruction, 0, lane);
    const u32 nbytes = access_size(argument<u64>(warp, instruction, 2, lane), lane);
    if (nbytes != 0) {
      const auto destination = reachable(warp, instruction, lane, destination_address,
                                         {.nbytes = nbytes, .writes = true});
      std::memset(destination.data(), static_cast<int>(argument<u32>(warp, instruction, 1, lane)),
                  nbytes);
      note_write(warp, destination.data(), nbytes);
    }
    give(warp, instruction, lane, destination_address);
  });
}

/// Copies a value from the frame of the called function into that of its caller.
void copy_in_frame(Warp& warp, const Instruction& instruction, lane_mask active) {
  for_lanes(active, [&](int lane) {
    auto* const frame = reinterpret_cast<std::byte*>(argument<u64>(warp, instruction, 0, lane));
    const auto* const source = frame + instruction.immediate;
    std::byte* const destination = frame + argument<u64>(warp, instruction, 1, lane);
    const u32 nbytes = argument<u32>(warp, instruction, 2, lane);
    std::memmove(destination, source, nbytes);
    if (warp.owner->undefined_values)
      warp.owner->undefined_values->note_copy(destination, source, nbytes);
  });
}

/// Returns the handle that cudaCG functions take; 0 in a launch that is not cooperative.
void get_grid_handle(Warp& warp, const Instruction& instruction, lane_mask active) {
  const u64 handle = warp.owner->launch_state.grid_workspace();
  for_lanes(active, [&](int lane) { give(warp, instruction, lane, handle); });
}

void write_word(Warp& warp, const Instruction& instruction, int lane, u64 address, u32 value) {
  if (address == 0) return;
  const auto destination =
      reachable(warp, instruction, lane, address, {.nbytes = sizeof value, .writes = true});
  std::memcpy(destination.data(), &value, sizeof value);
  note_write(warp, destination.data(), sizeof value);
}

void get_grid_size(Warp& warp, const Instruction& instruction, lane_mask active) {
  const Launch& launch = warp.owner->launch_state.launch;
  const auto threads = static_cast<u32>(launch.grid.count() * launch.block.count());
  for_lanes(active, [&](int lane) {
    write_word(warp, instruction, lane, argument<u64>(warp, instruction, 0, lane), threads);
    write_word(warp, instruction, lane, argument<u64>(warp, instruction, 1, lane), 1);
    give(warp, instruction, lane, u32{0});
  });
}

void get_grid_rank(Warp& warp, const Instruction& instruction, lane_mask active) {
  const Launch& launch = warp.owner->launch_state.launch;
  const Extent& block_index = warp.owner->index;
  const u64 block =
      (u64{block_index.z} * launch.grid.y + block_index.y) * launch.grid.x + block_index.x;
  for_lanes(active, [&](int lane) {
    const u64 rank =
        block * launch.block.count() + u64{warp.number} * warp_size + static_cast<u64>(lane);
    write_word(warp, instruction, lane, argument<u64>(warp, instruction, 0, lane),
               static_cast<u32>(rank));
    write_word(warp, instruction, lane, argument<u64>(warp, instruction, 1, lane), 0);
    give(warp, instruction, lane, u32{0});
  });
}

void nothing(Warp& /*warp*/, const Instruction& /*instruction*/, lane_mask /*active*/) {}

}  // namespace

void declare_builtins(OperationTable& table) {
  table.add({"call.vprintf"}, {.execute = print, .results = {4}, .arguments = {8, 8}});
  table.add({"call.__assertfail"}, {.execute = fail_assertion, .arguments = {8, 8, 4, 8, 8}});
  table.add({"call.malloc"}, {.execute = allocate, .results = {8}, .arguments = {8}});
  table.add({"call.free"}, {.execute = release, .arguments = {8}});
  table.add({"call.memcpy"}, {.execute = copy_bytes, .results = {8}, .arguments = {8, 8, 8}});
  table.add({"call.memmove"}, {.execute = copy_bytes, .results = {8}, .arguments = {8, 8, 8}});
  table.add({"call.memset"}, {.execute = fill_bytes, .results = {8}, .arguments = {8, 4, 8}});
  table.add({"copy.frame"}, {.execute = copy_in_frame, .arguments = {8, 8, 4}});
  table.add({"call.cudaCGGetIntrinsicHandle"},
            {.execute = get_grid_handle, .results = {8}, .arguments = {4}});
  table.add({"call.cudaCGGetSize"},
            {.execute = get_grid_size, .results = {4}, .arguments = {8, 8, 8}});
  table.add({"call.cudaCGGetRank"},
            {.execute = get_grid_rank, .results = {4}, .arguments = {8, 8, 8}});
  for (const std::string_view name : {"cudaCGSynchronize", "cudaCGSynchronizeGrid"}) {
    table.add({"call.", name},
              {.execute = nothing, .flow = Control::barrier, .results = {4}, .arguments = {8, 4}});
  }
}

}  // namespace skerry::emulation
