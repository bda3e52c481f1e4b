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

/// The values of cudaError_t, equal to those of CUresult, that the emulated system returns.
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

/// Kinds of failures, which distinguish cases that share one CUDA error code.
enum class FailureKind : std::uint8_t {
  other,
  out_of_bounds,
  use_after_free,
  wrong_device,  ///< another device's memory, not accessible from this one
  host_pointer,
  misaligned,
  uninitialised,
  race_shared,
  race_global,
  race_streams,
  deadlock,
  synchronisation,  ///< lanes or threads are missing at a synchronization
  never_ends,
  stack_overflow,
  assertion,
  trap,
  invalid_instruction,  ///< operands that PTX does not allow
  unsupported_instruction,
  collective,  ///< ranks of a communicator disagree, are missing or wait for each other
};
inline constexpr int failure_kinds = static_cast<int>(FailureKind::collective) + 1;

/// Returns the name in reports and settings, such as "out_of_bounds".
[[nodiscard]] std::string_view name_of(FailureKind kind) noexcept;
/// Returns nullopt if there is no such kind.
[[nodiscard]] std::optional<FailureKind> kind_of_name(std::string_view name) noexcept;
/// Returns CUDA's error code for a kind.
[[nodiscard]] int code_of(FailureKind kind) noexcept;
/// Returns the default kind of an error code.
[[nodiscard]] FailureKind kind_of(int code) noexcept;

/// A set of kinds, such as those that are reported without being errors.
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

/// A line of a kernel's source, from the line information of its PTX.
struct SourceLine {
  std::string file = {};   ///< empty if unknown
  std::uint32_t line = 0;  ///< 0 if unknown
  std::string instruction = {};
  std::string quote = {};  ///< text of the line; empty if the file cannot be read
};

/// A thread's access to memory.
struct RequestedAccess {
  std::string_view space = {};  ///< such as "global"; empty: no access
  std::uint64_t address = 0;
  std::uint32_t nbytes = 0;
  bool writes = false;
  std::uint32_t alignment = 0;  ///< the violated alignment; 0: none
};

enum class MemoryState : std::uint8_t {
  none,  ///< not memory
  host,  ///< pageable host memory
  live,
  unreachable,  ///< another device's memory, not accessible from this one
  freed,
  unmapped,  ///< a reserved address without mapped memory
};

/// The allocation that contains an address, or the nearest one.
struct MemoryNear {
  MemoryState state = MemoryState::none;
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;  ///< 0 if unknown
  std::uint64_t address = 0;
  int device = -1;
  bool is_of_malloc = false;  ///< of malloc in a kernel
  bool is_pinned = false;     ///< page-locked host memory
  bool is_managed = false;

  /// Returns the distance of the address in bytes: 0 if it is inside, positive from the end,
  /// negative from the beginning.
  [[nodiscard]] std::int64_t distance() const noexcept;
};

/// The array nearest to an address, of skerry or another library that names its arrays.
struct NamedArray {
  std::string text = {};  ///< dtype and shape, such as "float32 (64,)"
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;  ///< of its range of memory, with gaps
  std::uint64_t address = 0;

  /// As MemoryNear::distance().
  [[nodiscard]] std::int64_t distance() const noexcept;
};

/// The other access of a race.
struct OtherAccess {
  std::string operation_name = {};  ///< kernel or copy; empty: the same launch
  Extent block{0, 0, 0};
  std::optional<Extent> thread = {};
  std::optional<SourceLine> source_line = {};
  bool writes = false;
};

/// Lanes of a warp that wait at the same instruction.
struct WaitingLanes {
  Extent block{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint32_t first_lane = 0;
  std::uint32_t count = 0;
  SourceLine source_line = {};
};

/// A failure: CUDA's error code, the report as text, and the data in the report.
struct Failure {
  int code = 0;
  std::string text;  ///< of text_of() in failure_text.hpp
  FailureKind kind = FailureKind::other;
  std::string summary = {};  ///< one line
  std::string kernel = {};   ///< demangled
  int device = -1;
  bool has_thread = false;  ///< block, thread, warp, lane and `source_line` are known
  Extent block{0, 0, 0};
  Extent thread{0, 0, 0};
  std::uint32_t warp = 0;
  std::uint32_t lane = 0;
  SourceLine source_line = {};
  RequestedAccess access = {};
  MemoryNear memory = {};
  std::optional<NamedArray> array = {};
  std::optional<SourceLine> allocated = {};  ///< the line that has allocated `memory`
  std::optional<OtherAccess> other = {};
  std::vector<WaitingLanes> waiting = {};
  std::uint64_t times = 1;
};

/// Thrown for an image that cannot be loaded or a kernel that cannot be decoded.
class ImageError : public std::runtime_error {
 public:
  ImageError(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace skerry::emulation
