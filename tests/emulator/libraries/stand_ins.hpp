// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/emulator/runtime/programs.hpp"

namespace skerry::emulation {

/// Frees the device memory of a test at its end.
class StandInsTest : public EmulatedDevices {
 protected:
  void TearDown() override {
    static_cast<void>(entry_points::get_last_error());
    rehearsal::clear();
    for (void* data : blocks_) {
      EXPECT_EQ(entry_points::deallocate(data), cuda::success);
    }
    EmulatedDevices::TearDown();
  }

  template <class T>
  T* on_device(std::size_t count, const T* values = nullptr) {
    void* data = nullptr;
    EXPECT_EQ(entry_points::allocate(&data, count * sizeof(T)), cuda::success);
    blocks_.push_back(data);
    if (values != nullptr) {
      EXPECT_EQ(entry_points::copy(data, values, count * sizeof(T), 1), cuda::success);
    }
    return static_cast<T*>(data);
  }
  template <class T>
  std::vector<T> from_device(const T* data, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(entry_points::copy(values.data(), data, count * sizeof(T), 2), cuda::success);
    return values;
  }

 private:
  std::vector<void*> blocks_;
};

}  // namespace skerry::emulation
