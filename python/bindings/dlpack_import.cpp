// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/interchange.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/dlpack_tensor.hpp"
#include "python/bindings/foreign.hpp"

namespace skerry::python::dlpack {
namespace {

[[noreturn]] void reject(const char* op, const std::string& problem) {
  throw InterchangeError(std::string(op) + ": " + problem);
}

std::string text_of(DeviceId id) {
  std::string text = "(";
  text += std::to_string(static_cast<int>(id.code)) + ", ";
  text += std::to_string(id.index) + ")";
  return text;
}

struct Location {
  Device where;
  bool pinned = false;
};

/// Where the elements of a foreign structure are.
struct Placed {
  DeviceId id;
  char* data;  ///< of the first element; null if there is none
  ByteRange range;
};

/// A foreign structure is believed about host memory, which nobody can check, and not about memory
/// of a GPU: a kernel on a wrong address loses the device.
Location locate_host(const char* op, const Placed& memory) {
  const Device usual = default_device();
  const Device where = is_host(usual) ? usual : Device{};
  if (memory.id.code != DeviceCode::cuda_host || memory.data == nullptr || !cuda_is_alive()) {
    return {where};
  }
  const PointerFacts facts = inspect_pointer(memory.data);
  if (facts.kind != PointerKind::host) return {where};
  check_extent(op, memory.data, memory.range, facts);
  return {where, true};
}

Location locate_cuda(const char* op, const Placed& memory) {
  using kind = PointerKind;
  const DeviceId id = memory.id;
  const auto claimed = device_of_physical(id.index);
  if (!claimed) reject(op, "no device for DLPack device " + text_of(id));
  if (memory.data == nullptr) return {*claimed};
  const PointerFacts facts = inspect_pointer(memory.data);
  const bool managed = facts.kind == kind::managed;
  if (!managed && (facts.kind != kind::device || id.code != DeviceCode::cuda)) {
    reject(op, "DLPack device " + text_of(id) + ", but the pointer is not such memory");
  }
  check_extent(op, memory.data, memory.range, facts);
  // Managed memory is on no device for good, and carries no ordinal in DLPack.
  if (managed && id.code == DeviceCode::cuda_managed) {
    return {device_of_physical(facts.ordinal).value_or(*claimed)};
  }
  if (facts.ordinal != id.index) {
    reject(op, "DLPack device " + text_of(id) + ", but the pointer is memory of CUDA device " +
                   std::to_string(facts.ordinal));
  }
  return {*claimed};
}

Location locate(const char* op, const Placed& memory) {
  if (memory.id.index >= 0) {
    switch (memory.id.code) {
      case DeviceCode::cpu:
      case DeviceCode::cuda_host:
        return locate_host(op, memory);
      case DeviceCode::cuda:
      case DeviceCode::cuda_managed:
        return locate_cuda(op, memory);
    }
  }
  reject(op, "memory of DLPack device " + text_of(memory.id) +
                 ", which is neither host memory nor a CUDA device; copy it to one of them first");
}

bool is_empty(const Dims& shape) { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

/// Address of the first element; null for a tensor without elements, whatever it says.
char* address_of(const char* op, const Tensor& from, const Dims& shape, Dtype type) {
  if (is_empty(shape)) return nullptr;
  if (from.data == nullptr) reject(op, "a null pointer for a tensor with elements");
  std::uint64_t address = 0;
  if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(from.data), from.byte_offset,
                             &address)) {
    reject(op, "byte_offset " + std::to_string(from.byte_offset) + " is out of the address space");
  }
  if ((address & static_cast<std::uint64_t>(info(type).alignment - 1)) != 0) {
    reject(op, std::string("the data is not aligned to its dtype, ") + name(type) +
                   "; pass copy=True, or copy it with its own library first");
  }
  return reinterpret_cast<char*>(address);
}

/// Programs have the lower half of the addresses, of at most 57 bits with five-level paging: what
/// lies beyond is no memory, whichever device it is said to be of.
void check_addresses(const char* op, const Tensor& from, const char* data, ByteRange range) {
  constexpr std::uint64_t beyond = std::uint64_t{1} << 56;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (range.first == range.last ||
      (address < beyond && address + static_cast<std::uint64_t>(range.last) <= beyond)) {
    return;
  }
  reject(op, "its bytes are out of the address space: data " +
                 std::to_string(reinterpret_cast<std::uintptr_t>(from.data)) + ", byte_offset " +
                 std::to_string(from.byte_offset) + ", up to " + std::to_string(range.last) +
                 " bytes from there");
}

/// From elements to bytes.
void set_strides(const char* op, const Tensor& from, Layout& place, std::int64_t width) {
  std::int64_t* const strides = place.strides.data();
  if (from.strides == nullptr) {
    std::int64_t stride = width;
    for (int axis = from.rank - 1; axis >= 0; --axis) {
      strides[axis] = stride;
      // An overflow is found by check_layout.
      const bool is_long = place.shape[axis] > 1;
      if (is_long && __builtin_mul_overflow(stride, place.shape[axis], &stride)) break;
    }
    return;
  }
  for (int axis = 0; axis < from.rank; ++axis) {
    if (!__builtin_mul_overflow(from.strides[axis], width, &strides[axis])) continue;
    if (place.shape[axis] > 1 && !is_empty(place.shape)) {
      reject(op, "a stride of " + std::to_string(from.strides[axis]) + " elements overflows");
    }
    strides[axis] = 0;  // no element is reached by it
  }
}

template <class Managed>
bool is_read_only(const Managed* managed) {
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    return (managed->flags & flag_read_only) != 0;
  }
  return false;
}

