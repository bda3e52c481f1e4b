// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/call_sites.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>

namespace skerry::python {

namespace {

struct CallSite {
  void* function;
  void* profiled_form;
};

struct CallSites {
  std::mutex mutex;
  std::unordered_map<void*, void*> profiled_forms;  ///< by function
  std::unordered_map<void**, CallSite> sites;       ///< by location
  bool is_profiled = false;
};

/// Created by the first form, while the module is initialized. Never freed: objects with call sites
/// may outlive static objects.
constinit CallSites* call_sites_of_process = nullptr;

CallSites& call_sites() {
  if (call_sites_of_process == nullptr) call_sites_of_process = new CallSites;
  return *call_sites_of_process;
}

/// Other threads may be calling through the pointer.
void store(void** location, void* function) noexcept {
  std::atomic_ref<void*>(*location).store(function, std::memory_order_release);
}

/// Adds those pointers of a structure of slots that have a profiled form.
template <class Slots>
void add_slots(Slots* slots) {
  if (slots == nullptr) return;
  auto** const first = reinterpret_cast<void**>(slots);
  for (std::size_t i = 0; i < sizeof(Slots) / sizeof(void*); ++i) add_call_site(first + i);
}

}  // namespace

void add_profiled_form(void* function, void* profiled_form) {
  CallSites& all = call_sites();
  const std::lock_guard lock(all.mutex);
  all.profiled_forms.insert_or_assign(function, profiled_form);
}

void add_call_site(void** location) {
  CallSites& all = call_sites();
  const std::lock_guard lock(all.mutex);
  const auto form = all.profiled_forms.find(*location);
  if (form == all.profiled_forms.end()) return;
  all.sites.insert_or_assign(location, CallSite{form->first, form->second});
  if (all.is_profiled) store(location, form->second);
}

void add_call_site(PyMethodDef& definition) {
  add_call_site(reinterpret_cast<void**>(&definition.ml_meth));
}

void add_call_sites(PyTypeObject* type) {
  add_slots(type->tp_as_number);
  add_slots(type->tp_as_mapping);
  add_slots(type->tp_as_sequence);
  add_call_site(reinterpret_cast<void**>(&type->tp_richcompare));
  add_call_site(reinterpret_cast<void**>(&type->tp_iternext));
  for (PyMethodDef* method = type->tp_methods; method->ml_name != nullptr; ++method)
    add_call_site(*method);
}

void remove_call_site(void** location) noexcept {
  CallSites& all = call_sites();
  const std::lock_guard lock(all.mutex);
  all.sites.erase(location);
}

void profile_call_sites(bool is_profiled) noexcept {
  CallSites& all = call_sites();
  const std::lock_guard lock(all.mutex);
  all.is_profiled = is_profiled;
  for (const auto& [location, site] : all.sites)
    store(location, is_profiled ? site.profiled_form : site.function);
}

}  // namespace skerry::python
