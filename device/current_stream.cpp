// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The streams that a thread's work goes to.

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"

namespace skerry {

namespace {

struct stream_scope {
  stream inside;
  stream before;
};

/// Those that were entered and not left. On the heap, made by the first: a thread's own storage is
/// scarce in a module that is loaded late.
std::vector<stream_scope>& scopes_of_thread() {
  thread_local const auto scopes = std::make_unique<std::vector<stream_scope>>();
  return *scopes;
}

}  // namespace

stream current_stream(device where) {
  const auto find = backend_of(where).streams.current;
  return find != nullptr ? find(where) : stream(where);
}

void* current_stream_handle(device where) noexcept {
  const auto find = backend_of(where).streams.current_handle;
  return find != nullptr ? find(where) : nullptr;
}

void set_current_stream(const stream& to) {
  require(to.where());
  const auto set = backend_of(to.where()).streams.set_current;
  if (set != nullptr) set(to);
}

void enter_stream(const stream& to) {
  auto& scopes = scopes_of_thread();
  scopes.push_back({to, current_stream(to.where())});
  try {
    set_current_stream(to);
  } catch (...) {
    scopes.pop_back();
    throw;
  }
}

void leave_stream(const stream& from) {
  auto& scopes = scopes_of_thread();
  // Generators may leave in another order than they entered.
  const auto found = std::find_if(scopes.rbegin(), scopes.rend(),
                                  [&](const auto& each) { return each.inside == from; });
  if (found == scopes.rend()) {
    throw value_error("stream: this thread is not inside a block of this stream of " +
                      to_string(from.where()) + "; leave it in the thread that entered it");
  }
  const stream before = found->before;
  scopes.erase(std::next(found).base());
  set_current_stream(before);
}

}  // namespace skerry
