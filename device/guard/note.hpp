// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace skerry::guard {

/// An array that a call was given, as the report of a fault shows it. Keeps pointers.
struct OperandAttributes {
  const char* dtype = nullptr;
  const void* block = nullptr;  ///< the memory that it lies in, where that is known, else its data
  const void* data = nullptr;   ///< of element [0, …, 0]
  int rank = 0;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;  ///< bytes
};

/// What a thread computes, for the report of a fault. On the stack of the call.
struct CallNote {
  const char* operation = nullptr;
  /// Calls `each` for every array that the call was given. Called in a signal handler.
  void (*visit)(const CallNote& self,
                void (*visitor)(void* context, const OperandAttributes& operand),
                void* context) noexcept = nullptr;
};

/// Of this thread; null: none of those that were noted. Set by who calls and by the threads that
/// work for him.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local const CallNote* current_note;

/// Makes a note this thread's while it lives. Of all threads' the last one is kept, too: threads of
/// other libraries have none.
class NotedCall {
 public:
  explicit NotedCall(const CallNote& note) noexcept;
  NotedCall(const NotedCall&) = delete;
  NotedCall& operator=(const NotedCall&) = delete;
  ~NotedCall();

 private:
  const CallNote* previous_note_;
};

/// A copy of this thread's note, for work that runs when the call is over; null if there is none.
[[nodiscard]] std::shared_ptr<const CallNote> copy_note();

/// This thread's note, or else the last one of any thread.
[[nodiscard]] const CallNote* nearest_note() noexcept;

}  // namespace skerry::guard
