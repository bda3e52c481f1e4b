// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/calls.hpp"

#include <array>
#include <string_view>

namespace skerry::emulation::nccl {

namespace {

constexpr std::array<std::string_view, 12> functions = {"",
                                                        "ncclAllReduce",
                                                        "ncclReduce",
                                                        "ncclBroadcast",
                                                        "ncclAllGather",
                                                        "ncclReduceScatter",
                                                        "ncclAlltoAll",
                                                        "ncclGather",
                                                        "ncclScatter",
                                                        "ncclCommSplit",
                                                        "ncclSend",
                                                        "ncclRecv"};

struct TypeRow {
  std::string_view name;
  std::size_t nbytes;
};
constexpr std::array<TypeRow, 12> types = {{{"int8", 1},
                                            {"uint8", 1},
                                            {"int32", 4},
                                            {"uint32", 4},
                                            {"int64", 8},
                                            {"uint64", 8},
                                            {"float16", 2},
                                            {"float32", 4},
                                            {"float64", 8},
                                            {"bfloat16", 2},
                                            {"float8e4m3", 1},
                                            {"float8e5m2", 1}}};
constexpr std::array<std::string_view, 5> reductions = {"sum", "prod", "max", "min", "avg"};

[[nodiscard]] bool is_known(int type) noexcept {
  return type >= 0 && type < static_cast<int>(types.size());
}

}  // namespace

std::size_t size_of(int type) noexcept {
  return is_known(type) ? types[static_cast<std::size_t>(type)].nbytes : 0;
}

std::string text_of(const Call& call) {
  std::string text{functions[static_cast<std::size_t>(call.function)]};
  if (call.function == Function::split) {
    return text + "(color " + std::to_string(call.reduction) + ", key " +
           std::to_string(call.peer) + ")";
  }
  text += "(count " + std::to_string(call.count) + ", ";
  text += is_known(call.type) ? types[static_cast<std::size_t>(call.type)].name : "unknown type";
  if (call.reduction >= 0) {
    text += ", ";
    text += call.reduction < static_cast<int>(reductions.size())
                ? reductions[static_cast<std::size_t>(call.reduction)]
                : "custom operation";
  }
  if (call.peer >= 0) {
    text += call.function == Function::send      ? ", to rank "
            : call.function == Function::receive ? ", from rank "
                                                 : ", root ";
    text += std::to_string(call.peer);
  }
  if (call.capture != 0) text += ", captured call " + std::to_string(call.capture);
  return text + ")";
}

}  // namespace skerry::emulation::nccl
