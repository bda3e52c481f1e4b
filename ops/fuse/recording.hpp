// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/memory_use.hpp"
#include "core/ndarray.hpp"
#include "core/plan.hpp"
#include "core/scalar.hpp"
#include "device/storage_attachment.hpp"
#include "ops/call/kernel.hpp"
#include "ops/call/operand.hpp"
#include "ops/call/params_block.hpp"
#include "ops/call/result.hpp"
#include "ops/call/row_range.hpp"
#include "ops/fuse/kernels.hpp"
#include "ops/fuse/pending_array.hpp"

// Records operations instead of running them. A recording is evaluated in passes: a pass runs the
// operations over one shape chunk by chunk, so that intermediates stay in L1.
//
// A recording belongs to one thread, which records with a lock of the layer above held: Python's
// GIL, or without it a lock of the recording. Other threads that evaluate it hold that lock too, so
// nothing here has a lock of its own. The lock is released while an evaluation waits or works long.

namespace skerry {

/// The function that a recorded kernel applies to each element.
struct RecordedFunction {
  const char* name;       ///< of a functor in namespace ops; not copied
  std::uint8_t cost = 1;  ///< in additions
  ChainStep chain = ChainStep::no;
};

/// An input of a recorded operation: an array, which may be pending, or an element.
struct RecordedInput {
  const NdArray* array = nullptr;
  const PendingValue* pending = nullptr;
  Dtype type = Dtype::bool_;
  Element value{};
};

/// Describes a pass to an observer.
struct PassReport {
  std::int64_t operations = 0;
  const Dims& shape;
  std::int64_t moved = 0;        ///< bytes that it reads and writes in memory
  std::int64_t moved_eager = 0;  ///< the same if each operation ran separately
  bool feeds_reduction;          ///< its result is not stored
  std::int64_t rows = 0;         ///< computed together; 0 means all
};

/// Describes an evaluation to an observer.
struct EvaluationReport {
  std::vector<const char*> operations;  ///< in their order
  Device device;                        ///< that and the next two are the last operation's
  Dtype dtype;
  const Dims& shape;
};

/// Callbacks of the layer above.
struct EvaluationHooks {
  /// Warns the user, once.
  void (*warn)(const char* text) noexcept = nullptr;
  using pass_observer = void (*)(const PassReport& pass) noexcept;
  using alias_observer = void (*)(const char* operation, const char* operand,
                                  bool is_imported) noexcept;
  /// Called for each pass before it runs; null without an observer.
  std::atomic<pass_observer> observe_pass{nullptr};
  /// Called for an operation that is not recorded, since other libraries may write to its operand,
  /// whose memory is imported or exported; null without an observer.
  std::atomic<alias_observer> observe_alias{nullptr};
  /// Called before an evaluation; null without an observer. `end` gets the result of `begin`.
  struct EvaluationObserver {
    void* (*begin)(const EvaluationReport& report) noexcept;
    void (*end)(void* range, bool has_failed) noexcept;
  };
  std::atomic<const EvaluationObserver*> observe_evaluation{nullptr};
};

/// Runs a kernel that reads the results of a pass. Gets the pass's parameters (for
/// FuseKernels::feed) and the list of its operands, which has room for one more.
using feed_reader =
    std::function<void(const ParamsBlock<FusedParams>& pass, OperandList& operands)>;

class Recording {
 public:
  static constexpr std::size_t max_operations = 1000;

  Recording() noexcept : number_(next_number.fetch_add(1, std::memory_order_relaxed)) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    if (detail::active_recording == this) detail::active_recording = nullptr;
    discard();
  }

  /// Returns the recording of this thread, or null if it records nothing.
  [[nodiscard]] static Recording* current() noexcept { return detail::active_recording; }
  /// Starts recording on this thread; calls may be nested.
  static Recording& begin();
  /// Ends the outermost scope if end_at_once() was false: evaluates the results that are still
  /// referenced. If it throws, these have no value.
  void end();
  /// Ends a scope that has nothing to evaluate; otherwise returns false and does nothing.
  [[nodiscard]] bool end_at_once() noexcept {
    if (depth_ == 1 && !(nodes_.empty() && leaves_.empty())) return false;
    exit_scope();
    return true;
  }
  /// Keeps a pointer to them.
  static void set_hooks(const EvaluationHooks& hooks) noexcept;

  /// True if operations on this device are recorded: it has a kernel for passes.
  [[nodiscard]] static bool records(Device device) noexcept;

  /// Records a kernel over a plan, output first, and returns its result. `step` is not copied.
  /// `LayoutOrShape`: Layout&&, or const Dims& in C order; inputs broadcast to its shape.
  template <class LayoutOrShape>
  [[nodiscard]] PendingArray append(const Kernel<Plan>& step, const RecordedFunction& function,
                                    LayoutOrShape layout_or_shape, Dtype type, Device device,
                                    std::span<const RecordedInput> inputs) {
    return append_node<LayoutOrShape>(&step, function, std::forward<LayoutOrShape>(layout_or_shape),
                                      type, device, inputs);
  }

  /// Records a kernel that reduces rows of x, and returns its result in C order. There is a row for
  /// each index on the first `row_axes` axes. The pointers of `params` (OperandList::no_memory) are
  /// set when it runs. Row 0 is `input_offset` bytes after the first byte of x's memory, which only
  /// matters if x is not pending.
  template <std::derived_from<RowReduction> Params>
  [[nodiscard]] PendingArray append_reduction(const Kernel<Params>& step, const Params& params,
                                              std::int64_t input_offset, const Dims& shape,
                                              Dtype type, int row_axes, const Operand& x) {
    const auto bytes = std::as_bytes(std::span(&params, 1));
    return append_reduction({RowKernel(step), {bytes.begin(), bytes.end()}, input_offset}, shape,
                            type, row_axes, x);
  }

