// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "device/emulator/libraries/stand_in_library.hpp"
#include "ops/linear/library.hpp"

namespace skerry::emulation {

[[nodiscard]] constexpr std::int64_t max_with_1(std::int64_t n) { return n > 1 ? n : 1; }

/// Statuses of a library's routines. Except for 0, success, the numbers differ between libraries.
struct RoutineStatuses {
  int not_initialized;
  int invalid_value;
  int execution_failed;
};

/// One call of a routine: collects the first error of its arguments and the memory that it
/// accesses.
class RoutineCall {
 public:
  RoutineCall(std::string routine, const LibraryHandle* handle, const RoutineStatuses& statuses)
      : routine_(std::move(routine)), handle_(handle), statuses_(statuses) {
    if (const char* error_message = error_message_of(handle))
      reject(statuses.not_initialized, error_message);
  }

  void reject(int status, const char* why) {
    if (status_ != 0) return;
    status_ = status;
    report_rejection(routine_, why);
  }
  void require(bool condition, const char* why) {
    if (!condition) reject(statuses_.invalid_value, why);
  }
  template <class T>
  void matrix(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
    require(rows >= 0 && columns >= 0, "negative extent");
    require(leading >= max_with_1(rows), "leading dimension less than the number of rows");
    if (status_ == 0) memory(data, extent_of_matrix(rows, columns, leading, sizeof(T)), sizeof(T));
  }
  template <class T>
  void vector(const T* data, std::int64_t count) {
    memory(static_cast<const void*>(data),
           static_cast<std::size_t>(std::max<std::int64_t>(count, 0)) * sizeof(T), sizeof(T));
  }
  /// Adds `count` matrices, whose addresses are in a list in device memory.
  template <class T>
  void matrices(T* const* list, std::int64_t count, std::int64_t rows, std::int64_t columns,
                std::int64_t leading) {
    require(rows >= 0 && columns >= 0 && count >= 0, "negative extent");
    require(leading >= max_with_1(rows), "leading dimension less than the number of rows");
    vector(list, count);
    if (status_ == 0) {
      lists_.add(list, count, extent_of_matrix(rows, columns, leading, sizeof(T)));
    }
  }
  /// Adds a workspace, which must have at least `min_length` items. run() overwrites all `length`
  /// of them.
  template <class T>
  void workspace(T* data, std::int64_t length, std::int64_t min_length) {
    require(length >= min_length, "workspace smaller than bufferSize returned");
    vector(data, length);
    if (status_ == 0 && data != nullptr) {
      workspace_ = data;
      work_nbytes_ = static_cast<std::size_t>(length) * sizeof(T);
    }
  }

  template <class Body>
  int run(Body body) {
    constexpr int garbage = 0xa5;
    if (status_ != 0) return status_;
    try {
      blas::require();
    } catch (const LibraryError& error) {
      reject(statuses_.execution_failed, error.what());
      return status_;
    }
    const int code = enqueue_library_task(
        routine_, handle_->stream, std::move(accessed_ranges_),
        [body = std::move(body), workspace = workspace_, nbytes = work_nbytes_] {
          if (nbytes > 0) std::memset(workspace, garbage, nbytes);
          body();
        },
        std::move(lists_));
    return code == 0 ? 0 : statuses_.execution_failed;
  }
  [[nodiscard]] int status() const { return status_; }

 private:
  void memory(const void* data, std::size_t nbytes, std::size_t alignment) {
    if (nbytes == 0) return;
    require(data != nullptr, "null pointer");
    require(is_aligned(data, alignment), "memory is not aligned to its element size");
    if (status_ == 0) accessed_ranges_.push_back({data, nbytes});
  }

  std::string routine_;
  const LibraryHandle* handle_;
  RoutineStatuses statuses_;
  int status_ = 0;
  std::vector<AccessedRange> accessed_ranges_;
  MatrixLists lists_;
  void* workspace_ = nullptr;
  std::size_t work_nbytes_ = 0;
};

}  // namespace skerry::emulation
