// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/failure_text.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace skerry::emulation {
namespace {

struct KindRow {
  FailureKind kind;
  std::string_view name;
  int code;
};

constexpr std::array<KindRow, failure_kinds> kinds{{
    {FailureKind::other, "other", code::launch_failure},
    {FailureKind::out_of_bounds, "out_of_bounds", code::illegal_address},
    {FailureKind::use_after_free, "use_after_free", code::illegal_address},
    {FailureKind::wrong_device, "wrong_device", code::illegal_address},
    {FailureKind::host_pointer, "host_pointer", code::illegal_address},
    {FailureKind::misaligned, "misaligned", code::misaligned_address},
    {FailureKind::uninitialised, "uninitialised", code::launch_failure},
    {FailureKind::race_shared, "race_shared", code::launch_failure},
    {FailureKind::race_global, "race_global", code::launch_failure},
    {FailureKind::race_streams, "race_streams", code::launch_failure},
    {FailureKind::deadlock, "deadlock", code::launch_failure},
    {FailureKind::synchronisation, "synchronisation", code::launch_failure},
    {FailureKind::never_ends, "never_ends", code::launch_timeout},
    {FailureKind::stack_overflow, "stack_overflow", code::launch_failure},
    {FailureKind::assertion, "assertion", code::assertion},
    {FailureKind::trap, "trap", code::launch_failure},
    {FailureKind::invalid_instruction, "invalid_instruction", code::illegal_instruction},
    {FailureKind::unsupported_instruction, "unsupported_instruction", code::illegal_instruction},
    {FailureKind::collective, "collective", code::launch_failure},
}};

[[nodiscard]] const KindRow& row_of(FailureKind kind) noexcept {
  return kinds[static_cast<std::size_t>(kind)];
}

constexpr bool are_in_order = [] {
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (static_cast<std::size_t>(kinds[k].kind) != k) return false;
  }
  return true;
}();
static_assert(are_in_order);

[[nodiscard]] std::int64_t distance_from(std::uint64_t begin, std::uint64_t nbytes,
                                         std::uint64_t address) noexcept {
  if (address < begin) return -static_cast<std::int64_t>(begin - address);
  const std::uint64_t offset = address - begin;
  return offset < nbytes ? 0 : static_cast<std::int64_t>(offset - nbytes);
}

[[nodiscard]] std::string hexadecimal(std::uint64_t value) {
  std::array<char, 24> text;
  (void)std::snprintf(text.data(), text.size(), "%#" PRIx64, value);
  return text.data();
}

/// Formats e.g. "program.py:9: out[i] = x[i + 1]".
[[nodiscard]] std::string position_of(const SourceLine& source_line) {
  return (source_line.file.empty() ? "?" : source_line.file) + ":" +
         std::to_string(source_line.line) +
         (source_line.quote.empty() ? "" : ": " + source_line.quote);
}

[[nodiscard]] std::string text_of(const RequestedAccess& access) {
  std::string text = access.alignment != 0 ? "misaligned " : "";
  text += access.writes ? "write" : "read";
  text += " of " + std::to_string(access.nbytes) + " bytes of " + std::string(access.space) +
          " memory at " + hexadecimal(access.address);
  if (access.alignment != 0) text += ", not a multiple of " + std::to_string(access.alignment);
  return text;
}

[[nodiscard]] std::string text_of(const WaitingLanes& one) {
  return "block " + text_of(one.block) + ", warp " + std::to_string(one.warp) + ", " +
         std::to_string(one.count) + " lanes from " + std::to_string(one.first_lane) + ": " +
         text_of(one.source_line);
}

[[nodiscard]] std::string text_of(const OtherAccess& other) {
  std::string text = other.writes ? "written by " : "read by ";
  if (!other.operation_name.empty()) {
    const bool has_line = other.source_line && other.source_line->line != 0;
    return text + other.operation_name + (has_line ? ": " + position_of(*other.source_line) : "");
  }
  text += "block " + text_of(other.block);
  if (other.thread) text += ", thread " + text_of(*other.thread);
  if (other.source_line) text += ": " + text_of(*other.source_line);
  return text;
}

}  // namespace

std::string_view name_of(FailureKind kind) noexcept { return row_of(kind).name; }
int code_of(FailureKind kind) noexcept { return row_of(kind).code; }

