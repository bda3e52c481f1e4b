// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"

// Two devices of each kind, on any machine: cpu:0, cpu:1 and rehearsed cuda:0, cuda:1.
int main(int argc, char** argv) {
  setenv("SKERRY_CPU_DEVICES", "2", 1);
  testing::InitGoogleTest(&argc, argv);
  skerry::rehearse(2);
  const int failed = RUN_ALL_TESTS();
  skerry::shut_down();
  return failed;
}
