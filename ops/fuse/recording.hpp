// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// Operations that are recorded instead of run. What is recorded is evaluated in passes: in each one
// the operations over one shape, piece by piece, so that values in between stay in the first cache.
//
// A recording belongs to one thread, which records with the lock of the layer above held (Python's
// GIL); whoever else evaluates holds it too. So nothing here has a lock of its own.

namespace skerry {

/// What a recorded kernel does to an element.
struct RecordedFunction {
  const char* name;       ///< of a functor of `ops`; kept
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

/// A pass, as it is told to who watches.
struct PassReport {
  std::int64_t operations = 0;
  const Dims& shape;
  std::int64_t moved = 0;        ///< bytes of what is read and written in memory
  std::int64_t moved_eager = 0;  ///< the same where each operation runs alone
  bool feeds_reduction;          ///< to a reduction, instead of stored
  std::int64_t rows = 0;         ///< that are taken together; 0: all
};

/// What the layer above does around and after an evaluation.
struct EvaluationHooks {
  /// Something that a user may want to know, once.
  void (*warn)(const char* text) noexcept = nullptr;
  /// Of each pass before it runs; null where nobody watches.
  void (*observe_pass)(const PassReport& pass) noexcept = nullptr;
  /// Of an operation that is not recorded, as others may write to its operand, which is imported
  /// memory or exported; null where nobody watches.
  void (*observe_alias)(const char* operation, const char* operand,
                        bool is_imported) noexcept = nullptr;
};

/// Runs a kernel that reads what a pass makes: it gets the pass's parameters (FuseKernels::feed),
/// and the list of what they read, which has room for one operand more.
using feed_reader =
    std::function<void(const ParamsBlock<FusedParams>& pass, OperandList& operands)>;

class Recording {
 public:
  static constexpr std::size_t max_operations = 1000;

  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    if (detail::active_recording == this) detail::active_recording = nullptr;
    discard();
  }

  /// That of this thread; null where it records nothing.
  [[nodiscard]] static Recording* current() noexcept { return detail::active_recording; }
  /// This thread records from now on; calls may be nested.
  static Recording& begin();
  /// The end of the outermost call, where end_at_once() was false: evaluates what is still held.
  /// Where it throws, that is left without a value.
  void end();
  /// The end of a call where nothing is to be evaluated; false, and nothing done, elsewhere.
  [[nodiscard]] bool end_at_once() noexcept {
    if (depth_ == 1 && !(nodes_.empty() && leaves_.empty())) return false;
    exit_scope();
    return true;
  }
  static void set_hooks(const EvaluationHooks& hooks) noexcept;

  /// Whether operations on this device are recorded: where there is a kernel for passes.
  [[nodiscard]] static bool records(Device device) noexcept;

  /// The result of a kernel over a plan, output first; it is kept. `LayoutOrShape`: a layout&&, or
  /// const dims& in C order, to whose shape inputs broadcast.
  template <class LayoutOrShape>
  [[nodiscard]] PendingArray append(const Kernel<Plan>& step, const RecordedFunction& function,
                                    LayoutOrShape layout_or_shape, Dtype type, Device device,
                                    std::span<const RecordedInput> inputs) {
    return append_node<LayoutOrShape>(&step, function, std::forward<LayoutOrShape>(layout_or_shape),
                                      type, device, inputs);
  }

  /// The result, in C order, of a kernel that reduces rows of x: what lies behind each place on the
  /// first `row_axes` axes, for each of these. The pointers of `params` (OperandList::no_memory)
  /// are set when it runs. Row 0 is `input_offset` bytes after the first byte of x's memory, which
  /// only counts where x is not pending.
  template <std::derived_from<RowReduction> Params>
  [[nodiscard]] PendingArray append_reduction(const Kernel<Params>& step, const Params& params,
                                              std::int64_t input_offset, const Dims& shape,
                                              Dtype type, int row_axes, const Operand& x) {
    const auto bytes = std::as_bytes(std::span(&params, 1));
    return append_reduction({RowKernel(step), {bytes.begin(), bytes.end()}, input_offset}, shape,
                            type, row_axes, x);
  }

