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
#include "ops/call/device_dtypes.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/dlpack_tensor.hpp"
#include "python/bindings/foreign.hpp"

namespace skerry::python::dlpack {
namespace {

[[noreturn]] void reject(const std::string& error_message) {
  throw InterchangeError(error_message);
}

std::string text_of(DeviceId id) {
  std::string text = "(";
  text += std::to_string(static_cast<int>(id.code)) + ", ";
  text += std::to_string(id.index) + ")";
  return text;
}

struct Location {
  Device device;
  bool pinned = false;
  bool managed = false;
};

/// Memory range of a foreign structure.
struct Placed {
  DeviceId id;
  char* data;  ///< of the first element; null if there are no elements
  ByteRange range;
};

/// Host memory of a foreign structure is trusted, as it can't be validated. GPU memory is
/// validated: a kernel that accesses a wrong address makes the device unusable.
Location locate_host(const Placed& memory) {
  const Device device = default_host_device();
  if (memory.id.code != DeviceCode::cuda_host || memory.data == nullptr || !cuda_is_alive()) {
    return {device};
  }
  const PointerInfo attributes = inspect_pointer(memory.data);
  if (attributes.kind != PointerKind::host) return {device};
  check_extent(memory.data, memory.range, attributes);
  return {device, true};
}

Location locate_cuda(const Placed& memory) {
  using kind = PointerKind;
  const DeviceId id = memory.id;
  const auto claimed = device_of_physical(id.index);
  if (!claimed) reject("this process has no DLPack device " + text_of(id));
  if (memory.data == nullptr) return {*claimed};
  const PointerInfo attributes = inspect_pointer(memory.data);
  const bool managed = attributes.kind == kind::managed;
  if (!managed && (attributes.kind != kind::device || id.code != DeviceCode::cuda)) {
    reject("the tensor claims DLPack device " + text_of(id) +
           ", but its pointer is not memory of that kind");
  }
  check_extent(memory.data, memory.range, attributes);
  // Managed memory migrates between devices, and DLPack carries no ordinal for it.
  if (managed && id.code == DeviceCode::cuda_managed) {
    return {.device = device_of_physical(attributes.ordinal).value_or(*claimed), .managed = true};
  }
  if (attributes.ordinal != id.index) {
    reject("the tensor claims DLPack device " + text_of(id) +
           ", but its pointer is memory of CUDA device " + std::to_string(attributes.ordinal));
  }
  return {.device = *claimed, .managed = managed};
}

Location locate(const Placed& memory) {
  if (memory.id.index >= 0) {
    switch (memory.id.code) {
      case DeviceCode::cpu:
      case DeviceCode::cuda_host:
        return locate_host(memory);
      case DeviceCode::cuda:
      case DeviceCode::cuda_managed:
        return locate_cuda(memory);
    }
  }
  reject("memory of DLPack device " + text_of(memory.id) +
         ", which is neither host memory nor a CUDA device; copy it to one of them first");
}

bool is_empty(const Dims& shape) { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

/// Returns the address of the first element; null for an empty tensor, whatever its data pointer.
char* address_of(const Tensor& tensor, const Dims& shape, Dtype type) {
  if (is_empty(shape)) return nullptr;
  if (tensor.data == nullptr) reject("the data pointer of a non-empty tensor is null");
  std::uint64_t address = 0;
  if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset,
                             &address)) {
    reject("byte_offset " + std::to_string(tensor.byte_offset) + " exceeds the address space");
  }
  if ((address & static_cast<std::uint64_t>(info(type).alignment - 1)) != 0) {
    reject(std::string("the data is not aligned to its dtype, ") + name(type) +
           "; pass copy=True, or copy it with its own library first");
  }
  return reinterpret_cast<char*>(address);
}

/// Rejects addresses outside user space: the lower half of the address space, at most 57 bits with
/// five-level paging, for any device.
void check_addresses(const Tensor& tensor, const char* data, ByteRange range) {
  constexpr std::uint64_t address_limit = std::uint64_t{1} << 56;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (range.first == range.last ||
      (address < address_limit &&
       address + static_cast<std::uint64_t>(range.last) <= address_limit)) {
    return;
  }
  reject("the tensor exceeds the address space: data " +
         std::to_string(reinterpret_cast<std::uintptr_t>(tensor.data)) + ", byte_offset " +
         std::to_string(tensor.byte_offset) + ", up to " + std::to_string(range.last) +
         " bytes from there");
}

/// Converts the tensor's strides from elements to bytes.
void set_strides(const Tensor& tensor, Layout& layout, std::int64_t width) {
  std::int64_t* const strides = layout.strides.data();
  if (tensor.strides == nullptr) {
    std::int64_t stride = width;
    for (int axis = tensor.rank - 1; axis >= 0; --axis) {
      strides[axis] = stride;
      // check_layout reports an overflow.
      const bool is_long = layout.shape[axis] > 1;
      if (is_long && __builtin_mul_overflow(stride, layout.shape[axis], &stride)) break;
    }
    return;
  }
  for (int axis = 0; axis < tensor.rank; ++axis) {
    if (!__builtin_mul_overflow(tensor.strides[axis], width, &strides[axis])) continue;
    if (layout.shape[axis] > 1 && !is_empty(layout.shape)) {
      reject("a stride of " + std::to_string(tensor.strides[axis]) + " elements overflows");
    }
    strides[axis] = 0;  // unused: the axis has at most one element, or the tensor is empty
  }
}

template <class Managed>
bool is_read_only(const Managed* managed) {
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    return (managed->flags & flag_read_only) != 0;
  }
  return false;
}

