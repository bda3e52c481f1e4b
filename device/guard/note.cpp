// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/guard/note.hpp"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "device/guard/fault.hpp"

namespace skerry::guard {

[[gnu::tls_model("initial-exec")]] constinit thread_local const CallNote* current_note = nullptr;

namespace {

constinit std::atomic<const CallNote*> last_note{nullptr};

struct StoredOperand {
  OperandAttributes attributes;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

struct StoredNote : CallNote {
  std::string name;
  std::vector<StoredOperand> operands;
};

void keep_operand(void* context, const OperandAttributes& operand) {
  StoredOperand& stored_operand = static_cast<StoredNote*>(context)->operands.emplace_back();
  stored_operand.attributes = operand;
  stored_operand.shape.assign(operand.shape, operand.shape + operand.rank);
  stored_operand.strides.assign(operand.strides, operand.strides + operand.rank);
}

void visit_operands(const CallNote& self,
                    void (*visitor)(void* context, const OperandAttributes& operand),
                    void* context) noexcept {
  for (const StoredOperand& one : static_cast<const StoredNote&>(self).operands) {
    OperandAttributes attributes = one.attributes;
    attributes.shape = one.shape.data();
    attributes.strides = one.strides.data();
    visitor(context, attributes);
  }
}

}  // namespace

NotedCall::NotedCall(const CallNote& note) noexcept
    : previous_note_(std::exchange(current_note, &note)) {
  last_note.store(&note);
  catch_faults();
}

NotedCall::~NotedCall() {
  const CallNote* own_note = std::exchange(current_note, previous_note_);
  last_note.compare_exchange_strong(own_note, previous_note_);
}

std::shared_ptr<const CallNote> copy_note() {
  const CallNote* const note = current_note;
  if (note == nullptr) return nullptr;
  auto copy = std::make_shared<StoredNote>();
  copy->name = note->operation;
  copy->operation = copy->name.c_str();
  copy->visit = visit_operands;
  note->visit(*note, keep_operand, copy.get());
  return copy;
}

const CallNote* nearest_note() noexcept {
  return current_note != nullptr ? current_note : last_note.load();
}

}  // namespace skerry::guard
