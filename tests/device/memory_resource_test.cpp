// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/memory_resource.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/errors.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using memory_resource_test = Rehearsed;

/// Allocates from skerry's pool and keeps books.
class CountingResource final : public MemoryResource {
 public:
  explicit CountingResource(Device device) : device_(device) {}
  void* allocate(std::size_t nbytes, void* stream) override {
    if (is_full) throw std::runtime_error("full");
    void* const data = allocate_block(device_, nbytes, stream);
    live[data] = {nbytes, stream};
    return static_cast<char*>(data) + shift;
  }
  void deallocate(void* data, std::size_t nbytes, void* stream) noexcept override {
    void* const block = static_cast<char*>(data) - shift;
    const auto entry = live.find(block);
    ASSERT_NE(entry, live.end());
    EXPECT_EQ(entry->second, std::pair(nbytes, stream));
    live.erase(entry);
    EXPECT_TRUE(free_block(block, stream));
  }

  bool is_full = false;
  std::ptrdiff_t shift = 0;
  std::map<void*, std::pair<std::size_t, void*>> live;

 private:
  Device device_;
};

class WithResource {
 public:
  explicit WithResource(std::shared_ptr<MemoryResource> resource) {
    set_memory_resource(cuda0, std::move(resource));
  }
  WithResource(const WithResource&) = delete;
  WithResource& operator=(const WithResource&) = delete;
  ~WithResource() { set_memory_resource(cuda0, nullptr); }
};

TEST_F(memory_resource_test, storages_are_freed_by_the_resource_that_allocated_them) {
  const auto resource = std::make_shared<CountingResource>(cuda0);
  StorageRef storage;
  {
    const WithResource scope(resource);
    storage = allocate(cuda0, 1000);
    EXPECT_EQ(resource->live.count(storage->data()), 1u);
    EXPECT_EQ(storage->nbytes(), 1000u);
  }
  EXPECT_EQ(resource.use_count(), 2);  // the block's
  const StorageRef pooled = allocate(cuda0, 1000);
  EXPECT_EQ(resource->live.size(), 1u);
  storage = {};
  EXPECT_TRUE(resource->live.empty());
  EXPECT_EQ(resource.use_count(), 1);
}

TEST_F(memory_resource_test, blocks_are_of_the_stream_of_the_storage) {
  const auto resource = std::make_shared<CountingResource>(cuda0);
  const WithResource scope(resource);
  const Stream stream = Stream::create(cuda0);
  enter_stream(stream);
  StorageRef storage = allocate(cuda0, 100);
  exit_stream(stream);
  EXPECT_EQ(resource->live.begin()->second.second, stream.handle());
  storage = {};  // deallocate() compares the stream
  EXPECT_TRUE(resource->live.empty());
}

TEST_F(memory_resource_test, failures_of_a_resource_are_out_of_memory) {
  const auto resource = std::make_shared<CountingResource>(cuda0);
  const WithResource scope(resource);
  const MemoryStatistics statistics_before = statistics(cuda0);
  resource->is_full = true;
  try {
    static_cast<void>(allocate(cuda0, 100));
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_THROW(std::rethrow_exception(error.cause()), std::runtime_error);
  }
  resource->is_full = false;
  resource->shift = 64;
  EXPECT_THROW(static_cast<void>(allocate(cuda0, 100)), ValueError);
  EXPECT_TRUE(resource->live.empty());
  EXPECT_EQ(statistics(cuda0).live_blocks, statistics_before.live_blocks);
}

TEST_F(memory_resource_test, blocks_for_other_libraries_are_freed_once) {
  const MemoryStatistics statistics_before = statistics(cuda0);
  void* const block = allocate_block(cuda0, 1000, nullptr);
  EXPECT_EQ(statistics(cuda0).live_blocks, statistics_before.live_blocks + 1);
  EXPECT_TRUE(free_block(block, nullptr));
  EXPECT_FALSE(free_block(block, nullptr));
  EXPECT_EQ(statistics(cuda0).live_blocks, statistics_before.live_blocks);
  EXPECT_THROW(static_cast<void>(allocate_block(cpu0, 1000, nullptr)), ValueError);
  EXPECT_THROW(set_memory_resource(cpu0, nullptr), NotImplementedError);
}

}  // namespace
}  // namespace skerry
