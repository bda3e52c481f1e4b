// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The data structures of DLPack 1.3 (https://dmlc.github.io/dlpack), as `__dlpack__` and the C
// exchange API hand them over: an ABI, not an API. Sizes and offsets are those of dlpack.h on
// x86-64 and every other LP64 system.

namespace skerry::python::dlpack {

enum class device_code : std::int32_t {
  cpu = 1,
  cuda = 2,
  cuda_host = 3,
  cuda_managed = 13,
};

struct device_id {
  device_code code;
  std::int32_t index;
};

enum class type_code : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  real = 2,
  complex = 5,
  boolean = 6
};

struct data_type {
  type_code code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct tensor {
  void* data;
  device_id where;
  std::int32_t rank;
  data_type type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: C-contiguous
  std::uint64_t byte_offset;
};

struct version {
  std::uint32_t major;
  std::uint32_t minor;
};
inline constexpr version own_version{1, 3};

inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_is_copied = 2;

// Python compares the names of capsules at every export. They are aligned because glibc's strcmp
// goes byte by byte within the last 128 bytes of a page: 25 ns, in one build or another.
inline constexpr std::size_t within_a_page = 128;

struct managed_tensor {
  alignas(within_a_page) static constexpr char name[] = "dltensor";
  static constexpr const char* used_name = "used_dltensor";
  tensor content;
  void* context;
  void (*deleter)(managed_tensor* self);
};

struct managed_tensor_versioned {
  alignas(within_a_page) static constexpr char name[] = "dltensor_versioned";
  static constexpr const char* used_name = "used_dltensor_versioned";
  version written_by;
  void* context;
  void (*deleter)(managed_tensor_versioned* self);
  std::uint64_t flags;
  tensor content;
};

/// What `type(x).__dlpack_c_exchange_api__` leads to. `previous` is a table for an older major
/// version.
struct exchange_header {
  version written_by;
  exchange_header* previous;
};

/// Functions return 0, or -1 with a Python error set; all but the first need the GIL.
struct exchange_table {
  static constexpr const char* attribute = "__dlpack_c_exchange_api__";
  static constexpr const char* name = "dlpack_exchange_api";
  using set_error = void (*)(void* context, const char* kind, const char* message);

  exchange_header header;
  int (*allocate)(tensor* prototype, managed_tensor_versioned** out, void* error_context,
                  set_error report);
  int (*from_object)(void* object, managed_tensor_versioned** out);
  int (*to_object)(managed_tensor_versioned* tensor, void** out);
  int (*view_object)(void* object, tensor* out);  ///< may be null
  int (*current_stream)(device_code code, std::int32_t index, void** out);
};

static_assert(sizeof(device_id) == 8 && sizeof(data_type) == 4 && alignof(data_type) == 2);
static_assert(sizeof(tensor) == 48 && offsetof(tensor, data) == 0 && offsetof(tensor, where) == 8);
static_assert(offsetof(tensor, rank) == 16 && offsetof(tensor, type) == 20);
static_assert(offsetof(tensor, shape) == 24 && offsetof(tensor, strides) == 32);
static_assert(offsetof(tensor, byte_offset) == 40);
static_assert(sizeof(managed_tensor) == 64 && offsetof(managed_tensor, content) == 0);
static_assert(offsetof(managed_tensor, context) == 48 && offsetof(managed_tensor, deleter) == 56);
static_assert(sizeof(managed_tensor_versioned) == 80);
static_assert(offsetof(managed_tensor_versioned, written_by) == 0);
static_assert(offsetof(managed_tensor_versioned, context) == 8);
static_assert(offsetof(managed_tensor_versioned, deleter) == 16);
static_assert(offsetof(managed_tensor_versioned, flags) == 24);
static_assert(offsetof(managed_tensor_versioned, content) == 32);
static_assert(sizeof(exchange_header) == 16 && offsetof(exchange_header, previous) == 8);
static_assert(sizeof(exchange_table) == 56 && offsetof(exchange_table, allocate) == 16);
static_assert(offsetof(exchange_table, from_object) == 24);
static_assert(offsetof(exchange_table, to_object) == 32);
static_assert(offsetof(exchange_table, view_object) == 40);
static_assert(offsetof(exchange_table, current_stream) == 48);

}  // namespace skerry::python::dlpack