  /// Makes the memory of `target`, which the operation changes in place, the destination of
  /// `result`, which was recorded here.
  void set_target(const PendingArray& result, const Operand& target) noexcept;

  /// Computes all results that are still referenced. If it throws, nothing has changed. Throws
  /// OutOfMemoryError, DeviceError, and LibraryError during another evaluation.
  void evaluate();
  /// Streams a pending value into `reduce` without materializing it; it stays pending. `is_held`:
  /// not only the caller references it. Returns false if it is better to evaluate() it.
  [[nodiscard]] bool feed(const PendingValue& x, bool is_held, const feed_reader& reduce);
  /// True if a recorded operation may read x after the call: no other library can write to its
  /// memory, which is neither imported nor exported.
  [[nodiscard]] static bool may_read_later(const NdArray& x) noexcept {
    return !is_foreign(*x.memory()) && !x.memory()->is_exported();
  }
  /// Reports an operation that is not recorded, since other libraries may write to its operand x.
  static void report_alias(const char* operation, const char* operand, const NdArray& x) noexcept;
  /// True if operations that change x in place are recorded: nothing else references its memory.
  [[nodiscard]] bool may_change(const NdArray& x) const noexcept;
  /// Calls evaluate() if recorded operations read the memory of `target`. To be called before
  /// writing to it.
  void evaluate_readers(const NdArray& target);

  /// Identifies this among the recordings of all threads.
  [[nodiscard]] unsigned number() const noexcept { return number_; }
  /// True while any thread evaluates this.
  [[nodiscard]] bool is_evaluating() const noexcept { return evaluator_ != nullptr; }
  [[nodiscard]] bool is_evaluated_here() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

 private:
  friend class Evaluation;
  friend class PendingValue;

  template <class LayoutOrShape>
  [[nodiscard]] PendingArray append_node(const Kernel<Plan>* loop, const RecordedFunction& function,
                                         LayoutOrShape layout_or_shape, Dtype type, Device device,
                                         std::span<const RecordedInput> inputs);

  /// Kinds of inputs.
  enum class Source : std::uint8_t { node, leaf, constant };
  struct reference {
    Source source;
    std::uint8_t width;
    Dtype type;
    std::int32_t index;
  };
  /// The number of an operand, or of a slot, in the last part that used it.
  struct OperandUse {
    std::int32_t operand = -1;
    std::int32_t last_part = -1;
  };
  struct Node {
    const Kernel<Plan>* loop;  ///< null for a reduction
    RecordedFunction function;
    PendingValue* result;  ///< null once it is not referenced
    Device device;
    /// Destination of the value: memory that an operation changes in place.
    StorageRef target;
    reference inputs[FusedStep::max_inputs];
    std::uint8_t input_count;
    Dtype type;
    bool is_needed = false;
    bool is_stored = false;
    bool is_retained = false;  ///< needed in memory after the group over the same rows
    std::int32_t layout_index;
    std::int32_t reduction = -1;    ///< its index, if it is one
    int row_axes = max_rank;        ///< of a reduction: how many first axes it keeps
    std::int32_t rows = -1;         ///< index in row_shapes_ of its rows, if any
    std::int32_t level = 0;         ///< number of passes before it
    std::int32_t step = 0;          ///< the same among those over the same rows
    std::int32_t part_number = -1;  ///< part in which it runs
    std::int32_t last = -1;         ///< the last step of the part that reads it
    OperandUse use{};
    std::int64_t scratch = RowStep::in_memory;  ///< as RowStep::temporaries
    StorageRef storage;
  };
  struct Leaf {
    NdArray array;
    OperandUse use{};
  };
  struct LayoutEntry {
    Layout layout;
    std::int32_t shape;  ///< index of the first entry with this shape
  };
  struct Reduction {
    RowKernel kernel;
    std::vector<std::byte> params;  ///< they begin with a RowReduction
    std::int64_t input_offset;      ///< of append_reduction()
  };

  void exit_scope() noexcept {
    if (--depth_ == 0) detail::active_recording = nullptr;
  }
  [[nodiscard]] auto begin_evaluation();
  class ObservedEvaluation;
  [[nodiscard]] std::int32_t find_place(const Layout& layout);
  [[nodiscard]] reference refer_to(const RecordedInput& x);
  [[nodiscard]] PendingArray append_reduction(Reduction&& reduction, const Dims& shape, Dtype type,
                                              int row_axes, const Operand& x);
  [[nodiscard]] const StorageRef& empty_memory(Device device);
  void deliver(Node& node, StorageRef&& storage) noexcept;
  void discard() noexcept;

  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  std::vector<LayoutEntry> layouts_;
  std::vector<Element> constants_;
  std::vector<Reduction> reductions_;
  std::vector<StorageRef> empty_memory_;  ///< of headers, by device
  // Buffers of evaluations, kept for the next one.
  std::vector<std::int32_t> order_;
  std::vector<FusedStep> steps_;
  std::vector<Element> used_constants_;
  ParamsBlock<FusedParams> params_;
  ParamsBlock<RowParams> schedule_;
  std::vector<MemoryUse> row_uses_;
  std::vector<Dims> row_shapes_;
  static inline constinit std::atomic<unsigned> next_number{0};
  unsigned number_;
  int depth_ = 0;
  std::int32_t parts_ = 0;           ///< prepared so far, also by evaluations that failed
  const void* evaluator_ = nullptr;  ///< identifies its thread
};

}  // namespace skerry
