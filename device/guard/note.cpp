// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/guard/note.hpp"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "device/guard/fault.hpp"

namespace skerry::guard {

[[gnu::tls_model("initial-exec")]] constinit thread_local const call_note* current_note = nullptr;

namespace {

constinit std::atomic<const call_note*> last_note{nullptr};

struct kept_operand {
  operand_facts facts;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

struct kept_note : call_note {
  std::string name;
  std::vector<kept_operand> operands;
};

void keep_operand(void* context, const operand_facts& of) {
  kept_operand& fresh = static_cast<kept_note*>(context)->operands.emplace_back();
  fresh.facts = of;
  fresh.shape.assign(of.shape, of.shape + of.rank);
  fresh.strides.assign(of.strides, of.strides + of.rank);
}

void visit_kept(const call_note& self, void (*each)(void* context, const operand_facts& of),
                void* context) noexcept {
  for (const kept_operand& one : static_cast<const kept_note&>(self).operands) {
    operand_facts facts = one.facts;
    facts.shape = one.shape.data();
    facts.strides = one.strides.data();
    each(context, facts);
  }
}

}  // namespace

noted_call::noted_call(const call_note& note) noexcept
    : before_(std::exchange(current_note, &note)) {
  last_note.store(&note);
  catch_faults();
}

noted_call::~noted_call() {
  const call_note* mine = std::exchange(current_note, before_);
  last_note.compare_exchange_strong(mine, before_);
}

std::shared_ptr<const call_note> copy_note() {
  const call_note* const note = current_note;
  if (note == nullptr) return nullptr;
  auto copy = std::make_shared<kept_note>();
  copy->name = note->operation;
  copy->operation = copy->name.c_str();
  copy->visit = visit_kept;
  note->visit(*note, keep_operand, copy.get());
  return copy;
}

const call_note* nearest_note() noexcept {
  return current_note != nullptr ? current_note : last_note.load();
}

}  // namespace skerry::guard
