// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/recording.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/result.hpp"
#include "ops/fuse/evaluation.hpp"

namespace skerry {
namespace {

thread_local std::unique_ptr<Recording> owned_recording;
constexpr EvaluationHooks no_hooks{};
constinit std::atomic<const EvaluationHooks*> hooks_above{&no_hooks};

/// How many of the latest arrays and layouts are searched for an equal one.
constexpr std::ptrdiff_t max_compared = 16;

template <class Items, class IsSame>
std::int32_t find_latest(const Items& items, IsSame is_same) {
  const auto first = std::max<std::ptrdiff_t>(std::ssize(items) - max_compared, 0);
  for (std::ptrdiff_t i = std::ssize(items) - 1; i >= first; --i) {
    if (is_same(items[static_cast<std::size_t>(i)])) return static_cast<std::int32_t>(i);
  }
  return -1;
}

/// Identifies this thread.
const void* this_thread() noexcept { return static_cast<const void*>(&detail::active_recording); }

/// Memory of headers: has no bytes, and does not come from the device's allocator, which may fail.
class EmptyMemory final : public Storage {
 public:
  explicit EmptyMemory(Device device) noexcept : Storage(nullptr, 0, device) {}

 private:
  void destroy() noexcept override { delete this; }
};

/// Returns the element of `memories` on a device; if there is none, appends the result of `make`.
template <class Make>
const StorageRef& find_memory(std::vector<StorageRef>& memories, Device device, Make make) {
  for (const StorageRef& memory : memories) {
    if (memory->device() == device) return memory;
  }
  return memories.emplace_back(make());
}

/// Returns the memory of all headers on a device. It is never freed: a thread may ask a header for
/// its device while another one replaces the header's memory.
StorageRef shared_empty_memory(Device device) {
  static std::mutex mutex;
  static auto& memories = *new std::vector<StorageRef>;
  const std::scoped_lock lock(mutex);
  return find_memory(memories, device, [&] { return StorageRef(new EmptyMemory(device)); });
}

}  // namespace

constinit thread_local Recording* detail::active_recording = nullptr;

PendingValue::PendingValue(Recording& recording, std::int32_t node) noexcept
    : recording_(&recording), recording_number_(recording.number()), node_(node) {
  waiting_values.fetch_add(1, std::memory_order_relaxed);
}

void PendingValue::abandon_node() noexcept {
  if (recording() == nullptr) return;
  recording()->nodes_[static_cast<std::size_t>(node_)].result = nullptr;
  detach();
}

bool PendingValue::replace(std::unique_ptr<PendingValue> other) noexcept {
  Recording* const recording = other->recording();
  if (this->recording() == recording) {
    abandon_node();
  } else {
    State expected = State::delivered;
    if (!state_.compare_exchange_strong(expected, State::replaced, std::memory_order_acquire))
      return false;
  }
  node_ = other->node_;
  // The other one's node gets this as its result, and the count of waiting values stays.
  recording->nodes_[static_cast<std::size_t>(node_)].result = this;
  recording_number_.store(other->recording_number(), std::memory_order_release);
  recording_.store(other->recording_.exchange(nullptr, std::memory_order_relaxed),
                   std::memory_order_relaxed);
  // Last: a thread that finds this waiting then also finds the number of its recording.
  state_.store(State::waiting, std::memory_order_release);
  return true;
}

bool Recording::is_evaluated_here() const noexcept { return evaluator_ == this_thread(); }

Recording& Recording::begin() {
  if (owned_recording == nullptr) owned_recording = std::make_unique<Recording>();
  ++owned_recording->depth_;
  detail::active_recording = owned_recording.get();
  return *owned_recording;
}

void Recording::end() {
  const auto clear = [](Recording* ended) {
    ended->exit_scope();
    ended->discard();
  };
  const std::unique_ptr<Recording, decltype(clear)> ended(this, clear);
  evaluate();
}

void Recording::set_hooks(const EvaluationHooks& hooks) noexcept {
  hooks_above.store(&hooks, std::memory_order_release);
}

bool Recording::records(Device device) noexcept {
  const FuseKernels& fuse = kernels<FuseKernels>(device);
  return has_form(fuse.run_pass, device) || has_form(fuse.compiled, device);
}

void Recording::report_alias(const char* operation, const char* operand,
                             const NdArray& x) noexcept {
  const auto observe = hooks_above.load(std::memory_order_acquire)->observe_alias.load();
  if (observe != nullptr) observe(operation, operand, is_foreign(*x.memory()));
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
  if (x.pending != nullptr) {
    if (x.pending->recording() != this) throw LibraryError("an operand has no value any more");
    return {Source::node, width, x.type, x.pending->node_};
  }
  const std::int32_t leaf_index = find_latest(leaves_, [&](const Leaf& leaf) {
    return leaf.array.data() == x.array->data() && same_elements(leaf.array, *x.array);
  });
  if (leaf_index >= 0) return {Source::leaf, width, x.type, leaf_index};
  leaves_.push_back({.array = *x.array});
  return {Source::leaf, width, x.type, static_cast<std::int32_t>(leaves_.size()) - 1};
}

template <class LayoutOrShape>
PendingArray Recording::append_node(const Kernel<Plan>* loop, const RecordedFunction& function,
                                    LayoutOrShape layout_or_shape, Dtype type, Device device,
                                    std::span<const RecordedInput> inputs) {
  if (is_evaluating()) throw LibraryError("can't record an operation during an evaluation");
  require_dtype(device, type);
  reference references[FusedStep::max_inputs];
  for (std::size_t i = 0; i < inputs.size(); ++i) references[i] = refer_to(inputs[i]);
  const auto index = static_cast<std::int32_t>(nodes_.size());
  Node& added = nodes_.emplace_back();
  added.loop = loop;
  added.function = function;
  added.device = device;
  std::copy_n(references, FusedStep::max_inputs, added.inputs);
  added.input_count = static_cast<std::uint8_t>(inputs.size());
  added.type = type;
  // If this throws, the new node has no result, so it is not computed.
  NdArray header(empty_memory(device), std::forward<LayoutOrShape>(layout_or_shape), type);
  added.layout_index = find_place(header.layout());
  std::unique_ptr<PendingValue> value(new PendingValue(*this, index));
  added.result = value.get();
  return {std::move(header), std::move(value)};
}

template PendingArray Recording::append_node(const Kernel<Plan>*, const RecordedFunction&,
                                             const Dims&, Dtype, Device,
                                             std::span<const RecordedInput>);
template PendingArray Recording::append_node(const Kernel<Plan>*, const RecordedFunction&, Layout&&,
                                             Dtype, Device, std::span<const RecordedInput>);

PendingArray Recording::append_reduction(Reduction&& reduction, const Dims& shape, Dtype type,
                                         int row_axes, const Operand& x) {
  reductions_.push_back(std::move(reduction));
  const RecordedInput input{.array = x.array, .pending = x.pending, .type = x.array->dtype()};
  PendingArray array =
      append_node<const Dims&>(nullptr, {""}, shape, type, x.array->device(), {&input, 1});
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
  // Only host memory: other libraries get the address of device memory without a reference to it.
  return memory.references() == readers && may_read_later(x) && is_host(memory.device()) &&
         !x.read_only() && x.layout().offset == 0 && x.is_c_contiguous();
}

const StorageRef& Recording::empty_memory(Device device) {
  return find_memory(empty_memory_, device, [&] { return shared_empty_memory(device); });
}

void Recording::set_target(const PendingArray& result, const Operand& target) noexcept {
  StorageRef& memory = nodes_[static_cast<std::size_t>(result.value->node_)].target;
  if (target.pending == nullptr) {
    memory = target.array->memory();
  } else {
    memory = std::move(nodes_[static_cast<std::size_t>(target.pending->node_)].target);
  }
}

/// Sets the memory of a node's result, or detaches it without any.
void Recording::deliver(Node& node, StorageRef&& storage) noexcept {
  PendingValue* const result = std::exchange(node.result, nullptr);
  if (result == nullptr) return;
  result->memory_ = std::move(storage);
  result->detach();
}

void Recording::discard() noexcept {
  for (Node& node : nodes_) {
    deliver(node, std::move(node.target));  // memory changed in place keeps its old value
  }
  nodes_.clear();
  leaves_.clear();
  layouts_.clear();
  constants_.clear();
  reductions_.clear();
}

/// Marks the recording as being evaluated, until the returned object is destroyed.
auto Recording::begin_evaluation() {
  if (is_evaluating()) throw LibraryError("can't compute a value during another evaluation");
  evaluator_ = this_thread();
  const auto done = [](Recording* self) {
    // Freeing memory may wait, and no other evaluation must begin meanwhile.
    for (Node& node : self->nodes_) node.storage = {};
    self->evaluator_ = nullptr;
  };
  return std::unique_ptr<Recording, decltype(done)>(this, done);
}

/// Reports an evaluation to the observer, in its scope.
class Recording::ObservedEvaluation {
 public:
  explicit ObservedEvaluation(const Recording& recording)
      : observer_(hooks_above.load(std::memory_order_acquire)->observe_evaluation.load()) {
    if (observer_ != nullptr) [[unlikely]]
      begin(recording);
  }
  ObservedEvaluation(const ObservedEvaluation&) = delete;
  ObservedEvaluation& operator=(const ObservedEvaluation&) = delete;
  ~ObservedEvaluation() {
    if (observer_ != nullptr) [[unlikely]]
      observer_->end(range_, std::uncaught_exceptions() > exceptions_);
  }

