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
class Graph;
struct KernelTable;
class MemoryUse;
struct MemoryStatistics;
struct PointerInfo;
class Storage;
class StorageRef;
class Stream;
class UploadChunks;

/// The form in which a kernel runs: host code, or native code of the device.
enum class KernelForm : std::uint8_t { host, native };

/// Properties of a kind of device that the layers above depend on.
struct Capabilities {
  KernelForm kernel_form = KernelForm::host;
  /// The host can access the memory by its address.
  bool host_memory = false;
  /// Work is asynchronous: there are streams, and an error in an array's values is raised by a
  /// later wait.
  bool runs_later = false;
  /// Operands must be within the limits of native forms (ops/call/limits.hpp): on devices that run
  /// them, and on rehearsed ones.
  bool native_limits = false;
  /// Arrays have the CUDA array interface, and streams are CUDA streams.
  bool has_cuda_interface = false;
  /// Arrays may be of float64 and complex128.
  bool has_float64 = true;
  /// DLPack's device type; 0 if arrays are not exported in place.
  std::int32_t dlpack_code = 0;
};

struct DeviceFunctions {
  int (*count)() = nullptr;
  /// Throws unless the device is usable now. If null, the first count() devices are usable.
  void (*require)(Device device) = nullptr;
  /// If null, only the name is known.
  DeviceInfo (*describe)(Device device) = nullptr;
  /// Returns the device's ordinal in other libraries. If null, it is the index.
  int (*ordinal)(Device device) = nullptr;
  /// True if there may be work to wait for. If null, there never is.
  bool (*used)() noexcept = nullptr;
  /// Called at the end of the process. May be null.
  void (*shut_down)() noexcept = nullptr;
};

struct MemoryFunctions {
  /// Allocates at least one byte. Throws what `require` throws, and OutOfMemoryError.
  StorageRef (*allocate)(Device device, std::size_t nbytes) = nullptr;
  /// The same, memory that the host can access, too. Null if the kind has none.
  StorageRef (*allocate_managed)(Device device, std::size_t nbytes) = nullptr;
  /// Returns storage of 0 bytes, whose reads are ordered after the work that produces it. If null,
  /// no order is needed.
  StorageRef (*allocate_empty)(Device device) = nullptr;
  /// Works for a lost device too. This and the next three functions are null if usage is not
  /// tracked.
  MemoryStatistics (*statistics)(Device device) = nullptr;
  void (*reset_peak)(Device device) = nullptr;
  void (*set_limit)(Device device, std::size_t nbytes) = nullptr;
  std::size_t (*trim)(Device device) = nullptr;
  /// Adopts memory of another library. If null, the memory is only kept alive.
  StorageRef (*adopt)(Device device, const ForeignMemory& foreign_memory) = nullptr;
};

/// All null in a kind without `runs_later`. A stream is identified by its handle.
struct StreamFunctions {
  std::uintptr_t default_handle = 0;
  std::shared_ptr<void> (*create)(Device device) = nullptr;
  void (*synchronize)(Device device, void* handle) = nullptr;
  bool (*idle)(Device device, void* handle) = nullptr;
  /// Makes later work of one stream wait for another; both devices are of this kind.
  void (*wait)(Device later, void* handle, Device earlier, void* earlier_handle) = nullptr;
  void (*synchronize_device)(Device device) = nullptr;

  /// Returns this thread's current stream.
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

/// Copies on the device's current stream, ordered with other uses of the storages.
struct TransferFunctions {
  /// `source_data` is in `source`, which may be overwritten on return.
  void (*from_host)(const StorageRef& target, char* target_data, const StorageRef& source,
                    const char* source_data, std::size_t nbytes) = nullptr;
  /// `source_data` is in `source`. Blocks until the copy is complete and throws errors deferred by
  /// earlier kernels, also for 0 bytes.
  void (*to_host)(char* target_data, bool to_page_locked, const StorageRef& source,
                  const char* source_data, std::size_t nbytes) = nullptr;
  /// Both devices are of this kind; they may be the same.
  void (*between)(const StorageRef& target, char* target_data, const StorageRef& source,
                  const char* source_data, std::size_t nbytes) = nullptr;
  /// True if from_host of `nbytes` waits: from `source`, or from an upload if it is null. If null,
  /// from_host does not wait.
  bool (*does_from_host_wait)(Device target, const Storage* source, std::size_t nbytes) = nullptr;
  /// If null, data is packed on the host and sent as a whole.
  std::unique_ptr<UploadChunks> (*open_upload)(const StorageRef& target) = nullptr;
};

/// See DeferredWord; null in a kind without `runs_later`.
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
  void (*make_ready_on_host)(const StorageRef& memory) = nullptr;
  PointerInfo (*inspect_pointer)(const void* data) = nullptr;
  int (*ordinal_of_stream)(Device device, void* handle) = nullptr;
  std::shared_ptr<void> (*make_device_current)(Device device) = nullptr;
};

/// An implementation of a kind of device: plain data and function pointers. A kind with several
/// implementations, such as CUDA's real and rehearsed devices, uses one at a time.
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
  /// Adds the native kernels to the table of all kernels; null if there are none.
  void (*fill_kernels)(KernelTable& table);
  /// See Graph::begin_capture(); null if work can't be captured.
  std::shared_ptr<Graph> (*begin_capture)(std::span<const Device> devices);
};

namespace detail {
extern std::array<std::atomic<const Backend*>, max_device_kinds> backends;
}  // namespace detail

/// Returns the backend of a registered kind of device.
[[nodiscard]] inline const Backend& backend_of(DeviceKind kind) noexcept {
  return *detail::backends[static_cast<std::size_t>(kind)].load(std::memory_order_acquire);
}
[[nodiscard]] inline const Backend& backend_of(Device device) noexcept {
  return backend_of(device.kind);
}
[[nodiscard]] inline const Capabilities& capabilities_of(Device device) noexcept {
  return backend_of(device).can;
}

/// True if the device runs kernels in their host form.
[[nodiscard]] inline bool runs_on_host(Device device) noexcept {
  return capabilities_of(device).kernel_form == KernelForm::host;
}

/// Adds a kind of device, before its first use. Keeps a pointer to the backend. Throws ValueError
/// as register_device_kind() does, and if a function that the capabilities require is missing.
DeviceKind register_backend(const Backend& backend);

/// The interface by which an extension module registers its own backend: a capsule of that name,
/// the attribute `_backend_registry` of skerry._core. The module must first compare `backend_bytes`
/// with its sizeof(Backend), since the structure may differ in every version of skerry.
struct BackendRegistry {
  static constexpr const char* name = "skerry.backend_registry";
  std::size_t backend_bytes;
  DeviceKind (*add)(const Backend& backend);
};

/// Returns the first device of the kind that has the CUDA array interface.
[[nodiscard]] Device first_cuda_interface_device() noexcept;

/// Backend::launch for backends that run the host form before returning.
void launch_at_once(Device device, const AnyKernel& entry, const void* params,
                    std::size_t params_size, std::span<const MemoryUse> uses);
/// Throws NotImplementedError for a kernel without a form for a device; `note` follows the device's
/// name.
[[noreturn]] void throw_no_form(Device device, const char* note = "");

}  // namespace skerry
