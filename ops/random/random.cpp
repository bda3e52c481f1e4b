// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/random/random.hpp"

#include <array>
#include <string>

#include "core/errors.hpp"
#include "device/graph.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/operands.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

/// Throws unless the kernel accepts `parameter`, which has elements of 8 bytes.
void require_parameter(const NdArray& out, const NdArray& parameter, const char* name) {
  const std::array<Operand, 2> both{Operand{.array = &out, .name = "out"},
                                    Operand{.array = &parameter, .name = name}};
  static_cast<void>(common_device(both));
  if (parameter.itemsize() != 8 || parameter.shape() != out.shape() ||
      contiguous_size(parameter) != parameter.size()) {
    throw DtypeError(
        std::string(name) +
        " must be contiguous, of 64 bits and of the shape of the result: " + describe(parameter));
  }
}

void enqueue(const NdArray& out, const Kernel<RandomParams>& kernel, const PhiloxState& stream,
             const RandomArguments& arguments) {
  launch(out.device(), kernel, [&](OperandList& operands) {
    return RandomParams{.output = operands(out),
                        .size = out.size(),
                        .stream = stream,
                        .a = arguments.a,
                        .b = arguments.b,
                        .a_each = operands(arguments.a_each),
                        .b_each = operands(arguments.b_each),
                        .low = arguments.low,
                        .span = arguments.span};
  });
}

}  // namespace

void draw(const NdArray& out, RandomMethod method, const PhiloxState& stream,
          const RandomArguments& arguments) {
  require_writable(out);
  // The position is an argument of the kernel, not in memory that a replay could change.
  reject_in_capture("random numbers, as each replay would draw the same ones");
  if (arguments.a_each != nullptr) require_parameter(out, *arguments.a_each, "a");
  if (arguments.b_each != nullptr) require_parameter(out, *arguments.b_each, "b");
  const auto& table = kernels<RandomKernels>(out.device());
  const Kernel<RandomParams>& kernel =
      require_kernel(table.kernel[static_cast<int>(method)][static_cast<int>(out.dtype())],
                     out.dtype(), out.device());
  if (out.size() == 0) return;
  if (contiguous_size(out) == out.size()) return enqueue(out, kernel, stream, arguments);
  const NdArray drawn = empty(out.shape(), out.dtype(), out.device());
  enqueue(drawn, kernel, stream, arguments);
  assign(out, drawn);
}

}  // namespace skerry
