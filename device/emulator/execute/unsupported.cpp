// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/unsupported.hpp"

#include <algorithm>
#include <array>

namespace skerry::emulation {
namespace {

using std::string_view;

/// Why the opcodes with a prefix are not supported.
struct Family {
  string_view prefix;
  string_view reason;
};

constexpr string_view textures =
    "textures and surfaces are not emulated; read and write the array by its address";
constexpr string_view tensor_cores =
    "tensor cores are not emulated; use scalar instructions, or test this kernel on a GPU";
constexpr string_view tensor_maps =
    "copies with tensor maps are not emulated; copy rows with cp.async or cp.async.bulk";
constexpr string_view reductions =
    "bulk reductions are not emulated; copy, then reduce with red or atom";
constexpr string_view clusters =
    "asynchronous operations on other blocks of a cluster are not emulated; store to their shared "
    "memory and wait at the cluster's barrier";

constexpr auto families = std::to_array<Family>({
    {"tex.", textures},
    {"tld4.", textures},
    {"txq.", textures},
    {"suld.", textures},
    {"sust.", textures},
    {"sured.", textures},
    {"suq.", textures},
    {"istypep.", textures},
    {"wgmma.", tensor_cores},
    {"mma.", tensor_cores},
    {"wmma.", tensor_cores},
    {"tcgen05.", tensor_cores},
    {"ldmatrix.", tensor_cores},
    {"stmatrix.", tensor_cores},
    {"movmatrix.", tensor_cores},
    {"setmaxnreg.", tensor_cores},
    {"cp.async.bulk.tensor.", tensor_maps},
    {"cp.async.bulk.prefetch.tensor.", tensor_maps},
    {"cp.reduce.async.bulk.tensor.", tensor_maps},
    {"tensormap.", tensor_maps},
    {"prefetch.tensormap", tensor_maps},
    {"cp.reduce.async.bulk.", reductions},
    {"fence.proxy.tensormap", tensor_maps},
    {"st.async.", clusters},
    {"red.async.", clusters},
    {"multimem.", "multicast memory of several devices is not emulated"},
    {"clusterlaunchcontrol.", clusters},
});

/// Returns the opcode in "@!%p1 ld.global.u32 ...", without the guard and the operands.
[[nodiscard]] string_view opcode_of(string_view text) {
  constexpr string_view ends = " \t\r\n;";
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find_first_of(ends), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(ends), text.size()));
  return text.substr(0, text.find_first_of(ends));
}

[[nodiscard]] string_view reason_of(string_view opcode) {
  const auto family = std::ranges::find_if(
      families, [&](const Family& one) { return opcode.starts_with(one.prefix); });
  if (family != families.end()) return family->reason;
  if (opcode.ends_with(".b128"))
    return "atomic operations of 128 bits are not emulated; use 64 bits";
  return "the emulator does not implement this form, or not with these operands";
}

}  // namespace

std::string why_unsupported(string_view text) {
  const string_view opcode = opcode_of(text);
  return "unsupported instruction " + std::string(opcode) + ": " + std::string(reason_of(opcode));
}

}  // namespace skerry::emulation