Dtype checked_dtype(const char* op, const Tensor& from) {
  const std::optional<Dtype> known = dtype_of(from.type);
  if (known) return *known;
  reject(op, "no dtype of skerry: DLPack type code " +
                 std::to_string(static_cast<int>(from.type.code)) + ", " +
                 std::to_string(from.type.bits) + " bits, " + std::to_string(from.type.lanes) +
                 " lanes");
}

std::span<const std::int64_t> checked_shape(const char* op, const Tensor& from) {
  if (from.rank < 0 || from.rank > max_rank) {
    reject(op, "a tensor of " + std::to_string(from.rank) + " axes; at most 64 are possible");
  }
  if (from.rank > 0 && from.shape == nullptr) reject(op, "a tensor without a shape");
  return {from.shape, static_cast<std::size_t>(from.rank)};
}

/// A tensor that is checked, and not yet ours.
struct Candidate {
  Dtype type;
  Layout place;
  char* data = nullptr;
  ByteRange range;
  Location at;

  Candidate(const char* op, const Tensor& from);

 private:
  bool measure(const Tensor& from);
};

/// Strides in bytes and the range, in one pass. False for a tensor that has no elements, no
/// strides, or is wrong: that takes the long way.
bool Candidate::measure(const Tensor& from) {
  if (from.strides == nullptr) return false;
  const std::int64_t width = itemsize(type);
  std::int64_t* const strides = place.strides.data();
  std::int64_t nbytes = width;
  std::int64_t first = 0;
  std::int64_t last = width;
  bool is_odd = false;
  // More than any address space, and its sums don't overflow.
  constexpr std::int64_t far = std::int64_t{1} << 48;
  for (int axis = 0; axis < from.rank; ++axis) {
    const std::int64_t n = place.shape[axis];
    std::int64_t reach = 0;
    is_odd |= n <= 0;
    is_odd |= __builtin_mul_overflow(nbytes, n, &nbytes);
    is_odd |= __builtin_mul_overflow(from.strides[axis], width, &strides[axis]);
    is_odd |= strides[axis] > far || strides[axis] < -far;
    is_odd |= __builtin_mul_overflow(n > 0 ? n - 1 : 0, strides[axis], &reach);
    std::int64_t& end = reach < 0 ? first : last;
    is_odd |= __builtin_add_overflow(end, reach, &end);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(from.data);
  is_odd |= first < -far || last > far || address > static_cast<std::uint64_t>(far) ||
            0 - static_cast<std::uint64_t>(first) > address || from.byte_offset != 0 ||
            address == 0 || (address & static_cast<std::uint64_t>(info(type).alignment - 1)) != 0;
  if (is_odd) return false;
  data = static_cast<char*>(from.data);
  range = {first, last};
  place.offset = -first;
  return true;
}

Candidate::Candidate(const char* op, const Tensor& from)
    : type(checked_dtype(op, from)),
      place{.shape = Dims(checked_shape(op, from)), .strides = place.shape} {
  if (!measure(from)) {
    const std::int64_t width = itemsize(type);
    set_strides(op, from, place, width);
    data = address_of(op, from, place.shape, type);
    range = check_layout(op, data, place, width);
    check_addresses(op, from, data, range);
  }
  at = locate(op, {from.where, data, range});
}

template <class Managed>
NdArray adopt_candidate(Candidate&& one, Managed* managed) {
  const bool read_only = is_read_only(managed);
  // An array of ours on a CUDA device comes back as a view, since uses of views are in order.
  if (StorageRef shared = own_memory(managed);
      shared && shared->where() == one.at.where && capabilities_of(one.at.where).runs_later) {
    if (shared->data() != nullptr) one.place.offset += one.data + one.range.first - shared->data();
    managed->deleter(managed);
    return {std::move(shared), std::move(one.place), one.type, read_only};
  }
  StorageRef memory = adopt(one.at.where, one.data + one.range.first, one.range.nbytes(), read_only,
                            managed, release_managed<Managed>, one.at.pinned);
  // Our current stream waits for the producer, where that promises an order at all.
  come_after_current(*memory.get());
  return {std::move(memory), std::move(one.place), one.type, read_only};
}

template <class Managed>
NdArray take_from_capsule(const char* op, PyObject* capsule) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    if (managed->written_by.major != own_version.major) {
      const std::uint32_t major = managed->written_by.major;
      if (PyCapsule_SetName(capsule, Managed::used_name) != 0) throw PythonError{};
      release_managed<Managed>(managed);
      reject(op,
             "DLPack version " + std::to_string(major) + " is not understood, only 1 and older");
    }
  }
  Candidate one(op, managed->content);
  if (PyCapsule_SetName(capsule, Managed::used_name) != 0) throw PythonError{};
  try {
    return adopt_candidate(std::move(one), managed);
  } catch (...) {
    static_cast<void>(PyCapsule_SetName(capsule, Managed::name));
    throw;
  }
}

}  // namespace

