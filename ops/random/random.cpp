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

/// Throws unless an array can hold a state.
void require_state_array(const NdArray& x, const char* name) {
  if (x.dtype() != Dtype::uint64 || x.size() != 3 || contiguous_size(x) != 3) {
    throw DtypeError(std::string(name) +
                     " must be contiguous, of 3 elements of uint64: " + describe(x));
  }
}

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
             const RandomArguments& arguments, const NdArray* base) {
  launch(out.device(), kernel, [&](OperandList& operands) {
    return RandomParams{.output = operands(out),
                        .size = out.size(),
                        .stream = stream,
                        .base = operands(base),
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
          const RandomArguments& arguments, const NdArray* base) {
  require_writable(out);
  if (base == nullptr) {
    reject_in_capture("random numbers that are drawn once, not by each replay");
    reject_in_foreign_capture(out.device());
  } else {
    require_state_array(*base, "base");
    const std::array<Operand, 2> both{Operand{.array = &out, .name = "out"},
                                      Operand{.array = base, .name = "base"}};
    static_cast<void>(common_device(both));
  }
  if (arguments.a_each != nullptr) require_parameter(out, *arguments.a_each, "a");
  if (arguments.b_each != nullptr) require_parameter(out, *arguments.b_each, "b");
  const auto& table = kernels<RandomKernels>(out.device());
  const Kernel<RandomParams>& kernel =
      require_kernel(table.kernel[static_cast<int>(method)][static_cast<int>(out.dtype())],
                     out.dtype(), out.device());
  if (out.size() == 0) return;
  if (contiguous_size(out) == out.size()) return enqueue(out, kernel, stream, arguments, base);
  const NdArray drawn = empty(out.shape(), out.dtype(), out.device());
  enqueue(drawn, kernel, stream, arguments, base);
  assign(out, drawn);
}

void store_state(const NdArray& out, const PhiloxState& state) {
  require_writable(out);
  require_state_array(out, "out");
  reject_in_foreign_capture(out.device());
  launch(out.device(), kernels<RandomKernels>(out.device()).store_state,
         [&](OperandList& operands) {
           return RandomStateParams{.output = operands(out), .state = state};
         });
}

}  // namespace skerry
