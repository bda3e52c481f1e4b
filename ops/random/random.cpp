// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/random/random.hpp"

#include <array>
#include <string>

#include "core/errors.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operands.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

constexpr const char* op = "random";

/// Throws unless `each` is what the kernel takes. Its elements have eight bytes.
void require_parameter(const NdArray& out, const NdArray& each, const char* name) {
  const std::array<Operand, 2> both{Operand{.array = &out, .name = "out"},
                                    Operand{.array = &each, .name = name}};
  static_cast<void>(common_device(op, both));
  if (each.itemsize() != 8 || each.shape() != out.shape() || contiguous_size(each) != each.size()) {
    throw DtypeError(
        std::string(op) + ": " + name +
        " must be contiguous, of 64 bits and of the shape of the result: " + describe(each));
  }
}

void enqueue(const NdArray& out, const Kernel& entry, const RandomStream& from,
             const RandomArguments& with) {
  const auto data_of = [](const NdArray* each) { return each == nullptr ? nullptr : each->data(); };
  const RandomParams params{.output = out.data(),
                            .size = out.size(),
                            .stream = from,
                            .a = with.a,
                            .b = with.b,
                            .a_each = data_of(with.a_each),
                            .b_each = data_of(with.b_each),
                            .low = with.low,
                            .span = with.span};
  std::array<MemoryUse, 3> uses{writes(out)};
  std::size_t count = 1;
  for (const NdArray* each : {with.a_each, with.b_each}) {
    if (each != nullptr) uses[count++] = reads(*each);
  }
  launch(out.device(), entry, params, std::span(uses).first(count));
}

}  // namespace

void draw(const NdArray& out, RandomMethod method, const RandomStream& from,
          const RandomArguments& with) {
  require_writable(op, out);
  if (with.a_each != nullptr) require_parameter(out, *with.a_each, "a");
  if (with.b_each != nullptr) require_parameter(out, *with.b_each, "b");
  const auto& table = kernels<random_kernels>(out.device());
  const Kernel& entry =
      require_kernel(op, table.of[static_cast<int>(method)][static_cast<int>(out.dtype())],
                     out.dtype(), out.device());
  if (out.size() == 0) return;
  if (contiguous_size(out) == out.size()) return enqueue(out, entry, from, with);
  const NdArray drawn = empty(op, out.shape(), out.dtype(), out.device());
  enqueue(drawn, entry, from, with);
  assign(op, out, drawn);
}

}  // namespace skerry