std::optional<FailureKind> kind_of_name(std::string_view name) noexcept {
  for (const KindRow& row : kinds) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

FailureKind kind_of(int code) noexcept {
  for (const KindRow& row : kinds) {
    if (row.code == code) return row.kind;
  }
  return FailureKind::other;
}

std::int64_t MemoryNear::distance() const noexcept { return distance_from(begin, nbytes, address); }

std::int64_t NamedArray::distance() const noexcept { return distance_from(begin, nbytes, address); }

std::string text_of(const MemoryNear& memory) {
  if (memory.state == MemoryState::none && memory.device < 0) {
    return memory.address < 4096 ? "not in device memory: it is a null pointer"
                                 : "not in device memory, nor in pinned host memory";
  }
  if (memory.state == MemoryState::host) {
    return "not in device memory, nor in pinned host memory: it is a host "
           "pointer";
  }
  if (memory.state == MemoryState::unmapped) {
    return "in a reserved address range where no memory is mapped";
  }
  const std::string device_suffix =
      memory.device < 0 ? "" : " of device " + std::to_string(memory.device);
  if (memory.nbytes == 0) {
    return memory.is_of_malloc ? "in the device's heap, before the first block of malloc"
                               : "in freed memory" + device_suffix;
  }
  std::string text;
  const std::uint64_t address = memory.address;
  if (address < memory.begin) {
    text = std::to_string(memory.begin - address) + " bytes before ";
  } else if (address - memory.begin >= memory.nbytes) {
    text = std::to_string(address - memory.begin - memory.nbytes) + " bytes past the end of ";
  } else {
    text = std::to_string(address - memory.begin) + " bytes into ";
  }
  text += std::to_string(memory.nbytes) + " bytes ";
  if (memory.is_of_malloc) {
    return text + "from malloc" + (memory.state == MemoryState::freed ? ", which were freed" : "");
  }
  text += "at " + hexadecimal(memory.begin) + device_suffix;
  if (memory.is_pinned) text += " of pinned host memory";
  if (memory.is_managed) text += " of managed memory";
  if (memory.state == MemoryState::unreachable) {
    text += ", which this device cannot access";
  }
  if (memory.state == MemoryState::freed) text += ", which were freed";
  return text;
}

std::string text_of(const NamedArray& array) {
  const std::uint64_t address = array.address;
  const std::string text = array.text + ": ";
  if (address < array.begin)
    return text + std::to_string(array.begin - address) + " bytes before it";
  const std::uint64_t offset = address - array.begin;
  if (offset < array.nbytes) return text + std::to_string(offset) + " bytes into it";
  return text + std::to_string(offset - array.nbytes) + " bytes past its end";
}

std::string text_of(const Extent& extent) {
  std::array<char, 48> text;
  (void)std::snprintf(text.data(), text.size(), "(%u,%u,%u)", extent.x, extent.y, extent.z);
  return text.data();
}

std::string text_of(const SourceLine& source_line) {
  if (source_line.line == 0) return source_line.instruction;
  return source_line.instruction + "  // " + position_of(source_line);
}

std::string headline(const Failure& failure) {
  std::string text = failure.summary;
  if (failure.access.space.empty()) return text;
  if (!text.empty()) text += ": ";
  text += text_of(failure.access);
  if (failure.access.alignment != 0) return text;
  if (failure.access.space == "global") return text + ": " + text_of(failure.memory);
  return text + (failure.access.space == "local" ? " of the thread" : "") + ": it has " +
         std::to_string(failure.memory.nbytes) + " bytes";
}

std::string text_of(const Failure& failure) {
  std::string text = headline(failure);
  if (failure.has_thread) {
    text += "\n  instruction: " + text_of(failure.source_line) + "\n  block " +
            text_of(failure.block) + ", thread " + text_of(failure.thread) + ", warp " +
            std::to_string(failure.warp) + ", lane " + std::to_string(failure.lane);
  }
  if (!failure.has_thread && failure.source_line.line != 0)
    text += "\n  called: " + position_of(failure.source_line);
  if (failure.array) text += "\n  array: " + text_of(*failure.array);
  if (failure.allocated) text += "\n  allocated: " + position_of(*failure.allocated);
  if (failure.other) text += "\n  before: " + text_of(*failure.other);
  for (const WaitingLanes& one : failure.waiting) text += "\n  " + text_of(one);
  if (!failure.kernel.empty()) text += "\n  kernel: " + failure.kernel;
  if (failure.has_thread && failure.source_line.line == 0) {
    text +=
        "\n  no source line: compile with line information: @cuda.jit(lineinfo=True), "
        "ProgramOptions(lineinfo=True), -lineinfo";
  }
  return text;
}

}  // namespace skerry::emulation
