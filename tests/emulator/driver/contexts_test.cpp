// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/emulator/driver/client.hpp"

namespace skerry::emulation::driver {
namespace {

class DriverContexts : public DriverTest {};

void* current() {
  void* context = nullptr;
  EXPECT_EQ(CALL(cuCtxGetCurrent, context_get_current)(&context), 0);
  return context;
}

TEST_F(DriverContexts, the_primary_context_has_a_constant_handle) {
  void* same_context = nullptr;
  ASSERT_EQ(CALL(cuDevicePrimaryCtxRetain, primary_context_retain)(&same_context, 0), 0);
  EXPECT_EQ(same_context, context_);
  unsigned flags = 1;
  int active = 0;
  ASSERT_EQ(CALL(cuDevicePrimaryCtxGetState, primary_context_get_state)(0, &flags, &active), 0);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(CALL(cuDevicePrimaryCtxRelease, primary_context_release)(0), 0);
  EXPECT_EQ(CALL(cuDevicePrimaryCtxRelease, primary_context_release)(1), 201);
}

TEST_F(DriverContexts, push_and_pop_work_as_a_stack) {
  void* second = nullptr;
  ASSERT_EQ(CALL(cuDevicePrimaryCtxRetain, primary_context_retain)(&second, 1), 0);
  ASSERT_EQ(CALL(cuCtxPushCurrent, context_push)(second), 0);
  int device = -1;
  ASSERT_EQ(CALL(cuCtxGetDevice, context_get_device)(&device), 0);
  EXPECT_EQ(device, 1);
  void* popped = nullptr;
  ASSERT_EQ(CALL(cuCtxPopCurrent, context_pop)(&popped), 0);
  EXPECT_EQ(popped, second);
  EXPECT_EQ(current(), context_);
  EXPECT_EQ(CALL(cuDevicePrimaryCtxRelease, primary_context_release)(1), 0);
}

TEST_F(DriverContexts, calls_without_a_current_context_fail) {
  ASSERT_EQ(CALL(cuCtxSetCurrent, context_set_current)(nullptr), 0);
  EXPECT_EQ(current(), nullptr);
  address data = 0;
  int device = 0;
  EXPECT_EQ(CALL(cuMemAlloc, memory_allocate)(&data, 16), 201);
  EXPECT_EQ(CALL(cuCtxGetDevice, context_get_device)(&device), 201);
  EXPECT_EQ(CALL(cuCtxSynchronize, context_synchronize)(), 201);
  ASSERT_EQ(CALL(cuCtxSetCurrent, context_set_current)(context_), 0);
}

TEST_F(DriverContexts, calls_in_a_forked_child_fail) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    void* context = nullptr;
    const bool is_refused = CALL(cuInit, initialize)(0) == 3 &&
                            CALL(cuCtxGetCurrent, context_get_current)(&context) == 3;
    std::exit(is_refused ? 7 : 8);  // runs exit handlers, which must not wait
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(current(), context_);
}

TEST_F(DriverContexts, a_reset_frees_resources_and_clears_the_error) {
  void* second = nullptr;
  ASSERT_EQ(CALL(cuDevicePrimaryCtxRetain, primary_context_retain)(&second, 1), 0);
  ASSERT_EQ(CALL(cuCtxPushCurrent, context_push)(second), 0);
  const std::string image = whole_ptx();
  void* module = nullptr;
  ASSERT_EQ(CALL(cuModuleLoadData, module_load)(&module, image.c_str()), 0);
  void* const library = load(image);
  void* stream = nullptr;
  ASSERT_EQ(CALL(cuStreamCreate, stream_create)(&stream, 0), 0);
  const address data = allocate(40);
  EXPECT_EQ(launch(kernel(library, "count"), 1, 1, data, 5), 0);
  EXPECT_EQ(read(data, 1), std::vector<std::uint32_t>{12});
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(kernel(library, "store"), 1, 11, data, 1), 0);
  EXPECT_EQ(CALL(cuCtxSynchronize, context_synchronize)(), 700);
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(CALL(cuDevicePrimaryCtxReset, primary_context_reset)(1), 0);
  EXPECT_EQ(CALL(cuCtxSynchronize, context_synchronize)(), 0);
  EXPECT_EQ(CALL(cuMemFree, memory_free)(data), 1);
  EXPECT_EQ(CALL(cuStreamSynchronize, stream_synchronize)(stream), 400);
  void* function = nullptr;
  EXPECT_EQ(CALL(cuModuleGetFunction, module_get_function)(&function, module, "count"), 400);
  // Libraries don't belong to a context: they remain, with their variables initialized again.
  const address new_data = allocate(40);
  EXPECT_EQ(launch(kernel(library, "count"), 1, 1, new_data, 5), 0);
  EXPECT_EQ(read(new_data, 1), std::vector<std::uint32_t>{12});
  release(new_data);
  EXPECT_EQ(CALL(cuCtxPopCurrent, context_pop)(nullptr), 0);
  EXPECT_EQ(CALL(cuDevicePrimaryCtxRelease, primary_context_release)(1), 0);
}