template <class Managed>
void release_managed(void* owner) noexcept {
  auto* managed = static_cast<Managed*>(owner);
  if (managed->deleter == nullptr) return;
  if (is_own(managed)) return managed->deleter(managed);
  if (const WithGil held; held) call_deleter(managed);
}

template <class Managed>
NdArray take_managed(const char* op, Managed* managed) {
  return adopt_candidate(Candidate(op, managed->content), managed);
}

template void release_managed<ManagedTensor>(void*) noexcept;
template void release_managed<ManagedTensorVersioned>(void*) noexcept;
template NdArray take_managed(const char*, ManagedTensorVersioned*);

NdArray take_capsule(const char* op, PyObject* capsule) {
  const char* name = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : nullptr;
  if (name != nullptr && std::strcmp(name, ManagedTensorVersioned::name) == 0) {
    return take_from_capsule<ManagedTensorVersioned>(op, capsule);
  }
  if (name != nullptr && std::strcmp(name, ManagedTensor::name) == 0) {
    return take_from_capsule<ManagedTensor>(op, capsule);
  }
  if (name != nullptr && std::strncmp(name, "used_", 5) == 0) {
    reject(op, std::string("the DLPack capsule was consumed before: \"") + name + "\"");
  }
  PyErr_Clear();
  reject(op, std::string("no DLPack capsule, but ") + Py_TYPE(capsule)->tp_name);
}

}  // namespace skerry::python::dlpack
