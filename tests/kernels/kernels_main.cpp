// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"

// cuda:0 is the GPU if the machine has one, otherwise a rehearsed device. --require-gpu makes a
// rehearsed device an error, and also a skipped test (e.g. because a library can't be opened),
// since its kernels were not checked.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const bool needs_gpu = argc > 1 && std::strcmp(argv[1], "--require-gpu") == 0;
  if (needs_gpu) unsetenv("SKERRY_REHEARSE");
  if (skerry::device_count(skerry::cuda_kind) == 0) {
    if (needs_gpu) {
      std::fprintf(stderr, "no GPU: %s\n", skerry::why_no_cuda()->text.c_str());
      return 3;
    }
    skerry::rehearse(1);
  }
  std::printf("cuda:0 is %s\n", skerry::describe({skerry::cuda_kind, 0}).name.c_str());
  int failed = RUN_ALL_TESTS();
  const int skipped = testing::UnitTest::GetInstance()->skipped_test_count();
  if (needs_gpu && failed == 0 && skipped > 0) {
    std::fprintf(stderr, "%d tests were skipped, which would check nothing on this GPU\n", skipped);
    failed = 1;
  }
  skerry::shut_down();
  return failed;
}
