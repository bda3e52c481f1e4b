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

// A pass runs operations over one shape one after the other, on chunks that stay in L1. Its
// parameters are one block of bytes: FusedParams, the steps, the constants.

namespace skerry {

struct BlockElements;
struct PassRows;

/// A plan (core/plan.hpp) for up to 16 operands, outputs first, and for any rank. No operand is a
/// scalar.
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

/// One operation: a kernel whose parameter is a plan, and the locations of its output and inputs.
struct alignas(16) FusedStep {
  static constexpr int max_inputs = 3;

  const Kernel<Plan>* kernel;
  decltype(AnyKernel::body) body;  ///< the kernel's, as is `accepts`
  std::uint16_t accepts;
  /// Output first. Operands of the pass are numbered first, then slots, then constants.
  std::int16_t locations[1 + max_inputs];
  std::uint8_t widths[1 + max_inputs];  ///< bytes of an item
  std::uint8_t inputs;
  ChainStep chain : 6 = ChainStep::no;
  bool goes_on : 1 = false;        ///< the next step of the chain reads the vectors
  bool stores_result : 1 = false;  ///< with goes_on: the result is stored, too
};
static_assert(sizeof(FusedStep) == 32);

struct alignas(16) FusedParams {
  static constexpr int slots = 16;                               ///< for chunks of intermediates
  static constexpr int chunk_bytes = tuning::fused_chunk_bytes;  ///< of a slot
  static constexpr int first_slot = WidePlan::max_operands;
  static constexpr int first_constant = first_slot + slots;

  PlannedOperands<WidePlan> plan;
  std::int32_t steps;
  std::int32_t chunk_size;  ///< elements
  std::int32_t cost;        ///< of an element, in additions

  /// True if the arrays fit the caches even with items of 16 bytes.
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

/// A schedule of passes and reductions over the same rows, which run one after the other on a block
/// of rows, so that intermediates stay in cache. Followed in memory by the steps, then by the
/// 64-bit offset of each temporary in the scratch memory.
struct alignas(16) RowParams {
  static constexpr std::int64_t scratch_bytes = tuning::fused_scratch_bytes;
  /// Temporaries are page-aligned, as large arrays are, to avoid 4K aliasing: a load waits for an
  /// earlier store to the same offset in another page.
  static constexpr std::int64_t page = 4096;

  std::int64_t rows;
  std::int64_t block;                           ///< rows computed together; never 0
  std::int64_t cost;                            ///< of a row, in additions
  void (*feed)(const BlockElements& elements);  ///< FuseKernels::feed; make_rows likewise
  void (*make_rows)(const PassRows& rows);
  std::int32_t steps;
};

/// A pass or reduction of RowParams. Followed in memory by its parameters, which are FusedParams or
/// derived from RowReduction, then by the next step.
struct alignas(16) RowStep {
  static constexpr std::int64_t in_memory = -1;

  RowKernel reduction;   ///< empty for a pass
  std::int64_t nbytes;   ///< size of the step with its parameters
  std::int64_t width;    ///< elements of a row of the pass, or of the results
  bool is_run;           ///< a pass in which adjacent rows form one run
  bool has_runs;         ///< the pass can run as PassRows; otherwise its plan must be split
  std::uint32_t single;  ///< as PassRows::single
  /// For each operand (of a reduction, output and input): in_memory, or the index of a temporary.
  std::int64_t temporaries[WidePlan::max_operands];
  std::int64_t row_bytes[WidePlan::max_operands];  ///< from one row to the next
};

/// Rows of a pass in which each operand is contiguous along a row, or one element per row.
struct PassRows {
  const FusedParams& pass;        ///< followed in memory by steps and constants
  char* const* data;              ///< the operands' addresses in the first row
  const std::int64_t* row_bytes;  ///< from one row to the next
  std::uint32_t single;           ///< bits of the operands that are one element per row
  std::int64_t n;                 ///< elements of a row
  std::int64_t rows;
};

/// A call of a pass's kernel, which is compiled from its source (ops/fuse/source.hpp) at first use.
struct CompiledCall {
  static constexpr std::size_t error_message_bytes = 2048;

  const char* text;
  std::atomic<void*>* function;  ///< the loaded kernel; null before
  const void* arguments;
  unsigned blocks;
  unsigned threads;
  char* error_message;  ///< set if the kernel can't be made; then nothing is launched
};

struct FuseKernels {
  /// Host form only. Like `rows`, launched with the data that follow the parameters
  /// (ParamsBlock).
  Kernel<FusedParams> run_pass;
  /// Host form only.
  Kernel<RowParams> rows;
  /// Native form only. Its operands have no roles: they are arguments of the compiled function.
  Kernel<CompiledCall> compiled;
  // Host functions that kernels call directly. They run on the calling thread.
  void (*feed)(const BlockElements& elements) = nullptr;
  void (*make_rows)(const PassRows& rows) = nullptr;
};

}  // namespace skerry
