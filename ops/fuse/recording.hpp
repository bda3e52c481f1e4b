// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/launch.hpp"
#include "core/memory_use.hpp"
#include "core/ndarray.hpp"
#include "core/scalar.hpp"
#include "ops/call/result.hpp"
#include "ops/fuse/kernels.hpp"

// Operations that are recorded instead of run. What is recorded is evaluated in passes: in each one
// the operations over one shape, piece by piece, so that values in between stay in the first cache.
//
// A recording belongs to one thread, which records with the lock of the layer above held (Python's
// GIL); whoever else evaluates holds it too. So nothing here has a lock of its own.

namespace skerry {

class recording;

/// The memory of a result that is recorded and not computed: it has no bytes. What holds it as an
/// array is told by `holder`.
class pending_memory final : public storage {
 public:
  pending_memory(recording* by, std::int32_t node, device where) noexcept
      : storage(nullptr, 0, where), by_(by), node_(node) {
    is_foreign_ = true;
  }
  [[nodiscard]] void* owner(void (*release)(void*) noexcept) const noexcept override {
    return release == mark ? const_cast<pending_memory*>(this) : nullptr;
  }
  /// As a storage is asked for its owner: what is pending owns itself. A cast that asks for the
  /// class takes ten times as long.
  static void mark(void*) noexcept {}
  /// Null once nobody can compute it.
  [[nodiscard]] recording* by() const noexcept { return by_; }
  void* holder = nullptr;  ///< the layer above's object, of which it is told the value
  /// Where the value is to go at last: the memory of what an operation in place changes.
  storage_ref target;

 private:
  friend class recording;
  void destroy() noexcept override { delete this; }

  recording* by_;
  std::int32_t node_;
};

/// The pending memory of an array, null where it has real memory.
[[nodiscard]] inline pending_memory* pending_of(const ndarray& x) noexcept {
  if (!x.memory()->is_foreign()) return nullptr;
  return static_cast<pending_memory*>(x.memory()->owner(pending_memory::mark));
}

/// What a recorded kernel does to an element.
struct recorded_function {
  const char* name;       ///< of a functor of `ops`; kept
  std::uint8_t cost = 1;  ///< in additions
  chained chain = chained::no;
};

/// An input of a recorded operation: an array, or an element.
struct recorded_input {
  const ndarray* array = nullptr;
  dtype type = dtype::bool_;
  element value{};
};

/// A pass, as it is told to who watches.
struct pass_report {
  std::int64_t operations = 0;
  const dims& shape;
  std::int64_t moved = 0;        ///< bytes of what is read and written in memory
  std::int64_t moved_eager = 0;  ///< the same where each operation runs alone
  bool is_fed;                   ///< to a reduction, instead of stored
  std::int64_t rows = 0;         ///< that are taken together; 0: all
};

/// What the layer above does around and after an evaluation.
struct evaluation_hooks {
  /// The value of what `holder` holds; it never throws.
  void (*settled)(void* holder, ndarray&& value) noexcept = nullptr;
  /// Something that a user may want to know, once.
  void (*say)(const char* text) noexcept = nullptr;
  /// Of each pass before it runs; null where nobody watches.
  void (*watch)(const pass_report& pass) noexcept = nullptr;
};

/// Runs a kernel that reads what a pass makes: it gets the pass's parameters (fuse_kernels::feed),
/// and the memory that they read.
using feed_reader =
    std::function<void(std::span<const std::byte> pass, std::span<const memory_use> uses)>;

class recording {
 public:
  static constexpr std::size_t most_operations = 1000;

  recording() = default;
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;
  ~recording() { forget(); }

  /// That of this thread; null where it records nothing.
  [[nodiscard]] static recording* current() noexcept;
  /// This thread records from now on; calls may be nested.
  static recording& begin();
  /// The end of the outermost call, where end_at_once() was false: evaluates what is still held.
  /// Where it throws, that is left without a value.
  void end();
  /// The end of a call where nothing is to be evaluated; false, and nothing done, elsewhere.
  [[nodiscard]] bool end_at_once() noexcept {
    if (depth_ == 1 && !(nodes_.empty() && leaves_.empty())) return false;
    leave();
    return true;
  }
  static void set_hooks(const evaluation_hooks& hooks) noexcept;

  /// Whether operations on this device are recorded: where there is a kernel for passes.
  [[nodiscard]] static bool records(device where) noexcept;

