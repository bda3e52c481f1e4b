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

struct AnyKernel;
struct DeferredError;
struct DeviceInfo;
struct ForeignMemory;
struct KernelTable;
class MemoryUse;
struct MemoryStatistics;
struct PointerInfo;
class Storage;
class StorageRef;
class Stream;
class UploadChunks;

/// Which of a kernel's forms runs.
enum class KernelForm : std::uint8_t { host, native };

/// What the layers above have to know of a kind of device.
struct Capabilities {
  KernelForm kernel_form = KernelForm::host;
  /// The host reads and writes the memory by its address.
  bool host_memory = false;
  /// Work may be under way when the call that began it has returned: there are streams, and an
  /// error in the values of an array is found by a later wait.
  bool runs_later = false;
  /// Operands keep to the limits of native forms (ops/call/limits.hpp): where those run, and where
  /// they are rehearsed.
  bool native_limits = false;
  /// The CUDA array interface and CUDA's streams describe its memory and its work.
  bool has_cuda_interface = false;
  /// DLPack's name of the kind; 0 where arrays are not handed over as they are.
  std::int32_t dlpack_code = 0;
};

struct DeviceFunctions {
  int (*count)() = nullptr;
  /// Throws unless the device can be used now. Null: the first `count` devices can.
  void (*require)(Device device) = nullptr;
  /// Null: it is known by its name alone.
  DeviceInfo (*describe)(Device device) = nullptr;
  /// What other libraries call it. Null: its index.
  int (*ordinal)(Device device) = nullptr;
  /// Whether there may be work to wait for. Null: there never is.
  bool (*used)() noexcept = nullptr;
  /// At the end of the process. Null: nothing is to be done.
  void (*shut_down)() noexcept = nullptr;
};

struct MemoryFunctions {
  /// At least one byte. Throws what `require` throws, and OutOfMemoryError.
  StorageRef (*allocate)(Device device, std::size_t nbytes) = nullptr;
  /// No bytes, but reads of it come after the work that it is a result of. Null: there never is
  /// any.
  StorageRef (*allocate_empty)(Device device) = nullptr;
  /// Also of a device that is lost. This and what follows may be null: no account is kept.
  MemoryStatistics (*statistics)(Device device) = nullptr;
  void (*reset_peak)(Device device) = nullptr;
  void (*set_limit)(Device device, std::size_t nbytes) = nullptr;
  std::size_t (*trim)(Device device) = nullptr;
  /// Takes over memory of others. Null: it is kept, and nothing else.
  StorageRef (*adopt)(Device device, const ForeignMemory& foreign_memory) = nullptr;
};

/// Null in a kind that does not run later, all of them. A stream is known by its handle.
struct StreamFunctions {
  std::uintptr_t default_handle = 0;
  std::shared_ptr<void> (*create)(Device device) = nullptr;
  void (*synchronize)(Device device, void* handle) = nullptr;
  bool (*idle)(Device device, void* handle) = nullptr;
  /// Two devices of the kind.
  void (*wait)(Device later, void* handle, Device earlier, void* earlier_handle) = nullptr;
  void (*synchronize_device)(Device device) = nullptr;

  /// This thread's.
  Stream (*current)(Device device) = nullptr;
  void* (*current_handle)(Device device) noexcept = nullptr;
  void (*set_current)(const Stream& stream) = nullptr;

  std::shared_ptr<void> (*create_event)(Device device) = nullptr;
  void (*record)(Device device, void* event, void* handle) = nullptr;
  void (*wait_for_event)(Device waiting, void* handle, Device event_device, void* event) = nullptr;
  void (*synchronize_event)(Device device, void* event) = nullptr;
  bool (*is_done)(Device device, void* event) = nullptr;
  double (*elapsed)(Device device, void* start, void* end) = nullptr;
};

