// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace skerry::guard {

/// An operand of a call, as a fault report shows it. Non-owning.
struct OperandAttributes {
  const char* dtype = nullptr;
  const void* block = nullptr;  ///< start of its storage if known, else its data
  const void* data = nullptr;   ///< address of element [0, …, 0]
  int rank = 0;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;  ///< bytes
};

/// The operation that a thread executes, for fault reports. Stored on the stack of the call, except
/// for copy_note()'s.
struct CallNote {
  const char* operation = nullptr;
  /// Calls `visitor` for every operand of the call. Called in a signal handler.
  void (*visit)(const CallNote& self,
                void (*visitor)(void* context, const OperandAttributes& operand),
                void* context) noexcept = nullptr;
};

/// This thread's note; null if there is none. Set on the thread that calls an operation and on the
/// pool threads that work for it.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local const CallNote* current_note;

/// Sets this thread's note for its lifetime. Also records it as the last note of any thread, for
/// faults on other libraries' threads, which have no note.
class NotedCall {
 public:
  explicit NotedCall(const CallNote& note) noexcept;
  NotedCall(const NotedCall&) = delete;
  NotedCall& operator=(const NotedCall&) = delete;
  ~NotedCall();

 private:
  const CallNote* previous_note_;
};

/// Returns a copy of this thread's note, for work that outlives the call; null if there is none.
[[nodiscard]] std::shared_ptr<const CallNote> copy_note();

/// Returns this thread's note, or else the last note of any thread.
[[nodiscard]] const CallNote* nearest_note() noexcept;

}  // namespace skerry::guard
