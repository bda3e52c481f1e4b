// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/dtype_list.hpp"

namespace skerry {

enum class dtype : std::uint8_t {
#define SKERRY_ENUMERATOR(name, type, kind, typestr) name,
  SKERRY_FOR_EACH_DTYPE(SKERRY_ENUMERATOR)
#undef SKERRY_ENUMERATOR
};

#define SKERRY_ONE(name, type, kind, typestr) +1
inline constexpr int dtype_count = SKERRY_FOR_EACH_DTYPE(SKERRY_ONE);
#undef SKERRY_ONE

struct dtype_info {
  const char* name;        ///< the standard's: "bool", "float32"
  std::int32_t itemsize;   ///< bytes
  std::int32_t alignment;  ///< bytes, as the host compiler has it
  dtype_kind kind;
  const char* typestr;  ///< NumPy's array-interface type string, native byte order
};

namespace detail {
constexpr const char* spell(const char* name) { return name[0] == 'b' ? "bool" : name; }
}  // namespace detail

inline constexpr std::array<dtype_info, dtype_count> dtype_infos{{
#define SKERRY_INFO(name, type, kind, typestr) \
  {detail::spell(#name), sizeof(type), alignof(type), dtype_kind::kind, typestr},
    SKERRY_FOR_EACH_DTYPE(SKERRY_INFO)
#undef SKERRY_INFO
}};

[[nodiscard]] constexpr const dtype_info& info(dtype type) {
  return dtype_infos[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr std::int64_t itemsize(dtype type) { return info(type).itemsize; }
[[nodiscard]] constexpr dtype_kind kind(dtype type) { return info(type).kind; }
[[nodiscard]] constexpr const char* name(dtype type) { return info(type).name; }
/// The standard's: "signed integer".
[[nodiscard]] const char* name(dtype_kind kind) noexcept;

[[nodiscard]] constexpr bool is_integer(dtype type) {
  return kind(type) == dtype_kind::signed_integer || kind(type) == dtype_kind::unsigned_integer;
}
[[nodiscard]] constexpr bool is_floating(dtype type) {
  return kind(type) == dtype_kind::real_floating || kind(type) == dtype_kind::complex_floating;
}

template <class T>
struct dtype_of_type;
#define SKERRY_MAP(name, type, kind, typestr)   \
  template <>                                   \
  struct dtype_of_type<type> {                  \
    static constexpr dtype value = dtype::name; \
  };
SKERRY_FOR_EACH_DTYPE(SKERRY_MAP)
#undef SKERRY_MAP
template <class T>
inline constexpr dtype dtype_of = dtype_of_type<T>::value;

template <dtype Type>
struct type_of_dtype;
#define SKERRY_MAP(name, cpp_type, kind, typestr) \
  template <>                                     \
  struct type_of_dtype<dtype::name> {             \
    using type = cpp_type;                        \
  };
SKERRY_FOR_EACH_DTYPE(SKERRY_MAP)
#undef SKERRY_MAP
template <dtype Type>
using type_of = typename type_of_dtype<Type>::type;

template <class T>
struct type_identity {
  using type = T;
};

/// Calls `f(type_identity<T>{})` with the C++ type of `type`.
template <class F>
constexpr decltype(auto) visit(dtype type, F&& f) {
  switch (type) {
#define SKERRY_CASE(name, type, kind, typestr) \
  case dtype::name:                            \
    return f(type_identity<type>{});
    SKERRY_FOR_EACH_DTYPE(SKERRY_CASE)
#undef SKERRY_CASE
  }
  __builtin_unreachable();
}

/// The promotion table of the standard (array API 2025.12, type promotion rules); empty where it
/// defines none.
[[nodiscard]] std::optional<dtype> promote(dtype a, dtype b) noexcept;

/// float32 for complex64, float64 for complex128, itself for real dtypes.
[[nodiscard]] constexpr dtype real_part(dtype type) {
  return type == dtype::complex64    ? dtype::float32
         : type == dtype::complex128 ? dtype::float64
                                     : type;
}
/// complex64 for float16 and float32, complex128 for float64, itself otherwise.
[[nodiscard]] constexpr dtype complex_of(dtype type) {
  switch (type) {
    case dtype::float16:
    case dtype::float32:
      return dtype::complex64;
    case dtype::float64:
      return dtype::complex128;
    default:
      return type;
  }
}

/// What numbers of `type` are computed in, as computed_t says.
[[nodiscard]] constexpr dtype computed_in(dtype type) {
  return visit(type, []<class T>(type_identity<T> /*of*/) { return dtype_of<computed_t<T>>; });
}

[[nodiscard]] std::optional<dtype> parse_dtype_name(std::string_view name) noexcept;
[[nodiscard]] std::optional<dtype> parse_typestr(std::string_view typestr) noexcept;

inline constexpr dtype default_real = dtype::float64;
inline constexpr dtype default_complex = dtype::complex128;
inline constexpr dtype default_integer = dtype::int64;

}  // namespace skerry
