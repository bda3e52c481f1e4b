// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/recording.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/result.hpp"
#include "ops/fuse/evaluation.hpp"

namespace skerry {
namespace {

constinit thread_local Recording* of_thread = nullptr;  ///< what it records to, or did last
struct end_of_thread {
  void operator()(Recording* recording) const noexcept {
    of_thread = nullptr;
    delete recording;
  }
};
thread_local std::unique_ptr<Recording, end_of_thread> owned_recording;
constinit EvaluationHooks hooks_above{};

/// So many arrays and places, the latest ones, are looked through for equal ones.
constexpr std::ptrdiff_t max_compared = 16;

template <class Items, class IsSame>
std::int32_t find_latest(const Items& items, IsSame is_same) {
  const auto first = std::max<std::ptrdiff_t>(std::ssize(items) - max_compared, 0);
  for (std::ptrdiff_t i = std::ssize(items) - 1; i >= first; --i) {
    if (is_same(items[static_cast<std::size_t>(i)])) return static_cast<std::int32_t>(i);
  }
  return -1;
}

/// Called only while this thread records.
void before_write(const NdArray& target) { of_thread->evaluate_readers(target); }

/// What tells this thread from others.
const void* this_thread() noexcept { return static_cast<const void*>(&of_thread); }

}  // namespace

Recording* Recording::current() noexcept {
  return of_thread != nullptr && of_thread->depth_ > 0 ? of_thread : nullptr;
}

bool Recording::is_evaluated_here() const noexcept { return evaluator_ == this_thread(); }

Recording& Recording::begin() {
  if (of_thread == nullptr) owned_recording.reset(of_thread = new Recording);
  ++of_thread->depth_;
  detail::before_write = before_write;
  return *of_thread;
}

void Recording::end() {
  const auto clear = [](Recording* ended) {
    ended->exit_scope();
    ended->discard();
  };
  const std::unique_ptr<Recording, decltype(clear)> ended(this, clear);
  evaluate();
}

void Recording::set_hooks(const EvaluationHooks& hooks) noexcept { hooks_above = hooks; }

bool Recording::records(Device device) noexcept {
  const FuseKernels& fuse = kernels<FuseKernels>(device);
  return has_form(fuse.run_pass, device) || has_form(fuse.compiled, device);
}

void Recording::report_alias(const char* operation, const char* operand,
                             const NdArray& x) noexcept {
  if (hooks_above.observe_alias == nullptr) return;
  hooks_above.observe_alias(operation, operand, is_foreign(*x.memory()));
}

std::int32_t Recording::find_place(const Layout& layout) {
  const std::int32_t found_index = find_latest(layouts_, [&](const LayoutEntry& entry) {
    return entry.layout.shape == layout.shape && entry.layout.strides == layout.strides;
  });
  if (found_index >= 0) return found_index;
  const std::int32_t same_shape_index = find_latest(
      layouts_, [&](const LayoutEntry& entry) { return entry.layout.shape == layout.shape; });
  const auto new_index = static_cast<std::int32_t>(layouts_.size());
  const std::int32_t shape = same_shape_index >= 0
                                 ? layouts_[static_cast<std::size_t>(same_shape_index)].shape
                                 : new_index;
  layouts_.push_back({layout, shape});
  return new_index;
}

Recording::reference Recording::refer_to(const RecordedInput& x) {
  const auto width = static_cast<std::uint8_t>(itemsize(x.type));
  if (x.array == nullptr) {
    constants_.push_back(x.value);
    return {Source::constant, width, x.type, static_cast<std::int32_t>(constants_.size()) - 1};
  }
  if (const PendingMemory* const pending = pending_of(*x.array)) {
    if (pending->recording_ != this) throw LibraryError("an operand has lost its value");
    return {Source::node, width, x.type, pending->node_};
  }
  const std::int32_t leaf_index = find_latest(leaves_, [&](const Leaf& leaf) {
    return leaf.array.data() == x.array->data() && same_elements(leaf.array, *x.array);
  });
  if (leaf_index >= 0) return {Source::leaf, width, x.type, leaf_index};
  leaves_.push_back({.array = *x.array});
  return {Source::leaf, width, x.type, static_cast<std::int32_t>(leaves_.size()) - 1};
}

template <class LayoutOrShape>
NdArray Recording::append_node(const Kernel<Plan>* loop, const RecordedFunction& function,
                               LayoutOrShape layout_or_shape, Dtype type, Device device,
                               std::span<const RecordedInput> inputs) {
  if (is_evaluating()) throw LibraryError("an operation while results are being computed");
  reference references[FusedStep::max_inputs];
  for (std::size_t i = 0; i < inputs.size(); ++i) references[i] = refer_to(inputs[i]);
  auto* const result = new PendingMemory(this, static_cast<std::int32_t>(nodes_.size()), device);
  StorageRef memory(result);
  Node& added = nodes_.emplace_back();
  added.loop = loop;
  added.function = function;
  added.result = result;
  std::copy_n(references, FusedStep::max_inputs, added.inputs);
  added.input_count = static_cast<std::uint8_t>(inputs.size());
  added.type = type;
  memory->retain();
  NdArray array(std::move(memory), std::forward<LayoutOrShape>(layout_or_shape), type);
  added.layout_index = find_place(array.layout());  // where it throws, nobody has what is made
  return array;
}

template NdArray Recording::append_node(const Kernel<Plan>*, const RecordedFunction&, const Dims&,
                                        Dtype, Device, std::span<const RecordedInput>);
template NdArray Recording::append_node(const Kernel<Plan>*, const RecordedFunction&, Layout&&,
                                        Dtype, Device, std::span<const RecordedInput>);

NdArray Recording::append_reduction(Reduction&& reduction, const Dims& shape, Dtype type,
                                    int row_axes, const NdArray& x) {
  reductions_.push_back(std::move(reduction));
  const RecordedInput input{.array = &x, .type = x.dtype()};
  NdArray array = append_node<const Dims&>(nullptr, {""}, shape, type, x.device(), {&input, 1});
  nodes_.back().reduction = static_cast<std::int32_t>(reductions_.size()) - 1;
  nodes_.back().row_axes = row_axes;
  return array;
}

bool Recording::may_change(const NdArray& x) const noexcept {
  const Storage& memory = *x.memory();
  long readers = 1;
  for (const Leaf& leaf : leaves_) {
    if (leaf.array.memory() != x.memory()) continue;
    if (!same_elements(leaf.array, x)) return false;
    ++readers;
  }
  // Consumers are told of other devices' memory by its address, which no reference counts.
  return memory.references() == readers && may_read_later(x) && is_host(memory.device()) &&
         !x.read_only() && x.layout().offset == 0 && x.is_c_contiguous();
}

void Recording::notify_holder(const Node& node, StorageRef&& storage) noexcept {
  // The last reference is this one's where nobody wants the value any more.
  if (node.result->references() == 1 || node.result->holder == nullptr || !storage) return;
  Layout layout = layouts_[static_cast<std::size_t>(node.layout_index)].layout;
  hooks_above.set_value(node.result->holder,
                        NdArray(std::move(storage), std::move(layout), node.type));
}

void Recording::discard() noexcept {
  for (const Node& node : nodes_) {
    notify_holder(node,
                  std::move(node.result->target));  // what is changed in place has its old value
    node.result->recording_ = nullptr;
    node.result->release();
  }
  nodes_.clear();
  leaves_.clear();
  layouts_.clear();
  constants_.clear();
  reductions_.clear();
}

/// Evaluates while what it returns lives.
auto Recording::begin_evaluation() {
  if (is_evaluating()) throw LibraryError("a value while results are being computed");
  evaluator_ = this_thread();
  const auto done = [](Recording* self) {
    // To free memory may wait, and who asks for a value meanwhile is not to begin with it.
    for (Node& node : self->nodes_) node.storage = {};
    self->evaluator_ = nullptr;
  };
  return std::unique_ptr<Recording, decltype(done)>(this, done);
}

bool Recording::feed(const NdArray& x, bool is_held, const feed_reader& reduce) {
  const auto evaluating = begin_evaluation();
  return Evaluation(*this, hooks_above).feed(pending_of(x)->node_, is_held, reduce);
}

void Recording::evaluate() {
  if (nodes_.empty()) return;
  const auto evaluating = begin_evaluation();
  Evaluation(*this, hooks_above).run();
  for (Node& node : nodes_) {
    StorageRef& target = node.result->target;
    if (target && node.storage && !(target == node.storage)) {
      std::memcpy(target->data(), node.storage->data(), node.storage->nbytes());
      node.storage = target;
    }
    notify_holder(node, std::move(node.storage));
  }
  discard();
}

void Recording::evaluate_readers(const NdArray& target) {
  const auto reads = [&](const Leaf& leaf) {
    return leaf.array.device() == target.device() && may_overlap(leaf.array, target);
  };
  if (std::ranges::any_of(leaves_, reads)) evaluate();
}

}  // namespace skerry
