// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {

template <class T>
[[nodiscard]] std::string register_type() {
  return (std::is_same_v<T, float>    ? ".f"
          : std::is_same_v<T, double> ? ".f"
                                      : ".b") +
         std::to_string(8 * std::max<std::size_t>(sizeof(T), 2));
}

template <class T>
[[nodiscard]] std::string memory_type() {
  return (std::is_floating_point_v<T> ? ".f"
          : std::is_signed_v<T>       ? ".s"
                                      : ".u") +
         std::to_string(8 * sizeof(T));
}

/// Runs the instruction `opcode d, a...` with one thread for each row of operands and returns the
/// results. If `is_partial`, only odd lanes execute it; the results of even lanes are zero.
template <class D, class... A>
[[nodiscard]] std::vector<D> computed(const std::string& opcode, bool is_partial,
                                      const std::vector<A>&... operands) {
  const std::size_t count = std::get<0>(std::tie(operands...)).size();
  const std::size_t padded = (count + 63) / 64 * 64;
  TestMemory memory;
  std::string parameters = ".param .u64 to";
  std::string body =
      ".reg .pred %odd; .reg .b32 %t<4>; .reg .b64 %x<4>; .reg " + register_type<D>() + " %to;\n";
  std::string list = "%to";
  std::string loads;
  std::vector<std::uint64_t> addresses;
  std::size_t number = 0;
  const auto add = [&]<class T>(std::vector<T> values) {
    const std::string name = "from" + std::to_string(number++);
    values.resize(padded, T{1});
    addresses.push_back(memory.allocate(values));
    parameters += ", .param .u64 " + name;
    body += ".reg " + register_type<T>() + " %" + name + ";\n";
    loads += "mad.wide.u32 %x0, %t0, " + std::to_string(sizeof(T)) + ", 0; ld.param.u64 %x1, [" +
             name + "]; add.s64 %x0, %x0, %x1; ld.global" + memory_type<T>() + " %" + name +
             ", [%x0];\n";
    list += ", %" + name;
  };
  (add(operands), ...);
  const std::uint64_t destination = memory.allocate(padded * sizeof(D));
  body +=
      "mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x; mad.lo.s32 %t0, %t1, 64, %t0;\n"
      "and.b32 %t2, %t0, 1; setp.ne.s32 %odd, %t2, 0;\n" +
      loads + "mov" +
      (std::is_floating_point_v<D> ? memory_type<D>() : ".b" + register_type<D>().substr(2)) +
      " %to, " +
      (std::is_same_v<D, double>  ? "0d0000000000000000"
       : std::is_same_v<D, float> ? "0f00000000"
                                  : "0") +
      ";\n" + (is_partial ? "@%odd " : "") + opcode + " " + list + ";\n" +
      "mad.wide.u32 %x0, %t0, " + std::to_string(sizeof(D)) +
      ", 0; ld.param.u64 %x1, [to]; add.s64 %x0, %x0, %x1; st.global" + memory_type<D>() +
      " [%x0], %to;\nret;";
  const std::string text = kernel_text(parameters, body);
  std::vector<std::byte> bytes = parameter_bytes(destination);
  for (const std::uint64_t address : addresses) {
    const auto more = parameter_bytes(address);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  const auto loaded = load_text(text);
  const Launch launch{
      .grid = {static_cast<std::uint32_t>(padded / 64)}, .block = {64}, .parameters = bytes};
  const auto failed = run(*loaded->find("k"), launch, {}, memory);
  EXPECT_FALSE(failed.has_value()) << text_of(failed);
  return memory.read<D>(destination, count);
}

/// Expects the results of `reference`, once with all lanes active and once with only the odd ones.
/// `same(actual, expected)` compares two results.
template <class D, class... A, class Reference, class Same>
void expect_computes_like(const std::string& opcode, Reference&& reference, Same&& same,
                          const std::vector<A>&... operands) {
  for (const bool is_partial : {false, true}) {
    const std::vector<D> results = computed<D, A...>(opcode, is_partial, operands...);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const D expected =
          is_partial && k % 2 == 0 ? D{0} : static_cast<D>(reference(operands[k]...));
      ASSERT_TRUE(same(results[k], expected))
          << opcode << ", row " << k << " (" << ((std::to_string(operands[k]) + " ") + ...)
          << "): got " << +results[k] << ", expected " << +expected;
    }
  }
}

/// Returns two operands whose rows are all pairs of the values.
template <class T>
[[nodiscard]] std::pair<std::vector<T>, std::vector<T>> pairs_of(const std::vector<T>& values) {
  std::pair<std::vector<T>, std::vector<T>> pairs;
  for (const T a : values) {
    for (const T b : values) {
      pairs.first.push_back(a);
      pairs.second.push_back(b);
    }
  }
  return pairs;
}

template <class T>
[[nodiscard]] std::vector<T> integer_edges() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           1,
                           2,
                           3,
                           7,
                           31,
                           32,
                           33,
                           63,
                           64,
                           100,
                           limits::max(),
                           limits::min(),
                           static_cast<T>(limits::max() - 1),
                           static_cast<T>(limits::max() / 3)};
  if (std::is_signed_v<T>) {
    for (const int v : {-1, -2, -3, -100}) values.push_back(static_cast<T>(v));
  }
  return values;
}

template <class T>
[[nodiscard]] std::vector<T> float_edges() {
  using limits = std::numeric_limits<T>;
  return {0,
          -T{0},
          1,
          -1,
          T{1.5},
          T{-2.5},
          T{0.5},
          T{2147483648.0},
          T{-2147483648.0},
          T{4294967296.0},
          T{9223372036854775808.0},
          T{18446744073709551616.0},
          T{1e30},
          T{-1e30},
          limits::min(),
          -limits::min(),
          limits::denorm_min(),
          limits::min() / 2,
          limits::max(),
          limits::lowest(),
          limits::infinity(),
          -limits::infinity(),
          limits::quiet_NaN(),
          T{3.999999},
          T{127.5},
          T{-128.5},
          T{255.5},
          T{65535.5},
          T{1} + limits::epsilon()};
}

}  // namespace skerry::emulation