TEST_F(DriverContexts, created_contexts_have_unique_handles) {
  void* created_context = nullptr;
  ASSERT_EQ(CALL(cuCtxCreate, context_create)(&created_context, nullptr, 0, 1), 0);
  EXPECT_NE(created_context, context_);
  EXPECT_EQ(current(), created_context);
  int device = -1;
  ASSERT_EQ(CALL(cuCtxGetDevice, context_get_device)(&device), 0);
  EXPECT_EQ(device, 1);
  ASSERT_EQ(CALL(cuCtxDestroy, context_destroy)(created_context), 0);
  EXPECT_EQ(current(), context_);
  EXPECT_EQ(CALL(cuCtxPushCurrent, context_push)(created_context), 201);
}

TEST_F(DriverContexts, limits_can_be_read_back) {
  constexpr int stack = 0;
  std::size_t value = 0;
  ASSERT_EQ(CALL(cuCtxGetLimit, context_get_limit)(&value, stack), 0);
  EXPECT_EQ(value, 1024);
  ASSERT_EQ(CALL(cuCtxSetLimit, context_set_limit)(stack, 4096), 0);
  ASSERT_EQ(CALL(cuCtxGetLimit, context_get_limit)(&value, stack), 0);
  EXPECT_EQ(value, 4096);
  EXPECT_EQ(CALL(cuCtxSetLimit, context_set_limit)(99, 1), 215);
  ASSERT_EQ(CALL(cuCtxSetLimit, context_set_limit)(stack, 1024), 0);
}

TEST_F(DriverContexts, peer_access_can_be_enabled_only_once) {
  void* peer = nullptr;
  ASSERT_EQ(CALL(cuDevicePrimaryCtxRetain, primary_context_retain)(&peer, 1), 0);
  int can = 0;
  ASSERT_EQ(CALL(cuDeviceCanAccessPeer, device_can_access_peer)(&can, 0, 1), 0);
  if (can == 0) GTEST_SKIP() << "no peer access between these devices";
  EXPECT_EQ(CALL(cuCtxEnablePeerAccess, context_enable_peer)(peer, 0), 0);
  EXPECT_EQ(CALL(cuCtxEnablePeerAccess, context_enable_peer)(peer, 0), 704);
  EXPECT_EQ(CALL(cuCtxDisablePeerAccess, context_disable_peer)(peer), 0);
  EXPECT_EQ(CALL(cuCtxDisablePeerAccess, context_disable_peer)(peer), 705);
  EXPECT_EQ(CALL(cuDevicePrimaryCtxRelease, primary_context_release)(1), 0);
}

}  // namespace
}  // namespace skerry::emulation::driver
