// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/recording.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/result.hpp"
#include "ops/fuse/evaluation.hpp"

namespace skerry {
namespace {

constinit thread_local Recording* of_thread = nullptr;  ///< what it records to, or did last
struct end_of_thread {
  void operator()(Recording* of) const noexcept {
    of_thread = nullptr;
    delete of;
  }
};
thread_local std::unique_ptr<Recording, end_of_thread> kept;
constinit EvaluationHooks hooks_above{};

/// So many arrays and places, the latest ones, are looked through for equal ones.
constexpr std::ptrdiff_t most_compared = 16;

template <class Items, class IsSame>
std::int32_t find_latest(const Items& items, IsSame is_same) {
  const auto first = std::max<std::ptrdiff_t>(std::ssize(items) - most_compared, 0);
  for (std::ptrdiff_t i = std::ssize(items) - 1; i >= first; --i) {
    if (is_same(items[static_cast<std::size_t>(i)])) return static_cast<std::int32_t>(i);
  }
  return -1;
}

void before_write(const NdArray& target) {
  if (Recording* const to = Recording::current()) to->evaluate_readers(target);
}

/// What tells this thread from others.
const void* this_thread() noexcept { return static_cast<const void*>(&of_thread); }

}  // namespace

Recording* Recording::current() noexcept {
  return of_thread != nullptr && of_thread->depth_ > 0 ? of_thread : nullptr;
}

bool Recording::is_evaluated_here() const noexcept { return evaluator_ == this_thread(); }

Recording& Recording::begin() {
  if (of_thread == nullptr) kept.reset(of_thread = new Recording);
  ++of_thread->depth_;
  detail::before_write = before_write;
  return *of_thread;
}

void Recording::end() {
  const auto clear = [](Recording* ended) {
    ended->leave();
    ended->forget();
  };
  const std::unique_ptr<Recording, decltype(clear)> ended(this, clear);
  evaluate();
}

void Recording::set_hooks(const EvaluationHooks& hooks) noexcept { hooks_above = hooks; }

bool Recording::records(Device where) noexcept {
  return is_host(where) || runs_on_host(where) ||
         kernels<fuse_kernels>(where).compiled.native != nullptr;
}

std::int32_t Recording::find_place(const Layout& where) {
  const std::int32_t known = find_latest(places_, [&](const Place& each) {
    return each.where.shape == where.shape && each.where.strides == where.strides;
  });
  if (known >= 0) return known;
  const std::int32_t alike =
      find_latest(places_, [&](const Place& each) { return each.where.shape == where.shape; });
  const auto own = static_cast<std::int32_t>(places_.size());
  const std::int32_t shape = alike >= 0 ? places_[static_cast<std::size_t>(alike)].shape : own;
  places_.push_back({where, shape});
  return own;
}

Recording::reference Recording::refer_to(const RecordedInput& x) {
  const auto width = static_cast<std::uint8_t>(itemsize(x.type));
  if (x.array == nullptr) {
    constants_.push_back(x.value);
    return {Source::constant, width, x.type, static_cast<std::int32_t>(constants_.size()) - 1};
  }
  if (const PendingMemory* const pending = pending_of(*x.array)) {
    if (pending->by_ != this) throw LibraryError("fuse: an operand has lost its value");
    return {Source::node, width, x.type, pending->node_};
  }
  const std::int32_t known = find_latest(leaves_, [&](const Leaf& each) {
    return each.array.data() == x.array->data() && same_elements(each.array, *x.array);
  });
  if (known >= 0) return {Source::leaf, width, x.type, known};
  leaves_.push_back({.array = *x.array});
  return {Source::leaf, width, x.type, static_cast<std::int32_t>(leaves_.size()) - 1};
}

template <class Location>
NdArray Recording::append(const Kernel& step, const RecordedFunction& function, Location place,
                          Dtype type, Device where, std::span<const RecordedInput> inputs) {
  if (is_evaluating()) throw LibraryError("fuse: an operation while results are being computed");
  reference from[FusedStep::most_inputs];
  for (std::size_t i = 0; i < inputs.size(); ++i) from[i] = refer_to(inputs[i]);
  auto* const result = new PendingMemory(this, static_cast<std::int32_t>(nodes_.size()), where);
  StorageRef memory(result);
  Node& added = nodes_.emplace_back();
  added.loop = &step;
  added.function = function;
  added.result = result;
  std::copy_n(from, FusedStep::most_inputs, added.inputs);
  added.input_count = static_cast<std::uint8_t>(inputs.size());
  added.type = type;
  memory->retain();
  NdArray made(std::move(memory), std::forward<Location>(place), type);
  added.place = find_place(made.layout());  // where it throws, nobody has what is made
  return made;
}

template NdArray Recording::append(const Kernel&, const RecordedFunction&, const Dims&, Dtype,
                                   Device, std::span<const RecordedInput>);
template NdArray Recording::append(const Kernel&, const RecordedFunction&, Layout&&, Dtype, Device,
                                   std::span<const RecordedInput>);

NdArray Recording::append_reduction(const Kernel& step, std::span<const std::byte> params,
                                    const Dims& shape, Dtype type, int row_axes, const NdArray& x) {
  reductions_.emplace_back(params.begin(), params.end());
  const RecordedInput input{.array = &x, .type = x.dtype()};
  NdArray made = append<const Dims&>(step, {""}, shape, type, x.device(), {&input, 1});
  nodes_.back().reduction = static_cast<std::int32_t>(reductions_.size()) - 1;
  nodes_.back().row_axes = row_axes;
  return made;
}

bool Recording::may_change(const NdArray& x) const noexcept {
  const Storage& memory = *x.memory().get();
  long readers = 1;
  for (const Leaf& each : leaves_) {
    if (each.array.memory() != x.memory()) continue;
    if (!same_elements(each.array, x)) return false;
    ++readers;
  }
  return memory.references() == readers && !memory.is_foreign() && is_host(memory.where()) &&
         !x.read_only() && x.layout().offset == 0 && x.is_c_contiguous();
}

void Recording::tell(const Node& of, StorageRef&& made) noexcept {
  // The last reference is this one's where nobody wants the value any more.
  if (of.result->references() == 1 || of.result->holder == nullptr || !made) return;
  Layout where = places_[static_cast<std::size_t>(of.place)].where;
  hooks_above.settled(of.result->holder, NdArray(std::move(made), std::move(where), of.type));
}

void Recording::forget() noexcept {
  for (const Node& each : nodes_) {
    tell(each, std::move(each.result->target));  // what is changed in place has its old value
    each.result->by_ = nullptr;
    each.result->release();
  }
  nodes_.clear();
  leaves_.clear();
  places_.clear();
  constants_.clear();
  reductions_.clear();
}

/// Evaluates while what it returns lives.
auto Recording::begin_evaluation() {
  if (is_evaluating()) throw LibraryError("fuse: a value while results are being computed");
  evaluator_ = this_thread();
  const auto done = [](Recording* self) {
    // To free memory may wait, and who asks for a value meanwhile is not to begin with it.
    for (Node& each : self->nodes_) each.made = {};
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
  for (Node& each : nodes_) {
    StorageRef& target = each.result->target;
    if (target && each.made && !(target == each.made)) {
      std::memcpy(target->data(), each.made->data(), each.made->nbytes());
      each.made = target;
    }
    tell(each, std::move(each.made));
  }
  forget();
}

void Recording::evaluate_readers(const NdArray& target) {
  const auto reads = [&](const Leaf& each) {
    return each.array.device() == target.device() && may_overlap(each.array, target);
  };
  if (std::ranges::any_of(leaves_, reads)) evaluate();
}

}  // namespace skerry