 private:
  void begin(const Recording& recording) {
    const Node& last = recording.nodes_.back();
    EvaluationReport report{
        .operations = {},
        .device = last.device,
        .dtype = last.type,
        .shape = recording.layouts_[static_cast<std::size_t>(last.layout_index)].layout.shape};
    for (const Node& node : recording.nodes_) {
      if (node.function.name != nullptr) report.operations.push_back(node.function.name);
    }
    range_ = observer_->begin(report);
  }

  const EvaluationHooks::EvaluationObserver* observer_;
  void* range_ = nullptr;
  int exceptions_ = std::uncaught_exceptions();
};

bool Recording::feed(const PendingValue& x, bool is_held, const feed_reader& reduce) {
  const auto evaluating = begin_evaluation();
  return Evaluation(*this, *hooks_above.load(std::memory_order_acquire))
      .feed(x.node_, is_held, reduce);
}

void Recording::evaluate() {
  if (nodes_.empty()) return;
  const auto evaluating = begin_evaluation();
  const ObservedEvaluation observed(*this);
  Evaluation(*this, *hooks_above.load(std::memory_order_acquire)).run();
  for (Node& node : nodes_) {
    if (node.target && node.storage && !(node.target == node.storage)) {
      std::memcpy(node.target->data(), node.storage->data(), node.storage->nbytes());
      node.storage = node.target;
    }
    deliver(node, std::move(node.storage));
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
