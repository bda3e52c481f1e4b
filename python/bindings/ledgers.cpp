// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/operation.hpp"
#include "device/host_action.hpp"
#include "device/memory_pressure.hpp"
#include "python/bindings/caller_line.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/gil.hpp"
#include "python/bindings/pybind.hpp"

// The ledgers of `skerry.guard`. The innermost open guard of the context decides what happens to
// announced action; it is recorded in the ledgers of all open guards of the context that don't
// allow it.

namespace skerry::python {
namespace {

enum class Policy : std::uint8_t { allow, log, raise };
constexpr std::size_t kind_count = 3;
constexpr std::array kind_names{"transfer", "sync", "allocation"};
using Policies = std::array<Policy, kind_count>;
using Kinds = std::array<bool, kind_count>;

/// Returns the kinds of work as which it counts: a copy may be a wait, too.
Kinds kinds_of(const HostAction& action) noexcept {
  Kinds kinds{};
  kinds[static_cast<std::size_t>(action.kind)] = action.kind != ActionKind::sync;
  kinds[static_cast<std::size_t>(ActionKind::sync)] = action.waits;
  return kinds;
}

/// Announced work with the line of Python that caused it.
struct LedgerRecord : ActionRecord {
  using ActionRecord::ActionRecord;

  Kinds kinds{};
  /// A copy: the name may be text of a Python object. Empty if it is not known.
  const std::string operation = current_operation() != nullptr ? current_operation() : "";
  const unsigned long thread = PyThread_get_thread_ident();
  CallerLine line;
};

struct Ledger {
  Ledger(const Policies& own_policies, std::shared_ptr<Ledger> enclosing) noexcept
      : policies(own_policies), outer(std::move(enclosing)) {}

  [[nodiscard]] bool is_of_interest(const Kinds& kinds) const noexcept {
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      if (kinds[kind] && policies[kind] != Policy::allow) return true;
    }
    return false;
  }
  [[nodiscard]] Policy policy(std::size_t kind) const noexcept { return policies[kind]; }
  void add(std::shared_ptr<LedgerRecord> record) {
    if (!is_of_interest(record->kinds)) return;
    const std::lock_guard lock(mutex);
    records.push_back(std::move(record));
  }

  const Policies policies;
  const std::shared_ptr<Ledger> outer;
  std::atomic<bool> is_open{true};
  std::mutex mutex;
  std::vector<std::shared_ptr<LedgerRecord>> records;
};

constexpr const char* capsule_name = "skerry.ledger";
constinit ContextVariable current_ledger;

const std::shared_ptr<Ledger>& ledger_of(PyObject* capsule) {
  void* const pointer = PyCapsule_GetPointer(capsule, capsule_name);
  if (pointer == nullptr) throw PythonError{};
  return *static_cast<std::shared_ptr<Ledger>*>(pointer);
}

Ledger* innermost_open(Ledger* ledger) noexcept {
  while (ledger != nullptr && !ledger->is_open.load(std::memory_order_relaxed))
    ledger = ledger->outer.get();
  return ledger;
}

std::string describe(const HostAction& action) {
  std::string text = action.cause;
  if (action.nbytes != 0) text += ", " + byte_text(action.nbytes);
  if (action.source == action.target || action.kind == ActionKind::sync)
    return text + ", " + to_string(action.source);
  return text + ", " + to_string(action.source) + " to " + to_string(action.target);
}

[[noreturn]] void reject(const HostAction& action, std::size_t kind) {
  static constexpr std::array titles{"transfers", "syncs", "allocations"};
  static constexpr std::array remedies{"keep the values on one device",
                                       "keep the values on the device, or wait outside the block",
                                       "pass out=, or allocate before the block"};
  const std::string title = titles[kind];
  throw GuardError("skerry.guard(" + title + "=\"raise\") forbids this " + kind_names[kind] + ": " +
                   describe(action) + "; " + remedies[kind] +
                   ", or allow it by `with skerry.guard(" + title + "=\"allow\"):`");
}

std::shared_ptr<ActionRecord> observe(const HostAction& action) {
  const WithGil gil_guard;
  if (!gil_guard) return nullptr;
  const ErrorAside error_scope;
  const Object capsule = current_ledger.value();
  if (capsule.get() == nullptr || capsule.get() == Py_None) return nullptr;
  Ledger* ledger = innermost_open(ledger_of(capsule.get()).get());
  if (ledger == nullptr) return nullptr;

  Kinds kinds = kinds_of(action);
  bool is_recorded = false;
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    if (kinds[kind] && ledger->policy(kind) == Policy::raise && action.is_rejectable)
      reject(action, kind);
    kinds[kind] = kinds[kind] && ledger->policy(kind) != Policy::allow;
    is_recorded = is_recorded || kinds[kind];
  }
  if (!is_recorded) return nullptr;
  auto record = std::make_shared<LedgerRecord>(action);
  record->kinds = kinds;
  record->line = CallerLine::find();
  for (; ledger != nullptr; ledger = innermost_open(ledger->outer.get())) ledger->add(record);
  return record;
}