  /// The result of a kernel whose parameter is a plan, output first; it is kept. `place`: a
  /// layout&&, or const dims& in C order, to whose shape inputs broadcast.
  template <class Place>
  [[nodiscard]] ndarray append(const kernel& step, const recorded_function& function, Place place,
                               dtype type, device where, std::span<const recorded_input> inputs);

  /// The result, in C order, of a kernel that reduces rows of x, whose parameters begin with a
  /// row_range: what lies behind each place on the first `row_axes` axes, for each of these.
  [[nodiscard]] ndarray append_reduction(const kernel& step, std::span<const std::byte> params,
                                         const dims& shape, dtype type, int row_axes,
                                         const ndarray& x);

  /// Computes all that is recorded and still held. Where it throws, nothing has changed. Throws
  /// out_of_memory_error, device_error, and library_error where it is at it already.
  void evaluate();
  /// Has `reduce` read the value of a pending array, which is made for it and not stored, and stays
  /// pending; `is_held` by others than who asks. False where it is better computed: evaluate() it.
  [[nodiscard]] bool feed(const ndarray& x, bool is_held, const feed_reader& reduce);
  /// Whether operations that change x in place are recorded: nobody else sees its memory.
  [[nodiscard]] bool may_change(const ndarray& x) const noexcept;
  /// As evaluate(), if what is recorded reads memory that `target` may share: it is to be written.
  void evaluate_readers(const ndarray& target);

  /// By whatever thread.
  [[nodiscard]] bool is_evaluating() const noexcept { return evaluator_ != nullptr; }
  [[nodiscard]] bool is_evaluated_here() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

 private:
  friend class evaluation;

  /// Of inputs: what they are, and which one.
  enum class source : std::uint8_t { node, leaf, constant };
  struct reference {
    source from;
    std::uint8_t width;
    dtype type;
    std::int32_t index;
  };
  /// The number of an operand, or of a slot, in the part that asked last.
  struct operand_use {
    std::int32_t operand = -1;
    std::int32_t asked = -1;
  };
  struct node {
    const kernel* loop;
    recorded_function function;
    pending_memory* result;  ///< one reference is the recording's
    reference inputs[fused_step::most_inputs];
    std::uint8_t input_count;
    dtype type;
    bool is_needed = false;
    bool is_stored = false;
    bool is_kept = false;  ///< in memory, when what runs over the same rows has run
    std::int32_t place;
    std::int32_t reduction = -1;  ///< its number, if it is one
    int row_axes = max_rank;      ///< of a reduction: which first ones it keeps
    std::int32_t rows = -1;       ///< number of the shape whose rows it is computed by, if any
    std::int32_t level = 0;       ///< passes that come before
    std::int32_t step = 0;        ///< of those over the same rows, likewise
    std::int32_t part = -1;       ///< in which it runs
    std::int32_t last = -1;       ///< the last step of the part that reads it
    operand_use use{};
    std::int64_t scratch = row_step::in_memory;  ///< as row_step::places
    storage_ref made;
  };
  struct leaf {
    ndarray array;
    operand_use use{};
  };
  struct place {
    layout where;
    std::int32_t shape;  ///< number of the first place with this shape
  };

  void leave() noexcept {
    if (--depth_ == 0) detail::before_write = nullptr;
  }
  [[nodiscard]] auto begin_evaluation();
  [[nodiscard]] std::int32_t find_place(const layout& where);
  [[nodiscard]] reference refer_to(const recorded_input& x);
  void tell(const node& of, storage_ref&& made) noexcept;
  void forget() noexcept;

  std::vector<node> nodes_;
  std::vector<leaf> leaves_;
  std::vector<place> places_;
  std::vector<element> constants_;
  std::vector<std::vector<std::byte>> reductions_;  ///< their parameters
  // What evaluations need, kept for the next one.
  std::vector<std::int32_t> order_;
  std::vector<fused_step> steps_;
  std::vector<element> used_constants_;
  std::vector<std::max_align_t> params_;
  std::vector<std::byte> schedule_;
  std::vector<dims> row_shapes_;
  int depth_ = 0;
  std::int32_t parts_ = 0;           ///< that were made ready, also by evaluations that failed
  const void* evaluator_ = nullptr;  ///< what tells its thread from others
};

}  // namespace skerry
