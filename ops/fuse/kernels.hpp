// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/dims.hpp"
#include "core/plan.hpp"
#include "core/scalar.hpp"
#include "ops/call/kernel.hpp"
#include "ops/call/row_range.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/math/op_info.hpp"

// A pass: operations over one shape, run one after the other on pieces that stay in the first
// cache. What it is made of stands in one block of bytes: FusedParams, its steps, its constants.

namespace skerry {

struct BlockElements;
struct PassRows;

/// As core/plan.hpp, of more operands: arrays alone, the outputs first. All axes have room.
struct WidePlan {
  static constexpr int max_operands = 16;
  static constexpr int max_axes = max_rank;

  std::int32_t operand_count;
  std::int32_t output_count;
  std::int32_t rank;  ///< after coalescing; 0 means one element
  std::int64_t size;  ///< elements; never 0
  char* data[max_operands];
  std::int64_t itemsize[max_operands];
  std::int64_t shape[max_axes];
  std::int64_t strides[max_operands][max_axes];  ///< bytes; 0 where broadcast

  [[nodiscard]] static constexpr bool is_value(int) noexcept { return false; }
  [[nodiscard]] char* base(int operand) const noexcept { return data[operand]; }
};
constexpr int outputs_of(const WidePlan& plan) noexcept { return plan.output_count; }

/// One operation: a kernel whose parameter is a plan, and where its output and its inputs are.
struct alignas(16) FusedStep {
  static constexpr int max_inputs = 3;

  const Kernel<Plan>* kernel;
  decltype(AnyKernel::body) body;  ///< of the kernel, as the next
  std::uint16_t accepts;
  /// Operands of the pass, then slots, then constants.
  std::int16_t locations[1 + max_inputs];
  std::uint8_t widths[1 + max_inputs];  ///< bytes of an item
  std::uint8_t inputs;
  ChainStep chain : 6 = ChainStep::no;
  bool goes_on : 1 = false;        ///< the next step takes the vectors
  bool stores_result : 1 = false;  ///< and others take the result
};
static_assert(sizeof(FusedStep) == 32);

struct alignas(16) FusedParams {
  static constexpr int slots = 16;  ///< pieces of values that nobody keeps
  static constexpr int chunk_bytes = tuning::fused_chunk_bytes;  ///< of a slot
  static constexpr int first_slot = WidePlan::max_operands;
  static constexpr int first_constant = first_slot + slots;

  PlannedOperands<WidePlan> plan;
  std::int32_t steps;
  std::int32_t chunk_size;  ///< elements
  std::int32_t cost;        ///< of an element, in additions

  /// Whether arrays of the widest items would be in the caches.
  static bool is_near(std::int64_t elements, std::int64_t arrays) noexcept {
    return elements * arrays * std::int64_t{sizeof(Element)} < tuning::min_fused_memory_bytes;
  }
  [[nodiscard]] const FusedStep* step() const noexcept {
    return reinterpret_cast<const FusedStep*>(this + 1);
  }
  [[nodiscard]] const Element* constants() const noexcept {
    return reinterpret_cast<const Element*>(step() + steps);
  }
};

/// Passes and reductions over the same rows, one after the other on some rows at a time, so that
/// what is made in between stays in the caches. The steps follow, then the offset of each temporary
/// in the scratch, a 64-bit number.
struct alignas(16) RowParams {
  static constexpr std::int64_t scratch_bytes = tuning::fused_scratch_bytes;
  /// A temporary begins with a page, as large arrays do: loads wait for stores before that differ
  /// from them in the page alone.
  static constexpr std::int64_t page = 4096;

  std::int64_t rows;
  std::int64_t block;                           ///< rows that are taken together; never 0
  std::int64_t cost;                            ///< of a row, in additions
  void (*feed)(const BlockElements& elements);  ///< of FuseKernels, as the next
  void (*make_rows)(const PassRows& rows);
  std::int32_t steps;
};

/// One of them. Its parameters follow, FusedParams or what begins with a RowReduction, then the
/// next.
struct alignas(16) RowStep {
  static constexpr std::int64_t in_memory = -1;

  RowKernel reduction;   ///< none: a pass
  std::int64_t nbytes;   ///< with its parameters
  std::int64_t width;    ///< elements of a row of the pass, or of the results
  bool is_run;           ///< a pass of which many rows are as one
  bool has_runs;         ///< as of PassRows; else the plan of the pass has to be cut
  std::uint32_t single;  ///< as there
  /// Of operands (of a reduction the output, then the input): in_memory, or which temporary.
  std::int64_t temporaries[WidePlan::max_operands];
  std::int64_t row_bytes[WidePlan::max_operands];  ///< from one row to the next
};

/// Rows of a pass each of whose operands is a run along a row, or a single element of the row.
struct PassRows {
  const FusedParams& pass;        ///< with what follows it
  char* const* data;              ///< of the first row
  const std::int64_t* row_bytes;  ///< from one row to the next
  std::uint32_t single;           ///< a bit for each operand
  std::int64_t n;                 ///< elements of a row
  std::int64_t rows;
};

/// A pass whose kernel is compiled from its text (ops/fuse/source.hpp), where it isn't yet.
struct CompiledCall {
  static constexpr std::size_t error_message_bytes = 2048;

  const char* text;
  std::atomic<void*>* function;  ///< the kernel, once it is loaded
  const void* arguments;
  unsigned blocks;
  unsigned threads;
  char* error_message;  ///< gets a text where nothing is launched, as there is no such kernel
};

struct FuseKernels {
  /// Launched with what follows the parameters (ParamsBlock), as the next. There is no native form.
  Kernel<FusedParams> run_pass;
  /// There is no native form.
  Kernel<RowParams> rows;
  /// A native form only. The one whose operands are in no type: arguments of the compiled function.
  Kernel<CompiledCall> compiled;
  // Functions on the host, which kernels call and nobody launches. On the calling thread alone.
  void (*feed)(const BlockElements& elements) = nullptr;
  void (*make_rows)(const PassRows& rows) = nullptr;
};

}  // namespace skerry