/// Guards that are open, and those that don't allow allocations.
struct OpenGuards {
  std::mutex mutex;
  int count = 0;
  int allocation_count = 0;
};
OpenGuards open_guards;

void count_guard(const Ledger& ledger, int change) {
  const bool has_allocations =
      ledger.policy(static_cast<std::size_t>(ActionKind::allocation)) != Policy::allow;
  const std::lock_guard lock(open_guards.mutex);
  open_guards.count += change;
  if (has_allocations) open_guards.allocation_count += change;
  set_action_observer(open_guards.count != 0 ? observe : nullptr,
                      open_guards.allocation_count != 0);
}

py::object open_ledger(int transfers, int syncs, int allocations, const py::object& outer) {
  const Policies own_policies{static_cast<Policy>(transfers), static_cast<Policy>(syncs),
                              static_cast<Policy>(allocations)};
  auto enclosing = outer.is_none() ? nullptr : ledger_of(outer.ptr());
  auto owned = std::make_unique<std::shared_ptr<Ledger>>(
      std::make_shared<Ledger>(own_policies, std::move(enclosing)));
  count_guard(**owned, 1);
  return py::capsule(owned.release(), capsule_name,
                     [](void* pointer) { delete static_cast<std::shared_ptr<Ledger>*>(pointer); });
}

void close_ledger(const py::object& capsule) {
  Ledger& ledger = *ledger_of(capsule.ptr());
  if (ledger.is_open.exchange(false)) count_guard(ledger, -1);
}

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

py::tuple row_of(const LedgerRecord& record) {
  const HostAction& action = record.action;
  py::list kinds;
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    if (record.kinds[kind]) kinds.append(kind_names[kind]);
  }
  PyObject* const file = record.line.file();
  const py::object operation =
      record.operation.empty() ? py::object(py::none()) : py::str(record.operation);
  return py::make_tuple(
      py::tuple(kinds), operation, action.cause, to_string(action.source), to_string(action.target),
      action.nbytes, action.is_page_locked, reinterpret_cast<std::uintptr_t>(action.stream),
      py::reinterpret_borrow<py::object>(file != nullptr ? file : Py_None), record.line.number(),
      record.waits.load(), record.has_failed.load(), seconds(record.begin),
      seconds(record.end.load() - record.begin), record.thread);
}

std::vector<std::shared_ptr<LedgerRecord>> records_of(Ledger& ledger) {
  const std::lock_guard lock(ledger.mutex);
  return ledger.records;
}

py::list read_ledger(const py::object& capsule) {
  Ledger& ledger = *ledger_of(capsule.ptr());
  py::list rows;
  for (const auto& record : records_of(ledger)) rows.append(row_of(*record));
  return rows;
}

}  // namespace

void add_ledgers(py::module_& module) {
  module.def(
      "use_ledger_context",
      [](const py::object& variable, const std::string& folder) {
        set_package_folder(folder);
        current_ledger.set(variable.ptr());
      },
      py::arg("variable"), py::arg("folder"), py::pos_only(),
      "Use this contextvars.ContextVar for the ledger of the innermost guard, and skip frames of "
      "code in the folder.");
  module.def("open_ledger", open_ledger, py::arg("transfers"), py::arg("syncs"),
             py::arg("allocations"), py::arg("outer"), py::pos_only(),
             "Open a ledger with three policies: 0 allows, 1 records, 2 rejects. `outer` is the "
             "ledger of the enclosing guard, or None.");
  module.def("close_ledger", close_ledger, py::arg("ledger"), py::pos_only(),
             "Close a ledger: nothing is recorded or rejected for it any more, in any context.");
  module.def(
      "is_ledger_open",
      [](const py::object& capsule) { return ledger_of(capsule.ptr())->is_open.load(); },
      py::arg("ledger"), py::pos_only(), "Whether the ledger is open.");
  module.def("read_ledger", read_ledger, py::arg("ledger"), py::pos_only(),
             "The rows of a ledger, for skerry._guard.GuardEntry.");
}

}  // namespace skerry::python
