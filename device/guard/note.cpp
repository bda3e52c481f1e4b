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

struct KeptOperand {
  OperandFacts facts;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

struct KeptNote : CallNote {
  std::string name;
  std::vector<KeptOperand> operands;
};

void keep_operand(void* context, const OperandFacts& of) {
  KeptOperand& fresh = static_cast<KeptNote*>(context)->operands.emplace_back();
  fresh.facts = of;
  fresh.shape.assign(of.shape, of.shape + of.rank);
  fresh.strides.assign(of.strides, of.strides + of.rank);
}

void visit_kept(const CallNote& self, void (*each)(void* context, const OperandFacts& of),
                void* context) noexcept {
  for (const KeptOperand& one : static_cast<const KeptNote&>(self).operands) {
    OperandFacts facts = one.facts;
    facts.shape = one.shape.data();
    facts.strides = one.strides.data();
    each(context, facts);
  }
}

}  // namespace

NotedCall::NotedCall(const CallNote& note) noexcept : before_(std::exchange(current_note, &note)) {
  last_note.store(&note);
  catch_faults();
}

NotedCall::~NotedCall() {
  const CallNote* mine = std::exchange(current_note, before_);
  last_note.compare_exchange_strong(mine, before_);
}

std::shared_ptr<const CallNote> copy_note() {
  const CallNote* const note = current_note;
  if (note == nullptr) return nullptr;
  auto copy = std::make_shared<KeptNote>();
  copy->name = note->operation;
  copy->operation = copy->name.c_str();
  copy->visit = visit_kept;
  note->visit(*note, keep_operand, copy.get());
  return copy;
}

const CallNote* nearest_note() noexcept {
  return current_note != nullptr ? current_note : last_note.load();
}

}  // namespace skerry::guard
