// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulator/extent.hpp"

namespace skerry::emulation {

/// cudaError_t's numbers, which are CUresult's too, as far as the emulated machine gives them.
namespace code {
inline constexpr int invalid_value = 1;
inline constexpr int invalid_configuration = 9;
inline constexpr int invalid_kernel_image = 200;
inline constexpr int no_kernel_image_for_device = 209;
inline constexpr int invalid_ptx = 218;
inline constexpr int unsupported_ptx_version = 222;
inline constexpr int illegal_address = 700;
inline constexpr int launch_out_of_resources = 701;
inline constexpr int launch_timeout = 702;
inline constexpr int assertion = 710;
inline constexpr int illegal_instruction = 715;
inline constexpr int misaligned_address = 716;
inline constexpr int launch_failure = 719;
inline constexpr int cooperative_launch_too_large = 720;
inline constexpr int not_supported = 801;
inline constexpr int invalid_cluster_size = 912;
}  // namespace code

/// What was found wrong: what people tell apart, where CUDA has one number for many.
enum class FailureKind : std::uint8_t {
  other,
  out_of_bounds,
  use_after_free,
  wrong_device,  ///< memory of a device that this one was not given access to
  host_pointer,
  misaligned,
  uninitialised,
  race_shared,
  race_global,
  race_streams,
  deadlock,
  synchronisation,  ///< lanes or threads are missing where others synchronise
  never_ends,
  stack_overflow,
  assertion,
  trap,
  invalid_instruction,  ///< operands that PTX does not allow
  unsupported_instruction,
};
inline constexpr int failure_kinds = static_cast<int>(FailureKind::unsupported_instruction) + 1;

/// As it is written in reports and settings, such as "out_of_bounds".
[[nodiscard]] std::string_view name_of(FailureKind kind) noexcept;
/// None if there is none of that name.
[[nodiscard]] std::optional<FailureKind> kind_of_name(std::string_view name) noexcept;
/// What CUDA says of it.
[[nodiscard]] int code_of(FailureKind kind) noexcept;
/// The kind that a code has where nobody says more.
[[nodiscard]] FailureKind kind_of(int code) noexcept;

/// Kinds, such as those that are told of without being an error.
class KindSet {
 public:
  constexpr KindSet() = default;
  [[nodiscard]] constexpr bool has(FailureKind kind) const noexcept {
    return (bits_ >> static_cast<int>(kind) & 1) != 0;
  }
  constexpr void add(FailureKind kind) noexcept {
    bits_ |= std::uint32_t{1} << static_cast<int>(kind);
  }

 private:
  std::uint32_t bits_ = 0;
};

/// A line of a kernel's source, as its PTX tells it.
struct SourceLine {
  std::string file = {};   ///< empty: nobody said
  std::uint32_t line = 0;  ///< 0: nobody said
  std::string instruction = {};
};

/// What a thread wanted of memory.
struct RequestedAccess {
  std::string_view space = {};  ///< such as "global"; empty: it wanted none
  std::uint64_t address = 0;
  std::uint32_t nbytes = 0;
  bool writes = false;
  std::uint32_t alignment = 0;  ///< that it lacks
};

enum class MemoryState : std::uint8_t {
  none,  ///< no memory at all
  host,  ///< the host's, which is not pinned
  live,
  unreachable,  ///< a device's, to which this one was not given access
  freed,
  unmapped,  ///< a reserved address without memory
};

/// The allocation that an address lies in, or nearest to.
struct MemoryNear {
  MemoryState state = MemoryState::none;
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;  ///< 0: nothing is known of it
  std::uint64_t address = 0;
  int device = -1;
  bool is_of_malloc = false;  ///< in a kernel

  /// Bytes from its end to the address; negative: from its begin; 0: the address lies in it.
  [[nodiscard]] std::int64_t distance() const noexcept;
};

/// The other one of a race.
struct OtherAccess {
  std::string operation_name =
      {};  ///< a kernel or a copy, where streams race; empty: the same launch
  Extent block{0, 0, 0};
  std::optional<Extent> thread = {};
  std::optional<SourceLine> source_line = {};
  bool writes = false;
};

/// Lanes of a warp that stand at one instruction.
struct WaitingLanes {
  Extent block{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint32_t first_lane = 0;
  std::uint32_t count = 0;
  SourceLine source_line = {};
};

/// What CUDA would say, the text for people, and what the text was made of.
struct Failure {
  int code = 0;
  std::string text;  ///< by text_of(): failure_text.hpp
  FailureKind kind = FailureKind::other;
  std::string summary = {};  ///< in a line
  std::string kernel = {};   ///< as people write it
  int device = -1;
  bool has_thread = false;  ///< block, thread, warp, lane and `source_line` are known
  Extent block{0, 0, 0};
  Extent thread{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint32_t lane = 0;
  SourceLine source_line = {};
  RequestedAccess access = {};
  MemoryNear memory = {};
  std::optional<OtherAccess> other = {};
  std::vector<WaitingLanes> waiting = {};
  std::uint64_t times = 1;
};

/// An image that can't be loaded, or a kernel of it that can't be decoded.
class ImageError : public std::runtime_error {
 public:
  ImageError(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace skerry::emulation
