// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/device.hpp"

namespace skerry {

struct deferred_error;
struct device_info;
struct foreign_memory;
struct kernel;
class memory_use;
struct memory_statistics;
struct pointer_facts;
class storage;
class storage_ref;
class stream;
class upload_pieces;

/// Which of a kernel's forms runs.
enum class kernel_form : std::uint8_t { host, native };

/// What the layers above have to know of a kind of device.
struct capabilities {
  kernel_form form = kernel_form::host;
  /// The host reads and writes the memory by its address.
  bool host_memory = false;
  /// Work may be under way when the call that began it has returned: there are streams, and an
  /// error in the values of an array is found by a later wait.
  bool runs_later = false;
  /// The libraries behind its kernels take whole arrays in C order, aligned to their items.
  bool dense_operands = false;
  /// The CUDA array interface and CUDA's streams describe its memory and its work.
  bool has_cuda_interface = false;
  /// Most bytes that a part of a plan may span; INT64_MAX where kernels have 64-bit indices.
  std::int64_t index_limit = INT64_MAX;
  /// DLPack's name of the kind; 0 where arrays are not handed over as they are.
  std::int32_t dlpack_code = 0;
};

struct device_functions {
  int (*count)() = nullptr;
  /// Throws unless the device can be used now. Null: the first `count` devices can.
  void (*require)(device where) = nullptr;
  /// Null: it is known by its name alone.
  device_info (*describe)(device where) = nullptr;
  /// What other libraries call it. Null: its index.
  int (*ordinal)(device where) = nullptr;
  /// Whether there may be work to wait for. Null: there never is.
  bool (*used)() noexcept = nullptr;
  /// At the end of the process. Null: nothing is to be done.
  void (*shut_down)() noexcept = nullptr;
};

struct memory_functions {
  /// At least one byte. Throws what `require` throws, and out_of_memory_error.
  storage_ref (*allocate)(device where, std::size_t nbytes) = nullptr;
  /// No bytes, but reads of it come after the work that it is a result of. Null: there never is
  /// any.
  storage_ref (*allocate_empty)(device where) = nullptr;
  /// Also of a device that is lost. This and what follows may be null: no account is kept.
  memory_statistics (*statistics)(device where) = nullptr;
  void (*reset_peak)(device where) = nullptr;
  void (*set_limit)(device where, std::size_t nbytes) = nullptr;
  std::size_t (*trim)(device where) = nullptr;
  /// Takes over memory of others. Null: it is kept, and nothing else.
  storage_ref (*adopt)(device where, const foreign_memory& from) = nullptr;
};

/// Null in a kind that does not run later, all of them. A stream is known by its handle.
struct stream_functions {
  std::uintptr_t default_handle = 0;
  std::shared_ptr<void> (*create)(device where) = nullptr;
  void (*synchronize)(device where, void* handle) = nullptr;
  bool (*idle)(device where, void* handle) = nullptr;
  /// Two devices of the kind.
  void (*wait)(device later, void* handle, device earlier, void* earlier_handle) = nullptr;
  void (*synchronize_device)(device where) = nullptr;

  /// This thread's.
  stream (*current)(device where) = nullptr;
  void* (*current_handle)(device where) noexcept = nullptr;
  void (*set_current)(const stream& to) = nullptr;