/// On the current stream of the device, in order with other uses of the storages.
struct TransferFunctions {
  /// `from` lies in `source`, which may be written again when this returns.
  void (*from_host)(const StorageRef& target, char* target_data, const StorageRef& source,
                    const char* source_data, std::size_t nbytes) = nullptr;
  /// `from` lies in `source`. Has arrived when this returns, and throws what kernels before it have
  /// deferred, also of no bytes.
  void (*to_host)(char* target_data, bool to_page_locked, const StorageRef& source,
                  const char* source_data, std::size_t nbytes) = nullptr;
  /// Two devices of the kind, or one.
  void (*between)(const StorageRef& target, char* target_data, const StorageRef& source,
                  const char* source_data, std::size_t nbytes) = nullptr;
  /// Null: a packed copy on the host goes in one piece.
  std::unique_ptr<UploadChunks> (*open_upload)(const StorageRef& target) = nullptr;
};

/// See DeferredWord; null in a kind that does not run later.
struct DeferredFunctions {
  std::int64_t* (*add)(Device device, const DeferredError& error) = nullptr;
  void (*close)(Device device, const std::int64_t* word) noexcept = nullptr;
};

/// See device/interchange.hpp; null in a kind without the CUDA array interface.
struct InterchangeFunctions {
  void* (*make_ready_on_legacy)(Storage& memory) = nullptr;
  void (*make_ready_on)(Storage& memory, void* handle) = nullptr;
  void (*make_ready_on_current)(Storage& memory) = nullptr;
  void (*note_import_on_current)(Storage& memory) = nullptr;
  PointerInfo (*inspect_pointer)(const void* data) = nullptr;
  int (*ordinal_of_stream)(Device device, void* handle) = nullptr;
  std::shared_ptr<void> (*make_device_current)(Device device) = nullptr;
};

/// One way in which a kind of device works: plain data and function pointers. Of a kind that can
/// work in several ways, as CUDA's devices and rehearsed ones, one object is in use at a time.
struct Backend {
  const char* name;
  Capabilities can;
  DeviceFunctions devices;
  MemoryFunctions memory;
  StreamFunctions streams;
  TransferFunctions transfers;
  DeferredFunctions deferred;
  InterchangeFunctions interchange;
  /// See launch().
  void (*launch)(Device device, const AnyKernel& entry, const void* params, std::size_t params_size,
                 std::span<const MemoryUse> uses);
  /// Adds the native forms to a table of all kernels; null if there are none.
  void (*fill_kernels)(KernelTable& table);
};

namespace detail {
extern std::array<std::atomic<const Backend*>, max_device_kinds> backends;
}  // namespace detail

/// The backend of an existing kind of device.
[[nodiscard]] inline const Backend& backend_of(DeviceKind kind) noexcept {
  return *detail::backends[static_cast<std::size_t>(kind)].load(std::memory_order_acquire);
}
[[nodiscard]] inline const Backend& backend_of(Device device) noexcept {
  return backend_of(device.kind);
}
[[nodiscard]] inline const Capabilities& capabilities_of(Device device) noexcept {
  return backend_of(device).can;
}

/// Whether kernels run in their host form there.
[[nodiscard]] inline bool runs_on_host(Device device) noexcept {
  return capabilities_of(device).kernel_form == KernelForm::host;
}

/// Adds a kind of devices, before its first use. The object is kept as a pointer. Throws
/// ValueError as register_device_kind() does, and for one that lacks a function which its
/// capabilities demand.
DeviceKind register_backend(const Backend& backend);

/// What an extension module gets to register a backend of its own: in a capsule of that name, the
/// attribute `_backend_registry` of skerry._core. It is to compare `backend_bytes` with its own
/// sizeof(backend) first: the structure may differ in every version of skerry.
struct BackendRegistry {
  static constexpr const char* name = "skerry.backend_registry";
  std::size_t backend_bytes;
  DeviceKind (*add)(const Backend& backend);
};

/// The first device of the kind that the CUDA array interface describes.
[[nodiscard]] Device first_cuda_interface_device() noexcept;

/// A backend's launch() where the host form runs before it returns.
void launch_at_once(Device device, const AnyKernel& entry, const void* params,
                    std::size_t params_size, std::span<const MemoryUse> uses);
/// A kernel has no form for a device; `note` follows its name.
[[noreturn]] void throw_no_form(Device device, const char* note = "");

}  // namespace skerry