/// Names of DLPack's type codes from 7 on.
constexpr std::array small_floats = {"float8_e3m4",     "float8_e4m3",     "float8_e4m3b11fnuz",
                                     "float8_e4m3fn",   "float8_e4m3fnuz", "float8_e5m2",
                                     "float8_e5m2fnuz", "float8_e8m0fnu",  "float6_e2m3fn",
                                     "float6_e3m2fn",   "float4_e2m1fn"};

/// Returns the name of a type code that no dtype of skerry has; null for other codes.
const char* name_of_type_code(int code) {
  constexpr int first_small_float = 7;
  const int index = code - first_small_float;
  const bool is_small_float = index >= 0 && index < static_cast<int>(small_floats.size());
  return is_small_float ? small_floats[static_cast<std::size_t>(index)] : nullptr;
}

Dtype checked_dtype(const Tensor& tensor) {
  const std::optional<Dtype> dtype = dtype_of(tensor.type);
  if (dtype) {
    static_cast<void>(dtype_object(*dtype));  // throws if bfloat16 lacks ml_dtypes
    return *dtype;
  }
  if (const char* const name = name_of_type_code(static_cast<int>(tensor.type.code))) {
    reject(std::string("unsupported dtype: ") + name +
           "; convert it to float32 in its own library first, x.float() in PyTorch");
  }
  reject("unsupported dtype: DLPack type code " +
         std::to_string(static_cast<int>(tensor.type.code)) + ", " +
         std::to_string(tensor.type.bits) + " bits, " + std::to_string(tensor.type.lanes) +
         " lanes");
}

std::span<const std::int64_t> checked_shape(const Tensor& tensor) {
  if (tensor.rank < 0 || tensor.rank > max_rank) {
    reject("the tensor has " + std::to_string(tensor.rank) + " axes; at most 64 are possible");
  }
  if (tensor.rank > 0 && tensor.shape == nullptr) reject("the tensor's shape is null");
  return {tensor.shape, static_cast<std::size_t>(tensor.rank)};
}

/// A validated tensor that its producer still owns.
struct Candidate {
  Dtype type;
  Layout layout;
  char* data = nullptr;
  ByteRange range;
  Location location;

  explicit Candidate(const Tensor& tensor);

 private:
  bool measure(const Tensor& tensor);
};

