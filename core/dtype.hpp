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

enum class Dtype : std::uint8_t {
#define SKERRY_ENUMERATOR(name, type, kind, typestr) name,
  SKERRY_FOR_EACH_DTYPE(SKERRY_ENUMERATOR)
#undef SKERRY_ENUMERATOR
};

#define SKERRY_ONE(name, type, kind, typestr) +1
inline constexpr int dtype_count = SKERRY_FOR_EACH_DTYPE(SKERRY_ONE);
#undef SKERRY_ONE

struct DtypeInfo {
  const char* name;        ///< the standard's: "bool", "float32"
  std::int32_t itemsize;   ///< bytes
  std::int32_t alignment;  ///< bytes, from the host compiler
  DtypeKind kind;
  const char*
      typestr;  ///< array-interface type string, native byte order, as NumPy or ml_dtypes writes it
};

namespace detail {
constexpr const char* spell(std::string_view name) {
  return name == "bool_" ? "bool" : name.data();
}
}  // namespace detail

inline constexpr std::array<DtypeInfo, dtype_count> dtype_infos{{
#define SKERRY_INFO(name, type, kind, typestr) \
  {detail::spell(#name), sizeof(type), alignof(type), DtypeKind::kind, typestr},
    SKERRY_FOR_EACH_DTYPE(SKERRY_INFO)
#undef SKERRY_INFO
}};

[[nodiscard]] constexpr const DtypeInfo& info(Dtype type) {
  return dtype_infos[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr std::int64_t itemsize(Dtype type) { return info(type).itemsize; }
[[nodiscard]] constexpr DtypeKind kind(Dtype type) { return info(type).kind; }
[[nodiscard]] constexpr const char* name(Dtype type) { return info(type).name; }
/// Returns the standard's name: "signed integer".
[[nodiscard]] const char* name(DtypeKind kind) noexcept;

[[nodiscard]] constexpr bool is_integer(Dtype type) {
  return kind(type) == DtypeKind::signed_integer || kind(type) == DtypeKind::unsigned_integer;
}
[[nodiscard]] constexpr bool is_floating(Dtype type) {
  return kind(type) == DtypeKind::real_floating || kind(type) == DtypeKind::complex_floating;
}

template <class T>
struct dtype_of_type;
#define SKERRY_MAP(name, type, kind, typestr)   \
  template <>                                   \
  struct dtype_of_type<type> {                  \
    static constexpr Dtype value = Dtype::name; \
  };
SKERRY_FOR_EACH_DTYPE(SKERRY_MAP)
#undef SKERRY_MAP
template <class T>
inline constexpr Dtype dtype_of = dtype_of_type<T>::value;

template <Dtype Type>
struct type_of_dtype;
#define SKERRY_MAP(name, cpp_type, kind, typestr) \
  template <>                                     \
  struct type_of_dtype<Dtype::name> {             \
    using type = cpp_type;                        \
  };
SKERRY_FOR_EACH_DTYPE(SKERRY_MAP)
#undef SKERRY_MAP
template <Dtype Type>
using type_of = typename type_of_dtype<Type>::type;

template <class T>
struct type_identity {
  using type = T;
};

/// Calls `f(type_identity<T>{})` with the C++ type of `type`.
template <class F>
constexpr decltype(auto) visit(Dtype type, F&& f) {
  switch (type) {
#define SKERRY_CASE(name, type, kind, typestr) \
  case Dtype::name:                            \
    return f(type_identity<type>{});
    SKERRY_FOR_EACH_DTYPE(SKERRY_CASE)
#undef SKERRY_CASE
  }
  __builtin_unreachable();
}

/// Returns the common dtype by the standard's promotion table (array API 2025.12, type promotion
/// rules); empty if the table defines none.
[[nodiscard]] std::optional<Dtype> promote(Dtype a, Dtype b) noexcept;

/// Returns float32 for complex64, float64 for complex128, real dtypes unchanged.
[[nodiscard]] constexpr Dtype real_part(Dtype type) {
  return type == Dtype::complex64    ? Dtype::float32
         : type == Dtype::complex128 ? Dtype::float64
                                     : type;
}

/// Returns the dtype in which `type` is computed (see computed_t).
[[nodiscard]] constexpr Dtype computed_in(Dtype type) {
  return visit(type,
               []<class T>(type_identity<T> /*type_tag*/) { return dtype_of<computed_t<T>>; });
}

/// Returns complex64 for dtypes computed in float32, complex128 for float64, other dtypes
/// unchanged.
[[nodiscard]] constexpr Dtype complex_of(Dtype type) {
  switch (computed_in(type)) {
    case Dtype::float32:
      return Dtype::complex64;
    case Dtype::float64:
      return Dtype::complex128;
    default:
      return type;
  }
}

[[nodiscard]] std::optional<Dtype> parse_dtype_name(std::string_view name) noexcept;
[[nodiscard]] std::optional<Dtype> parse_typestr(std::string_view typestr) noexcept;

inline constexpr Dtype default_real = Dtype::float64;
inline constexpr Dtype default_complex = Dtype::complex128;
inline constexpr Dtype default_integer = Dtype::int64;

}  // namespace skerry
