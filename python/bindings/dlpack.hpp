// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The data structures of DLPack 1.3 (https://dmlc.github.io/dlpack) that `__dlpack__` and the C
// exchange API pass: an ABI, not an API. Sizes and offsets match dlpack.h on x86-64 and all other
// LP64 systems.

namespace skerry::python::dlpack {

enum class DeviceCode : std::int32_t {
  cpu = 1,
  cuda = 2,
  cuda_host = 3,
  cuda_managed = 13,
};

struct DeviceId {
  DeviceCode code;
  std::int32_t index;
};

enum class TypeCode : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  real = 2,
  bfloat = 4,
  complex = 5,
  boolean = 6
};

struct DataType {
  TypeCode code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  DeviceId device;
  std::int32_t rank;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: C-contiguous
  std::uint64_t byte_offset;
};

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};
inline constexpr Version own_version{1, 3};

inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_is_copied = 2;

// Python compares capsule names at every export. The names are aligned because glibc's strcmp
// compares byte by byte within the last 128 bytes of a page: 25 ns if a build places one there.
inline constexpr std::size_t within_a_page = 128;

struct ManagedTensor {
  alignas(within_a_page) static constexpr char name[] = "dltensor";
  static constexpr const char* used_name = "used_dltensor";
  Tensor content;
  void* context;
  void (*deleter)(ManagedTensor* self);
};

struct ManagedTensorVersioned {
  alignas(within_a_page) static constexpr char name[] = "dltensor_versioned";
  static constexpr const char* used_name = "used_dltensor_versioned";
  Version written_by;
  void* context;
  void (*deleter)(ManagedTensorVersioned* self);
  std::uint64_t flags;
  Tensor content;
};

/// Header of the table behind `type(x).__dlpack_c_exchange_api__`. `previous` is the table of an
/// older major version.
struct ExchangeHeader {
  Version written_by;
  ExchangeHeader* previous;
};

/// Functions return 0, or -1 with a Python error set; all but the first need the GIL.
struct ExchangeTable {
  static constexpr const char* attribute = "__dlpack_c_exchange_api__";
  static constexpr const char* name = "dlpack_exchange_api";
  using set_error = void (*)(void* context, const char* kind, const char* message);

  ExchangeHeader header;
  int (*allocate)(Tensor* prototype, ManagedTensorVersioned** out, void* error_context,
                  set_error report);
  int (*from_object)(void* object, ManagedTensorVersioned** out);
  int (*to_object)(ManagedTensorVersioned* tensor, void** out);
  int (*view_object)(void* object, Tensor* out);  ///< may be null
  int (*current_stream)(DeviceCode code, std::int32_t index, void** out);
};

static_assert(sizeof(DeviceId) == 8 && sizeof(DataType) == 4 && alignof(DataType) == 2);
static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, data) == 0 && offsetof(Tensor, device) == 8);
static_assert(offsetof(Tensor, rank) == 16 && offsetof(Tensor, type) == 20);
static_assert(offsetof(Tensor, shape) == 24 && offsetof(Tensor, strides) == 32);
static_assert(offsetof(Tensor, byte_offset) == 40);
static_assert(sizeof(ManagedTensor) == 64 && offsetof(ManagedTensor, content) == 0);
static_assert(offsetof(ManagedTensor, context) == 48 && offsetof(ManagedTensor, deleter) == 56);
static_assert(sizeof(ManagedTensorVersioned) == 80);
static_assert(offsetof(ManagedTensorVersioned, written_by) == 0);
static_assert(offsetof(ManagedTensorVersioned, context) == 8);
static_assert(offsetof(ManagedTensorVersioned, deleter) == 16);
static_assert(offsetof(ManagedTensorVersioned, flags) == 24);
static_assert(offsetof(ManagedTensorVersioned, content) == 32);
static_assert(sizeof(ExchangeHeader) == 16 && offsetof(ExchangeHeader, previous) == 8);
static_assert(sizeof(ExchangeTable) == 56 && offsetof(ExchangeTable, allocate) == 16);
static_assert(offsetof(ExchangeTable, from_object) == 24);
static_assert(offsetof(ExchangeTable, to_object) == 32);
static_assert(offsetof(ExchangeTable, view_object) == 40);
static_assert(offsetof(ExchangeTable, current_stream) == 48);

}  // namespace skerry::python::dlpack