/// Fast path: computes strides in bytes and the range in one pass. False for a tensor that is
/// empty, has null strides or is invalid; the slow path handles those.
bool Candidate::measure(const Tensor& tensor) {
  if (tensor.strides == nullptr) return false;
  const std::int64_t width = itemsize(type);
  std::int64_t* const strides = layout.strides.data();
  std::int64_t nbytes = width;
  std::int64_t first = 0;
  std::int64_t last = width;
  bool is_odd = false;
  // Larger than any user address space; sums of a few such offsets don't overflow.
  constexpr std::int64_t max_offset = std::int64_t{1} << 48;
  for (int axis = 0; axis < tensor.rank; ++axis) {
    const std::int64_t n = layout.shape[axis];
    std::int64_t reach = 0;
    is_odd |= n <= 0;
    is_odd |= __builtin_mul_overflow(nbytes, n, &nbytes);
    is_odd |= __builtin_mul_overflow(tensor.strides[axis], width, &strides[axis]);
    is_odd |= strides[axis] > max_offset || strides[axis] < -max_offset;
    is_odd |= __builtin_mul_overflow(n > 0 ? n - 1 : 0, strides[axis], &reach);
    std::int64_t& end = reach < 0 ? first : last;
    is_odd |= __builtin_add_overflow(end, reach, &end);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
  is_odd |= first < -max_offset || last > max_offset ||
            address > static_cast<std::uint64_t>(max_offset) ||
            0 - static_cast<std::uint64_t>(first) > address || tensor.byte_offset != 0 ||
            address == 0 || (address & static_cast<std::uint64_t>(info(type).alignment - 1)) != 0;
  if (is_odd) return false;
  data = static_cast<char*>(tensor.data);
  range = {first, last};
  layout.offset = -first;
  return true;
}

Candidate::Candidate(const Tensor& tensor)
    : type(checked_dtype(tensor)), layout{.shape = Dims(checked_shape(tensor)), .strides = {}} {
  layout.strides = layout.shape;
  if (!measure(tensor)) {
    const std::int64_t width = itemsize(type);
    set_strides(tensor, layout, width);
    data = address_of(tensor, layout.shape, type);
    range = check_layout(data, layout, width);
    check_addresses(tensor, data, range);
  }
  location = locate({tensor.device, data, range});
  if (!is_host(location.device)) require_dtype(location.device, type);
}

template <class Managed>
NdArray adopt_candidate(Candidate&& one, Managed* managed) {
  const bool read_only = is_read_only(managed);
  // Our own array on a CUDA device is returned as a view: uses of views are ordered.
  if (StorageRef shared = own_memory(managed); shared && shared->device() == one.location.device &&
                                               capabilities_of(one.location.device).runs_later) {
    if (shared->data() != nullptr) one.layout.offset += one.data + one.range.first - shared->data();
    managed->deleter(managed);
    return {std::move(shared), std::move(one.layout), one.type, read_only};
  }
  StorageRef memory =
      adopt(one.location.device, ForeignMemory{.data = one.data + one.range.first,
                                               .nbytes = one.range.nbytes(),
                                               .read_only = read_only,
                                               .pinned = one.location.pinned,
                                               .managed = one.location.managed,
                                               .owner = managed,
                                               .release = release_managed<Managed>});
  // The producer has ordered its work before our current stream, if it orders work at all.
  note_import_on_current(*memory.get());
  return {std::move(memory), std::move(one.layout), one.type, read_only};
}

template <class Managed>
NdArray take_from_capsule(PyObject* capsule) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    if (managed->written_by.major != own_version.major) {
      const std::uint32_t major = managed->written_by.major;
      if (PyCapsule_SetName(capsule, Managed::used_name) != 0) throw PythonError{};
      release_managed<Managed>(managed);
      reject("DLPack version " + std::to_string(major) + " is not supported, only 1 and older");
    }
  }
  Candidate one(managed->content);
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
  if (const WithGil gil_guard; gil_guard) call_deleter(managed);
}

template <class Managed>
NdArray take_managed(Managed* managed) {
  return adopt_candidate(Candidate(managed->content), managed);
}

template void release_managed<ManagedTensor>(void*) noexcept;
template void release_managed<ManagedTensorVersioned>(void*) noexcept;
template NdArray take_managed(ManagedTensorVersioned*);

NdArray take_capsule(PyObject* capsule) {
  const char* name = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : nullptr;
  if (name != nullptr && std::strcmp(name, ManagedTensorVersioned::name) == 0) {
    return take_from_capsule<ManagedTensorVersioned>(capsule);
  }
  if (name != nullptr && std::strcmp(name, ManagedTensor::name) == 0) {
    return take_from_capsule<ManagedTensor>(capsule);
  }
  if (name != nullptr && std::strncmp(name, "used_", 5) == 0) {
    reject(std::string("the DLPack capsule is already consumed: \"") + name + "\"");
  }
  PyErr_Clear();
  reject(std::string("not a DLPack capsule: ") + Py_TYPE(capsule)->tp_name);
}

}  // namespace skerry::python::dlpack