  /// The value of `result`, which this has recorded, goes to the memory of `target` at last, which
  /// the operation changes in place.
  void set_target(const PendingArray& result, const Operand& target) noexcept;

  /// Computes all that is recorded and still held. Where it throws, nothing has changed. Throws
  /// OutOfMemoryError, DeviceError, and LibraryError where it is at it already.
  void evaluate();
  /// Has `reduce` read a value that is pending: it is made for it and not stored, and stays
  /// pending; `is_held` by others than who asks. False where it is better computed: evaluate() it.
  [[nodiscard]] bool feed(const PendingValue& x, bool is_held, const feed_reader& reduce);
  /// Whether a recorded operation may read x later than it is called: nobody else may write to its
  /// memory, be it imported or exported.
  [[nodiscard]] static bool may_read_later(const NdArray& x) noexcept {
    return !is_foreign(*x.memory()) && !x.memory()->is_exported();
  }
  /// Tells who watches that an operation is not recorded, as others may write to its operand x.
  static void report_alias(const char* operation, const char* operand, const NdArray& x) noexcept;
  /// Whether operations that change x in place are recorded: nobody else sees its memory.
  [[nodiscard]] bool may_change(const NdArray& x) const noexcept;
  /// As evaluate(), if what is recorded reads memory that `target` may share: it is to be written.
  void evaluate_readers(const NdArray& target);

  /// By whatever thread.
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

  /// Of inputs: what they are, and which one.
  enum class Source : std::uint8_t { node, leaf, constant };
  struct reference {
    Source source;
    std::uint8_t width;
    Dtype type;
    std::int32_t index;
  };
  /// The number of an operand, or of a slot, in the part that asked last.
  struct OperandUse {
    std::int32_t operand = -1;
    std::int32_t last_part = -1;
  };
  struct Node {
    const Kernel<Plan>* loop;  ///< null: a reduction
    RecordedFunction function;
    PendingValue* result;  ///< null once nobody wants it
    Device device;
    /// Where the value is to go at last: the memory of what an operation in place changes.
    StorageRef target;
    reference inputs[FusedStep::max_inputs];
    std::uint8_t input_count;
    Dtype type;
    bool is_needed = false;
    bool is_stored = false;
    bool is_retained = false;  ///< in memory, when what runs over the same rows has run
    std::int32_t layout_index;
    std::int32_t reduction = -1;    ///< its number, if it is one
    int row_axes = max_rank;        ///< of a reduction: which first ones it keeps
    std::int32_t rows = -1;         ///< number of the shape whose rows it is computed by, if any
    std::int32_t level = 0;         ///< passes that come before
    std::int32_t step = 0;          ///< of those over the same rows, likewise
    std::int32_t part_number = -1;  ///< in which it runs
    std::int32_t last = -1;         ///< the last step of the part that reads it
    OperandUse use{};
    std::int64_t scratch = RowStep::in_memory;  ///< as RowStep::places
    StorageRef storage;
  };
  struct Leaf {
    NdArray array;
    OperandUse use{};
  };
  struct LayoutEntry {
    Layout layout;
    std::int32_t shape;  ///< number of the first place with this shape
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
  // What evaluations need, kept for the next one.
  std::vector<std::int32_t> order_;
  std::vector<FusedStep> steps_;
  std::vector<Element> used_constants_;
  ParamsBlock<FusedParams> params_;
  ParamsBlock<RowParams> schedule_;
  std::vector<MemoryUse> row_uses_;
  std::vector<Dims> row_shapes_;
  int depth_ = 0;
  std::int32_t parts_ = 0;           ///< that were made ready, also by evaluations that failed
  const void* evaluator_ = nullptr;  ///< what tells its thread from others
};

}  // namespace skerry
