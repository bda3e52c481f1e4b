// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The data structures of DLPack 1.1 (https://dmlc.github.io/dlpack), as the standard's
// __dlpack__ exchanges them: an ABI, not an API.

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
inline constexpr version own_version{1, 1};

inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_is_copied = 2;

struct managed_tensor {
  static constexpr const char* name = "dltensor";
  static constexpr const char* used_name = "used_dltensor";
  tensor content;
  void* context;
  void (*deleter)(managed_tensor* self);
};

struct managed_tensor_versioned {
  static constexpr const char* name = "dltensor_versioned";
  static constexpr const char* used_name = "used_dltensor_versioned";
  version written_by;
  void* context;
  void (*deleter)(managed_tensor_versioned* self);
  std::uint64_t flags;
  tensor content;
};

}  // namespace skerry::python::dlpack