  std::shared_ptr<void> (*create_event)(device where) = nullptr;
  void (*record)(device where, void* event, void* handle) = nullptr;
  void (*wait_for_event)(device waiting, void* handle, device where, void* event) = nullptr;
  void (*synchronize_event)(device where, void* event) = nullptr;
  bool (*is_done)(device where, void* event) = nullptr;
  double (*elapsed)(device where, void* start, void* end) = nullptr;
};

/// On the current stream of the device, in order with other uses of the storages.
struct transfer_functions {
  /// `from` lies in `source`, which may be written again when this returns.
  void (*from_host)(const storage_ref& target, char* to, const storage_ref& source,
                    const char* from, std::size_t nbytes) = nullptr;
  /// `from` lies in `source`. Has arrived when this returns, and throws what kernels before it have
  /// deferred, also of no bytes.
  void (*to_host)(char* to, bool to_page_locked, const storage_ref& source, const char* from,
                  std::size_t nbytes) = nullptr;
  /// Two devices of the kind, or one.
  void (*between)(const storage_ref& target, char* to, const storage_ref& source, const char* from,
                  std::size_t nbytes) = nullptr;
  /// Null: a packed copy on the host goes in one piece.
  std::unique_ptr<upload_pieces> (*open_upload)(const storage_ref& target) = nullptr;
};

/// See deferred_word; null in a kind that does not run later.
struct deferred_functions {
  std::int64_t* (*add)(device where, const deferred_error& error) = nullptr;
  void (*close)(device where, const std::int64_t* word) noexcept = nullptr;
};

/// See device/interchange.hpp; null in a kind without the CUDA array interface.
struct interchange_functions {
  void* (*make_ready)(storage& memory) = nullptr;
  void (*make_ready_on)(storage& memory, void* handle) = nullptr;
  void (*make_ready_on_current)(storage& memory) = nullptr;
  void (*come_after_current)(storage& memory) = nullptr;
  pointer_facts (*inspect_pointer)(const void* data) = nullptr;
  int (*ordinal_of_stream)(device where, void* handle) = nullptr;
  std::shared_ptr<void> (*make_current)(device where) = nullptr;
};

/// One way in which a kind of device works: plain data and function pointers. Of a kind that can
/// work in several ways, as CUDA's devices and rehearsed ones, one object is in use at a time.
struct backend {
  const char* name;
  capabilities can;
  device_functions devices;
  memory_functions memory;
  stream_functions streams;
  transfer_functions transfers;
  deferred_functions deferred;
  interchange_functions interchange;
  /// See launch().
  void (*launch)(device where, const kernel& entry, const void* params, std::size_t params_size,
                 std::span<const memory_use> uses);
  /// Writes the native forms into the kernel_table that ops defines; null if there are none.
  void (*fill_kernels)(void* table);
};

namespace detail {
extern std::array<std::atomic<const backend*>, most_device_kinds> backends;
}  // namespace detail

/// The backend of an existing kind of device.
[[nodiscard]] inline const backend& backend_of(device_kind kind) noexcept {
  return *detail::backends[static_cast<std::size_t>(kind)].load(std::memory_order_acquire);
}
[[nodiscard]] inline const backend& backend_of(device where) noexcept {
  return backend_of(where.kind);
}
[[nodiscard]] inline const capabilities& capabilities_of(device where) noexcept {
  return backend_of(where).can;
}

/// Whether kernels run in their host form there.
[[nodiscard]] inline bool runs_on_host(device where) noexcept {
  return capabilities_of(where).form == kernel_form::host;
}

/// Adds a kind of devices, before its first use. The object is kept as a pointer. Throws
/// value_error as register_device_kind() does, and for one that lacks a function which its
/// capabilities demand.
device_kind register_backend(const backend& fresh);

/// What an extension module gets to register a backend of its own: in a capsule of that name, the
/// attribute `_backend_registry` of skerry._core. It is to compare `backend_bytes` with its own
/// sizeof(backend) first: the structure may differ in every version of skerry.
struct backend_registry {
  static constexpr const char* name = "skerry.backend_registry";
  std::size_t backend_bytes;
  device_kind (*add)(const backend& fresh);
};

/// The first device of the kind that the CUDA array interface describes.
[[nodiscard]] device first_cuda_interface_device() noexcept;

/// A backend's launch() where the host form runs before it returns.
void launch_at_once(device where, const kernel& entry, const void* params, std::size_t params_size,
                    std::span<const memory_use> uses);
/// A kernel has no form for a device; `note` follows its name.
[[noreturn]] void throw_no_form(device where, const char* note = "");

}  // namespace skerry
